"""`bgd bench efficiency`: what is fitted is what rollouts show."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bgd.bench.efficiency import Sample, fit
from bgd.cli import main
from bgd.rules.board import Board

COUNT = 12


def samples(alive: np.ndarray) -> list[Sample]:
    """Positions whose equities are just so alive."""
    rng = np.random.default_rng(1)
    dead, extra = rng.normal(size=(2, len(alive), 2))
    return [
        Sample(Board.start(), low, low + more, low + x * more, np.zeros(2))
        for low, more, x in zip(dead, extra, alive, strict=True)
    ]


@given(st.floats(0, 1))
def test_an_efficiency_that_all_positions_share_is_found(efficiency: float) -> None:
    fitted, errors = fit(samples(np.full(COUNT, efficiency)), np.ones((COUNT, 1)))
    assert fitted == pytest.approx([efficiency], abs=1e-9)
    assert errors == pytest.approx([0], abs=1e-9)


@given(st.floats(0, 1), st.floats(-0.01, 0.01))
def test_a_line_in_the_pips_is_found(base: float, rise: float) -> None:
    pips = np.arange(20.0, 20 + 8 * COUNT, 8)
    terms = np.column_stack((np.ones(COUNT), pips))
    fitted, _ = fit(samples(base + rise * pips), terms)
    assert fitted == pytest.approx([base, rise], abs=1e-9)


def test_the_error_of_a_mean_of_two_kinds_is_known() -> None:
    alive = np.repeat([0.4, 0.8], 200)
    (value,), (error,) = fit(samples(alive), np.ones((400, 1)))
    assert value == pytest.approx(0.6, abs=4 * error)
    # A position counts with the square of its two differences: in the mean 2, and 8 when squared once more.
    assert error == pytest.approx(0.2 / np.sqrt(400) * np.sqrt(8 / 4), rel=0.1)


def test_a_fit_of_a_few_rollouts_tells_each_class(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "efficiency", "--count", "2", "--trials", "36"]) == 0
    rows = {row["class"]: row for row in json.loads(capsys.readouterr().out)["measured"]}
    assert list(rows) == ["contact", "long race", "short race"]
    for row in rows.values():
        assert row["positions"] == 2
        assert row["before"] > 0
    assert rows["short race"]["known"] <= 2
    assert [level["plies"] for level in rows["contact"]["levels"]] == [0, 1, 2]
