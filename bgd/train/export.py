"""From the trained network to the weights file, and the manifest beside it that says how it was made."""

from __future__ import annotations

import csv
import json
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bgd.engine.weights import SCALE, quantised, save_weights
from bgd.errors import WeightsError
from bgd.kernels.encode import GROUPS, encode
from bgd.kernels.network import Net
from bgd.kernels.prune import PruneNet
from bgd.train.recipe import Recipe


def largest_sum(net: Net, boards: NDArray[np.int8]) -> float:
    """The largest size of a first-layer sum, in units of the float network, on boards after a play."""
    rows = np.zeros(GROUPS, np.int64)
    largest = 0.0
    for board in boards:
        encode(board, rows)
        largest = max(largest, float(np.abs(net.embed[rows].sum(axis=0) + net.bias1).max()))
    return largest


def curve(log: Path, most: int = 60) -> list[list[str]]:
    """The log's columns stage, core seconds and errors, thinned to at most `most` lines; the header first."""
    if not log.exists():
        return []
    rows = list(csv.reader(log.open()))
    columns = [i for i, name in enumerate(rows[0]) if name in ("stage", "core_seconds", "count") or "_rmse" in name]
    body = rows[1:]
    step = max(1, -(-len(body) // most))
    kept = body[::step] + ([body[-1]] if body and (len(body) - 1) % step else [])
    return [[row[i] for i in columns] for row in [rows[0], *kept]]


def export(
    path: Path, net: Net, prune: PruneNet, boards: NDArray[np.int8], recipe: Recipe, log: Path, note: str = ""
) -> None:
    """Write the weights to `path` and MANIFEST beside it. `boards`, after a play, prove that int16 sums don't overflow.

    Raises WeightsError if sums come within a fifth of the limit."""
    limit = 32767 / SCALE
    largest = largest_sum(net, boards)
    if largest > 0.8 * limit:
        raise WeightsError(f"first-layer sums: expected at most {0.8 * limit:.1f} in size, got {largest:.1f}")
    record: dict[str, Any] = {
        "recipe": recipe.record(),
        "largest_sum": round(largest, 2),
        "curve": curve(log),
    }
    save_weights(path, quantised(net), prune, record)
    lines = [
        f"{path.name}: made by `bgd train --run DIR --seed {recipe.seed} --export {path.name}`, from nothing, by",
        "self-play and its own look one ply ahead. No other engine's weights, outputs or positions went in; the errors",
        "below were measured against rolled-out reference positions that training never saw.",
        *textwrap.wrap(note, 115),
        "",
        "Recipe:",
        json.dumps(recipe.record(), indent=1),
        "",
        f"Largest first-layer sum on {len(boards)} positions: {largest:.2f} (limit {limit:.1f}).",
        "",
        "Errors along the run (root mean square of cubeless money equity at 0 plies; `core_seconds` is processor time,",
        "of two threads on one machine that did other work besides; `count` is games, then labels):",
        *(" ".join(f"{cell:>26}" for cell in row) for row in curve(log)),
    ]
    (path.parent / "MANIFEST").write_text("\n".join(lines) + "\n")
