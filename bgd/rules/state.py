"""A moment of a game: what stands where, who decides, for what stakes. Values only; bgd.rules.game changes them."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, make_dataclass, replace
from enum import Enum, IntEnum
from typing import Any, Final

from bgd.errors import BadPosition, BadValue
from bgd.rules.board import Board
from bgd.rules.dice import Dice
from bgd.rules.plays import Play

MAX_MATCH_LENGTH: Final = 64
"""The longest match; GNU Backgammon's limit too, and the most that every ID can carry to it."""

MAX_CUBE_EXPONENT: Final = 15
"""The largest cube is 2**15: what four bits of a GNU Match ID hold."""


class Side(IntEnum):
    """Absolute sides. GNU Backgammon's player 0 is TOP, its player 1 BOTTOM; XGID's upper case is BOTTOM."""

    TOP = 0
    BOTTOM = 1

    @property
    def other(self) -> Side:
        return Side.BOTTOM if self is Side.TOP else Side.TOP


class Phase(Enum):
    """What is to be decided next."""

    OPENING = "opening"  # nobody has rolled yet: each side throws one die
    ROLL = "roll"  # the side on roll may double (if the rules let it) or roll
    PLAY = "play"  # dice are on the table
    DOUBLED = "doubled"  # a double is offered: the other side takes, passes or beavers
    BEAVERED = "beavered"  # the doubler answers a beaver: accepts it, passes or raccoons
    RACCOONED = "raccooned"  # the beaverer answers a raccoon
    OVER = "over"  # the game has a result


class Outcome(IntEnum):
    """How a game was won, as the multiple of the cube."""

    SINGLE = 1
    GAMMON = 2
    BACKGAMMON = 3


@dataclass(frozen=True, slots=True)
class Cube:
    """The doubling cube. `owner` None is centred (automatic doubles make a centred cube above 1)."""

    value: int = 1
    owner: Side | None = None
    limit: int = 2**MAX_CUBE_EXPONENT

    def __post_init__(self) -> None:
        for name, number in (("cube value", self.value), ("cube limit", self.limit)):
            if number < 1 or number & (number - 1) or number > 2**MAX_CUBE_EXPONENT:
                raise BadValue(
                    f"Expected the {name} to be a power of two from 1 to {2**MAX_CUBE_EXPONENT}, got `{number}`"
                )

    def flip(self) -> Cube:
        """The same cube with the sides exchanged."""
        return self if self.owner is None else replace(self, owner=self.owner.other)

    @property
    def exponent(self) -> int:
        return self.value.bit_length() - 1


@dataclass(frozen=True, slots=True)
class Match:
    """A match to `length` points. `scores[side]` are points won so far; `crawford`: this is the Crawford game."""

    length: int
    scores: tuple[int, int] = (0, 0)
    crawford: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.length <= MAX_MATCH_LENGTH:
            raise BadValue(f"Expected a match length from 1 to {MAX_MATCH_LENGTH}, got `{self.length}`")
        for score in self.scores:
            if score < 0:
                raise BadValue(f"Expected scores from 0 up, got `{score}`")
        if min(self.scores) >= self.length:
            raise BadValue(
                f"Expected at most one side to have {self.length} points, got `{self.scores[0]}-{self.scores[1]}`"
            )
        if self.crawford and (self.away(Side.TOP) == 1) == (self.away(Side.BOTTOM) == 1):
            raise BadValue(
                f"Expected exactly one side 1 point away in the Crawford game, "
                f"got {self.away(Side.TOP)}-away {self.away(Side.BOTTOM)}-away"
            )

    def away(self, side: Side) -> int:
        return max(0, self.length - self.scores[side])

    @property
    def post_crawford(self) -> bool:
        """One side is 1-away (not both) and the Crawford game has been played."""
        return not self.crawford and (self.away(Side.TOP) == 1) != (self.away(Side.BOTTOM) == 1)

    @property
    def winner(self) -> Side | None:
        return next((side for side in Side if self.scores[side] >= self.length), None)


@dataclass(frozen=True, slots=True)
class Money:
    """Money play. `scores` are running totals in points. `automatic_doubles` is the most there may be a game."""

    jacoby: bool = True
    beavers: bool = True
    automatic_doubles: int = 0
    scores: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class HouseRules:
    """What players may agree on in matches and money play alike.

    `backgammons` False: a backgammon counts as a gammon, 2. `winner_rerolls`: the higher die of the opening only says
    who begins, and the beginner then rolls both dice (and may double before, as in any turn). `crawford` False: a match
    has no Crawford game.
    """

    backgammons: bool = True
    winner_rerolls: bool = False
    crawford: bool = True

    def counted(self, outcome: Outcome) -> Outcome:
        """What a win counts for."""
        return outcome if self.backgammons else min(outcome, Outcome.GAMMON)


@dataclass(frozen=True, slots=True)
class Resignation:
    """An offer to lose `outcome`, made by `side`, not yet answered."""

    side: Side
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Result:
    """The end of a game: who won, how it counts, and for how many points: outcome times cube, before any cap by the
    match. A gammon that the Jacoby rule does not count is a single game here."""

    winner: Side
    outcome: Outcome
    points: int


@dataclass(frozen=True, slots=True)
class GameState:
    """A moment of a game. `board` is always seen by `turn`, the side on roll; while a double is pending that is the
    doubler, as in an XGID, and the cube still shows what it did before the double. `dice` are there in Phase.PLAY
    only. `played` is a play made with them that can still be taken back: `board` stays as it was until it is confirmed.

    A game in which a side has borne off everything is over, and nothing else: BadPosition for another phase. What a
    text describes is made into a state by bgd.rules.game.moment, which knows that.
    """

    board: Board = field(default_factory=Board.start)
    turn: Side = Side.BOTTOM
    phase: Phase = Phase.ROLL
    cube: Cube = Cube()
    dice: Dice | None = None
    terms: Match | Money = Money()
    resignation: Resignation | None = None
    result: Result | None = None
    played: Play | None = None
    house: HouseRules = HouseRules()

    def __post_init__(self) -> None:
        playing = self.phase is Phase.PLAY
        if playing is (self.dice is None):
            raise BadValue(
                f"Expected dice exactly when a roll is to be played, got `{self.dice}` in phase `{self.phase.value}`"
            )
        if self.played is not None and not playing:
            raise BadValue(f"Expected a play only with dice on the table, got one in phase `{self.phase.value}`")
        if self.board.finished and self.phase is not Phase.OVER:
            raise BadPosition(
                f"Expected the game to be over once a side has borne off everything, got phase `{self.phase.value}`"
            )

    @classmethod
    def quickly(
        cls,
        board: Board,
        turn: Side,
        phase: Phase,
        cube: Cube,
        dice: Dice | None,
        terms: Match | Money,
        resignation: Resignation | None = None,
    ) -> GameState:
        """What the constructor makes, in half its time, for those who read positions by the thousand: 0.07 us a field
        is what a frozen dataclass takes to set it. So an open one is made first, and then becomes a GameState."""
        made: Any = _Open(board, turn, phase, cube, dice, terms, resignation, None, None, _USUAL_HOUSE)
        made.__class__ = cls
        state: GameState = made
        state.__post_init__()
        return state

    @property
    def decider(self) -> Side:
        """Who decides next. A pending double is answered by the side not on roll, a beaver by the doubler."""
        if self.resignation is not None:
            return self.resignation.side.other
        return self.turn.other if self.phase in (Phase.DOUBLED, Phase.RACCOONED) else self.turn

    def with_dice(self, dice: Dice) -> GameState:
        """The same moment with `dice` rolled: to be played by the side on roll."""
        return replace(self, dice=dice, phase=Phase.PLAY, played=None)

    def board_of(self, side: Side) -> Board:
        """The board as `side` sees it."""
        return self.board if side is self.turn else self.board.flip()


_USUAL_HOUSE: Final = HouseRules()
_Open: Any = make_dataclass("_Open", [each.name for each in fields(GameState)], slots=True)
