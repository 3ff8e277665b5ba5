"""Boards for the tests of the rules: a short notation, hypothesis strategies, and a second enumerator of plays.

The enumerator shares no code and no data layout with bgd.rules.plays: it tries every order of the dice and every
checker, as a beginner with the rule book would.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hypothesis import assume
from hypothesis import strategies as st

from bgd.errors import BadPosition
from bgd.rules.board import Board
from bgd.rules.dice import Dice
from bgd.rules.plays import CheckerMove


def board(own: str, opponent: str = "1:15") -> Board:
    """`board("bar:2 10:2", "22:2")`: points in the mover's numbering, a point alone being one checker."""
    points = [0] * 26
    for sign, side, bar in ((1, own, 25), (-1, opponent, 0)):
        for part in side.split():
            point, _, count = part.partition(":")
            where = bar if point == "bar" else int(point)
            assert points[where] == 0, f"{point} is written twice"
            points[where] = sign * int(count or 1)
    return Board(tuple(points))


def by_own_points(own: Iterable[int], opponent: Iterable[int]) -> Board:
    """A checker on each of `own`, and on each of `opponent` in the opponent's numbering."""
    points = [0] * 26
    for point in own:
        points[point] += 1
    for point in opponent:
        points[25 - point] -= 1
    return Board(tuple(points))


def moves(text: str) -> tuple[CheckerMove, ...]:
    """`bar/22* 13/7(2) 6/off`, as str() of a play writes it."""
    done: list[CheckerMove] = []
    for part in text.split():
        part, _, times = part.rstrip(")").partition("(")
        source, destination = part.rstrip("*").split("/")
        start = 25 if source == "bar" else int(source)
        end = 0 if destination == "off" else int(destination)
        done += [CheckerMove(start, end, "*" in part)] * int(times or 1)
    return tuple(done)


rolls = st.builds(Dice, st.integers(1, 6), st.integers(1, 6))


@st.composite
def boards(draw: st.DrawFn, most: int = 15) -> Board:
    """Any board with a checker of each side on it, crowded ones and bear-offs included."""
    own = draw(st.lists(st.integers(1, 25), min_size=1, max_size=most))
    opponent = draw(st.lists(st.integers(0, 24), min_size=1, max_size=most))
    points = [0] * 26
    for point in own:
        points[point] += 1
    for point in opponent:
        if points[point] <= 0:
            points[point] -= 1
    assume(any(count < 0 for count in points))
    try:
        return Board(tuple(points))
    except BadPosition:
        assume(False)
        raise


def brute_force(position: Board, dice: Dice) -> set[tuple[int, ...]]:
    """Every board reachable by the rules, by trying everything."""
    mine = tuple(sorted(point for point, count in enumerate(position.points) for _ in range(max(count, 0))))
    theirs = tuple(sorted(point for point, count in enumerate(position.points) for _ in range(max(-count, 0))))
    number = [dice.first] * 4 if dice.is_double else [dice.first, dice.second]
    pending = [(mine, theirs, tuple(sorted(number)))]
    seen = set(pending)
    stuck = []
    while pending:
        mine, theirs, left = pending.pop()
        onward = [
            (*after, tuple(sorted(list(left[:i]) + list(left[i + 1 :]))))
            for i, die in enumerate(left)
            for after in _single(mine, theirs, die)
        ]
        if not onward:
            stuck.append((mine, theirs, left))
        for state in onward:
            if state not in seen:
                seen.add(state)
                pending.append(state)
    # Every place where play stops is kept with the dice unplayed; the rules want as few of those as can be.
    fewest = min(len(left) for _, _, left in stuck)
    best = [(mine, theirs, left) for mine, theirs, left in stuck if len(left) == fewest]
    if fewest == 1 and not dice.is_double:
        smaller_unplayed = [state for state in best if state[2] == (dice.low,)]
        best = smaller_unplayed or best
    if fewest == len(number):
        return set()
    return {_as_points(mine, theirs) for mine, theirs, _ in best}


def _single(
    mine: tuple[int, ...], theirs: tuple[int, ...], die: int
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    for checker in set(mine):
        if 25 in mine and checker != 25:
            continue
        target = checker - die
        rest = list(mine)
        rest.remove(checker)
        if target > 0:
            if theirs.count(target) >= 2:
                continue
            hit = list(theirs)
            if target in hit:
                hit.remove(target)
                hit.append(0)
            yield tuple(sorted([*rest, target])), tuple(sorted(hit))
        elif max(mine) <= 6 and (target == 0 or max(mine) == checker):
            yield tuple(rest), theirs


def _as_points(mine: tuple[int, ...], theirs: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(mine.count(point) - theirs.count(point) for point in range(26))
