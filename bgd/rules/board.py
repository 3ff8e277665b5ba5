"""Where the checkers stand, seen by one side. Nothing here knows whose turn it is in a game, dice or the cube."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from bgd.errors import BadPosition

CHECKERS: Final = 15
OWN_BAR: Final = 25
OPPONENT_BAR: Final = 0

_START: Final = (0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0)


@dataclass(frozen=True, slots=True)
class Board:
    """26 signed counts from one side's view: `points[1..24]` its checkers positive, the opponent's negative, moving
    from 24 to 1; `points[25]` its bar (>= 0); `points[0]` the opponent's bar (<= 0). Checkers borne off are the rest
    of 15.

    Raises BadPosition when a count or a total is impossible, when both sides have borne off every checker, and when
    both sides are on the bar against closed boards (nobody could ever move).
    """

    points: tuple[int, ...]
    _finished: bool | None = field(init=False, repr=False, compare=False)  # None: not looked at yet

    def __post_init__(self) -> None:
        points = self.points
        if len(points) != 26:
            raise BadPosition(f"Expected 26 counts (opponent's bar, points 1 to 24, own bar), got {len(points)}")
        if points[OPPONENT_BAR] > 0 or points[OWN_BAR] < 0:
            raise BadPosition(
                f"Expected the opponent's bar (index 0) <= 0 and the own bar (index 25) >= 0, "
                f"got `{points[OPPONENT_BAR]}` and `{points[OWN_BAR]}`"
            )
        own = opponent = 0
        for count in points:
            if count > 0:
                own += count
            elif count:
                opponent -= count
        if own > CHECKERS or opponent > CHECKERS:
            raise BadPosition(f"Expected at most 15 checkers a side, got `{own}` and `{opponent}`")
        if own == 0 and opponent == 0:
            raise BadPosition("Expected checkers on the board, got none on either side")
        if points[OWN_BAR] and points[OPPONENT_BAR] and self._closed():
            raise BadPosition(
                "Expected a position in which somebody can move, got both sides on the bar against closed boards"
            )
        object.__setattr__(self, "_finished", own == 0 or opponent == 0)

    def _closed(self) -> bool:
        points = self.points
        return all(points[p] >= 2 and points[25 - p] <= -2 for p in range(1, 7))

    @classmethod
    def start(cls) -> Board:
        return cls(_START)

    @classmethod
    def of(cls, points: Iterable[int]) -> Board:
        """From any 26 counts, an array row for instance."""
        return cls(tuple(int(count) for count in points))

    @classmethod
    def unchecked(cls, points: tuple[int, ...]) -> Board:
        """From 26 counts known to make a valid board, such as a legal play's result, without the cost of a check."""
        board = cls.__new__(cls)
        object.__setattr__(board, "points", points)
        object.__setattr__(board, "_finished", None)
        return board

    def flip(self) -> Board:
        """The same position seen by the other side; `flip` of `flip` is the same board."""
        return Board.unchecked(tuple(-count for count in reversed(self.points)))

    @property
    def off(self) -> int:
        """Own checkers borne off."""
        return CHECKERS - sum(count for count in self.points if count > 0)

    @property
    def opponent_off(self) -> int:
        return CHECKERS + sum(count for count in self.points if count < 0)

    @property
    def finished(self) -> bool:
        """Whether one side has borne off all its checkers."""
        finished = self._finished
        if finished is None:
            finished = not min(self.points) < 0 < max(self.points)
            object.__setattr__(self, "_finished", finished)
        return finished

    @property
    def bar(self) -> int:
        return self.points[OWN_BAR]

    @property
    def opponent_bar(self) -> int:
        return -self.points[OPPONENT_BAR]

    @property
    def pips(self) -> int:
        """Own pip count; a checker on the bar counts 25."""
        return sum(point * count for point, count in enumerate(self.points) if count > 0)

    @property
    def opponent_pips(self) -> int:
        return sum((point - 25) * count for point, count in enumerate(self.points) if count < 0)

    @property
    def has_contact(self) -> bool:
        """Whether a hit or a block is still possible: some own checker has an opponent's checker in front of it."""
        rear = max((point for point, count in enumerate(self.points) if count > 0), default=0)
        foremost = min((point for point, count in enumerate(self.points) if count < 0), default=25)
        return rear > foremost
