"""How far evaluations are from rolled-out values, by class of position."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bgd.bench.lines import Rolled, read
from bgd.engine.evaluator import Evaluator
from bgd.kernels.encode import CLASS_MASK, CLASS_NAMES, GROUPS, encode
from bgd.kernels.movegen import BOARD

_PROBS: Final = ("win", "wingammon", "winbackgammon", "losegammon", "losebackgammon")


def classes_of(boards: NDArray[np.int8]) -> NDArray[np.int64]:
    """The class of each board (n, 26) seen by the side on roll."""
    rows = np.zeros(GROUPS, np.int64)
    turned = np.zeros((len(boards), BOARD), np.int8)
    turned[:, :26] = -boards[:, ::-1]
    return np.array([encode(board, rows) & CLASS_MASK for board in turned], np.int64)


def measure(evaluator: Evaluator, path: Path, levels: Sequence[int], sample: int | None) -> Iterator[dict[str, Any]]:
    """A row of figures for each level and class, and for all classes together; equities in points at cube 1.

    `se` is the standard error of `rmse` from the spread of the squares alone: the reference has errors of its own."""
    lines = read(path, Rolled, sample)
    boards = np.array([line.board for line in lines], np.int8)
    equities = np.array([line.equity for line in lines])
    expected = np.array([line.probs for line in lines])
    kinds = classes_of(boards)
    for plies in levels:
        start = time.perf_counter()
        probs = evaluator.evaluate(boards, plies).astype(np.float64)
        milliseconds = 1000 * (time.perf_counter() - start) / len(lines)
        errors = probs @ (2, 1, 1, -1, -1) - 1 - equities
        for name, kind in {"all": None, **{name: kind for kind, name in enumerate(CLASS_NAMES)}}.items():
            some = np.full(len(lines), True) if kind is None else kinds == kind
            if not some.any():
                continue
            squares = errors[some] ** 2
            rmse = float(np.sqrt(squares.mean()))
            row = {
                "reference": path.stem,
                "plies": plies,
                "class": name,
                "positions": int(some.sum()),
                "rmse": round(rmse, 5),
                "se": round(float(squares.std() / np.sqrt(len(squares)) / (2 * rmse)) if rmse else 0.0, 5),
                "bias": round(float(errors[some].mean()), 5),
                "probs": {
                    prob: round(float(np.sqrt(((probs - expected)[some, k] ** 2).mean())), 5)
                    for k, prob in enumerate(_PROBS)
                },
            }
            if kind is None:
                row["ms_position"] = round(milliseconds, 4)
            print(f"{path.stem} {plies} plies, {name}: {row['positions']} positions, rmse {rmse:.4f}", file=sys.stderr)
            yield row
