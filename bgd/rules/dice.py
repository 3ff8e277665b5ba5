"""Two dice, and where rolls come from. Randomness comes in by the door: a DiceSource."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Protocol

from bgd.errors import BadDice


@dataclass(frozen=True, slots=True)
class Dice:
    """A roll, in the order thrown (`31` and `13` allow the same plays)."""

    first: int
    second: int

    def __post_init__(self) -> None:
        if not (1 <= self.first <= 6 and 1 <= self.second <= 6):
            raise BadDice(f"Expected two dice from 1 to 6, got `{self.first}{self.second}`")

    @classmethod
    def parse(cls, text: str) -> Dice:
        """`31`, `3-1`, `3 1` or `3,1`."""
        digits = text.strip().replace("-", "").replace(" ", "").replace(",", "")
        if len(digits) != 2 or not (digits.isascii() and digits.isdecimal()):
            raise BadDice(f"Expected two dice from 1 to 6, got `{text}`")
        return cls(int(digits[0]), int(digits[1]))

    @property
    def is_double(self) -> bool:
        return self.first == self.second

    @property
    def high(self) -> int:
        return max(self.first, self.second)

    @property
    def low(self) -> int:
        return min(self.first, self.second)

    @property
    def faces(self) -> tuple[int, ...]:
        """The numbers to play, larger first: four of a double."""
        first, second = self.first, self.second
        if first == second:
            return (first,) * 4
        return (first, second) if first > second else (second, first)

    def __str__(self) -> str:
        return f"{self.first}{self.second}"


ROLLS: Final = tuple(Dice(high, low) for high in range(1, 7) for low in range(1, high + 1))
"""The 21 different rolls; a double comes once in 36, any other twice."""


class DiceSource(Protocol):
    """Where a game's dice come from. `roll` is two dice; `die` one, for the opening roll."""

    def roll(self) -> Dice: ...

    def die(self) -> int: ...


class ScriptedDice:
    """A DiceSource that gives the rolls written in it: `ScriptedDice("31 64 1 2")`, a lone digit being one die.

    Raises BadDice when asked for more, or for a die where a roll is next, so that a test notices.
    """

    def __init__(self, script: str | Iterable[str]) -> None:
        self._next: Iterator[str] = iter(script.split() if isinstance(script, str) else script)

    def roll(self) -> Dice:
        return Dice.parse(self._take("a roll"))

    def die(self) -> int:
        text = self._take("one die")
        if text not in {"1", "2", "3", "4", "5", "6"}:
            raise BadDice(f"Expected one die from 1 to 6, got `{text}`")
        return int(text)

    def _take(self, wanted: str) -> str:
        try:
            return next(self._next)
        except StopIteration:
            raise BadDice(f"Expected {wanted}, got the end of the scripted dice") from None
