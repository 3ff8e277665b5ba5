"""`bgd bench efficiency`: what is fitted is what rollouts show."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bgd.bench.efficiency import EQUITIES, Sample, by_distance, fit, fitted_in_contact, formula, in_contact, in_races
from bgd.cli import main
from bgd.engine.stakes import CONTACT_EFFICIENCY, DEAD, RACE_EFFICIENCY, Efficiency
from bgd.engine.values import Chances
from bgd.rules.board import Board

COUNT = 40
EXACTLY = np.zeros(len(EQUITIES))


def chances(seed: int, gammons: bool) -> list[Chances]:
    """Of open positions."""
    rng = np.random.default_rng(seed)
    found = []
    for win, own, lost in rng.uniform((0.3, 0.1, 0.05), (0.7, 0.5, 0.4), (COUNT, 3)):
        found.append(Chances(win, win * own, 0.0, (1 - win) * lost, 0.0) if gammons else Chances(win))
    return found


def race(pips: int) -> Board:
    """With so many pips to the side on roll."""
    points = [0] * 26
    points[6], points[1], points[19] = pips // 6, pips % 6, -10
    return Board(tuple(points))


@settings(max_examples=10, deadline=None)
@given(st.floats(0.7, 0.8), st.floats(0.0, 0.4), st.floats(0.2, 0.5), st.floats(0.1, 0.4), st.floats(0.1, 0.4))
def test_what_all_positions_share_in_contact_is_found(
    even: float, win: float, gammons: float, lost: float, late: float
) -> None:
    alive = Efficiency(even, win, gammons, lost, 0.0, late, 0.0)
    samples = [Sample(Board.start(), one, formula(one, alive), EXACTLY) for one in chances(1, gammons=True)]
    fitted, errors = fit(samples, in_contact, fitted_in_contact())
    assert fitted == pytest.approx((even, win, gammons, lost, late), abs=1e-4)
    assert errors == pytest.approx(np.zeros(5), abs=1e-3)


@settings(max_examples=10, deadline=None)
@given(st.floats(0.65, 0.8), st.floats(20, 50), st.floats(0.1, 0.4))
def test_what_pips_do_in_races_is_found(most: float, less: float, win: float) -> None:
    samples = []
    for number, one in enumerate(chances(2, gammons=False)):
        board = race(15 + number)
        alive = in_races(np.array([most, less, win]), board)
        samples.append(Sample(board, one, formula(one, alive), EXACTLY))
    fitted, _ = fit(samples, in_races, RACE_EFFICIENCY)
    assert fitted == pytest.approx([most, less, win], rel=1e-3)


def test_the_error_of_a_mean_of_two_kinds_is_known() -> None:
    one = Chances(0.6)
    kinds = [formula(one, DEAD._replace(even=even)) for even in (0.6, 0.8)] * 100
    samples = [Sample(Board.start(), one, found, EXACTLY) for found in kinds]
    (even,), (error,) = fit(samples, lambda constants, _: DEAD._replace(even=constants[0]), [0.5])
    assert even == pytest.approx(0.7, abs=0.02)
    assert error == pytest.approx(0.1 / np.sqrt(200), rel=0.1)


def test_how_alive_a_cube_was_found_to_be_is_told_by_its_distance_from_the_cash_point() -> None:
    alive = CONTACT_EFFICIENCY._replace(even=CONTACT_EFFICIENCY.even - 0.1)
    samples = [Sample(Board.start(), one, formula(one, alive), EXACTLY) for one in chances(3, gammons=True)]
    rows = by_distance(samples)
    assert len(rows) > 6
    for row in rows:
        assert row["found"] == pytest.approx(row["told"] - 0.1, abs=1e-3)


def test_a_fit_of_a_few_rollouts_tells_each_class(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "efficiency", "--count", "2", "--trials", "36"]) == 0
    rows = json.loads(capsys.readouterr().out)["measured"]
    assert [row["class"] for row in rows] == ["contact", "race", "contact", "long race", "short race"]
    assert [row.get("positions") for row in rows[:2]] == [2, 4]
    for row in rows[:2]:
        assert len(row["fitted"]) == len(row["errors"])
        assert min(row["before"]) > 0
    assert rows[1]["known"] <= 2
    for cube in ("own", "given"):
        assert sum(row["positions"] for row in rows[0]["by_distance"] if row["cube"] == cube) == 2
    assert [level["plies"] for level in rows[2]["levels"]] == [0, 1, 2]
