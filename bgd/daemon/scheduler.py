"""Who computes next. A few threads for all connections; connections take turns, each one's jobs in the order asked."""

from __future__ import annotations

import logging
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import TYPE_CHECKING

import trio

from bgd.daemon.deadline import TimeLimit
from bgd.daemon.engine import EngineHost
from bgd.errors import BgdError, InternalError
from bgd.service.job import Deadline, Job
from bgd.wire.messages import Reply

if TYPE_CHECKING:
    from bgd.engine import Engine

log = logging.getLogger(__name__)

Answer = Reply | BgdError


def run_job(job: Job, engine: Engine, deadline: Deadline) -> Answer:
    """The answer to a job, whatever happens in it."""
    try:
        return job.run(engine, deadline)
    except BgdError as error:
        return error
    except Exception:
        log.exception("a job failed")
        return internal_error()


def internal_error() -> InternalError:
    """What the asker is told of a bug; the log gets the traceback."""
    return InternalError("bgd failed in answering this, which is a bug: please report it with the daemon's log")


class Task:
    """A job on its way. `done` is called once, in the loop, with the answer; never for a withdrawn task."""

    __slots__ = ("done", "job", "limit", "owner", "withdrawn")

    def __init__(self, owner: object, job: Job, limit: TimeLimit, done: Callable[[Answer], None]) -> None:
        self.owner, self.job, self.limit, self.done = owner, job, limit, done
        self.withdrawn = False


class Scheduler:
    """All methods but `run` return at once and belong to the loop's thread."""

    def __init__(self, engines: EngineHost, workers: int) -> None:
        self._engines = engines
        self._workers = workers
        self._limiter = trio.CapacityLimiter(workers)
        self._queues: OrderedDict[object, deque[Task]] = OrderedDict()
        self._idle = trio.lowlevel.ParkingLot()
        self.running = 0

    @property
    def queued(self) -> int:
        return sum(map(len, self._queues.values()))

    @property
    def busy_threads(self) -> int:
        """Threads at work, those among them that were left behind."""
        return int(self._limiter.borrowed_tokens)

    def submit(self, task: Task) -> None:
        self._queues.setdefault(task.owner, deque()).append(task)
        self._idle.unpark()

    def withdraw(self, task: Task) -> None:
        """Nobody wants the answer: forget the task, or have it stop where it runs already."""
        task.withdrawn = True
        task.limit.stop()
        queue = self._queues.get(task.owner)
        if queue is not None and task in queue:
            queue.remove(task)
            if not queue:
                del self._queues[task.owner]

    def _next(self) -> Task | None:
        """The oldest task of the connection whose turn it is, which then goes to the end of the round."""
        if not self._queues:
            return None
        owner, queue = next(iter(self._queues.items()))
        task = queue.popleft()
        if queue:
            self._queues.move_to_end(owner)
        else:
            del self._queues[owner]
        return task

    async def run(self) -> None:
        """Work until cancelled. Jobs under way then are told to stop, and left behind."""
        async with trio.open_nursery() as nursery:
            for _ in range(self._workers):
                nursery.start_soon(self._work)

    async def _work(self) -> None:
        try:
            engine = await self._engines.wait()
        except BgdError as error:
            await self._refuse_all(error)
            return
        while True:
            task = self._next()
            if task is None:
                await self._idle.park()
                continue
            self.running += 1
            try:
                answer = await trio.to_thread.run_sync(
                    run_job, task.job, engine, task.limit, abandon_on_cancel=True, limiter=self._limiter
                )
            except trio.Cancelled:
                task.limit.stop()
                raise
            finally:
                self.running -= 1
            if not task.withdrawn:
                task.done(answer)

    async def _refuse_all(self, error: BgdError) -> None:
        while True:
            while (task := self._next()) is not None:
                task.done(error)
            await self._idle.park()
