"""The log that a duel resumes from, its figures, and its .mat files."""

from __future__ import annotations

from pathlib import Path

import pytest

from bgd.duel.game import GameRecord, dice_of, play_game, play_pair
from bgd.duel.report import Header, Log, PairRecord, mat, report
from bgd.errors import ConfigError
from tests.duel.players import Cheat, FirstPlay, LastPlay, Racer

HEADER = Header(a="bgd:plies=0", b="gnubg:plies=0", seed=1, luck=True)


def pair(number: int, first: int, second: int, luck: float = 0.0) -> PairRecord:
    return PairRecord(
        pair=number,
        games=(
            GameRecord(first="a", points=first, turns=50, luck=luck),
            GameRecord(first="b", points=second, turns=50, luck=luck),
        ),
    )


def test_a_log_gives_back_what_was_played(tmp_path: Path) -> None:
    path = tmp_path / "duel.jsonl"
    log = Log(path, HEADER)
    log.add(pair(0, 1, -2))
    log.add(pair(3, 2, 2))
    log.close()
    assert Log(path, HEADER).pairs == {0: pair(0, 1, -2), 3: pair(3, 2, 2)}


def test_a_line_cut_short_by_a_kill_is_played_again(tmp_path: Path) -> None:
    path = tmp_path / "duel.jsonl"
    log = Log(path, HEADER)
    log.add(pair(0, 1, -2))
    log.close()
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"pair":1,"games":[{"fi')
    log = Log(path, HEADER)
    assert list(log.pairs) == [0]
    log.add(pair(1, 1, 1))
    log.close()
    assert list(Log(path, HEADER).pairs) == [0, 1]


def test_the_log_of_another_duel_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "duel.jsonl"
    Log(path, HEADER).close()
    other = Header(a="bgd:plies=1", b="gnubg:plies=0", seed=1, luck=True)
    with pytest.raises(ConfigError, match="plies=1"):
        Log(path, other)


def test_a_file_that_is_no_log_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("dear diary\n")
    with pytest.raises(ConfigError, match="log of a duel"):
        Log(path, HEADER)
    assert path.read_text() == "dear diary\n"


def test_the_standard_error_is_that_of_pairs() -> None:
    """Games 2 and -2 of a pair cancel: no spread at all, whatever the games' own."""
    figures = report(HEADER, [pair(0, 2, -2), pair(1, -1, 1), pair(2, 3, -3)])
    assert figures["points_a_game"] == {"mean": 0.0, "se": 0.0}
    figures = report(HEADER, [pair(0, 1, 1), pair(1, -1, -1)])
    assert figures["points_a_game"] == {"mean": 0.0, "se": 1.0}


def test_luck_is_taken_away() -> None:
    figures = report(HEADER, [pair(0, 1, 1, luck=0.75), pair(1, -1, -1, luck=-1.25)])
    assert figures["luck_adjusted"] == {"mean": 0.25, "se": 0.0}
    assert figures["points_a_game"] == {"mean": 0.0, "se": 1.0}


def test_one_pair_has_no_standard_error() -> None:
    assert report(HEADER, [pair(0, 1, 1)])["points_a_game"] == {"mean": 1.0, "se": None}


def test_wins_are_counted_by_kind_and_faults_apart() -> None:
    cheated = GameRecord(first="a", points=3, turns=1, fault="illegal", faulty="b")
    figures = report(HEADER, [pair(0, 1, -2), PairRecord(pair=1, games=(cheated, cheated))])
    assert figures["a_wins"] == {"single": 1, "gammon": 0, "backgammon": 0}
    assert figures["b_wins"] == {"single": 0, "gammon": 1, "backgammon": 0}
    assert figures["b_faults"] == {"games": 2, "examples": ["illegal", "illegal"]}
    assert figures["a_faults"] == {"games": 0, "examples": []}


def test_with_a_cube_wins_are_told_by_kind_whatever_it_stands_at_and_passes_apart() -> None:
    header = Header(a="a", b="b", seed=1, luck=False, cube=True)
    gammon = GameRecord(first="a", points=8, turns=40, cube=4)
    passed = GameRecord(first="b", points=-2, turns=20, cube=2, passed=True)
    figures = report(header, [PairRecord(pair=0, games=(gammon, passed))])
    assert figures["a_wins"] == {"single": 0, "gammon": 1, "backgammon": 0, "pass": 0}
    assert figures["b_wins"] == {"single": 0, "gammon": 0, "backgammon": 0, "pass": 1}
    assert "with a cube" in figures["terms"]


def test_a_mat_file_tells_of_the_cube() -> None:
    header = Header(a="a", b="b", seed=1, luck=False, cube=True)
    text = mat(header, 0, play_pair({"a": Racer(), "b": Racer()}, seed=5, pair=2, cube=True))
    assert "CubeLimit" not in text
    assert " Doubles => 2" in text
    assert "Takes" in text or "Drops" in text


def test_a_mat_file_has_the_winner_in_its_column() -> None:
    games = play_pair({"a": FirstPlay(), "b": LastPlay()}, seed=1, pair=0)
    text = mat(HEADER, 0, games)
    parts = text.split(" Game ")[1:]
    assert len(parts) == 2
    for part, (record, turns) in zip(parts, games, strict=True):
        line = next(line for line in part.splitlines() if "Wins" in line)
        assert (line.index("Wins") < 30) == (record.points > 0)
        assert f"Wins {abs(record.points)} point" in line
        assert sum(part.count(f"{turn.dice}:") > 0 for turn in turns) == len(turns)
    assert text.startswith('; [Player 1 "bgd_plies_0"]')


def test_a_game_that_ends_by_a_fault_ends_so_in_the_mat_file() -> None:
    record, turns = play_game({"a": FirstPlay(), "b": Cheat()}, "a", dice_of(1, 0))
    text = mat(HEADER, 0, [(record, turns)])
    assert text.rstrip().endswith("2) Wins 3 points")


def test_players_of_one_name_are_told_apart() -> None:
    same = Header(a="gnubg", b="gnubg", seed=1, luck=False)
    text = mat(same, 0, play_pair({"a": FirstPlay(), "b": FirstPlay()}, seed=1, pair=0))
    assert " gnubg_a : 0" in text
    assert "gnubg_b : 0" in text
