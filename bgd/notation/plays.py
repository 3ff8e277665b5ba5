"""Plays as text, from every spelling that people and programs use to moves, and back to the few that others parse.

    8/5 6/5    8-5, 6-5    8 5 6 5    24/18*/14*    13/7(2)    24/18/14(2)    bar/22 = b/22 = 25/22    6/off = 6/o = 6/0

Points are the mover's own, 24 down to 1, 25 the bar, 0 off. Parts come in any order; hit marks may be missing or wrong:
a play is known by the position that it leads to, and bgd.rules.legality judges it. Two things are left as written for
it to judge: a part may be short for several dice (`13/3` for a 55), and then means no hit on its way.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from bgd.errors import BadPlay
from bgd.rules.board import OWN_BAR
from bgd.rules.plays import OFF, CheckerMove, Play, spell

MAX_PARTS: Final = 4

_NO_PLAY: Final = frozenset({"", "pass", "no legal play", "no play", "no move", "none", "cannot move", "can't move"})
_POINTS: Final = {
    **{str(point): point for point in range(26)},
    **dict.fromkeys(("bar", "b"), OWN_BAR),
    **dict.fromkeys(("off", "o"), OFF),
}
_TOKEN: Final = re.compile(r"(?P<point>[a-z]+|[0-9]+)(?P<hit>\*?)|\((?P<times>[0-9]+)\)|(?P<join>[/-])|(?P<gap>[\s,]+)")
_LONGEST: Final = 200


def encode(play: Play) -> str:
    """The canonical spelling: rear checkers first, every die spelled out, equal parts counted: `bar/22* 13/7(2) 6/off`;
    `no play` when there is none."""
    return spell(play.moves)


def encode_gnubg_plain(play: Play) -> str:
    """As GNU Backgammon's external interface answers: numbers only (25 the bar, 0 off), every die spelled out, a blank
    after each part but a fourth; empty when nothing can be played."""
    parts = [f"{source}/{destination}{'*' if hit else ''}" for source, destination, hit in play.moves]
    return " ".join(parts) + (" " if 0 < len(parts) < MAX_PARTS else "")


def decode(text: str) -> tuple[CheckerMove, ...]:
    """The moves written, each as written: not checked against a board, dice or the rules (rules.legality does that).

    Chains and repetitions are taken apart, in the order written. No moves for an empty text, `pass`, `no legal play`,
    `cannot move`. Raises BadPlay for text that is no play: unknown words, `(1)` or more than `(4)`, an odd number of
    points, a move up the board or from `off`, more than four moves.
    """
    if len(text) > _LONGEST:
        raise BadPlay(f"Expected a play in at most {_LONGEST} characters, got {len(text)}")
    lowered = text.strip().lower()
    if lowered in _NO_PLAY:
        return ()
    moves: list[CheckerMove] = []
    for chain, times in _chains(lowered, text):
        part = [CheckerMove(source, destination, hit) for (source, _), (destination, hit) in pairwise(chain)]
        for move in part:
            if move.source == OFF:
                raise BadPlay(f"Expected checkers to move from the bar or a point, got one from off in `{text}`")
            if move.destination >= move.source:
                raise BadPlay(f"Expected checkers to move from 24 down to 1, got `{move}` in `{text}`")
        # The mark of a repeated part belongs to the first checker: the second finds nothing left to hit.
        again = [CheckerMove(move.source, move.destination) for move in part]
        moves += part + again * (times - 1)
    if len(moves) > MAX_PARTS:
        raise BadPlay(f"Expected at most {MAX_PARTS} moves in a play, got {len(moves)} in `{text}`")
    return tuple(moves)


_Chain = list[tuple[int, bool]]
"""Points in the order one checker visits them, each with whether it is marked as a hit."""


def _chains(lowered: str, text: str) -> list[tuple[_Chain, int]]:
    """Parts as chains of points with their repetition. Points without any `/` between them are taken in pairs."""
    chains: list[tuple[_Chain, int]] = []
    loose = not any(mark in lowered for mark in "/-")
    joined = False  # a `/` waits for its point
    ended = True  # the next point starts a new chain
    position = 0
    while position < len(lowered):
        token = _TOKEN.match(lowered, position)
        if token is None:
            raise BadPlay(f"Expected a play like `8/5 6/5`, got `{lowered[position]}` in `{text}`")
        position = token.end()
        if token["point"] is not None:
            if token["point"] not in _POINTS:
                raise BadPlay(f"Expected `bar`, `off` or a point from 1 to 24, got `{token['point']}` in `{text}`")
            visited = (_POINTS[token["point"]], bool(token["hit"]))
            if joined or (loose and chains and len(chains[-1][0]) == 1):
                chains[-1][0].append(visited)
            elif ended:
                chains.append(([visited], 1))
            else:
                raise BadPlay(f"Expected a blank or a comma between parts, got `{token[0]}` in `{text}`")
            joined = ended = False
        elif token["times"] is not None:
            chain = chains[-1][0] if chains else []
            if len(chain) < 2 or joined or chains[-1][1] > 1 or token["times"] not in ("2", "3", "4"):
                raise BadPlay(f"Expected `(2)`, `(3)` or `(4)` after a part, got `{token[0]}` in `{text}`")
            chains[-1] = (chain, int(token["times"]))
            ended = True
        elif token["join"] is not None:
            if not chains or joined or chains[-1][1] > 1:
                raise BadPlay(f"Expected a point before `{token[0]}`, got none in `{text}`")
            joined = True
        elif not joined:
            ended = True
    if joined:
        raise BadPlay(f"Expected a point after the last `/`, got the end of `{text}`")
    for chain, _ in chains:
        if len(chain) < 2:
            raise BadPlay(f"Expected each part to have a point to go from and one to go to, got an odd one in `{text}`")
    return chains
