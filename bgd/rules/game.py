"""A whole game or match as steps: `apply(state, action) -> state`. All turn order lives here.

    OPENING ── RollOpening ──► PLAY (or ROLL, or OPENING again after a tie)
    ROLL ── Roll ──► PLAY ── MovePlay, Confirm ──► ROLL of the other side, or OVER
    ROLL ── Double ──► DOUBLED ── Take ──► ROLL of the doubler; Pass ──► OVER
                       DOUBLED ── Beaver ──► BEAVERED ── Raccoon ──► RACCOONED, each taken or passed in turn
    ROLL, PLAY ── OfferResignation ──► AcceptResignation ──► OVER; RejectResignation ──► as before
    OVER ── NextGame ──► OPENING

A play can be taken back until it is confirmed. Where nothing can be played the play has no moves, and is confirmed
like any other. Scores count a game when the next one begins; `settled` counts it before.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, get_args

from bgd.errors import IllegalAction
from bgd.rules import match, money
from bgd.rules.board import CHECKERS, Board
from bgd.rules.cube import TURNS, passed, taken, why_no_beaver, why_no_double, why_no_raccoon
from bgd.rules.dice import Dice
from bgd.rules.legality import check_play
from bgd.rules.opening import beginner, first_roll
from bgd.rules.outcome import outcome_of
from bgd.rules.plays import CheckerMove
from bgd.rules.state import Cube, GameState, Match, Money, Outcome, Phase, Resignation, Result, Side


@dataclass(frozen=True, slots=True)
class RollOpening:
    """Each side throws one die."""

    top: int
    bottom: int


@dataclass(frozen=True, slots=True)
class Roll:
    """The side on roll rolls."""

    dice: Dice


@dataclass(frozen=True, slots=True)
class MovePlay:
    """The side on roll moves its checkers: a whole play, in the mover's numbering, or a resulting board seen by it."""

    play: tuple[CheckerMove, ...] | Board = ()


@dataclass(frozen=True, slots=True)
class TakeBack:
    """The side on roll puts its checkers back where they were."""


@dataclass(frozen=True, slots=True)
class Confirm:
    """The side on roll picks up its dice: the play stands and the turn passes."""


@dataclass(frozen=True, slots=True)
class Double:
    """The side on roll doubles or redoubles."""


@dataclass(frozen=True, slots=True)
class Take:
    """The cube on offer is accepted."""


@dataclass(frozen=True, slots=True)
class Pass:
    """The cube on offer is refused, and the game lost at the value before it."""


@dataclass(frozen=True, slots=True)
class Beaver:
    """The double is taken and the cube turned again at once."""


@dataclass(frozen=True, slots=True)
class Raccoon:
    """The doubler accepts the beaver and turns the cube once more."""


@dataclass(frozen=True, slots=True)
class OfferResignation:
    """`side` (by default the side on roll) offers to lose `outcome`."""

    outcome: Outcome
    side: Side | None = None


@dataclass(frozen=True, slots=True)
class AcceptResignation:
    """The resignation on offer ends the game."""


@dataclass(frozen=True, slots=True)
class RejectResignation:
    """Play goes on where it was."""


@dataclass(frozen=True, slots=True)
class NextGame:
    """The finished game is counted and the next one of the match or money session begins."""


Action = (
    RollOpening
    | Roll
    | MovePlay
    | TakeBack
    | Confirm
    | Double
    | Take
    | Pass
    | Beaver
    | Raccoon
    | OfferResignation
    | AcceptResignation
    | RejectResignation
    | NextGame
)

ACTIONS: Final[tuple[type[Action], ...]] = get_args(Action)

_IN_WORDS: Final[dict[type[Action], str]] = {
    RollOpening: "throw for the opening",
    Roll: "roll",
    MovePlay: "move",
    TakeBack: "take a play back",
    Confirm: "confirm a play",
    Double: "double",
    Take: "take",
    Pass: "pass",
    Beaver: "beaver",
    Raccoon: "raccoon",
    OfferResignation: "offer a resignation",
    AcceptResignation: "accept a resignation",
    RejectResignation: "reject a resignation",
    NextGame: "begin the next game",
}


def moment(
    board: Board,
    turn: Side,
    phase: Phase,
    cube: Cube,
    dice: Dice | None,
    terms: Match | Money,
    resignation: Resignation | None = None,
) -> GameState:
    """The state that somebody describes, `board` seen by `turn`. Where a side has borne off everything the game is over
    and has its result, whatever else was said: nobody is on roll, and nothing is offered."""
    if board.finished:
        return _borne_off(GameState(board, turn, Phase.OVER, cube, None, terms))
    return GameState.quickly(board, turn, phase, cube, dice, terms, resignation)


def under(state: GameState, terms: Match | Money) -> GameState:
    """The same moment under other terms; a game that was played to its end is counted by these."""
    changed = replace(state, terms=terms)
    return _borne_off(changed) if state.board.finished else changed


def legal_actions(state: GameState) -> tuple[type[Action], ...]:
    """The kinds of action open now, in the order of ACTIONS; GameState.decider says whose they are."""
    return tuple(kind for kind in ACTIONS if refusal(state, kind) is None)


def apply(state: GameState, action: Action) -> GameState:
    """The state after `action`.

    Raises IllegalAction with the reason when the action is out of turn, IllegalPlay (with the rule) for a play that is
    not legal, BadDice for an opening throw that is no two dice.
    """
    reason = refusal(state, type(action))
    if reason is not None:
        raise IllegalAction(f"Cannot {_IN_WORDS[type(action)]}: {reason}")
    match action:
        case RollOpening(top, bottom):
            return _opened(state, top, bottom)
        case Roll(dice):
            return state.with_dice(dice)
        case MovePlay(play):
            assert state.dice is not None
            return replace(state, played=check_play(state.board, state.dice, play))
        case TakeBack():
            return replace(state, played=None)
        case Confirm():
            return _confirmed(state)
        case Double():
            return replace(state, phase=Phase.DOUBLED)
        case Beaver():
            return replace(state, phase=Phase.BEAVERED)
        case Raccoon():
            return replace(state, phase=Phase.RACCOONED)
        case Take():
            return replace(state, phase=Phase.ROLL, cube=taken(state))
        case Pass():
            return _over(state, state.decider.other, Outcome.SINGLE, passed(state))
        case OfferResignation(outcome, side):
            return replace(state, resignation=Resignation(state.turn if side is None else side, outcome))
        case AcceptResignation():
            assert state.resignation is not None
            return _won(state, state.resignation.side.other, state.resignation.outcome)
        case RejectResignation():
            return replace(state, resignation=None)
        case NextGame():
            return GameState(
                phase=Phase.OPENING, cube=Cube(limit=state.cube.limit), terms=settled(state), house=state.house
            )


def refusal(state: GameState, kind: type[Action]) -> str | None:
    """Why an action of this kind is not open now, in words; None when it is."""
    if kind in (AcceptResignation, RejectResignation):
        return None if state.resignation is not None else "no resignation is offered"
    if state.resignation is not None:
        return "a resignation is to be accepted or rejected first"
    if kind is NextGame:
        return _why_no_next_game(state)
    if state.phase is Phase.OVER:
        return "the game is over"
    if kind is RollOpening:
        return None if state.phase is Phase.OPENING else "the game has begun"
    if state.phase is Phase.OPENING:
        return "the opening throw comes first"
    if kind in (Take, Pass):
        return None if state.phase in TURNS else "no double is to be answered"
    if kind in (Double, Beaver, Raccoon):
        why = {Double: why_no_double, Beaver: why_no_beaver, Raccoon: why_no_raccoon}[kind](state)
        return None if why is None else why.value
    if state.phase in TURNS:
        return "a double is to be answered first"
    if kind is Roll:
        return None if state.phase is Phase.ROLL else "the dice are on the table"
    if kind is OfferResignation:
        return None
    if state.phase is not Phase.PLAY:
        return "the dice are to be rolled first"
    if kind is MovePlay:
        return None if state.played is None else "a play is made: confirm it or take it back"
    return None if state.played is not None else "no play is made yet"


def settled(state: GameState) -> Match | Money:
    """The match or money session with this game counted, if it is over; as it stands if it is not."""
    if state.result is None:
        return state.terms
    if isinstance(state.terms, Match):
        return match.after_game(state.terms, state.result, crawford_rule=state.house.crawford)
    return money.after_game(state.terms, state.result)


def _why_no_next_game(state: GameState) -> str | None:
    if state.phase is not Phase.OVER:
        return "the game is not over"
    if state.result is None:
        return "who won this game is not known"
    terms = settled(state)
    return "the match is over" if isinstance(terms, Match) and terms.winner is not None else None


def _opened(state: GameState, top: int, bottom: int) -> GameState:
    side = beginner(top, bottom)
    if side is None:
        return (
            replace(state, cube=money.after_tie(state.cube, state.terms)) if isinstance(state.terms, Money) else state
        )
    begun = replace(state, board=state.board_of(side), turn=side, phase=Phase.ROLL)
    return begun if state.house.winner_rerolls else begun.with_dice(first_roll(top, bottom))


def _confirmed(state: GameState) -> GameState:
    assert state.played is not None
    after = state.played.result
    if after.finished:
        return _borne_off(replace(state, board=after, phase=Phase.OVER, dice=None, played=None))
    return replace(state, board=after.flip(), turn=state.turn.other, phase=Phase.ROLL, dice=None, played=None)


def _borne_off(state: GameState) -> GameState:
    """With the result that a finished board tells."""
    winner = state.turn if state.board.off == CHECKERS else state.turn.other
    return _won(state, winner, outcome_of(state.board))


def _won(state: GameState, winner: Side, outcome: Outcome) -> GameState:
    """Over the board or by resignation: as the house rules and Jacoby count it."""
    outcome = state.house.counted(outcome)
    if isinstance(state.terms, Money):
        outcome = money.counted(outcome, state.cube, state.terms)
    return _over(state, winner, outcome, state.cube.value)


def _over(state: GameState, winner: Side, outcome: Outcome, stake: int) -> GameState:
    result = Result(winner, outcome, outcome * stake)
    return replace(state, phase=Phase.OVER, dice=None, played=None, resignation=None, result=result)
