"""The settings of a training run: everything that decides what comes out, but the machine and the threads' timing."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any

from bgd.kernels.encode import CLASSES
from bgd.kernels.selfplay import Starts

_FIRST_STARTS = Starts(random_plays=0.2, scattered=0.12, races=0.0, revisited=0.08, wandering=0.3, wander_rate=0.2)
_LATER_STARTS = Starts(random_plays=0.15, scattered=0.08, races=0.0, revisited=0.25, wandering=0.4, wander_rate=0.3)

_RACE_STARTS = Starts(random_plays=0.0, scattered=0.0, races=1.0, revisited=0.0, wandering=0.2, wander_rate=0.3)


@dataclass(frozen=True)
class TemporalDifference:
    """Self-play from nothing."""

    hidden: int = 128  # units of the first layer
    classes: int = 2  # race, contact; later classes start as copies of contact
    seconds: float = 1400.0  # of wall clock with all threads at work
    rate_first: float = 0.02  # of plain gradient steps, one position each
    rate_last: float = 0.0005
    hold: float = 0.4  # share of the time before the rate falls (exponentially)
    trace_decay: float = 0.7  # lambda
    keep: int = 8  # plays that the large network looks at
    look_at_all: float = 0.1  # share of decisions in which it looks at all
    learn_all_seconds: float = 40.0  # at the beginning it looks at all always: the small network knows nothing yet
    prune_rate_first: float = 0.004
    prune_rate_last: float = 0.0003
    average_seconds: float = 25.0  # time constant of the player, an average of the learner
    starts: Starts = _FIRST_STARTS


@dataclass(frozen=True)
class Round:
    """One round, at the end of which the averaged network is the new start and the rate begins anew."""

    seconds: float  # of wall clock
    share: float  # of the decisions: the best plays are labelled, the best by its label is played
    share_hard: float  # the same in hard positions
    trust: float  # share of what the rest of the game found out that a label takes over (a lambda, luck removed)
    trust_hard: float  # the same in hard positions
    rate_first: float = 7e-4  # of Adam
    rate_last: float = 4e-5


@dataclass(frozen=True)
class Iteration:
    """Rounds of fitting the network to what it sees one ply ahead."""

    hidden: int = 256
    classes: int = CLASSES
    rounds: tuple[Round, ...] = (
        Round(1500.0, share=0.2, share_hard=0.7, trust=0.0, trust_hard=0.9),
        Round(2000.0, share=0.2, share_hard=1.0, trust=0.5, trust_hard=1.0),
        Round(2350.0, share=0.5, share_hard=1.0, trust=0.7, trust_hard=1.0),
        Round(7200.0, share=0.5, share_hard=1.0, trust=0.7, trust_hard=1.0, rate_first=5e-4, rate_last=2e-5),
        Round(4800.0, share=0.5, share_hard=1.0, trust=0.7, trust_hard=1.0, rate_first=4e-4, rate_last=1e-5),
    )
    hold: float = 0.45
    warm_steps: int = 500
    batch: int = 512
    equity_term: float = 0.5  # weight of the squared error of money equity beside cross entropy
    average_decay: float = 0.999  # a step, of the averaged network: teacher and result
    reuse: float = 10.0  # times that a label is learned from, on average
    buffer: int = 2_500_000  # newest labels kept
    enough: int = 30_000  # labels before learning begins
    keep: int = 8
    look_at_all: float = 0.05
    prune_rate: float = 0.0005  # falls as the rate does
    starts: Starts = _LATER_STARTS


@dataclass(frozen=True)
class Races:
    """Fitting the class of odd races."""

    generations: int = 6  # of labels, each by the layers fitted to those before
    labels: int = 80_000  # a generation
    kept: int = 3  # generations that are fitted to
    epochs: int = 8
    batch: int = 1024
    rate_first: float = 3e-3  # of Adam
    rate_last: float = 3e-5
    decay: float = 0.02  # of weights: a share of each that goes with a step, times the rate
    equity_term: float = 0.5
    keep: int = 8
    starts: Starts = _RACE_STARTS


@dataclass(frozen=True)
class Recipe:
    """A whole run."""

    seed: int = 1
    clip: float = 4.0  # of the first layer; a trained net's units pass 4 in 0.02 % of cases, so it costs nothing
    temporal_difference: TemporalDifference = field(default_factory=TemporalDifference)
    iteration: Iteration = field(default_factory=Iteration)
    races: Races = field(default_factory=Races)

    def scaled(self, factor: float) -> Recipe:
        """The same recipe with all times multiplied by `factor`."""
        td = self.temporal_difference
        return replace(
            self,
            temporal_difference=replace(
                td, seconds=td.seconds * factor, learn_all_seconds=td.learn_all_seconds * min(factor, 1.0)
            ),
            iteration=replace(
                self.iteration, rounds=tuple(replace(r, seconds=r.seconds * factor) for r in self.iteration.rounds)
            ),
        )

    def record(self) -> dict[str, Any]:
        """The settings as plain values, for the weights file and the manifest."""
        return asdict(self)
