"""Files of a run directory, replaced whole so that a kill at any moment leaves the last good one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bgd.kernels.network import Net
from bgd.kernels.prune import PruneNet

Arrays = dict[str, NDArray[Any]]


def save(path: Path, arrays: Arrays) -> None:
    """Write the arrays; the old file stays until the new one is complete."""
    beside = path.with_suffix(".part")
    with beside.open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, path)


def load(path: Path) -> Arrays | None:
    """The arrays of a checkpoint, None if there is none yet."""
    if not path.exists():
        return None
    with np.load(path) as data:
        return {name: data[name] for name in data.files}


def net_arrays(prefix: str, net: Net | PruneNet) -> Arrays:
    """A network's weights under names with a prefix."""
    return {f"{prefix}.{name}": array for name, array in net._asdict().items()}


def net_from(prefix: str, arrays: Arrays) -> Net:
    """The inverse of `net_arrays` for the large network."""
    return Net(*(np.ascontiguousarray(arrays[f"{prefix}.{name}"]) for name in Net._fields))


def prune_from(prefix: str, arrays: Arrays) -> PruneNet:
    """The inverse of `net_arrays` for the small network."""
    return PruneNet(*(np.ascontiguousarray(arrays[f"{prefix}.{name}"]) for name in PruneNet._fields))
