"""Threads that share the parts of one piece of work."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

from bgd.kernels.notice import MOST, Notice, all_done, left, notice_for, put_up, take_down

Work = Callable[[Notice, int, int], None]
"""work(notice, most, looks): take parts, do them and tell, until `most` are done or none came in so many `looks`. In a
kernel without the interpreter lock, or nothing is gained."""

_ALL: Final = 1 << 62
_TURN: Final = 8 * MOST  # parts that the asking thread does before it asks `stop` again: a millisecond at most
_WORTH_IT: Final = 2 * MOST  # parts for each helper that is woken, which takes 15 us of its time and 5 of who asks
_LOOKS: Final = 400_000  # that a helper has for the next work before it sleeps: some 0.1 ms
_NAP: Final = 0.0001  # seconds between looks whether helpers are done, if they were held up for longer than that


def cores() -> int:
    """How many this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Processors:
    """Where a thread that is woken begins. Linux may put it behind the thread that wakes it though another processor is
    free, as it does in small virtual machines after 30 ms of rest, and a search is over before it gets its turn."""

    def __init__(self) -> None:
        self._all: set[int] = set()
        if sys.platform == "linux":
            self._all = os.sched_getaffinity(0)
            self._here: Any = ctypes.CDLL(None).sched_getcpu

    def keep_off(self, thread: int) -> None:
        """Keep a thread that sleeps off the caller's processor."""
        others = self._all and self._all - {self._here()}
        if others:
            with suppress(OSError):  # it may go anywhere as before
                os.sched_setaffinity(thread, others)

    def go_anywhere(self) -> None:
        """The calling thread may move on."""
        if len(self._all) > 1:
            with suppress(OSError):
                os.sched_setaffinity(0, self._all)


def _do(work: Work, notice: Notice, most: int, looks: int, faults: list[Exception]) -> None:
    """Work; what it raises is a fault, and nobody goes on."""
    try:
        work(notice, most, looks)
    except Exception as fault:  # noqa: BLE001  # who asked shall know, whoever met with it
        faults.append(fault)
        take_down(notice)


class _Crew:
    """The helpers. They know nothing of their team, so that it can go when nobody needs it any more."""

    def __init__(self, threads: int, work: Work) -> None:
        self.notice = notice_for(threads)
        self.faults: list[Exception] = []
        self._work = work
        self._to_come = deque(range(threads - 1))  # those who are not there yet
        self._asleep: deque[tuple[int, threading.Lock]] = deque()  # those who sleep, and the locks they wait for
        self._processors = _Processors()
        self._over = threading.Event()

    def call(self, wanted: int) -> None:
        """Wake so many of those who sleep."""
        for _ in range(min(wanted, len(self._asleep))):
            thread, called = self._asleep.pop()
            self._processors.keep_off(thread)
            called.release()
            wanted -= 1
        for _ in range(min(wanted, len(self._to_come))):
            self._to_come.pop()
            threading.Thread(target=self._help, name="bgd-search", daemon=True).start()

    def dismiss(self) -> None:
        """Nobody will call any more."""
        self._to_come.clear()
        self._over.set()
        self.call(len(self._asleep))

    def _help(self) -> None:
        called = threading.Lock()
        called.acquire()
        me = threading.get_native_id(), called
        while not self._over.is_set():
            _do(self._work, self.notice, _ALL, _LOOKS, self.faults)
            self._asleep.append(me)
            if left(self.notice) or self._over.is_set():  # meanwhile, and nobody may have seen it sleep
                with suppress(ValueError):  # but if somebody has, it is called
                    self._asleep.remove(me)
                    continue
            called.acquire()
            self._processors.go_anywhere()


class Team:
    """The asking thread and its helpers, who help one asker at a time, and only while there are more threads than are
    at work anyway: the others work alone."""

    def __init__(self, threads: int, work: Work) -> None:
        """`threads`: with the one that asks. `work` lives as long as the helpers: it must not hold the team."""
        self._threads = threads
        self._work = work
        self._crew = _Crew(threads, work)
        self._at_work: set[int] = set()
        self._turn = threading.Lock()
        dismissal = weakref.finalize(self, self._crew.dismiss)
        dismissal.atexit = False  # who sleeps may do so when the process ends

    def share(self, what: int, parts: int, stop: Callable[[], bool]) -> bool:
        """Do all `parts` of the work whose number is `what`, each once, in any order and by any thread.

        `stop` is asked by this thread before the first part and every millisecond or so; returns False when it said
        yes. In any case nobody works on any part any more then. What the work raises is raised here."""
        with self.at_work():
            if len(self._at_work) >= self._threads or not self._turn.acquire(blocking=False):
                return self._lead(notice_for(1), None, what, parts, stop)
            try:
                return self._lead(self._crew.notice, self._crew, what, parts, stop)
            finally:
                if not self._crew.faults:  # else somebody may still be at it
                    self._turn.release()

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Who asks from time to time and works on otherwise may say so: then helpers leave it the processors."""
        me = threading.get_ident()
        if me in self._at_work:
            yield
            return
        self._at_work.add(me)
        try:
            yield
        finally:
            self._at_work.discard(me)

    def _lead(self, notice: Notice, crew: _Crew | None, what: int, parts: int, stop: Callable[[], bool]) -> bool:
        """`share`, with those who look at the `notice`: the crew, or nobody."""
        faults = crew.faults if crew else []
        if stop():
            return False
        put_up(notice, what, parts)
        taken = parts
        try:
            while True:
                if crew:
                    crew.call(left(notice) // _WORTH_IT)
                _do(self._work, notice, _TURN, 0, faults)
                if not left(notice) or stop():
                    break
        finally:
            taken -= take_down(notice)
            while not faults and not all_done(notice, taken, _LOOKS):
                time.sleep(_NAP)
        if faults:
            raise faults[0]
        return taken == parts
