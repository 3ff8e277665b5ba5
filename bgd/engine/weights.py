"""The weights file: everything that gives a network its meaning, checked when it is read.

    b"bgd-weights 1\\n" | length of the header, 4 bytes, little-endian | header, JSON | arrays, one after the other

The header names the input set, the shapes and types of the arrays in order, the SHA-256 of their bytes, and the record
of the training that made them. The first layer is int16, its scale already divided out of the second layer.
"""

from __future__ import annotations

import hashlib
import json
import os
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bgd.errors import WeightsError
from bgd.kernels.encode import CLASSES, INPUT_SET, POINT_ROWS, ROWS
from bgd.kernels.network import OUTPUTS, UNITS, Net
from bgd.kernels.prune import WIDTH, PruneNet

MAGIC = b"bgd-weights 1\n"
SCALE = 512  # of the int16 first layer: its sums must stay below 64 in size, which is checked at export
_MAX_HEADER = 1 << 20


def shipped_weights() -> Path:
    """The file that comes with the package."""
    return Path(str(resources.files("bgd") / "data" / "weights.bin"))


def quantised(net: Net) -> Net:
    """The float32 network with an int16 first layer."""

    def whole(array: NDArray[Any]) -> NDArray[np.int16]:
        scaled: NDArray[np.int16] = np.clip(np.rint(array * SCALE), -32767, 32767).astype(np.int16)
        return scaled

    return Net(
        whole(net.embed),
        whole(net.bias1),
        (net.second / SCALE).astype(np.float32),
        net.bias2.astype(np.float32),
        net.third.astype(np.float32),
        net.bias3.astype(np.float32),
        (net.clip * SCALE).astype(np.float32),
    )


def dequantised(net: Net) -> Net:
    """The inverse of `quantised`, but for what rounding took: what training can go on from."""
    return Net(
        net.embed.astype(np.float32) / np.float32(SCALE),
        net.bias1.astype(np.float32) / np.float32(SCALE),
        net.second * np.float32(SCALE),
        net.bias2.copy(),
        net.third.copy(),
        net.bias3.copy(),
        net.clip / np.float32(SCALE),
    )


def _arrays(net: Net, prune: PruneNet) -> dict[str, NDArray[Any]]:
    return {
        **{f"net.{name}": array for name, array in net._asdict().items()},
        **{f"prune.{name}": array for name, array in prune._asdict().items()},
    }


def save_weights(path: Path, net: Net, prune: PruneNet, record: dict[str, Any]) -> None:
    """Write a quantised network, the small network and the training record."""
    arrays = _arrays(net, prune)
    body = b"".join(np.ascontiguousarray(array).tobytes() for array in arrays.values())
    header = json.dumps(
        {
            "input_set": INPUT_SET,
            "hidden": int(net.embed.shape[1]),
            "classes": int(net.second.shape[0]),
            "scale": SCALE,
            "arrays": [[name, array.dtype.str, list(array.shape)] for name, array in arrays.items()],
            "sha256": hashlib.sha256(body).hexdigest(),
            "training": record,
        }
    ).encode()
    beside = path.with_suffix(".part")
    beside.write_bytes(MAGIC + len(header).to_bytes(4, "little") + header + body)
    os.replace(beside, path)


def _expected(hidden: int, classes: int) -> dict[str, tuple[str, tuple[int, ...]]]:
    return {
        "net.embed": ("<i2", (ROWS, hidden)),
        "net.bias1": ("<i2", (hidden,)),
        "net.second": ("<f4", (classes, hidden, UNITS)),
        "net.bias2": ("<f4", (classes, UNITS)),
        "net.third": ("<f4", (classes, OUTPUTS, UNITS)),
        "net.bias3": ("<f4", (classes, OUTPUTS)),
        "net.clip": ("<f4", (1,)),
        "prune.embed": ("<f4", (POINT_ROWS, WIDTH)),
        "prune.bias": ("<f4", (WIDTH,)),
        "prune.out": ("<f4", (WIDTH,)),
        "prune.out_bias": ("<f4", (1,)),
    }


def _header(path: Path, data: bytes) -> tuple[dict[str, Any], bytes]:
    start = len(MAGIC) + 4
    if not data.startswith(MAGIC):
        raise WeightsError(f"{path}: expected a file that begins with `{MAGIC.decode().strip()}`, got {data[:16]!r}")
    length = int.from_bytes(data[len(MAGIC) : start], "little")
    if length > _MAX_HEADER or start + length > len(data):
        raise WeightsError(f"{path}: expected a header of {length} bytes, the file has {len(data)}")
    try:
        header = json.loads(data[start : start + length])
    except ValueError as error:
        raise WeightsError(f"{path}: the header is not JSON: {error}") from error
    if not isinstance(header, dict):
        raise WeightsError(f"{path}: expected a header object, got {type(header).__name__}")
    return header, data[start + length :]


def load_weights(path: Path) -> tuple[Net, PruneNet, dict[str, Any]]:
    """Read and check a weights file; returns the two networks and the header. Raises WeightsError."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise WeightsError(f"{path}: can't be read: {error.strerror}") from error
    header, body = _header(path, data)
    if header.get("input_set") != INPUT_SET:
        raise WeightsError(f"{path}: expected input set `{INPUT_SET}`, got `{header.get('input_set')}`")
    hidden, classes, scale = header.get("hidden"), header.get("classes"), header.get("scale")
    if not isinstance(hidden, int) or not 1 <= hidden <= 4096 or hidden % 16:
        raise WeightsError(f"{path}: expected `hidden` to be a multiple of 16 up to 4096, got `{hidden}`")
    if not isinstance(classes, int) or not 1 <= classes <= CLASSES:
        raise WeightsError(f"{path}: expected `classes` from 1 to {CLASSES}, got `{classes}`")
    if scale != SCALE:
        raise WeightsError(f"{path}: expected `scale` {SCALE}, got `{scale}`")
    expected = _expected(hidden, classes)
    listed = [[name, dtype, list(shape)] for name, (dtype, shape) in expected.items()]
    if header.get("arrays") != listed:
        raise WeightsError(f"{path}: expected arrays {listed}, got {header.get('arrays')}")
    size = sum(np.dtype(dtype).itemsize * int(np.prod(shape)) for dtype, shape in expected.values())
    if len(body) != size:
        raise WeightsError(f"{path}: expected {size} bytes of weights, got {len(body)}")
    if hashlib.sha256(body).hexdigest() != header.get("sha256"):
        raise WeightsError(f"{path}: the weights are damaged: their checksum is not that of the header")
    arrays: dict[str, NDArray[Any]] = {}
    place = 0
    for name, (dtype, shape) in expected.items():
        count = int(np.prod(shape))
        arrays[name] = np.frombuffer(body, dtype, count, place).reshape(shape).copy()
        place += count * np.dtype(dtype).itemsize
    net = Net(*(arrays[f"net.{name}"] for name in Net._fields))
    prune = PruneNet(*(arrays[f"prune.{name}"] for name in PruneNet._fields))
    if not all(np.isfinite(array).all() for array in arrays.values()):
        raise WeightsError(f"{path}: the weights hold numbers that are not finite")
    return net, prune, header
