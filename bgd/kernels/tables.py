"""Tables that can be made again: kept in the cache directory under a name with a version, checked when read.

A file is 64 bytes of header (a line that names the table, then the CRC-32 of the rest) and the numbers. It is mapped
copy-on-write, so that processes share its pages and kernels see an ordinary array.
"""

from __future__ import annotations

import mmap
import os
import tempfile
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

_HEADER = 64


def _header(name: str, body: bytes | memoryview) -> bytes:
    return f"bgd {name}\n{zlib.crc32(body):08x}\n".encode().ljust(_HEADER, b"\0")


def read_table(path: Path, name: str, count: int) -> NDArray[np.float32] | None:
    """The `count` numbers of the table in the file; None if there is none, or not the one that was written."""
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size != _HEADER + 4 * count:
                return None
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    except OSError:
        return None
    if mapped[:_HEADER] != _header(name, memoryview(mapped)[_HEADER:]):
        return None
    return np.frombuffer(mapped, np.float32, count, _HEADER)


def write_table(path: Path, name: str, numbers: NDArray[np.float32]) -> None:
    """Keep the table; a directory that can't be written only costs the next process the time to make it again."""
    body = numbers.tobytes()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(_header(name, body) + body)
        os.replace(file.name, path)
    except OSError:
        return
