"""What a run tells while it goes on: a CSV line of errors and rates now and then, and a progress bar on stderr."""

from __future__ import annotations

import csv
import time
from pathlib import Path
from typing import NoReturn, TypeAlias

from tqdm import tqdm

from bgd.kernels.bearoff import Bearoff
from bgd.kernels.network import Net
from bgd.kernels.prune import PruneNet
from bgd.train.reference import Reference, errors

Bar: TypeAlias = "tqdm[NoReturn]"


class Journal:
    """The run's log. `core_seconds` counts the processor time of all threads over all resumptions of the run."""

    def __init__(self, path: Path, references: list[Reference], table: Bearoff) -> None:
        self.path = path
        self.references = references
        self.table = table
        self._core_seconds_before = 0.0
        if path.exists():
            rows = list(csv.DictReader(path.open()))
            if rows:
                self._core_seconds_before = float(rows[-1]["core_seconds"])
        else:
            names = [f"{r.name}_{what}" for r in references for what in ("rmse", "bias")]
            self._append(["time", "stage", "stage_seconds", "core_seconds", "count", "rate", "loss", *names])

    @property
    def core_seconds(self) -> float:
        """Processor time of the run so far."""
        return self._core_seconds_before + time.process_time()

    def _append(self, cells: list[object]) -> None:
        with self.path.open("a", newline="") as file:
            csv.writer(file).writerow(cells)

    def note(
        self,
        stage: str,
        seconds: float,
        count: int,
        rate: float,
        loss: float,
        net: Net,
        prune: PruneNet,
        bar: Bar,
    ) -> None:
        """Measure the network and log a line; `count` is of games or labels, `rate` the learning rate."""
        found = [errors(reference, net, prune, self.table) for reference in self.references]
        self._append(
            [
                time.strftime("%Y-%m-%dT%H:%M:%S"),
                stage,
                f"{seconds:.0f}",
                f"{self.core_seconds:.0f}",
                count,
                f"{rate:.6f}",
                f"{loss:.5f}",
                *(f"{value:.4f}" for pair in found for value in pair),
            ]
        )
        shown = " ".join(f"{r.name} {pair[0]:.4f}" for r, pair in zip(self.references, found, strict=True))
        bar.set_postfix_str(f"{count} {shown}")


def stage_bar(stage: str, seconds: float, done: float) -> Bar:
    """A progress bar that counts seconds of a stage."""
    return tqdm(total=round(seconds), initial=round(done), desc=stage, unit="s", mininterval=5.0, maxinterval=30.0)
