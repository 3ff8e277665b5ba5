"""Is this play legal, and if it is not, which rule of the game does it break?

A play is given as moves in any order, with or without hit marks, or as the board it leads to. A move may be written
short, by where the checker starts and ends: `24/14` for a 64, `13/3` for a 55. It then passes over points that are
open and hits nothing on its way: a hit on the way is a play of its own and must be written, `24/18*/14`.

The rule broken is a stable word, on `IllegalPlay.rule`:

    no-checker              nothing of the mover's stands on the source
    bar-first               a checker on the bar must enter before any other moves
    backwards               checkers move from 24 down to 1, then off
    wrong-die               the dice do not make these moves
    blocked                 the opponent holds the point with two or more checkers
    hit-on-the-way          a short move that would hit between its ends
    bear-off-not-home       a checker is borne off while another is outside the home board or on the bar
    bear-off-higher-point   a die larger than needed, while a checker stands on a higher point
    both-dice               both numbers can be played and must be
    larger-die              either number can be played but not both: it must be the larger
    all-of-double           more of a double can be played and must be
    must-play               something can be played and must be
    nothing-playable        no number can be played at all
    unreachable             a resulting board that no legal play leads to
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from bgd.errors import BadPlay, IllegalPlay
from bgd.rules.board import OWN_BAR, Board
from bgd.rules.dice import Dice
from bgd.rules.plays import (
    HOME,
    OFF,
    CheckerMove,
    Play,
    Points,
    advance,
    afterstates,
    can_step,
    legal_plays,
    play_between,
    spell,
)

_COUNTS: Final = ("none", "one", "two", "three", "four")

Share = tuple[int, ...]
"""The dice that one written move is made with, in the order that its checker plays them."""


@dataclass(frozen=True, slots=True)
class _Step:
    """One die's worth of a written move. `through`: it lands between the ends of a short move, where it may not hit."""

    source: int
    die: int
    through: bool

    @property
    def destination(self) -> int:
        return max(OFF, self.source - self.die)


@dataclass(frozen=True, slots=True)
class _Fault:
    """A rule broken, after how many steps of the play."""

    rule: str
    message: str
    after: int = 0


def check_play(board: Board, dice: Dice, play: Sequence[CheckerMove] | Board) -> Play:
    """The canonical play that `play` means: moves (hit marks are ignored), or the resulting board, seen by the mover.

    No moves, or the board unchanged, mean that nothing can be played. Raises IllegalPlay, with the rule and a legal
    play to compare; BadPlay for a point that is on no board.
    """
    if isinstance(play, Board):
        return play_between(board, dice, play) if play.points != board.points else _check_no_play(board, dice)
    if not play:
        return _check_no_play(board, dice)
    for move in play:
        if not (1 <= move.source <= OWN_BAR and OFF <= move.destination < OWN_BAR):
            raise BadPlay(f"Expected a move from bar or 24 to 1, to 24 to 1 or off, got `{move}`")
    legal = afterstates(board, dice)
    if not legal:
        raise IllegalPlay(f"Nothing can be played with {dice}", rule="nothing-playable")
    faults: list[_Fault] = []
    for steps in _readings(play, dice):
        end = _follow(board, steps)
        if isinstance(end, _Fault):
            faults.append(end)
        elif end in legal:
            return play_between(board, dice, Board.unchecked(end))
        else:
            faults.append(_too_little(board, dice, play, steps))
    fault = max(faults, key=_telling) if faults else _no_reading(board, dice, play)
    raise IllegalPlay(f"{fault.message}. Legal for instance: {_example(board, dice, play)}", rule=fault.rule)


def _telling(fault: _Fault) -> tuple[int, bool]:
    """Of the ways to read a play the one that comes furthest tells most; of equals, that it wants to be written out."""
    return fault.after, fault.rule == "hit-on-the-way"


def not_hit(board: Board, written: Sequence[CheckerMove], play: Play) -> tuple[int, ...]:
    """Points that `written` marks as hit and on which `play`, which is what it means, hits nothing; 0 is off.

    Hit marks decide nothing, but wrong ones tell that the writer had another position in mind."""
    marked = {move.destination for move in written if move.hit}
    return tuple(sorted(point for point in marked if not board.points[point] < 0 <= play.result.points[point]))


def _check_no_play(board: Board, dice: Dice) -> Play:
    plays = legal_plays(board, dice)
    if plays:
        raise IllegalPlay(f"{dice} can be played and must be. Legal for instance: {plays[0]}", rule="must-play")
    return Play((), board)


def _readings(moves: Sequence[CheckerMove], dice: Dice) -> Iterator[list[_Step]]:
    """Every way to make the moves with the dice, each as single steps, sources descending.

    Whatever order was written, a play that can be made in some order can be made in this one.
    """
    for shares in _shares(moves, dice):
        steps: list[_Step] = []
        for move, share in zip(moves, shares, strict=True):
            source = move.source
            for die in share:
                steps.append(_Step(source, die, through=source - die > move.destination))
                source -= die
        # Of two checkers to one point, the one whose hit is written goes before the one that only passes.
        yield sorted(steps, key=lambda step: (-step.source, step.through))


def _shares(moves: Sequence[CheckerMove], dice: Dice) -> Iterator[tuple[Share, ...]]:
    """Ways to share the dice among the moves."""
    if dice.is_double:
        fitting = [next((s for s in _lone_shares(dice) if _fits(move, s)), ()) for move in moves]
        if all(fitting) and sum(map(len, fitting)) <= 4:
            yield tuple(fitting)
    elif len(moves) == 1:
        yield from ((share,) for share in _lone_shares(dice) if _fits(moves[0], share))
    elif len(moves) == 2:
        for first, second in (dice.faces, dice.faces[::-1]):
            if _fits(moves[0], (first,)) and _fits(moves[1], (second,)):
                yield (first,), (second,)


def _lone_shares(dice: Dice) -> tuple[Share, ...]:
    """What one checker can be moved with."""
    if dice.is_double:
        return tuple(dice.faces[:count] for count in range(1, 5))
    return (dice.high,), (dice.low,), (dice.high, dice.low), (dice.low, dice.high)


def _fits(move: CheckerMove, share: Share) -> bool:
    pips = move.source - move.destination
    if move.destination == OFF:  # the last die may be larger than needed
        return sum(share[:-1]) < pips <= sum(share)
    return sum(share) == pips


def _follow(board: Board, steps: Sequence[_Step]) -> Points | _Fault:
    points = list(board.points)
    for done, step in enumerate(steps):
        if not can_step(points, step.source, step.die):
            return _step_fault(points, step, done)
        if step.through and points[step.destination] == -1:
            hitting = CheckerMove(step.source, step.destination, hit=True)
            return _Fault("hit-on-the-way", f"It would hit on its way; if that is meant, write {hitting}", done)
        advance(points, step.source, step.die)
    return tuple(points)


def _step_fault(points: Sequence[int], step: _Step, done: int) -> _Fault:
    """Why a step that is not allowed is not."""
    if points[step.source] <= 0:
        return _Fault("no-checker", f"There is no checker {_on(step.source)} to move", done)
    rear = max(point for point, count in enumerate(points) if count > 0)
    if rear == OWN_BAR != step.source:
        return _Fault("bar-first", "A checker is on the bar and must enter before any other moves", done)
    if step.destination != OFF:
        held = -points[step.destination]
        return _Fault("blocked", f"{step.source - step.die} is blocked: the opponent has {held} checkers there", done)
    if rear > HOME:
        return _Fault("bear-off-not-home", f"Checkers are borne off once all are home; one is on {rear}", done)
    return _Fault(
        "bear-off-higher-point", f"A {step.die} cannot bear off from {step.source} while a checker is on {rear}", done
    )


def _too_little(board: Board, dice: Dice, play: Sequence[CheckerMove], steps: Sequence[_Step]) -> _Fault:
    """The fault of moves that can all be made but leave dice unplayed that can be played."""
    most = len(legal_plays(board, dice)[0].moves)
    if dice.is_double:
        message = (
            f"{_COUNTS[most].capitalize()} {dice.first}s can be played and must be; "
            f"{spell(play)} plays {_COUNTS[len(steps)]}"
        )
        return _Fault("all-of-double", message, len(steps))
    if most == 2:
        message = f"Both {dice.high} and {dice.low} can be played and must be; {spell(play)} plays one"
        return _Fault("both-dice", message, len(steps))
    message = f"Only one of {dice.high} and {dice.low} can be played and it must be the larger, the {dice.high}"
    return _Fault("larger-die", message, len(steps))


def _no_reading(board: Board, dice: Dice, play: Sequence[CheckerMove]) -> _Fault:
    """The fault of moves that the dice do not make."""
    reached = {move.destination for move in play}
    for move in play:
        if move.destination >= move.source:
            return _Fault("backwards", f"{move} goes backwards: checkers move from 24 down to 1, then off")
        if board.points[move.source] <= 0 and move.source not in reached:
            return _Fault("no-checker", f"There is no checker {_on(move.source)} to move")
    for move in play:
        if not any(_fits(move, share) for share in _lone_shares(dice)):
            pips = sorted({sum(share) for share in _lone_shares(dice)})
            made = f"{', '.join(map(str, pips[:-1]))} or {pips[-1]}"
            return _Fault("wrong-die", f"{move} is {move.source - move.destination} pips; {dice} makes {made}")
    return _Fault("wrong-die", f"{dice} makes no such moves together: {spell(play)}")


def _on(point: int) -> str:
    return "on the bar" if point == OWN_BAR else f"on {point}"


def _example(board: Board, dice: Dice, play: Sequence[CheckerMove]) -> Play:
    """The legal play that has most moves in common with what was written, the first of equals."""
    written = Counter((move.source, move.destination) for move in play)
    plays = legal_plays(board, dice)
    return max(
        plays, key=lambda each: (Counter((move.source, move.destination) for move in each.moves) & written).total()
    )
