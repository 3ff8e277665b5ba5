"""Answering a few requests in this process, without a daemon: what `bgd ask` does."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from time import monotonic
from typing import TYPE_CHECKING, BinaryIO

from bgd.daemon.auth import NOT_NEEDED
from bgd.daemon.deadline import TimeLimit
from bgd.daemon.engine import Loader
from bgd.daemon.scheduler import Answer, internal_error, run_errand, run_job
from bgd.daemon.session import Session
from bgd.errors import BgdError, Unsupported
from bgd.service.job import Errand, Job
from bgd.wire.conversation import Conversation
from bgd.wire.messages import Auth, Cancel, Done, Incoming, Progress, Quit, Request, Stats

if TYPE_CHECKING:
    from bgd.config import Dialect
    from bgd.engine import Engine

log = logging.getLogger(__name__)


class _Told(TimeLimit):
    """Reports are told at once, unless the last one was less than `interval` ms ago."""

    __slots__ = ("_interval", "_next", "_tell")

    def __init__(self, job: Job, tell: Callable[[Progress], None]) -> None:
        super().__init__(job.movetime)
        self._interval, self._tell = job.progress / 1000, tell
        self._next = monotonic() + self._interval

    def report(self, progress: Progress) -> None:
        now = monotonic()
        if self._interval and now >= self._next:
            self._next = now + self._interval
            self._tell(progress)


def ask(
    requests: Iterable[str],
    out: BinaryIO,
    *,
    dialect: Dialect,
    open_session: Callable[[str], Session],
    load_engine: Loader,
    progress: Callable[[str], None],
) -> bool:
    """Write the replies to `requests`, one line each, to `out`. Whether all of them were ok.

    They share one session, as the lines of a connection do. The engine is loaded when the first of them needs it."""
    conversation = Conversation(dialect)
    session = open_session(dialect)
    engine: Engine | None = None

    def answer(incoming: Incoming) -> Answer:
        nonlocal engine
        request = incoming.content
        if isinstance(request, Cancel):
            return Done(text="0 cancelled")
        if isinstance(request, Quit):
            return Done()
        if isinstance(request, Auth):
            return Done(text=NOT_NEEDED)
        if isinstance(request, Stats):
            return Unsupported("There is no daemon here to count anything")
        assert isinstance(request, Request)

        def tell(progress: Progress) -> None:
            out.write(conversation.report(incoming, progress))
            out.flush()

        try:
            result = session.handle(request)
            if isinstance(result, Errand):
                return run_errand(result)
            if not isinstance(result, Job):
                return result
            if engine is None:
                engine = load_engine(progress)
            if not result.cheap:
                engine.complete(progress)  # before its time begins: compiling takes nothing of its movetime
        except BgdError as error:
            return error
        except Exception:
            log.exception("%r failed", request)
            return internal_error()
        return run_job(result, engine, _Told(result, tell))

    all_ok = True
    for line in requests:
        for incoming in conversation.receive_data(f"{line}\n".encode()):
            content = incoming.content
            if content is None:
                continue
            if isinstance(content, bytes):
                out.write(content)
                continue
            final = content if isinstance(content, BgdError) else answer(incoming)
            all_ok = all_ok and not isinstance(final, BgdError)
            out.write(conversation.send(incoming, final))
            out.flush()
            if isinstance(content, Quit):
                return all_ok
    return all_ok
