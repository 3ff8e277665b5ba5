"""What the formats share: strict whole numbers, and what no game can hold whatever the format says."""

from __future__ import annotations

import re
from typing import Final

from bgd.errors import BadValue
from bgd.rules.cube import TURNS, why_no_cube
from bgd.rules.state import Cube, Match, Money, Phase, Side

_WHOLE: Final = re.compile(r"-?[0-9]{1,9}", re.ASCII)


def whole(text: str, name: str, low: int, high: int) -> int:
    """A whole number from `low` to `high`; `name` says in the error which field it was.

    Raises BadValue. `int` alone would take `1_0`, ` 1` and other scripts' digits.
    """
    if _WHOLE.fullmatch(text) is None or not low <= (number := int(text)) <= high:
        raise BadValue(f"Expected the {name} to be a whole number from {low} to {high}, got `{text[:80]}`")
    return number


def without(prefix: str, text: str) -> str:
    """`text` without `prefix`, which it may begin with in any case."""
    return text[len(prefix) :] if text[: len(prefix)].upper() == prefix else text


def check_double(doubler: Side, cube: Cube, terms: Match | Money) -> None:
    """Raises BadValue when `doubler` cannot have offered the double that the text says is pending."""
    why = why_no_cube(cube, terms, doubler)
    if why is not None:
        raise BadValue(f"Expected a double by a side that may turn the cube, got one although {why.value}")


def check_turned(phase: Phase, doubler: Side, cube: Cube, terms: Match | Money) -> None:
    """Raises BadValue when the double, beaver or raccoon that the text says is pending can't have been offered."""
    check_double(doubler, cube, terms)
    if phase is Phase.DOUBLED:
        return
    word = phase.value.removesuffix("ed")
    if isinstance(terms, Match):
        raise BadValue(f"Expected beavers in money play only, got a {word} in a match")
    if not terms.beavers:
        raise BadValue(f"Expected a {word} only where beavers are agreed on, got one where they are not")
    if cube.value << TURNS[phase] > cube.limit:
        raise BadValue(
            f"Expected a {word} that turns the cube to {cube.limit} at most, got one with it at {cube.value}"
        )


def check_running(terms: Match | Money) -> None:
    """Raises BadValue when the match has been won already, although the text says that a game is being played."""
    if isinstance(terms, Match) and terms.winner is not None:
        raise BadValue(
            f"Expected scores under the match length {terms.length}, got `{terms.scores[0]}` and `{terms.scores[1]}`"
        )


def read_cube(exponent: int, owner: Side | None, limit: int | None = None) -> Cube:
    """The cube of a format that writes an exponent and an owner.

    A cube at 1 counts as centred whoever the text says owns it: such IDs are found in the wild, and no rule of the
    game lets a side own a cube that was never turned.
    """
    owner = owner if exponent else None
    return Cube(2**exponent, owner) if limit is None else Cube(2**exponent, owner, limit)
