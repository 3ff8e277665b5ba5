"""How far the network is from rolled-out values. For measuring only: nothing here flows back into training."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bgd.kernels.bearoff import Bearoff
from bgd.kernels.decide import evaluate_on_roll, space_for
from bgd.kernels.movegen import BOARD
from bgd.kernels.network import OUTPUTS, Net, money_weights
from bgd.kernels.prune import PruneNet


@dataclass(frozen=True)
class Reference:
    """Positions seen by the side on roll, with the equity and five probabilities of somebody's long rollouts."""

    name: str
    boards: NDArray[np.int8]  # (n, 32)
    equities: NDArray[np.float64]  # (n,) cubeless money, the side on roll's
    probs: NDArray[np.float64]  # (n, 5)


def read_reference(path: Path) -> Reference:
    """Read lines of JSON with `board` (26 integers, the side on roll's view), `equity` and `probs`."""
    records = [json.loads(line) for line in path.read_text().splitlines()]
    boards = np.zeros((len(records), BOARD), np.int8)
    boards[:, :26] = [record["board"] for record in records]
    return Reference(
        path.stem,
        boards,
        np.array([record["equity"] for record in records]),
        np.array([record["probs"] for record in records]),
    )


def errors(reference: Reference, net: Net, prune: PruneNet, table: Bearoff, plies: int = 0) -> tuple[float, float]:
    """Root of the mean squared error of money equity, and the mean error."""
    probs = np.zeros((len(reference.boards), OUTPUTS), np.float32)
    weights = money_weights()
    evaluate_on_roll(reference.boards, plies, weights, net, prune, table, space_for(net), probs)
    error = probs.astype(np.float64) @ weights[1:] + weights[0] - reference.equities
    return float(np.sqrt((error**2).mean())), float(error.mean())
