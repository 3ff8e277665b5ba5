"""What Hypothesis draws in the tests: any legal arrangement of checkers, and any moment that a game can be in."""

from __future__ import annotations

from hypothesis import assume
from hypothesis import strategies as st

from bgd.errors import BadPosition
from bgd.rules.board import CHECKERS, Board
from bgd.rules.cube import TURNS, why_no_cube
from bgd.rules.dice import Dice
from bgd.rules.game import moment
from bgd.rules.state import (
    MAX_CUBE_EXPONENT,
    MAX_MATCH_LENGTH,
    Cube,
    GameState,
    Match,
    Money,
    Outcome,
    Phase,
    Resignation,
    Side,
)


@st.composite
def boards(draw: st.DrawFn) -> Board:
    """Any board: up to 15 checkers a side anywhere but on the other side's points, off as often as not."""
    points = [0] * 26
    for sign, places in ((1, range(1, 26)), (-1, range(25))):
        left = draw(st.integers(0, CHECKERS))
        while left:
            place = draw(st.sampled_from([p for p in places if points[p] * sign >= 0]))
            count = draw(st.integers(1, left))
            points[place] += sign * count
            left -= count
    try:
        return Board(tuple(points))
    except BadPosition:
        assume(False)
        raise


def dice() -> st.SearchStrategy[Dice]:
    return st.builds(Dice, st.integers(1, 6), st.integers(1, 6))


def sides() -> st.SearchStrategy[Side]:
    return st.sampled_from(Side)


@st.composite
def matches(draw: st.DrawFn) -> Match:
    """A match that is not over."""
    length = draw(st.integers(1, MAX_MATCH_LENGTH))
    scores = (draw(st.integers(0, length - 1)), draw(st.integers(0, length - 1)))
    one_away = (length - scores[0] == 1) != (length - scores[1] == 1)
    return Match(length, scores, crawford=one_away and draw(st.booleans()))


@st.composite
def moneys(draw: st.DrawFn) -> Money:
    scores = (draw(st.integers(0, 2000)), draw(st.integers(0, 2000)))
    return Money(draw(st.booleans()), draw(st.booleans()), draw(st.integers(0, 2)), scores)


@st.composite
def cubes(draw: st.DrawFn) -> Cube:
    exponent = draw(st.integers(0, 9))
    limit = draw(st.integers(0, MAX_CUBE_EXPONENT))
    owner = draw(st.none() | sides()) if exponent else None
    return Cube(2**exponent, owner, 2**limit)


@st.composite
def states(draw: st.DrawFn) -> GameState:
    """A moment of a game in any phase, resignations and beavers included; over, when a side has borne off all."""
    board, turn, cube = draw(boards()), draw(sides()), draw(cubes())
    terms: Match | Money = draw(matches() | moneys())
    phases = [Phase.ROLL, Phase.PLAY]
    if why_no_cube(cube, terms, turn) is None:
        phases.append(Phase.DOUBLED)
        if isinstance(terms, Money) and terms.beavers:
            phases += [phase for phase in (Phase.BEAVERED, Phase.RACCOONED) if cube.value << TURNS[phase] <= cube.limit]
    phase = draw(st.sampled_from(phases))
    roll = draw(dice()) if phase is Phase.PLAY else None
    resignation = None
    if phase in (Phase.ROLL, Phase.PLAY) and draw(st.integers(0, 3)) == 0:
        resignation = Resignation(draw(sides()), draw(st.sampled_from(Outcome)))
    return moment(board, turn, phase, cube, roll, terms, resignation)
