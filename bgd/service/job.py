"""Work that a request asks of the engine, to be run by whoever owns threads and clocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from bgd.wire.messages import Progress, Reply

if TYPE_CHECKING:
    from bgd.engine import Engine


class Deadline(Protocol):
    """Of work that may take long. Any thread may use it."""

    def stop_now(self) -> bool:
        """Whether to give the best answer so far: time is up, or the asker cancelled or left. Asked between slices of
        work, some milliseconds apart."""
        ...

    def report(self, progress: Progress) -> None:
        """How far the work has come, as often as there is something new. Only the newest is told, and nothing at all if
        nobody asked for it."""
        ...


class Errand(Struct, frozen=True):
    """Work that needs no engine, but may take some 0.1 s: too long to be done where the request was read. `run` gives
    the final reply or raises a BgdError; it may be called in any thread, once."""

    run: Callable[[], Reply]


class Job(Struct, frozen=True):
    """`run` gives the final reply or raises a BgdError; it may be called in any thread, once. `cheap` work takes less
    than a thread hop (about 100 µs): best done where the request was read. `long` work takes a good part of a second or
    more: nothing shorter waits for it. `movetime` is the asker's limit in ms, `progress` the ms between the reports
    that it asked for, 0 for none. Of the jobs of one asker that wait, those of higher `priority` are done first."""

    run: Callable[[Engine, Deadline], Reply]
    cheap: bool
    movetime: int | None = None
    progress: int = 0
    long: bool = False
    priority: int = 0
