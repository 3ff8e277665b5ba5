"""`bgd duel` as a command: what it prints, refuses and resumes."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from bgd.duel import main
from bgd.duel.command import Table
from bgd.duel.report import PairRecord

FIRST_PLAY = """
import sys
from bgd.notation import position_id
from bgd.rules.dice import Dice
from bgd.rules.plays import legal_plays
for line in sys.stdin:
    word, *rest = line.split()
    if word == "ubgi": print("ubgiok", flush=True)
    if word == "isready": print("readyok", flush=True)
    if word == "position": board = position_id.decode(rest[1])
    if word == "dice": dice = Dice(int(rest[0]), int(rest[1]))
    if word == "go":
        plays = legal_plays(board, dice)
        print("bestmove", plays[0] if plays else "pass", flush=True)
"""


@pytest.fixture
def engine(tmp_path: Path) -> str:
    path = tmp_path / "engine.py"
    path.write_text(FIRST_PLAY)
    return f"ubgi:{sys.executable} {path}"


def test_a_duel_prints_one_json_object_and_resumes(
    engine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log, mats = tmp_path / "log.jsonl", tmp_path / "mats"
    command = [engine, engine, "--no-luck", "--workers", "1", "--log", str(log), "--mat", str(mats)]
    assert main([*command, "--games", "4"]) == 0
    shown = capsys.readouterr()
    figures = json.loads(shown.out)
    assert (figures["games"], figures["points_a_game"]) == (4, {"mean": 0.0, "se": 0.0})
    assert "4 games" in shown.err
    assert len(list(mats.iterdir())) == 2
    played = log.read_bytes()

    assert main([*command, "--games", "6"]) == 0
    assert json.loads(capsys.readouterr().out)["games"] == 6
    assert log.read_bytes().startswith(played)
    assert log.read_bytes().count(b"\n") == 1 + 3


def test_several_processes_play_the_same_games(engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    outputs = []
    for workers in ("1", "2"):
        assert main([engine, engine, "--no-luck", "--games", "4", "--workers", workers]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_player_that_cannot_sit_down_is_named(workers: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ubgi:/no-such-engine", "ubgi:/no-such-engine", "--no-luck", "--workers", workers]) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "no-such-engine" in shown.err


def test_an_unknown_player_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chess", "gnubg"]) == 1
    assert "`chess`" in capsys.readouterr().err


def test_an_interrupted_duel_reports_what_was_played(
    engine: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    play = Table.play

    def interrupted(table: Table, pair: int) -> PairRecord:
        if pair == 2:
            raise KeyboardInterrupt
        return play(table, pair)

    monkeypatch.setattr(Table, "play", interrupted)
    assert main([engine, engine, "--no-luck", "--games", "10", "--workers", "1"]) == 130
    assert json.loads(capsys.readouterr().out)["games"] == 4


def test_more_plies_than_bgd_searches_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bgd:plies=5", "bgd:plies=0", "--no-luck", "--games", "2"]) == 1
    assert "got `5`" in capsys.readouterr().err
