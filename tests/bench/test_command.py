"""`bgd bench` over a few lines, with a small random network: figures of the right form, whatever they are."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bgd.cli import main
from bgd.engine.evaluator import Evaluator
from bgd.engine.weights import quantised, save_weights
from bgd.kernels.prune import random_prune_net
from tests.kernels.arrays import counts, random_game, small_net


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("weights") / "weights.bin"
    save_weights(path, quantised(small_net()), random_prune_net(1), {})
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> list[dict[str, object]]:
    assert main(["bench", *map(str, arguments)]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["bench"] == arguments[0]
    measured: list[dict[str, object]] = report["measured"]
    return measured


def test_a_reference_made_by_the_network_itself_shows_no_error(
    weights: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    boards = [counts(board) for board, _, _ in random_game(41, 12)]
    probs = Evaluator.load(weights).evaluate(np.array(boards, np.int8)).astype(float)
    reference = tmp_path / "own.jsonl"
    lines = (
        {"board": board, "equity": float(row @ (2, 1, 1, -1, -1)) - 1, "probs": row.tolist()}
        for board, row in zip(boards, probs, strict=True)
    )
    reference.write_text("".join(json.dumps(line) + "\n" for line in lines))
    rows = run(capsys, "accuracy", reference, "--weights", weights, "--plies", 0, 1)
    everything = {row["plies"]: row for row in rows if row["class"] == "all"}
    assert everything[0]["rmse"] == 0
    assert everything[0]["probs"] == dict.fromkeys(
        ("win", "wingammon", "winbackgammon", "losegammon", "losebackgammon"), 0.0
    )
    assert everything[1]["rmse"] > 0  # type: ignore[operator]
    for plies in (0, 1):
        parts = [row["positions"] for row in rows if row["plies"] == plies and row["class"] != "all"]
        assert sum(parts) == everything[plies]["positions"] == 12  # type: ignore[arg-type]


def test_plays_and_cube_decisions_are_timed_at_each_level(
    weights: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    decisions = tmp_path / "decisions.jsonl"
    lines = ({"board": counts(board), "dice": [die1, die2]} for board, die1, die2 in random_game(42, 10))
    decisions.write_text("".join(json.dumps(line) + "\n" for line in lines))
    rows = run(capsys, "speed", decisions, "--weights", weights, "--plies", 0, 1, "--sample", 5)
    assert [(row["what"], row["plies"], row["decisions"]) for row in rows] == [
        ("play", 0, 5),
        ("cube", 0, 5),
        ("play", 1, 5),
        ("cube", 1, 5),
    ]
    assert all(row["cpu_ms"] >= 0 for row in rows)  # type: ignore[operator]
    assert all(0 < row["median_ms"] <= row["p95_ms"] for row in rows)  # type: ignore[operator]
    assert not any("scaling" in row for row in rows)
    rows = run(capsys, "speed", decisions, "--weights", weights, "--plies", 1, "--sample", 5, "--alone")
    assert [row["what"] for row in rows] == ["play", "cube"]
    assert all(row["alone_mean_ms"] > 0 and row["scaling"] > 0 for row in rows)  # type: ignore[operator]


def test_a_daemon_is_timed_alone_and_in_company(
    weights: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    decisions = tmp_path / "decisions.jsonl"
    lines = ({"board": counts(board), "dice": [die1, die2]} for board, die1, die2 in random_game(43, 6))
    decisions.write_text("".join(json.dumps(line) + "\n" for line in lines))
    few = ("--rounds", 1, "--seconds", 0.1, "--clients", 3, "--idle", 5)
    rows = run(capsys, "socket", decisions, "--weights", weights, *few)
    assert len(rows) == 6
    assert all(row["per_second"] > 0 for row in rows)  # type: ignore[operator]
    assert rows[-1]["held"] == 5


def test_rollouts_tell_their_cost_and_error_cubeless_and_cubeful(
    weights: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    race = [0] * 26
    race[1:9] = [0, 2, 0, 2, 3, 3, 1, 1]
    race[17:25] = [-1, -1, -3, -3, -2, 0, -2, 0]
    positions = tmp_path / "positions.jsonl"
    positions.write_text(json.dumps({"board": race}) + "\n")
    rows = run(capsys, "rollout", positions, "--weights", weights, "--trials", 36)
    assert [(row["position"], row["cubeful"], row["trials"]) for row in rows] == [(1, False, 36), (1, True, 36)]
    alone = run(capsys, "rollout", positions, "--weights", weights, "--trials", 36, "--threads", 1)
    assert [(row["equity"], row["error"]) for row in alone] == [(row["equity"], row["error"]) for row in rows]
    assert all(row["cpu"] > 0 and row["error"] > 0 for row in rows)  # type: ignore[operator]


def test_pairs_of_rollouts_tell_whether_their_errors_are_honest(
    weights: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = run(capsys, "rollout", "--weights", weights, "--trials", 36, "--sample", 1, "--pairs", 2)
    assert [(row["position"], row["cubeful"], row["pairs"]) for row in rows] == [(1, False, 2), (1, True, 2)]
    assert all(0 <= row["inside"] <= 2 and row["spread"] >= 0 for row in rows)  # type: ignore[operator]


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        (kind, wrong)
        for kind, options in {
            "accuracy": ("--plies 5", "--plies -1", "--sample 0", "--sample -3", "--threads 0", "--threads -2"),
            "speed": ("--plies 0 5", "--sample 0", "--threads x"),
            "socket": ("--rounds 0", "--seconds 0", "--seconds nan", "--clients 0", "--idle -1", "--sample 0"),
            "rollout": (
                "--plies 1",
                "--pairs 2 --gnubg",
                "--trials 0",
                "--trials -5",
                "--seed -1",
                "--pairs 0",
                "--pairs -1",
                "--sample 0",
            ),
            "cube": ("--count 0", "--plies 9", "--trials 0", "--sample -1", "--threads 0", "--seed -1"),
            "efficiency": ("--count 0", "--trials 0", "--threads 0"),
        }.items()
        for wrong in options
    ],
)
def test_a_number_out_of_its_bounds_is_named_and_nothing_is_measured(
    kind: str, wrong: str, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"accuracy": ["nowhere.jsonl"], "speed": ["nowhere.jsonl"], "socket": ["nowhere.jsonl"]}
    with pytest.raises(SystemExit) as left:
        main(["bench", kind, *files.get(kind, []), *wrong.split()])
    said = capsys.readouterr()
    assert (left.value.code, said.out) == (2, "")
    assert wrong.split()[0] in said.err


@pytest.mark.parametrize("kind", ["accuracy", "speed", "socket", "rollout", "cube"])
def test_a_file_without_a_line_is_named(
    kind: str, tmp_path: Path, weights: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "nothing.jsonl"
    path.touch()
    assert main(["bench", kind, str(path), "--weights", str(weights)]) == 1
    said = capsys.readouterr()
    assert str(path) in said.err
    assert "got none" in said.err
    assert said.out == ""


def test_a_position_that_cannot_be_is_named(tmp_path: Path, weights: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "crowded.jsonl"
    line = {"board": [0, *[15] * 24, 0], "equity": 0.0, "probs": [0.5, 0.0, 0.0, 0.0, 0.0], "dice": [3, 1]}
    path.write_text(json.dumps(line) + "\n")
    for kind in ("accuracy", "speed", "rollout"):
        assert main(["bench", kind, str(path), "--weights", str(weights)]) == 1
        assert "15 checkers" in capsys.readouterr().err


@pytest.mark.parametrize("line", ["{}", '{"board": [0, 1], "dice": [1, 2]}', "position"])
def test_a_wrong_line_is_named(tmp_path: Path, weights: Path, capsys: pytest.CaptureFixture[str], line: str) -> None:
    path = tmp_path / "wrong.jsonl"
    path.write_text(line + "\n")
    assert main(["bench", "speed", str(path), "--weights", str(weights)]) == 1
    assert f"{path}" in capsys.readouterr().err
