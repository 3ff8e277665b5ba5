"""Files of positions: lines of JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta, Struct

from bgd.errors import BadArgument, BadPosition
from bgd.rules.board import Board

Counts = Annotated[list[Annotated[int, Meta(ge=-15, le=15)]], Meta(min_length=26, max_length=26)]


class Rolled(Struct):
    """A position before the roll, seen by the side on roll, and what rollouts found: cubeless money equity and the
    five probabilities."""

    board: Counts
    equity: float
    probs: Annotated[list[float], Meta(min_length=5, max_length=5)]


class Decision(Struct):
    """A position with dice to be played, seen by the mover."""

    board: Counts
    dice: tuple[Annotated[int, Meta(ge=1, le=6)], Annotated[int, Meta(ge=1, le=6)]]


class Placed(Struct):
    """A position before the roll, seen by the side on roll."""

    board: Counts


class Marked(Struct):
    """A position as an XGID tells it, its cube and score included."""

    xgid: Annotated[str, Meta(max_length=200)]


Line = TypeVar("Line", Rolled, Decision, Placed, Marked)


def read(path: Path, kind: type[Line], sample: int | None) -> list[Line]:
    """All lines of the file, or `sample` of them, evenly spread. Raises OSError, or BadArgument for a wrong line, a
    position that cannot be, or no line at all."""
    texts = path.read_bytes().splitlines()
    if sample is not None and sample < len(texts):
        texts = [texts[i * len(texts) // sample] for i in range(sample)]
    decoder = msgspec.json.Decoder(kind)
    try:
        lines = [decoder.decode(text) for text in texts]
        for line in lines:
            if not isinstance(line, Marked):
                Board.of(line.board)
    except (msgspec.DecodeError, BadPosition) as error:
        raise BadArgument(
            f"Expected lines of JSON with {', '.join(kind.__struct_fields__)} in {path}: {error}"
        ) from None
    if not lines:
        raise BadArgument(f"Expected lines of JSON with {', '.join(kind.__struct_fields__)} in {path}, got none")
    return lines
