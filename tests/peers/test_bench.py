"""`bgd bench speed` beside a real GNU Backgammon."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bgd.cli import main


def test_both_engines_are_timed_over_the_same_questions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    start = [0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0]
    decisions = tmp_path / "decisions.jsonl"
    decisions.write_text("".join(json.dumps({"board": start, "dice": [3, die]}) + "\n" for die in (1, 2)))
    assert main(["bench", "speed", str(decisions), "--plies", "1", "--gnubg"]) == 0
    play, cube = json.loads(capsys.readouterr().out)["measured"]
    for row in (play, cube):
        assert row["decisions"] == 2
        assert row["gnubg_median_ms"] > 0
        assert row["times_faster"] > 0
