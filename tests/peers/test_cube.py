"""`bgd bench cube` beside a real GNU Backgammon."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bgd.bench import cube
from bgd.bench.peer import opinions
from bgd.cli import main

KEPT = Path(__file__).parents[1] / "data" / "cube_decisions.jsonl"


def test_what_gnubg_does_is_what_its_equities_say() -> None:
    states = cube.load(KEPT, 21)
    assert len({state.terms for state in states}) > 2
    for state, opinion in zip(states, opinions(states, 1), strict=True):
        if abs(opinion.double_take - 1) > 1e-3:
            assert opinion.take == (opinion.double_take < 1), state
        gained = min(opinion.double_take, 1) - opinion.no_double
        if abs(gained) > 1e-3:
            assert opinion.double == (gained > 0), state


def test_the_two_engines_agree_but_for_what_costs_little(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "cube", str(KEPT), "--sample", "14", "--plies", "1", "--trials", "36", "--gnubg"]) == 0
    rows = {row["score"]: row for row in json.loads(capsys.readouterr().out)["measured"] if "positions" in row}
    everything = rows.pop("all")
    assert everything["positions"] == sum(row["positions"] for row in rows.values()) == 14
    # Near a decision any two engines disagree at times; whichever is right, that costs a few hundredths.
    for question in ("double", "take"):
        assert everything[question]["cost"] < 0.05
        assert everything[question]["gnubg_cost"] < 0.05
    assert everything["apart"]["no_double"] < 0.1
    assert everything["apart"]["double_take"] < 0.2
