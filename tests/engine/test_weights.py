"""A weights file is taken as it was written, or refused with the reason."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bgd.engine.weights import (
    MAGIC,
    SCALE,
    dequantised,
    load_weights,
    quantised,
    save_weights,
    shipped_weights,
)
from bgd.errors import WeightsError
from bgd.kernels.encode import CLASSES
from bgd.kernels.prune import random_prune_net
from tests.kernels.arrays import small_net

NET = quantised(small_net())
PRUNE = random_prune_net(1)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "weights.bin"
    save_weights(place, NET, PRUNE, {"seed": 7})
    return place


def with_header(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    data = path.read_bytes()
    start = len(MAGIC) + 4
    length = int.from_bytes(data[len(MAGIC) : start], "little")
    header = json.loads(data[start : start + length])
    change(header)
    text = json.dumps(header).encode()
    path.write_bytes(MAGIC + len(text).to_bytes(4, "little") + text + data[start + length :])


def test_what_is_written_is_read(path: Path) -> None:
    net, prune, header = load_weights(path)
    for old, new in zip((*NET, *PRUNE), (*net, *prune), strict=True):
        assert old.dtype == new.dtype
        assert old.tobytes() == new.tobytes()
    assert header["training"] == {"seed": 7}


def test_the_weights_that_ship_can_be_read() -> None:
    net, _, header = load_weights(shipped_weights())
    assert net.embed.dtype == np.int16
    assert header["training"]["recipe"]["seed"] >= 0


def test_rounding_the_first_layer_moves_no_weight_by_more_than_half_a_step() -> None:
    exact = small_net()
    assert np.abs(NET.embed / SCALE - exact.embed).max() <= 0.5001 / SCALE


def refused(path: Path) -> str:
    with pytest.raises(WeightsError) as caught:
        load_weights(path)
    assert caught.value.code == "bad-weights"
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_training_that_goes_on_from_a_file_begins_with_its_weights() -> None:
    net, _, _ = load_weights(shipped_weights())
    again = quantised(dequantised(net))
    assert all(np.array_equal(before, after) for before, after in zip(net, again, strict=True))


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    assert "can't be read" in refused(tmp_path / "none.bin")


def test_another_kind_of_file_is_refused(path: Path) -> None:
    path.write_bytes(b"\x89PNG\r\n\x1a\n and so on")
    assert "begins with" in refused(path)


def test_one_changed_byte_is_refused(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-1000] ^= 4
    path.write_bytes(data)
    assert "damaged" in refused(path)


def test_a_file_cut_short_is_refused(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:-10])
    assert "bytes of weights" in refused(path)
    path.write_bytes(data[: len(MAGIC) + 10])
    assert "header" in refused(path)


@pytest.mark.parametrize(
    ("name", "value", "word"),
    [
        ("input_set", "other", "input set"),
        ("hidden", 17, "hidden"),
        ("hidden", "16", "hidden"),
        ("classes", CLASSES + 1, "classes"),
        ("scale", 1, "scale"),
        ("arrays", [], "arrays"),
        ("sha256", "00", "checksum"),
    ],
)
def test_a_header_that_does_not_fit_is_refused(path: Path, name: str, value: object, word: str) -> None:
    with_header(path, lambda header: header.update({name: value}))
    assert word in refused(path)


def test_weights_that_are_not_numbers_are_refused(path: Path) -> None:
    third = NET.third.copy()
    third[0, 0, 0] = np.nan
    save_weights(path, NET._replace(third=third), PRUNE, {})
    assert "not finite" in refused(path)
