"""A training run, small enough for a test: it can be killed and goes on, and ends in weights that play."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bgd.engine.evaluator import Evaluator
from bgd.engine.weights import quantised
from bgd.errors import ConfigError, WeightsError
from bgd.kernels import bearoff
from bgd.kernels.decide import space_for
from bgd.kernels.encode import GROUPS, encode
from bgd.kernels.fit import adam_for, fit_batches
from bgd.kernels.label import correct_labels, label_games, lesson_space, store_labels
from bgd.kernels.network import money_weights, net_space
from bgd.kernels.prune import random_prune_net
from bgd.kernels.selfplay import START, Starts, hard_positions, learn_position, scatter, seed_dice
from bgd.rules.board import Board
from bgd.train import iterate, td
from bgd.train.checkpoint import load, net_arrays, net_from, save
from bgd.train.export import curve, export
from bgd.train.iterate import Lessons
from bgd.train.journal import Journal
from bgd.train.nets import random_net, widen
from bgd.train.plot import curves, plot
from bgd.train.recipe import Iteration, Recipe, Round, TemporalDifference
from bgd.train.reference import errors, read_reference
from bgd.train.run import main
from tests.kernels.arrays import counts, padded, random_game, small_net

TINY = Recipe(
    temporal_difference=TemporalDifference(hidden=16, seconds=1.0, learn_all_seconds=0.5),
    iteration=Iteration(
        hidden=32,
        rounds=(Round(1.0, 0.2, 0.5, 0.0, 0.5), Round(1.0, 0.5, 1.0, 0.5, 1.0)),
        enough=2000,
        buffer=20_000,
        warm_steps=10,
    ),
)


@pytest.fixture(scope="module")
def table() -> bearoff.Bearoff:
    return bearoff.load()


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One position whose value everybody knows: the opening is near even."""
    path = tmp_path_factory.mktemp("reference") / "opening.jsonl"
    path.write_text(json.dumps({"board": START[:26].tolist(), "equity": 0.07, "probs": [0.52, 0.15, 0.01, 0.13, 0.01]}))
    return path


def test_a_run_ends_in_weights_that_play(tmp_path: Path, reference: Path, table: bearoff.Bearoff) -> None:
    log = tmp_path / "log.csv"
    journal = Journal(log, [read_reference(reference)], table)
    net, prune = td.run(TINY, tmp_path, table, journal, threads=2)
    assert net.embed.shape[1] == 16
    again, _ = td.run(TINY, tmp_path, table, journal, threads=2)
    assert again.embed.tobytes() == net.embed.tobytes(), "a stage that is done is not done again"
    net, prune = iterate.run(TINY, tmp_path, table, journal, 2, iterate.Start(net, prune))
    assert net.embed.shape[1] == 32
    boards = iterate.sample_positions(iterate.Start(net, prune), table, TINY, 500)
    export(tmp_path / "weights.bin", net, prune, boards, TINY, log)
    assert "seconds" in (tmp_path / "MANIFEST").read_text()
    evaluator = Evaluator.load(tmp_path / "weights.bin")
    board, probs = evaluator.best(counts(START), 3, 1, money_weights())
    assert board.sum() == 0
    assert np.isfinite(probs).all()
    assert main(["--run", str(tmp_path), "--as-it-is", "--export", str(tmp_path / "again.bin")]) == 0


def test_exporting_where_nothing_was_trained_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--run", str(tmp_path), "--as-it-is", "--export", str(tmp_path / "weights.bin")]) == 1
    assert "no checkpoint" in capsys.readouterr().err


def test_a_checkpoint_brings_back_every_weight(tmp_path: Path) -> None:
    net = small_net()
    save(tmp_path / "a.npz", net_arrays("net", net))
    arrays = load(tmp_path / "a.npz")
    assert arrays is not None
    assert [a.tobytes() for a in net_from("net", arrays)] == [a.tobytes() for a in net]
    assert load(tmp_path / "none.npz") is None


def test_widening_keeps_the_function(table: bearoff.Bearoff, reference: Path) -> None:
    opening = read_reference(reference)
    net = random_net(16, 2, 4.0, 3)
    boards = np.array([board for board, _, _ in random_game(1, 200)])
    wide = widen(net, 48, 3, boards, 1)
    assert wide.embed.shape[1] == 48
    assert len(wide.second) == 3
    prune = random_prune_net(1)
    assert errors(opening, wide, prune, table) == pytest.approx(errors(opening, net, prune, table), abs=1e-5)


def test_labels_outlive_a_kill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(iterate, "_SHARD", 100)
    boards = np.array([board for board, _, _ in random_game(4, 250)])
    labels = np.tile(np.linspace(0, 1, 250, dtype=np.float32)[:, np.newaxis], 5)
    lessons = Lessons(tmp_path, 300)
    for first in range(0, 250, 50):
        lessons.add(boards[first : first + 50], labels[first : first + 50], 50)
    again = Lessons(tmp_path, 300)
    assert again.total == 200, "all but the last file's part"
    assert (again.targets[:200] == lessons.targets[:200]).all()
    assert (again.rows[:200] == lessons.rows[:200]).all()


def test_the_network_learns_a_target_by_single_steps() -> None:
    net = small_net()
    space, gradient, rows = net_space(net), np.zeros(16, np.float32), np.zeros(GROUPS, np.int64)
    kind = encode(START, rows)
    target = np.array([0.7, 0.3, 0.02, 0.1, 0.01], np.float32)
    for _ in range(3000):
        learn_position(rows, kind, target, 0.02, net, space, gradient)
    assert space.out == pytest.approx(target, abs=0.01)


def test_the_network_learns_targets_by_batches() -> None:
    net = small_net()
    boards = np.array([board for board, _, _ in random_game(5, 64)])
    labels = np.tile(np.array([0.7, 0.3, 0.02, 0.1, 0.01], np.float32), (64, 1))
    rows, kinds = np.zeros((64, GROUPS), np.int16), np.zeros(64, np.int16)
    targets = np.zeros((64, 5), np.float32)
    store_labels(boards, labels, 64, 0, rows, kinds, targets)
    adam, space = adam_for(net), net_space(net)
    seed_dice(1)
    first = fit_batches(10, 32, 64, 0.01, 0, 0.5, rows, kinds, targets, net, adam, space)
    for step in range(20):
        last = fit_batches(10, 32, 64, 0.01, 10 * (step + 1), 0.5, rows, kinds, targets, net, adam, space)
    assert last < 0.05 * first


def test_labels_are_seen_by_the_mover_and_lie_between_0_and_1(table: bearoff.Bearoff) -> None:
    net = quantised(small_net())
    boards, labels = np.zeros((316, 32), np.int8), np.zeros((316, 5), np.float32)
    starts = Starts(0.2, 0.2, 0.2, 0.2, 0.5, 0.3)
    seed_dice(3)
    count = label_games(
        300, 0.5, 1.0, 0.5, 0.9, 8, 0.1, 0.001, START, starts, hard_positions(100), money_weights(), net,
        random_prune_net(1), table, space_for(net), lesson_space(), boards, labels,
    )  # fmt: skip
    assert 300 <= count < 316
    assert (labels[:count] >= 0).all()
    assert (labels[:count] <= 1).all()
    for board in boards[:count]:
        Board(counts(board))


def test_what_a_game_finds_out_goes_back_to_trusting_labels_turned_for_each_side() -> None:
    lesson = lesson_space()
    labels = np.full((2, 5), 0.5, np.float32)
    lesson.label[:3] = (0, -1, 1)
    lesson.trust[:3] = (1.0, 1.0, 0.5)
    lesson.values[0] = lesson.values[2] = 0.5
    end = np.array([0.2, 0.1, 0, 0, 0], np.float32)  # the side that ended the game won more than was thought
    correct_labels(3, end, labels, lesson)
    assert labels[1] == pytest.approx([0.4, 0.5, 0.5, 0.55, 0.5])  # the other side, half trusting
    assert labels[0] == pytest.approx([0.4, 0.5, 0.5, 0.55, 0.5])  # it again, two turns before: turned twice


def test_a_random_play_says_nothing_of_what_came_before_it() -> None:
    lesson = lesson_space()
    labels = np.full((1, 5), 0.5, np.float32)
    lesson.label[:2] = (0, -1)
    lesson.trust[:2] = 1.0
    lesson.strayed[1] = 1
    correct_labels(2, np.full(5, 0.3, np.float32), labels, lesson)
    assert labels[0] == pytest.approx([0.5] * 5)


def test_scattered_positions_are_positions() -> None:
    seed_dice(9)
    for _ in range(200):
        board = padded(START[:26])
        scatter(board)
        assert sum(men for men in counts(board) if men > 0) == 15
        Board(counts(board))


def test_sums_that_could_overflow_are_not_exported(tmp_path: Path) -> None:
    net = small_net()
    net.bias1[3] = 80.0
    with pytest.raises(WeightsError, match="first-layer sums"):
        export(tmp_path / "weights.bin", net, random_prune_net(1), START[np.newaxis], TINY, tmp_path / "log.csv")


def test_the_curve_keeps_the_first_and_the_last_line(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    with log.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["time", "stage", "core_seconds", "count", "opening_rmse", "opening_bias"])
        writer.writerows([["now", "td", i, i, 0.1, 0.0] for i in range(100)])
    found = curve(log, most=10)
    assert found[0] == ["stage", "core_seconds", "count", "opening_rmse"]
    assert found[1][1] == "0"
    assert found[-1][1] == "99"
    assert len(found) <= 12


def test_the_picture_shows_every_reference_and_stage(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("stage,core_seconds,contact_rmse,contact_bias\ntd,360,.2,.1\ntd,720,.1,0\niterate-1,3600,.05,0\n")
    assert curves(log) == ([0.1, 0.2, 1.0], {"contact": [0.2, 0.1, 0.05]}, [(0.1, "td"), (1.0, "iterate-1")])
    plot(log, tmp_path / "curve.svg")
    assert "</svg>" in (tmp_path / "curve.svg").read_text()


def test_a_log_without_errors_cannot_be_drawn(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("stage,core_seconds\ntd,360\n")
    with pytest.raises(ConfigError, match="--reference"):
        curves(tmp_path / "log.csv")


def test_times_of_a_recipe_scale_together() -> None:
    half = replace(Recipe(), seed=3).scaled(0.5)
    assert half.temporal_difference.seconds == Recipe().temporal_difference.seconds / 2
    assert half.seed == 3
    rate, _ = td.rates(half.temporal_difference, half.temporal_difference.seconds)
    assert rate == pytest.approx(half.temporal_difference.rate_last)
