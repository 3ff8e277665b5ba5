"""Match equity: the probability of winning the match at a score, before the next game starts.

All scores are points away. A table holds the scores before the Crawford game (its row 1 is the Crawford game itself)
and, for the games after it, the chances of the side that is not one point away.

Beyond a table's own length (25 for the one shipped) it is extended by this rule, whose constants were fitted to the
shipped table and reproduce its scores from 18 to 25 away within 2 % of the trailer's chances:

* after the Crawford game, each two points more multiply the trailer's chances as the table's last two points did;
* in the Crawford game the trailer wins with probability 0.505, 28 % of it gammons;
* before it, both sides win a game equally often, and it is worth 1, 2 or 4 points with probability .20, .44 and .36.

A table for players of unequal skill, such as GNU Backgammon's jac050.xml, is its player 0's, who is Side.TOP.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from bgd.errors import ConfigError
from bgd.rules.state import MAX_MATCH_LENGTH, Match, Side

DEFAULT_TABLE: Final = "Kazaross-XG2.xml"

ROUNDING: Final = 0.002
"""Chances of both sides, each rounded to three digits, may add up to so much more or less than 1, as they do in GNU
Backgammon's ortega.xml."""

_CRAWFORD_WIN: Final = 0.505
_CRAWFORD_GAMMON: Final = 0.28
_GAME_POINTS: Final = ((1, 0.20), (2, 0.44), (4, 0.36))


class MatchEquityTable:
    """Chances of winning the match at every score up to MAX_MATCH_LENGTH away.

    `pre[a-1][b-1]`: of a side `a` away against one `b` away, up to and including the Crawford game. `post[n-1]`: of a
    side `n` away against one 1 away, after it. If the players are unequal both are TOP's, and `bottom_post` is
    BOTTOM's row. Tables must be square, in 0..1, and of equal players pre[a][b] + pre[b][a] == 1 within ROUNDING, which
    is shared between the two; ConfigError, naming `source`, otherwise.
    """

    def __init__(
        self,
        name: str,
        pre: Sequence[Sequence[float]],
        post: Sequence[float],
        source: str = "",
        bottom_post: Sequence[float] | None = None,
    ) -> None:
        length, source, equal = len(pre), source or name, bottom_post is None
        posts = (post, post if bottom_post is None else bottom_post)
        if length < 3 or any(len(row) < 3 for row in posts) or any(len(row) != length for row in pre):
            raise ConfigError(f"Expected a square table of 3 or more points, got `{length}` rows in {source}")
        for a in range(length):
            for b in range(length):
                over = abs(pre[a][b] + pre[b][a] - 1) > ROUNDING + 1e-9
                if not 0 <= pre[a][b] <= 1 or (equal and over):
                    raise ConfigError(
                        f"Expected chances from 0 to 1 that add up to 1, got `{pre[a][b]}` and `{pre[b][a]}` "
                        f"at {a + 1}-away {b + 1}-away in {source}"
                    )
        if not all(0 <= chance <= 1 for row in posts for chance in row):
            raise ConfigError(f"Expected chances from 0 to 1 after the Crawford game in {source}")
        self.name = name
        self.length = length
        self._post = tuple(map(_extended_post, posts))
        top = _extended_pre(_evened(pre) if equal else pre, self._post)
        self._pre = (top, top if equal else _other_side(top))

    def win(self, own_away: int, opponent_away: int, crawford_done: bool, side: Side = Side.TOP) -> float:
        """P(win the match) of a side `own_away` from winning, before a game. `crawford_done`: the Crawford game has
        been played already. Zero or fewer points away is a match won. `side`: which it is, should they be unequal."""
        if own_away <= 0:
            return 1.0
        if opponent_away <= 0:
            return 0.0
        if crawford_done:
            if opponent_away == 1:
                return self._post[side][own_away - 1]
            if own_away == 1:
                return 1.0 - self._post[1 - side][opponent_away - 1]
        return self._pre[side][own_away - 1][opponent_away - 1]

    def at(self, match: Match, side: Side) -> float:
        """P(win the match) of `side` before the game that `match` describes is begun."""
        return self.win(match.away(side), match.away(side.other), match.post_crawford, side)

    @classmethod
    def load(cls, path: Path) -> MatchEquityTable:
        """The table in a file, as `parse` reads it. Raises ConfigError."""
        try:
            data = path.read_bytes()
        except OSError as error:
            raise ConfigError(f"The match equity table {path} can't be read: {error.strerror or error}") from None
        return cls.parse(data, str(path))

    @classmethod
    def parse(cls, text: str | bytes, name: str) -> MatchEquityTable:
        """A table in GNU Backgammon's XML form, both parts given explicitly. `name` is for error messages."""
        try:
            root = ElementTree.fromstring(text)
            pre = [_numbers(row) for row in root.iterfind("pre-crawford-table/row")]
            post = {
                table.get("player") or "both": _numbers(row)
                for table in root.iterfind("post-crawford-table")
                for row in table.iterfind("row")
            }
            kinds = {part.get("type") or "" for part in root if part.tag.endswith("-table")} - {"explicit"}
            title = root.findtext("info/name")
        except (ElementTree.ParseError, ValueError, LookupError) as error:
            raise ConfigError(f"Expected a table in GNU Backgammon's XML form in {name}: {error}") from None
        if kinds:
            raise ConfigError(
                f"Expected a table of the type `explicit`, all chances written out, got `{', '.join(sorted(kinds))}` in"
                f" {name}: its formula is not known here"
            )
        if not pre or post.keys() not in ({"both"}, {"0", "1"}):
            raise ConfigError(
                "Expected a pre-Crawford table and one post-Crawford row for player `both` or for `0` and `1` each, got"
                f" `{', '.join(sorted(post)) or 'none'}` in {name}"
            )
        first, second = post.get("both") or post["0"], post.get("1")
        return cls(title or name, pre, first, source=name, bottom_post=None if second == first else second)

    @classmethod
    @cache
    def default(cls) -> MatchEquityTable:
        """The table that comes with bgd, read at first use (some 5 ms)."""
        text = resources.files("bgd.data").joinpath(DEFAULT_TABLE).read_text(encoding="utf-8")
        return cls.parse(text, DEFAULT_TABLE)


def _numbers(row: ElementTree.Element) -> list[float]:
    return [float(cell.text or "") for cell in row.iterfind("me")]


def _evened(pre: Sequence[Sequence[float]]) -> list[list[float]]:
    """With what both sides' chances are too much or too little shared between them."""
    over = [[pre[a][b] + pre[b][a] - 1 for b in range(len(pre))] for a in range(len(pre))]
    return [
        [chance - error / 2 if abs(error) > 1e-9 else chance for chance, error in zip(row, errors, strict=True)]
        for row, errors in zip(pre, over, strict=True)
    ]


def _extended_post(given: Sequence[float]) -> list[float]:
    post = list(given[:MAX_MATCH_LENGTH])
    ratio = post[-1] / post[-3]
    while len(post) < MAX_MATCH_LENGTH:
        post.append(post[-2] * ratio)
    return post


def _extended_pre(given: Sequence[Sequence[float]], posts: Sequence[Sequence[float]]) -> list[list[float]]:
    """`given`, and after it `posts`, of TOP and of BOTTOM; the chances of TOP."""
    size = min(len(given), MAX_MATCH_LENGTH)
    pre = [[*row[:size], *[0.0] * (MAX_MATCH_LENGTH - size)] for row in given[:size]]
    pre += [[0.0] * MAX_MATCH_LENGTH for _ in range(MAX_MATCH_LENGTH - size)]

    def before(top: int, bottom: int) -> float:
        return 1.0 if top <= 0 else 0.0 if bottom <= 0 else pre[top - 1][bottom - 1]

    def later(top: int, bottom: int) -> float:
        return sum(
            weight * (before(top - points, bottom) + before(top, bottom - points)) / 2
            for points, weight in _GAME_POINTS
        )

    for far in range(size + 1, MAX_MATCH_LENGTH + 1):
        top, bottom = (
            _CRAWFORD_WIN * ((1 - _CRAWFORD_GAMMON) * post[far - 2] + _CRAWFORD_GAMMON * post[far - 3])
            for post in posts
        )
        pre[0][far - 1], pre[far - 1][0] = 1 - bottom, top
        for near in range(2, far + 1):
            pre[near - 1][far - 1] = later(near, far)
            pre[far - 1][near - 1] = later(far, near)
    return pre


def _other_side(pre: Sequence[Sequence[float]]) -> list[list[float]]:
    """The chances of BOTTOM, given those of TOP."""
    return [[1 - row[own] for row in pre] for own in range(len(pre))]
