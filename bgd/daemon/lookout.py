"""Waiting for the next question of a peer that asks one after another, without a turn of the loop: that alone would
cost it a sixth of its time (SPEED.md).

Such a peer asks again as soon as it has read the answer. So its connection, before it goes back to the loop, looks out
for that question: asleep in the kernel, the loop standing still, for PATIENCE at most. It does so only when it was
the last one heard too, when no thread computes, whose answer the loop will have to take, and for STRETCH at most
before the loop has its turn. Anything to read on another connection, or a newcomer, ends it, and leaves all to the loop
for REST.

Who has asked so STEADY times is waited for in the reading itself, which spares a call: who else has something to say
is looked for only after UNSEEN such questions. When he falls silent then, the loop stands still for as long as the
system takes PATIENCE for: it counts in ticks, of 4 ms mostly.

So nobody's question waits for longer than a few answers take, or once for a tick. What isn't a question may: a signal,
the end of a timeout, room for a slow peer's replies, a thread that loads the engine or exports metrics, the farewell of
a peer that was refused. Each turn of the loop that such a thing takes comes after STRETCH, that tick and a few answers
at most; a signal takes three. A socket that is closed is forgotten by the system; what TLS has read already is taken
before any waiting.
"""

from __future__ import annotations

import select
import struct
from collections.abc import Callable
from time import perf_counter
from typing import Final

PATIENCE: Final = 0.001
"""Seconds to wait for one question, the least that epoll can."""

STRETCH: Final = 0.005
"""Seconds of questions in a row between two turns of the loop."""

REST: Final = 0.01
"""Seconds that the loop has to itself after somebody else had something to say: they may have more."""

STEADY: Final = 16
"""Looks at the next question, each within PATIENCE of the last, until they are spared."""

UNSEEN: Final = 7
"""Questions that are waited for without one, after each look."""

RCVTIMEO: Final = struct.pack("@ll", 0, int(PATIENCE * 1e6))
"""PATIENCE as the socket option of this name takes it, for connections: a struct timeval, socket(7)."""


class Lookout:
    """Over all sockets of a daemon; for the loop's thread alone. Without epoll it never waits."""

    def __init__(self, busy: Callable[[], object]) -> None:
        """`busy`: whether any thread computes."""
        self._busy = busy
        self._epoll = select.epoll() if hasattr(select, "epoll") else None
        self._last = -1  # who was heard last
        self._ends = 0.0  # of this stretch; 0 when none has begun
        self._rests = 0.0  # until then
        self._looks = 0  # in a row, at one who asks again and again
        self._due = 0.0  # when the next one is, if he does
        self._unseen = 0  # questions until then

    def add(self, descriptor: int) -> bool:
        """Look at this socket too, of a connection or a listening one, until it is closed. False where the system
        can't: its peer would have to wait for others' then, so that nobody is looked out for any more."""
        if self._epoll is None:
            return False
        try:
            self._epoll.register(descriptor, select.EPOLLIN)
        except OSError:  # ENOSPC: the user's bound on what may be watched; ENOMEM
            self._epoll = None
        return self._epoll is not None

    def wait_for(self, descriptor: int) -> bool:
        """Whether to read from this socket now: there is something, or very likely soon, and nothing to read from any
        other. To be called whenever it is the next to be read; when the answer is no, the loop is to wait for it."""
        if self._last != descriptor or self._epoll is None:
            self._last = descriptor
            self._ends = 0.0
            self._looks = self._unseen = 0
            return False
        if self._unseen and not self._busy():
            self._unseen -= 1
            return True
        now = perf_counter()
        # Other programs may have held him up once: who is slow again and again is out of this soon.
        self._looks = self._looks + 1 if now < self._due else self._looks >> 1
        self._due = now + PATIENCE
        if not self._ends:
            self._ends = now + STRETCH
        if self._rests <= now < self._ends and not self._busy():
            ready = self._epoll.poll(PATIENCE, 2)
            if len(ready) == 1 and ready[0][0] == descriptor:
                if self._looks >= STEADY:
                    self._unseen = UNSEEN
                    self._due += UNSEEN * PATIENCE
                return True
            if ready:
                self._rests = now + REST
        self._ends = 0.0
        self._unseen = 0
        return False

    def nothing_came(self) -> None:
        """To be called when a read has waited in vain: the next one is the loop's."""
        self._last = -1
