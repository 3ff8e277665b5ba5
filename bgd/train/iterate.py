"""The later rounds: the network learns what it sees one ply ahead, and looks ahead with what it has learned.

Some threads play and label; the main thread fits the network to the newest labels. The labelling network, the teacher,
is the average of the learner and moves with it: a teacher that stands still soon has nothing more to teach.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bgd.engine.weights import quantised
from bgd.kernels.bearoff import Bearoff
from bgd.kernels.decide import space_for
from bgd.kernels.encode import GROUPS
from bgd.kernels.fit import Adam, adam_for, fit_batches
from bgd.kernels.label import label_games, lesson_space, store_labels
from bgd.kernels.movegen import BOARD
from bgd.kernels.network import OUTPUTS, Net, money_weights, net_space
from bgd.kernels.prune import PruneNet
from bgd.kernels.selfplay import START, Hard, Starts, hard_positions, seed_dice
from bgd.train import checkpoint
from bgd.train.journal import Journal, stage_bar
from bgd.train.nets import copy_net, move_towards, widen
from bgd.train.recipe import Iteration, Recipe, Round

_CHUNK = 1500  # labels a call
_SHARD = 100_000  # labels a file
_STEPS = 10  # batches a call
_TEACH_EVERY = 200  # steps between updates of the teacher
_HARD = 50_000
_SAVE_EVERY = 120.0


@dataclass
class Start:
    """What the first round begins with."""

    net: Net
    prune: PruneNet


class Lessons:
    """The ring of the newest labels, kept on disk in files of 100,000 so that a kill loses few."""

    def __init__(self, directory: Path, size: int) -> None:
        self.directory = directory
        self.rows = np.zeros((size, GROUPS), np.int16)
        self.kinds = np.zeros(size, np.int16)
        self.targets = np.zeros((size, OUTPUTS), np.float32)
        self.total = 0  # labels ever put into this ring; those lost from disk at a kill are not among them
        self.made = 0  # labels made by the run, over all resumptions
        self.lock = threading.Lock()
        self._boards = np.zeros((_SHARD, BOARD), np.int8)
        self._labels = np.zeros((_SHARD, OUTPUTS), np.float32)
        self._pending = 0
        self._shards = 0
        directory.mkdir(exist_ok=True)
        for path in sorted(directory.glob("*.npz")):
            arrays = checkpoint.load(path)
            if arrays is not None:
                self._put(arrays["boards"], arrays["labels"], len(arrays["boards"]))
            self._shards = int(path.stem) + 1

    @property
    def size(self) -> int:
        """How many labels the ring holds at most."""
        return len(self.kinds)

    @property
    def filled(self) -> int:
        """How many it holds."""
        return min(self.total, self.size)

    def _put(self, boards: np.ndarray, labels: np.ndarray, count: int) -> None:
        store_labels(boards, labels, count, self.total, self.rows, self.kinds, self.targets)
        self.total += count

    def add(self, boards: np.ndarray, labels: np.ndarray, count: int) -> None:
        """Take new labels; called by any thread."""
        with self.lock:
            self._put(boards, labels, count)
            self.made += count
            fits = min(count, _SHARD - self._pending)
            self._boards[self._pending : self._pending + fits] = boards[:fits]
            self._labels[self._pending : self._pending + fits] = labels[:fits]
            self._pending += fits
            if self._pending == _SHARD:
                path = self.directory / f"{self._shards:06d}.npz"
                checkpoint.save(path, {"boards": self._boards, "labels": self._labels})
                self._shards += 1
                self._pending = 0
                for old in sorted(self.directory.glob("*.npz"))[: -(self.size // _SHARD)]:
                    old.unlink()


def fallen(settings: Iteration, now: Round, elapsed: float) -> float:
    """What the rates of the round `now` have fallen to at a time of it, as a share of the first."""
    fall = max(min(elapsed / now.seconds, 1.0) - settings.hold, 0.0) / (1.0 - settings.hold)
    return float((now.rate_last / now.rate_first) ** fall)


def rate_at(settings: Iteration, now: Round, elapsed: float, step: int) -> float:
    """The learning rate at a time of the round `now`."""
    return now.rate_first * fallen(settings, now, elapsed) * min(1.0, (step + 1) / settings.warm_steps)


class _Round:
    """The state of the rounds, shared by the threads."""

    def __init__(self, recipe: Recipe, directory: Path, table: Bearoff, start: Start) -> None:
        self.recipe = recipe
        self.settings = recipe.iteration
        self.table = table
        self.path = directory / "iterate.npz"
        self.lessons = Lessons(directory / "labels", self.settings.buffer)
        self.number = 0
        self.elapsed = 0.0
        self.step = 0
        self.resumed = 0
        self.prune = start.prune
        self.hard = hard_positions(_HARD)
        saved = checkpoint.load(self.path)
        if saved is None:
            self.learner = start.net
            self.average = copy_net(start.net)
            self.adam = adam_for(self.learner)
        else:
            self.learner = checkpoint.net_from("learner", saved)
            self.average = checkpoint.net_from("average", saved)
            self.prune = checkpoint.prune_from("prune", saved)
            self.hard = Hard(saved["hard"], saved["met"])
            self.adam = adam_for(self.learner)._replace(
                mean=checkpoint.net_from("mean", saved), square=checkpoint.net_from("square", saved)
            )
            self.number, self.step, self.resumed = (int(saved[name]) for name in ("number", "step", "resumed"))
            self.resumed += 1
            self.elapsed = float(saved["elapsed"])
            self.lessons.made = int(saved["made"])
        self.teacher = quantised(self.average)
        self.stopping = threading.Event()

    def save(self) -> None:
        """Keep all that is needed to go on."""
        checkpoint.save(
            self.path,
            {
                **checkpoint.net_arrays("learner", self.learner),
                **checkpoint.net_arrays("average", self.average),
                **checkpoint.net_arrays("mean", self.adam.mean),
                **checkpoint.net_arrays("square", self.adam.square),
                **checkpoint.net_arrays("prune", self.prune),
                "hard": self.hard.boards,
                "met": self.hard.met,
                "number": np.array(self.number),
                "elapsed": np.array(self.elapsed),
                "made": np.array(self.lessons.made),
                "step": np.array(self.step),
                "resumed": np.array(self.resumed),
            },
        )

    def teach(self) -> None:
        """Bring the teacher up to the average, in place: labelling threads read it meanwhile."""
        for old, new in zip(self.teacher, quantised(self.average), strict=True):
            old[...] = new

    def label(self, number: int) -> None:
        """One thread: label until told to stop."""
        settings = self.settings
        now = settings.rounds[self.number]
        space = space_for(self.teacher)
        lesson = lesson_space()
        weights = money_weights()
        boards = np.zeros((_CHUNK + 16, BOARD), np.int8)
        labels = np.zeros((_CHUNK + 16, OUTPUTS), np.float32)
        seed_dice(self.recipe.seed * 2_000_003 + self.number * 50_021 + self.resumed * 1009 + number)
        while not self.stopping.is_set():
            count = label_games(
                _CHUNK,
                now.share,
                now.share_hard,
                now.trust,
                now.trust_hard,
                settings.keep,
                settings.look_at_all,
                settings.prune_rate * fallen(settings, now, self.elapsed),
                START,
                settings.starts,
                self.hard,
                weights,
                self.teacher,
                self.prune,
                self.table,
                space,
                lesson,
                boards,
                labels,
            )
            self.lessons.add(boards, labels, count)

    def run(self, threads: int, journal: Journal) -> None:
        """One round, or what is left of it. At its end the learner is the average, and the optimiser starts anew."""
        settings = self.settings
        name = f"iterate-{self.number + 1}"
        seconds = settings.rounds[self.number].seconds
        space = net_space(self.learner)
        self.stopping.clear()
        workers = [threading.Thread(target=self.label, args=(i,), daemon=True) for i in range(threads)]
        for worker in workers:
            worker.start()
        while self.lessons.total < settings.enough:
            time.sleep(0.2)
        seed_dice(self.recipe.seed * 3_000_017 + self.number * 101 + self.resumed)
        # A resumed run may reuse the labels it has; lessons are counted from here.
        labels_before = max(self.lessons.total - self.lessons.size // 5, 0)
        learned = 0
        before = time.monotonic() - self.elapsed
        next_save = self.elapsed + 30.0
        loss, calls = 0.0, 0
        with stage_bar(name, seconds, self.elapsed) as bar:
            while self.elapsed < seconds:
                now = time.monotonic() - before
                bar.update(int(now) - int(self.elapsed))
                self.elapsed = now
                if learned > settings.reuse * (self.lessons.total - labels_before):
                    time.sleep(0.02)
                    continue
                rate = rate_at(settings, settings.rounds[self.number], self.elapsed, self.step)
                loss += fit_batches(
                    _STEPS,
                    settings.batch,
                    self.lessons.filled,
                    rate,
                    self.step,
                    settings.equity_term,
                    self.lessons.rows,
                    self.lessons.kinds,
                    self.lessons.targets,
                    self.learner,
                    self.adam,
                    space,
                )
                calls += 1
                self.step += _STEPS
                learned += _STEPS * settings.batch
                decay = min(settings.average_decay**_STEPS, self.step / (self.step + 200.0))
                move_towards(self.average, self.learner, 1.0 - decay)
                if self.step % _TEACH_EVERY == 0:
                    self.teach()
                if self.elapsed >= next_save:
                    next_save = self.elapsed + _SAVE_EVERY
                    self.save()
                    error = float(np.sqrt(loss / calls))
                    journal.note(name, self.elapsed, self.lessons.made, rate, error, self.average, self.prune, bar)
                    loss, calls = 0.0, 0
        self.stopping.set()
        for worker in workers:
            worker.join()
        self.learner = copy_net(self.average)
        self.adam = adam_for(self.learner)
        self.number += 1
        self.elapsed = 0.0
        self.step = 0
        self.teach()
        self.save()


def labelled_games(
    count: int,
    share: float,
    trust: float,
    keep: int,
    starts: Starts,
    net: Net,
    prune: PruneNet,
    table: Bearoff,
    seed: int,
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """`count` positions or a few more, each after a play, from games of a quantised network that learns nothing from
    them, and their labels; `share` and `trust` as in bgd.kernels.label."""
    boards = np.zeros((count + 16, BOARD), np.int8)
    labels = np.zeros((count + 16, OUTPUTS), np.float32)
    seed_dice(seed)
    made = label_games(
        count,
        share,
        share,
        trust,
        trust,
        keep,
        0.0,
        0.0,
        START,
        starts,
        hard_positions(1),
        money_weights(),
        net,
        prune,
        table,
        space_for(net),
        lesson_space(),
        boards,
        labels,
    )
    return boards[:made], labels[:made]


def sample_positions(start: Start, table: Bearoff, recipe: Recipe, count: int) -> NDArray[np.int8]:
    """Positions after a play from the network's own games."""
    settings, net = recipe.iteration, quantised(start.net)
    boards, _ = labelled_games(
        count, 0.2, 0.0, settings.keep, settings.starts, net, start.prune, table, recipe.seed + 77
    )
    return boards[:count]


def run(
    recipe: Recipe, directory: Path, table: Bearoff, journal: Journal, threads: int, start: Start
) -> tuple[Net, PruneNet]:
    """Widen the network and run the rounds, or what is left of them; returns the averaged network, float32."""
    settings = recipe.iteration
    if settings.hidden > start.net.embed.shape[1]:
        boards = sample_positions(start, table, recipe, 3000)
        start.net = widen(start.net, settings.hidden, settings.classes, boards, recipe.seed + 5)
    state = _Round(recipe, directory, table, start)
    while state.number < len(settings.rounds):
        state.run(threads, journal)
    return state.average, state.prune


__all__ = ["Adam", "Lessons", "Start", "labelled_games", "rate_at", "run", "sample_positions"]
