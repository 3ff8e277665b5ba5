"""Waiting for the next question of a peer that asks one after another, without a turn of the loop: that alone would
cost it a sixth of its time (SPEED.md).

Such a peer asks again as soon as it has read the answer. So its connection, before it goes back to the loop, looks out
for that question: asleep in the kernel, the loop standing still, for PATIENCE at most. It does so only when it was
the last one heard too, when no thread computes, whose answer the loop will have to take, and for STRETCH at most
before the loop has its turn. Anything to read on another connection, or a newcomer, ends it, and leaves all to the loop
for REST.

So nobody's question waits for longer than an answer takes. What isn't a question may: a signal, the end of a timeout,
room for a slow peer's replies, a thread that loads the engine or exports metrics, the farewell of a peer that was
refused. Each turn of the loop that such a thing takes comes after STRETCH, PATIENCE and an answer at most; a signal
takes three. A socket that is closed is forgotten by the system; what TLS has read already is taken before any waiting.
"""

from __future__ import annotations

import select
from collections.abc import Callable
from time import perf_counter
from typing import Final

PATIENCE: Final = 0.001
"""Seconds to wait for one question, the least that epoll can."""

STRETCH: Final = 0.005
"""Seconds of questions in a row between two turns of the loop."""

REST: Final = 0.01
"""Seconds that the loop has to itself after somebody else had something to say: they may have more."""


class Lookout:
    """Over all sockets of a daemon; for the loop's thread alone. Without epoll it never waits."""

    def __init__(self, busy: Callable[[], object]) -> None:
        """`busy`: whether any thread computes."""
        self._busy = busy
        self._epoll = select.epoll() if hasattr(select, "epoll") else None
        self._last = -1  # who was heard last
        self._ends = 0.0  # of this stretch; 0 when none has begun
        self._rests = 0.0  # until then

    def add(self, descriptor: int) -> None:
        """Look at this socket too, of a connection or a listening one, until it is closed. Where the system can't, its
        peer would have to wait for others': then nobody is looked out for any more."""
        if self._epoll is not None:
            try:
                self._epoll.register(descriptor, select.EPOLLIN)
            except OSError:  # ENOSPC: the user's bound on what may be watched; ENOMEM
                self._epoll = None

    def wait_for(self, descriptor: int) -> bool:
        """Whether there is something to read from this socket now, and from no other. To be called whenever it is the
        next to be read; when the answer is no, the loop is to wait for it."""
        if self._epoll is None or self._last != descriptor:
            self._last = descriptor
            self._ends = 0.0
            return False
        now = perf_counter()
        if not self._ends:
            self._ends = now + STRETCH
        if self._rests <= now < self._ends and not self._busy():
            ready = self._epoll.poll(PATIENCE, 2)
            if len(ready) == 1 and ready[0][0] == descriptor:
                return True
            if ready:
                self._rests = now + REST
        self._ends = 0.0
        return False
