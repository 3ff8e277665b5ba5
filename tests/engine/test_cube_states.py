"""What rules and scores make of the cube, whatever the level: the limit, beavers, Jacoby, automatic doubles, the last
points of a match. By the engine itself, over positions that double, that don't, and that are too good."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bgd.engine import Engine
from bgd.engine.values import CubeDecision
from bgd.notation import xgid
from bgd.rules.cube import is_dead
from bgd.rules.state import Cube, GameState, Match, Money, Side

ME, YOU = Side.BOTTOM, Side.TOP
PLAIN = Money(jacoby=False, beavers=False)
LEVELS = (0, 1, 2)

EVEN, STRONG, GAMMONISH, BEHIND, RACE = (
    xgid.decode(f"XGID={board}:0:0:1:00:0:0:0:0:15").board
    for board in (
        "-b----E-C---eE---c-e----B-",
        "-a-BBBC-B---d--a-bCe-b---A",
        "dBBAB-BbB-A----A--cbbAb-A-",
        "-a--B-EbB---aE--abcc-b---A",
        "-BBBD-B---AA-Aa--b-dbcab--",
    )
)
BOARDS = (EVEN, STRONG, GAMMONISH, BEHIND, RACE)


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.load()


def equities(decision: CubeDecision) -> tuple[float, float, float]:
    return decision.no_double, decision.double_take, decision.double_pass


@pytest.mark.parametrize("plies", LEVELS)
def test_automatic_doubles_change_no_equity_and_the_cube_is_doubled_not_redoubled(engine: Engine, plies: int) -> None:
    for board in BOARDS:
        for rules in (PLAIN, Money()):
            plain = engine.cube(GameState(board, terms=rules), plies)
            for value in (2, 4):
                raised = engine.cube(GameState(board, cube=Cube(value), terms=rules), plies)
                assert equities(raised) == pytest.approx(equities(plain), abs=1e-4)
                assert raised.label == plain.label
                assert "redouble" not in raised.label


@pytest.mark.parametrize("plies", LEVELS)
def test_a_cube_that_can_be_turned_once_more_is_worth_twice_the_cubeless_game(engine: Engine, plies: int) -> None:
    for board in BOARDS:
        last = GameState(board, cube=Cube(limit=2), terms=PLAIN)
        found = engine.evaluate(last, plies)
        assert engine.cube(last, plies).double_take == pytest.approx(2 * found.equity, abs=1e-5)


@pytest.mark.parametrize("plies", LEVELS)
def test_a_cube_at_its_limit_is_not_turned_and_counts_for_nothing(engine: Engine, plies: int) -> None:
    for board in BOARDS:
        state = GameState(board, cube=Cube(8, ME, limit=8), terms=PLAIN)
        decision = engine.cube(state, plies)
        assert (decision.label, decision.allowed, decision.double) == ("not allowed", False, False)
        assert decision.no_double == pytest.approx(engine.evaluate(state, plies).equity, abs=1e-5)


@pytest.mark.parametrize("plies", LEVELS)
def test_no_rule_but_beavers_changes_the_answer_to_a_bad_double(engine: Engine, plies: int) -> None:
    state = GameState(BEHIND, terms=PLAIN)
    assert engine.cube(state, plies).label == "no double/take"
    beavers = replace(state, terms=Money(jacoby=False, beavers=True))
    assert engine.cube(beavers, plies).label == "no double/beaver"
    # A beaver would turn the cube to 4.
    assert engine.cube(replace(beavers, cube=Cube(limit=2)), plies).response == "take"
    assert engine.cube(replace(beavers, cube=Cube(limit=4)), plies).label == "no double/beaver"


@pytest.mark.parametrize("plies", LEVELS)
def test_jacobys_rule_is_about_a_centred_cube_alone(engine: Engine, plies: int) -> None:
    jacoby = Money(jacoby=True, beavers=False)
    assert engine.cube(GameState(GAMMONISH, terms=PLAIN), plies).label == "too good/pass"
    assert engine.cube(GameState(GAMMONISH, terms=jacoby), plies).label == "double/pass"
    for board in BOARDS:
        owned = [engine.cube(GameState(board, cube=Cube(2, ME), terms=rules), plies) for rules in (PLAIN, jacoby)]
        assert equities(owned[0]) == equities(owned[1])
        centred = [engine.cube(GameState(board, terms=rules), plies) for rules in (PLAIN, jacoby)]
        assert centred[0].double_take == pytest.approx(centred[1].double_take, abs=1e-9)
        assert centred[1].no_double <= 1 + 1e-6


@pytest.mark.parametrize("plies", LEVELS)
def test_at_two_away_each_a_double_taken_is_worth_the_chance_to_win_this_game(engine: Engine, plies: int) -> None:
    for board in BOARDS:
        state = GameState(board, terms=Match(5, (3, 3)))
        win = engine.evaluate(state, plies).chances.win
        assert engine.cube(state, plies).mwc_double_take == pytest.approx(win, abs=1e-6)


@pytest.mark.parametrize("plies", LEVELS)
@pytest.mark.parametrize(
    ("cube", "terms"),
    [
        (Cube(), Match(5, (4, 3))),  # after the Crawford game
        (Cube(), Match(5, (4, 2))),
        (Cube(), Match(9, (8, 0))),
        (Cube(2, ME), Match(5, (3, 1))),  # 4-away, and losing 2 points loses the match
        (Cube(4, ME), Match(9, (5, 2))),
    ],
)
def test_a_side_with_nothing_to_lose_doubles_at_once_unless_a_pass_would_be_a_pity(
    engine: Engine, cube: Cube, terms: Match, plies: int
) -> None:
    for board in (EVEN, STRONG, BEHIND, RACE):
        decision = engine.cube(GameState(board, turn=ME, cube=cube, terms=terms), plies)
        assert decision.double or decision.label == "too good/pass"
        assert decision.double_take >= decision.no_double - 1e-6


@pytest.mark.parametrize("plies", LEVELS)
@pytest.mark.parametrize(
    ("cube", "terms"),
    [
        (Cube(), Match(5, (3, 4))),  # 1-away after the Crawford game
        (Cube(2, ME), Match(5, (1, 3))),
        (Cube(4, ME), Match(7, (2, 3))),
    ],
)
def test_a_cube_that_wins_the_match_is_dead(engine: Engine, cube: Cube, terms: Match, plies: int) -> None:
    assert is_dead(cube, terms, ME)
    for board in BOARDS:
        state = GameState(board, turn=ME, cube=cube, terms=terms)
        decision = engine.cube(state, plies)
        assert (decision.label, decision.double, decision.allowed) == ("dead cube", False, True)


@pytest.mark.parametrize("plies", LEVELS)
def test_nobody_doubles_in_the_crawford_game_at_any_level(engine: Engine, plies: int) -> None:
    for scores in ((4, 2), (2, 4)):
        for board in BOARDS:
            state = GameState(board, turn=ME, terms=Match(5, scores, crawford=True))
            decision = engine.cube(state, plies)
            assert (decision.label, decision.reason) == ("not allowed", "this is the Crawford game")
            assert decision.no_double == pytest.approx(engine.evaluate(state, plies).equity, abs=1e-5)
