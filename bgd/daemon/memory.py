"""What the C library does with memory that is given back.

By itself glibc keeps a heap for each thread, up to eight a core, and after the first large array is freed puts arrays
of up to 32 MiB into them. Threads of searches and rollouts come and go: with 50 busy clients a daemon grew from 199 to
271 MiB in a minute, to 375 in a quarter of an hour, of which nothing was in use; so told it had 219 after that minute.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Final

# mallopt(3): parameters, and the values for a daemon.
_M_MMAP_THRESHOLD: Final = -3
_M_ARENA_MAX: Final = -8

LARGE: Final = 1 << 20
"""Bytes from which on an array is a piece of memory of its own, which goes back to the system at once."""

HEAPS: Final = 2
"""That all threads share. The kernels ask for no memory, so that nobody waits for another's."""


def give_back_memory() -> bool:
    """To be called before there are threads. Whether the C library knows what that is: others than glibc don't."""
    if sys.platform != "linux":
        return False
    library = ctypes.CDLL(None)
    if not hasattr(library, "gnu_get_libc_version"):
        return False
    return bool(library.mallopt(_M_MMAP_THRESHOLD, LARGE) and library.mallopt(_M_ARENA_MAX, HEAPS))
