"""What the engine answers with. Equities and chances are the side on roll's (for a play: the mover's) throughout."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Literal, NamedTuple, TypeAlias, TypeVar

from bgd.errors import BadValue
from bgd.rules.board import Board

Stop = Callable[[], bool]
"""Asked every few milliseconds of a search, by any thread: whether to give the best answer so far."""


def never() -> bool:
    """The `Stop` of a search without limit."""
    return False


Found = TypeVar("Found")


def deepened(look: Callable[[int, Stop], Found], plies: int, stop: Stop) -> Found:
    """What `look` finds at the deepest level up to `plies` that was complete before `stop` said so: for a look that
    asks twice, the first of which must not use up all the time."""
    found = look(0, never)
    for level in range(1, plies + 1):
        deeper = look(level, stop)
        if stop():
            break
        found = deeper
    return found


class Chances(NamedTuple):
    """How a game will end, as probabilities of one side. Nested: `win` includes gammons, those include backgammons;
    `lose_gammon` and `lose_backgammon` are parts of 1 - `win`."""

    win: float
    win_gammon: float = 0.0
    win_backgammon: float = 0.0
    lose_gammon: float = 0.0
    lose_backgammon: float = 0.0

    @classmethod
    def of(cls, row: Sequence[float]) -> Chances:
        """From five numbers in the order of the fields, an array row for instance."""
        return cls(float(row[0]), float(row[1]), float(row[2]), float(row[3]), float(row[4]))

    @property
    def equity(self) -> float:
        """Cubeless money equity, in units of the cube, all gammons counted."""
        return 2 * self.win - 1 + self.win_gammon + self.win_backgammon - self.lose_gammon - self.lose_backgammon

    def flip(self) -> Chances:
        """The same, as the other side sees it."""
        return Chances(1 - self.win, self.lose_gammon, self.lose_backgammon, self.win_gammon, self.win_backgammon)


Standing: TypeAlias = tuple[Chances, float, float, float, float]
"""What a position is worth to the side on roll at 0 plies, in units of bgd.engine.stakes.Stakes: its chances; the game
played out at the cube as it is; no double now; a double taken; and the better of these that its side may choose, the
other answering as it should."""


@dataclass(frozen=True, slots=True)
class ExactMoney:
    """What the two-sided bear-off table knows of the side on roll before its roll, and before it doubles: its chance of
    winning, and money equities in units of the cube of not doubling now, with the cube in the middle, its own, or the
    other side's."""

    win: float
    centred: float
    owned: float
    away: float

    def no_double(self, owner: bool | None) -> float:
        """Equity of not doubling now. `owner`: whether the side on roll has the cube, None if it is in the middle."""
        return self.centred if owner is None else self.owned if owner else self.away

    @property
    def double_take(self) -> float:
        return 2 * self.away

    def worth(self, owner: bool | None) -> float:
        """Equity with the best cube decision now."""
        if owner is False:
            return self.away
        return max(self.no_double(owner), min(self.double_take, 1.0))


@dataclass(frozen=True, slots=True)
class RankedPlay:
    """One play's worth to the mover. `board` is the position after it, still in the mover's view. `equity` is with the
    cube in play, unless that was not wished, and normalised to the cube; `mwc` the match winning chances it stands for,
    None in money play; `plies` how deeply it was looked at."""

    board: Board
    chances: Chances
    equity: float
    mwc: float | None
    plies: int


class Evaluation(NamedTuple):
    """A position's worth to the side on roll, before the roll. `equity` is cubeless, `cubeful` with the cube where it
    is and the proper cube action now; both normalised. The `mwc` fields say the same as match winning chances; None in
    money play."""

    chances: Chances
    equity: float
    cubeful: float
    plies: int
    mwc: float | None = None
    mwc_cubeful: float | None = None


@dataclass(frozen=True, slots=True)
class CubeDecision:
    """The cube action of the side on roll. The three equities are its own, normalised to the cube as it is now.

    `double_take` is that of a double plainly taken; what a beaver makes of it is in `label` alone. `double` is the
    proper action, `response` the proper answer to a double: take, pass or beaver. Where a double is not `allowed`,
    `reason` says why, and the equities are what they would be if it were. A dead cube may be turned, to no use.
    """

    no_double: float
    double_take: float
    double_pass: float
    label: str
    double: bool
    response: str
    allowed: bool = True
    reason: str = ""
    plies: int = 0
    mwc_no_double: float | None = None
    mwc_double_take: float | None = None
    mwc_double_pass: float | None = None

    @property
    def doubled(self) -> float:
        """Equity of a double with the proper answer, which after a beaver is at four times the cube."""
        if self.response == "pass":
            return self.double_pass
        return 2 * self.double_take if self.response == "beaver" else self.double_take

    @property
    def gain(self) -> float:
        """What a double gains over rolling; negative: what it costs. How close the one decision is."""
        return self.doubled - self.no_double

    @property
    def take_gain(self) -> float:
        """What a take gains the other side over a pass; negative: what it costs. How close the other is."""
        return self.double_pass - self.double_take


@dataclass(frozen=True, slots=True)
class Luck:
    """How much better a roll is than rolls are on average, to the side that threw it: the difference of `equity`, with
    the roll's best play, and `mean`. Normalised to the cube; `mwc` is the same difference in match winning chances."""

    luck: float
    equity: float
    mean: float
    mwc: float | None = None


@dataclass(frozen=True, slots=True)
class RolloutPlan:
    """How to roll out.

    `trials` games of each contender, rounded up to whole blocks of 36; `plies` looked ahead to choose plays, but
    `first_plies` in the first `first_turns` turns; `cubeful` with the cube, cubeless without; `truncate` games after so
    many turns, by the network's word (0: never); `bearoff`: end them where the bear-off is known exactly;
    `reduce_variance`: take away the luck of the dice; `doubled`: play a position out with the cube turned, too, where
    it may be. It may end earlier: when every standard error is at most `error`; and plays that are more than `apart`
    standard errors behind the best are played no further, a cube decision when both to double or not and what to
    answer are so clear. Raises BadValue for numbers out of bounds.
    """

    trials: int = 1296
    seed: int = 1
    plies: int = 0
    first_plies: int | None = None
    first_turns: int = 0
    cubeful: bool = True
    truncate: int = 0
    bearoff: bool = True
    reduce_variance: bool = True
    doubled: bool = True
    error: float | None = None
    apart: float | None = None

    def __post_init__(self) -> None:
        least = {"trials": 1, "seed": 0, "plies": 0, "first_plies": 0, "first_turns": 0, "truncate": 0}
        for name, low in least.items():
            number = getattr(self, name)
            if number is not None and not low <= number < 2**63:
                raise BadValue(f"Expected `{name}` of a rollout to be a number from {low} up, got `{number}`")
        for name in ("error", "apart"):
            limit = getattr(self, name)
            if limit is not None and not (limit >= 0 and isfinite(limit)):
                raise BadValue(f"Expected `{name}` of a rollout to be a number from 0 up, got `{limit}`")


@dataclass(frozen=True, slots=True)
class RolledOut:
    """What a rollout says of one contender, from the view of the side whose decision it is, after `trials` games.

    `board` is the mover's after a play, or that before the roll. Equities are normalised to the cube as it is before
    the decision. Each number has its standard error; `chances_error` is in the order of `chances`. `behind` is how much
    less than the best it is worth (0 for the best), a double with the proper answer, and its error that of the
    difference.
    """

    board: Board
    action: Literal["play", "no double", "double/take"]
    trials: int
    chances: Chances
    chances_error: Chances
    equity: float
    equity_error: float
    cubeful: float | None
    cubeful_error: float | None
    mwc: float | None
    mwc_error: float | None
    behind: float
    behind_error: float

    @property
    def value(self) -> float:
        """What contenders are compared by."""
        return self.equity if self.cubeful is None else self.cubeful

    @property
    def worth(self) -> float:
        """The same in the units of bgd.engine.stakes.Stakes: match winning chances in a match."""
        return self.value if self.mwc is None else self.mwc


@dataclass(frozen=True, slots=True)
class Rollout:
    """The contenders, plays best first, and why the rollout ended: all `trials` were played, the `error` was small
    enough, one contender was left `apart`, or it ran out of `time` (or is still going on). `decision`: what the numbers
    say of the cube, where both sides of it were rolled out."""

    lines: tuple[RolledOut, ...]
    ended: Literal["trials", "error", "apart", "time"]
    decision: CubeDecision | None = None
