"""The first stage: self-play from nothing by temporal differences, on all threads at once."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import numpy as np

from bgd.kernels.bearoff import Bearoff
from bgd.kernels.decide import space_for
from bgd.kernels.network import Net, money_weights
from bgd.kernels.prune import PruneNet, random_prune_net
from bgd.kernels.selfplay import START, Hard, hard_positions, learn_games, seed_dice, trace_for
from bgd.train import checkpoint
from bgd.train.journal import Journal, stage_bar
from bgd.train.nets import copy_net, move_towards, random_net
from bgd.train.recipe import Recipe, TemporalDifference

_TICK = 0.25  # seconds between steps of the averaged player
_SAVE_EVERY = 60.0
_HARD = 20_000
_GAMES_A_CALL = 50


def rates(settings: TemporalDifference, elapsed: float) -> tuple[float, float]:
    """The learning rates of the large and the small network at a time of the stage."""
    done = min(elapsed / settings.seconds, 1.0)
    fall = max(done - settings.hold, 0.0) / (1.0 - settings.hold)
    rate = settings.rate_first * (settings.rate_last / settings.rate_first) ** fall
    prune_rate = settings.prune_rate_first * (settings.prune_rate_last / settings.prune_rate_first) ** done
    return rate, prune_rate


class _Stage:
    """The state of the stage, shared by its threads."""

    def __init__(self, recipe: Recipe, table: Bearoff, saved: checkpoint.Arrays | None) -> None:
        settings = recipe.temporal_difference
        self.recipe = recipe
        self.settings = settings
        self.table = table
        self.hard = hard_positions(_HARD)
        self.elapsed = 0.0
        self.games = 0
        self.resumed = 0
        if saved is None:
            self.learner = random_net(settings.hidden, settings.classes, recipe.clip, recipe.seed)
            self.player = copy_net(self.learner)
            self.prune = random_prune_net(recipe.seed)
        else:
            self.learner = checkpoint.net_from("learner", saved)
            self.player = checkpoint.net_from("player", saved)
            self.prune = checkpoint.prune_from("prune", saved)
            self.hard = Hard(saved["hard"], saved["met"])
            self.elapsed = float(saved["elapsed"])
            self.games = int(saved["games"])
            self.resumed = int(saved["resumed"]) + 1
        self.lock = threading.Lock()
        self.stopping = threading.Event()

    def arrays(self, done: bool) -> checkpoint.Arrays:
        """All that is needed to go on."""
        return {
            **checkpoint.net_arrays("learner", self.learner),
            **checkpoint.net_arrays("player", self.player),
            **checkpoint.net_arrays("prune", self.prune),
            "hard": self.hard.boards,
            "met": self.hard.met,
            "elapsed": np.array(self.elapsed),
            "games": np.array(self.games),
            "resumed": np.array(self.resumed),
            "done": np.array(done),
        }

    def play(self, number: int) -> None:
        """One thread: games until told to stop."""
        settings = self.settings
        space = space_for(self.player)
        trace = trace_for(self.player)
        weights = money_weights()
        seed_dice(self.recipe.seed * 1_000_003 + self.resumed * 1009 + number)
        while not self.stopping.is_set():
            rate, prune_rate = rates(settings, self.elapsed)
            learn_games(
                _GAMES_A_CALL if self.games else 1,
                rate,
                settings.trace_decay,
                settings.keep,
                1.0 if self.elapsed < settings.learn_all_seconds else settings.look_at_all,
                prune_rate,
                START,
                settings.starts,
                self.hard,
                weights,
                self.learner,
                self.player,
                self.prune,
                self.table,
                space,
                trace,
            )
            with self.lock:
                self.games += _GAMES_A_CALL


def run(recipe: Recipe, directory: Path, table: Bearoff, journal: Journal, threads: int) -> tuple[Net, PruneNet]:
    """Run the stage, or what is left of it, and return the averaged network and the small one."""
    path = directory / "td.npz"
    saved = checkpoint.load(path)
    stage = _Stage(recipe, table, saved)
    settings = stage.settings
    if saved is not None and bool(saved["done"]):
        return stage.player, stage.prune
    workers = [threading.Thread(target=stage.play, args=(i,), daemon=True) for i in range(threads)]
    for worker in workers:
        worker.start()
    last_tick = time.monotonic()
    before = last_tick - stage.elapsed
    next_save = stage.elapsed + 20.0
    with stage_bar("td", settings.seconds, stage.elapsed) as bar:
        while stage.elapsed < settings.seconds:
            time.sleep(_TICK)
            now = time.monotonic()
            if stage.games == 0:  # still compiling: the clock has not started
                before = last_tick = now
                continue
            # Early on the average must follow quickly, or the player stays random.
            constant = max(_TICK, min(settings.average_seconds, 0.1 * stage.elapsed))
            move_towards(stage.player, stage.learner, 1.0 - float(np.exp(-(now - last_tick) / constant)))
            last_tick = now
            bar.update(int(now - before) - int(stage.elapsed))
            stage.elapsed = now - before
            if stage.elapsed >= next_save:
                next_save = stage.elapsed + _SAVE_EVERY
                checkpoint.save(path, stage.arrays(done=False))
                rate, _ = rates(settings, stage.elapsed)
                journal.note("td", stage.elapsed, stage.games, rate, 0.0, stage.player, stage.prune, bar)
    stage.stopping.set()
    for worker in workers:
        worker.join()
    checkpoint.save(path, stage.arrays(done=True))
    return stage.player, stage.prune
