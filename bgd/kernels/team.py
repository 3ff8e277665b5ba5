"""Threads that share the parts of one piece of work."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import count


def cores() -> int:
    """How many this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Team:
    """The asking thread and its helpers. Several threads may ask at once: the helpers take turns, and whoever asks
    works at his own parts meanwhile, so that nobody waits for a helper that is busy elsewhere."""

    def __init__(self, threads: int) -> None:
        """`threads`: with the one that asks."""
        self._threads = threads
        self._helpers = ThreadPoolExecutor(threads - 1, thread_name_prefix="bgd-search") if threads > 1 else None

    def share(self, work: Callable[[int], None], parts: int, stop: Callable[[], bool]) -> bool:
        """Do work(0) to work(parts - 1), each once, in any order and by any thread.

        `stop` is asked before each part, by all threads; returns False when it said yes and parts were left out, at
        once: a helper may still be at its last part then. What `work` raises is raised here."""
        numbers = count()
        left_out: list[int] = []

        def take() -> None:
            while (part := next(numbers)) < parts:
                if left_out or stop():
                    left_out.append(part)
                    return
                work(part)

        helpers: list[Future[None]] = []
        if self._helpers is not None:
            helpers = [self._helpers.submit(take) for _ in range(min(self._threads, parts) - 1)]
        try:
            take()
        finally:
            for helper in helpers:
                helper.cancel()
        if left_out:
            return False
        for helper in helpers:
            if not helper.cancelled():
                helper.result()
        return not left_out
