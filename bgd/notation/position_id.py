"""GNU Position ID: 14 characters that say where the checkers stand, seen by the side on roll, and nothing else.

80 bits: the opponent's points 1 to 24 and bar in his own numbering, then the own ones, each count as that many ones and
a zero; zeros to the end; least significant bit first in bytes, and those in base64 (GNU Backgammon manual, "A technical
description of the Position ID"). No dice, cube, score, nor who is who: see match_id for those.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from typing import Final

from bgd.errors import BadPosition
from bgd.rules.board import Board

LENGTH: Final = 14
"""Characters, after the two `=` of padding that some programs write are dropped."""

_SHAPE: Final = re.compile(r"[A-Za-z0-9+/]{14}(?:==)?", re.ASCII)
_RUNS: Final = tuple((1 << count) - 1 for count in range(16))
_COUNTS: Final = 50  # two sides, 24 points and a bar each


def encode(board: Board) -> str:
    """The ID of `board`, which is seen by the side on roll."""
    points = board.points
    bits = shift = 0
    for count in (*(-count for count in points[24::-1]), *points[1:]):
        if count > 0:
            bits |= _RUNS[count] << shift
            shift += count
        shift += 1
    return b64encode(bits.to_bytes(10, "little"))[:LENGTH].decode("ascii")


def decode(text: str) -> Board:
    """The board, seen by the side on roll. Raises BadPosition for anything that `encode` would not write (but `==` at
    the end is let pass), and for arrangements of checkers that cannot be."""
    if _SHAPE.fullmatch(text) is None:
        raise BadPosition(f"Expected a Position ID of {LENGTH} characters from A-Z a-z 0-9 + /, got `{text[:80]}`")
    text = text[:LENGTH]
    data = b64decode(text + "==")
    if b64encode(data)[:LENGTH].decode("ascii") != text:
        raise BadPosition(f"Expected a Position ID whose last 4 bits are zero, got `{text}`")
    runs = f"{int.from_bytes(data, 'little'):080b}"[::-1].split("0")
    if any(runs[_COUNTS:]) or len(runs) <= _COUNTS:
        raise BadPosition(
            f"Expected a Position ID of 50 counts (24 points and a bar a side) and zeros after them, got `{text}`"
        )
    opponent, own = runs[:25], runs[25:_COUNTS]
    points = [0] * 26
    for index in range(25):
        theirs, ours = len(opponent[24 - index]), len(own[index - 1]) if index else 0
        if theirs and ours:
            raise BadPosition(f"Expected one side's checkers on the {index} point, got both sides' in `{text}`")
        points[index] = ours - theirs
    points[25] = len(own[24])
    return Board(tuple(points))
