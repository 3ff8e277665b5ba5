"""A training run's errors against the processor time spent, the stages marked: from the journal's CSV to a picture."""

from __future__ import annotations

import csv
from pathlib import Path

from bgd.errors import ConfigError

_ENDING = "_rmse"


def curves(log: Path) -> tuple[list[float], dict[str, list[float]], list[tuple[float, str]]]:
    """Core-hours of each line of the log; the errors of each reference; where each stage begins, in core-hours.

    Raises ConfigError for a log without errors."""
    with log.open(newline="") as file:
        rows = list(csv.DictReader(file))
    names = [name for name in rows[0] if name.endswith(_ENDING)] if rows else []
    if not names:
        raise ConfigError(f"{log}: expected errors against a reference (train with --reference), found none")
    hours = [float(row["core_seconds"]) / 3600 for row in rows]
    errors = {name.removesuffix(_ENDING): [float(row[name]) for row in rows] for name in names}
    begun: dict[str, float] = {}
    for hour, row in zip(hours, rows, strict=True):
        begun.setdefault(row["stage"], hour)
    return hours, errors, [(hour, stage) for stage, hour in begun.items()]


def plot(log: Path, picture: Path) -> None:
    """Draw the log's curves, both axes logarithmic; the picture's ending says its format."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.ticker import LogLocator, ScalarFormatter

    hours, errors, stages = curves(log)
    figure, axes = pyplot.subplots(figsize=(8, 5), layout="constrained")
    for name, values in errors.items():
        axes.plot(hours, values, label=name.replace("_", " "))
    for hour, stage in stages:
        axes.axvline(hour, color="grey", linewidth=0.5)
        axes.annotate(stage, (hour, 1), xycoords=("data", "axes fraction"), rotation=90, va="top", fontsize="small")
    axes.set(xscale="log", yscale="log", xlabel="core-hours", ylabel="equity RMSE at 0 plies")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(ScalarFormatter())
        axis.set_minor_locator(LogLocator(subs=(2, 3, 5)))
        axis.set_minor_formatter(ScalarFormatter())
    axes.legend()
    figure.savefig(picture)
    pyplot.close(figure)
