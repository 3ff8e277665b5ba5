"""Memory that was used for a while goes back to the system."""

from __future__ import annotations

import subprocess
import sys

import pytest

KEPT = """
import threading
import numpy as np
from bgd.daemon.memory import give_back_memory

if not give_back_memory():
    raise SystemExit(3)

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096

def work():
    for _ in range(20):
        arrays = [np.ones(size, np.uint8) for size in (3 << 20, 5 << 20, 9 << 20)]
        arrays.clear()

before = resident()
for _ in range(12):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
print(resident() - before)
"""


def test_large_arrays_of_threads_that_are_gone_take_no_memory() -> None:
    found = subprocess.run([sys.executable, "-c", KEPT], capture_output=True, text=True, check=False)
    if found.returncode == 3:
        pytest.skip("the C library is not glibc")
    assert int(found.stdout) < 2 << 20, found.stderr
