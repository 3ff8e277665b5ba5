"""Writes protocol/vectors/equities.jsonl: what positions are worth that can be worked out exactly.

    python -m tests.protocol.exact

Bear-offs with no contact are solved by going through all rolls and plays, as the rules give them, with fractions; match
winning chances after a game are those of the match equity table. No engine has a part in it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from typing import Any, Final

from bgd.engine.met import MatchEquityTable
from bgd.notation import xgid
from bgd.rules.dice import ROLLS
from bgd.rules.game import moment
from bgd.rules.plays import legal_plays
from bgd.rules.state import Cube, GameState, Match, Money, Phase, Side
from tests.protocol.transcript import RUNNER
from tests.rules.boards import by_own_points

PATH: Final = RUNNER.parent / "vectors" / "equities.jsonl"
WITHIN: Final = 5e-6
"""That a server may be off: single precision, some sums of it."""

Home = tuple[int, ...]
"""Points of the checkers that are left, the highest first."""


@cache
def after(home: Home) -> tuple[tuple[int, tuple[Home, ...]], ...]:
    """For each roll its weight of 36 and what may be left after it. The other side is out of the way."""
    found = []
    for roll in ROLLS:
        results = {
            tuple(point for point in range(24, 0, -1) for _ in range(max(0, play.result.points[point])))
            for play in legal_plays(by_own_points(home, (1,)), roll)
        }
        found.append((1 if roll.is_double else 2, tuple(sorted(results))))
    return tuple(found)


@cache
def wins(own: Home, opponent: Home) -> Fraction:
    """The chance of the side on roll, each side playing for its own."""
    if not opponent:
        return Fraction(0)
    total = Fraction(0)
    for weight, results in after(own):
        total += weight * max(1 - wins(opponent, left) if left else Fraction(1) for left in results)
    return total / 36


@cache
def rolls(own: Home, opponent: Home, cube: str) -> Fraction:
    """Money equity of the side on roll, at the present cube, if it does not double now. `cube` is `centred`, `owned`
    by it, or the `other`'s. There is no limit to doubling, and no Jacoby rule nor beavers."""
    theirs = {"centred": "centred", "owned": "other", "other": "owned"}[cube]
    total = Fraction(0)
    for weight, results in after(own):
        total += weight * max(-_worth(opponent, left, theirs) if left else Fraction(1) for left in results)
    return total / 36


@cache
def _worth(own: Home, opponent: Home, cube: str) -> Fraction:
    """Likewise, doubling if that is better."""
    rolling = rolls(own, opponent, cube)
    if cube == "other":
        return rolling
    return max(rolling, min(Fraction(1), 2 * rolls(own, opponent, "other")))


def _line(about: str, method: str, state: GameState, **result: object) -> dict[str, Any]:
    return {"about": about, "method": method, "position": xgid.encode(state), "result": result, "within": WITHIN}


def _told(home: Home) -> str:
    return ",".join(map(str, home))


MONEY: Final = Money(jacoby=False, beavers=False)


def _bearoffs() -> Iterator[dict[str, Any]]:
    """Two checkers and fewer on each side, and some with three."""
    homes = [home for n in (1, 2) for home in combinations_with_replacement((6, 5, 4, 3, 1), n)]
    pairs = [(own, opponent) for own in homes[::2] for opponent in homes[1::3]]
    pairs += [((6, 6), (6, 6)), ((6, 5, 4), (6, 6)), ((5, 3, 1), (4, 4, 1)), ((6, 6, 6), (6, 6, 6)), ((3, 1), (1,))]
    for own, opponent in pairs:
        win = wins(own, opponent)
        about = f"{_told(own)} against {_told(opponent)}"
        state = GameState(by_own_points(own, opponent), terms=MONEY)
        chances = {"win": _number(win), "wingammon": 0, "losegammon": 0, "equity": _number(2 * win - 1)}
        yield _line(f"{about}: {win}", "eval", state, **chances)
        yield _cube(f"{about}, the cube in the middle", state, own, opponent, "centred")
        owned = GameState(state.board, cube=Cube(2, Side.BOTTOM), terms=MONEY)
        yield _cube(f"{about}, the cube its own", owned, own, opponent, "owned")


def _cube(about: str, state: GameState, own: Home, opponent: Home, cube: str) -> dict[str, Any]:
    rolling, doubled = rolls(own, opponent, cube), 2 * rolls(own, opponent, "other")
    result: dict[str, object] = {"nodouble": _number(rolling), "doubletake": _number(doubled), "doublepass": 1}
    close = Fraction(1, 10_000)
    if abs(min(doubled, Fraction(1)) - rolling) > close:
        result["double"] = min(doubled, Fraction(1)) > rolling
    if abs(doubled - 1) > close and doubled > -1:
        result["response"] = "pass" if doubled > 1 else "take"
    return _line(about, "cube", state, **result)


def _number(value: Fraction) -> float:
    return round(float(value), 9)


def _sure() -> Iterator[dict[str, Any]]:
    """Races that no dice can change any more."""
    for about, own, opponent, equity in (
        ("one roll before the end", (1,), (6, 5, 4), 1),
        ("two on the ace point against ten", (1, 1), (6,) * 10, 1),
        ("five checkers against one on the ace point", (6, 6, 6, 6, 6), (1,), -1),
        ("a gammon: the other has not begun to bear off", (1,), (6,) * 15, 2),
        ("a backgammon: the other has a checker behind", (1,), (*((6,) * 14), 20), 3),
    ):
        result = {"win": int(equity > 0), "wingammon": int(equity > 1), "winbackgammon": int(equity > 2)}
        result |= {"losegammon": 0, "losebackgammon": 0, "equity": equity}
        yield _line(about, "eval", GameState(by_own_points(own, opponent), terms=MONEY), **result)


def _over() -> Iterator[dict[str, Any]]:
    """Games that have ended in a match: the winning chances are the table's at the score that follows."""
    table = MatchEquityTable.default()
    ends = (("a single game", (6, 5), 1), ("a gammon", (6,) * 15, 2), ("a backgammon", (*((6,) * 14), 24), 3))
    scores = ((5, (0, 0), 1), (7, (3, 4), 2), (9, (2, 7), 1), (11, (10, 3), 1), (25, (0, 0), 4))
    for length, (top, bottom), value in scores:
        for about, left, points in ends:
            crawford = (length - top == 1) != (length - bottom == 1)
            terms = Match(length, (top, bottom), crawford)
            finished = by_own_points((), left).flip()  # seen by the loser, who would be on roll
            owner = None if value == 1 else Side.BOTTOM
            state = moment(finished, Side.BOTTOM, Phase.ROLL, Cube(value, owner), None, terms)
            lost = table.win(length - bottom, length - top - points * value, crawford)
            won = f"{about} lost with a {value}-cube, {bottom}-{top} of {length}"
            yield _line(won, "eval", state, mwc=round(lost, 6))


def vectors() -> Iterator[dict[str, Any]]:
    yield from _bearoffs()
    yield from _sure()
    yield from _over()


def text() -> str:
    return "".join(f"{json.dumps(line, separators=(',', ':'))}\n" for line in vectors())


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
