"""Who computes next. Jobs go by lanes, so that what is short never waits for what is long; in a lane connections take
turns, each one's jobs by its own priorities and then in the order asked; each lane has a few threads of its own.
What takes minutes is too long for turns: where long work is done there are as many threads again, for connections of
which none does any yet.

What waits and has no time left, or is told to finish, goes to the front among what is short: its best answer so far is
soon found.

The queue is bounded. Beyond the bound a connection is `busy`, but for one job: who asks little is served however much
others ask.
"""

from __future__ import annotations

import logging
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Final

import trio

from bgd.daemon.deadline import TimeLimit
from bgd.daemon.engine import EngineHost
from bgd.errors import BgdError, Busy, InternalError
from bgd.service.job import Deadline, Errand, Job
from bgd.wire.messages import Reply

if TYPE_CHECKING:
    from bgd.engine import Engine

log = logging.getLogger(__name__)

Answer = Reply | BgdError

NO_LIMIT: Final = 2**63


def run_job(job: Job, engine: Engine, deadline: Deadline) -> Answer:
    """The answer to a job, whatever happens in it."""
    return _run("a job", lambda: job.run(engine, deadline))


def run_errand(errand: Errand) -> Answer:
    """Likewise."""
    return _run("an errand", errand.run)


def _run(name: str, work: Callable[[], Reply]) -> Answer:
    try:
        return work()
    except BgdError as error:
        return error
    except Exception:
        log.exception("%s failed", name)
        return internal_error()


def internal_error() -> InternalError:
    """What the asker is told of a bug; the log gets the traceback."""
    return InternalError("bgd failed in answering this, which is a bug: please report it with the daemon's log")


class Task:
    """A job or errand on its way. `done` is called once, in the loop, with the answer; never for a withdrawn task."""

    __slots__ = ("done", "hurried", "job", "limit", "owner", "withdrawn")

    def __init__(self, owner: object, job: Job | Errand, limit: TimeLimit, done: Callable[[Answer], None]) -> None:
        self.owner, self.job, self.limit, self.done = owner, job, limit, done
        self.withdrawn = False
        self.hurried = False  # its time was up before a thread was free

    @property
    def priority(self) -> float:
        if self.hurried:
            return inf
        return self.job.priority if isinstance(self.job, Job) else 0


class _Queue:
    """What one connection has waiting: of the tasks of the highest priority, the oldest comes first."""

    def __init__(self) -> None:
        self._by_priority: dict[float, OrderedDict[Task, None]] = {}

    def __bool__(self) -> bool:
        return bool(self._by_priority)

    def add(self, task: Task) -> None:
        self._by_priority.setdefault(task.priority, OrderedDict())[task] = None

    def remove(self, task: Task) -> bool:
        """Whether it was there."""
        equals = self._by_priority.get(task.priority)
        if equals is None or task not in equals:
            return False
        del equals[task]
        if not equals:
            del self._by_priority[task.priority]
        return True

    def pop(self) -> Task:
        task = next(iter(self._by_priority[max(self._by_priority)]))
        self.remove(task)
        return task


class _Lane:
    """Tasks that wait, by connection, and the threads that do them."""

    def __init__(self, workers: int, guests: int = 0) -> None:
        """`guests`: threads more, for connections that have none at work while all `workers` are at work."""
        self.workers, self.guests = workers, guests
        self.limiter = trio.CapacityLimiter(workers + guests)
        self._at_work: Counter[object] = Counter()
        self.idle = trio.lowlevel.ParkingLot()
        self._queues: OrderedDict[object, _Queue] = OrderedDict()

    def holds_any_of(self, owner: object) -> bool:
        return owner in self._queues

    def add(self, task: Task) -> None:
        self._queues.setdefault(task.owner, _Queue()).add(task)
        self._wake()

    def _wake(self) -> None:
        if self.guests:  # who can take it is for them to see
            self.idle.unpark_all()
        else:
            self.idle.unpark()

    def remove(self, task: Task) -> bool:
        """Whether it was still waiting."""
        queue = self._queues.get(task.owner)
        if queue is None or not queue.remove(task):
            return False
        if not queue:
            del self._queues[task.owner]
        return True

    def take(self) -> Task | None:
        """The first task of the connection whose turn it is, which then goes to the end of the round. To be `left`."""
        owners = iter(self._queues)
        if self._at_work.total() >= self.workers:
            owners = (owner for owner in owners if not self._at_work[owner])
        owner = next(owners, None)
        if owner is None:
            return None
        queue = self._queues[owner]
        task = queue.pop()
        self._at_work[owner] += 1
        if queue:
            self._queues.move_to_end(owner)
        else:
            del self._queues[owner]
        return task

    def left(self, task: Task) -> None:
        """It is done, one way or the other."""
        self._at_work[task.owner] -= 1
        if not self._at_work[task.owner]:
            del self._at_work[task.owner]
        if self.guests and self._queues:
            self._wake()


class Scheduler:
    """All methods but `run` return at once and belong to the loop's thread."""

    def __init__(self, engines: EngineHost, workers: int, max_queued: int = NO_LIMIT) -> None:
        """`workers`: threads of each lane; of the long one twice as many. `max_queued`: jobs that wait, of all."""
        self._engines = engines
        self._max_queued = max_queued
        self._cheap = _Lane(1)  # what is asked before the engine is there; later the loop answers it
        self._short, self._long = _Lane(workers), _Lane(workers, guests=workers)
        self._desk = _Lane(1)  # for errands: they are plain Python, of which one thread runs at a time
        self._timed: set[Task] = set()  # those of the tasks that wait whose time will be up
        self._soonest = inf  # when the first of them will be looked for
        self._sooner = trio.lowlevel.ParkingLot()
        self.queued = 0
        self.running = 0

    @property
    def busy_threads(self) -> int:
        """Threads at work, those among them that were left behind."""
        return sum(int(lane.limiter.borrowed_tokens) for lane in self._lanes)

    @property
    def _lanes(self) -> tuple[_Lane, ...]:
        return self._cheap, self._short, self._long, self._desk

    def _lane(self, task: Task) -> _Lane:
        if isinstance(task.job, Errand):
            return self._desk
        if task.hurried:
            return self._short
        if task.job.cheap:
            return self._cheap
        return self._long if task.job.long else self._short

    def submit(self, task: Task) -> None:
        """Raises Busy."""
        if self.queued >= self._max_queued and any(lane.holds_any_of(task.owner) for lane in self._lanes):
            raise Busy(f"{self._max_queued} requests wait for a thread, which is the limit; ask again later")
        self.queued += 1
        self._lane(task).add(task)
        if task.limit.ends < inf:
            self._timed.add(task)
            if task.limit.ends < self._soonest:
                self._sooner.unpark()

    def withdraw(self, task: Task) -> None:
        """Nobody wants the answer: forget the task, or have it stop where it runs already."""
        task.withdrawn = True
        task.limit.stop()
        self.queued -= self._lane(task).remove(task)
        self._timed.discard(task)

    def finish(self, task: Task) -> None:
        """Have the best answer so far, also of a task that no thread has begun."""
        task.limit.stop()
        self._hurry(task)

    def _hurry(self, task: Task) -> None:
        self._timed.discard(task)
        if isinstance(task.job, Job) and not task.job.cheap and self._lane(task).remove(task):
            task.hurried = True
            self._short.add(task)

    async def _watch_the_time(self) -> None:
        while True:
            now = monotonic()
            for task in [task for task in self._timed if task.limit.ends <= now]:
                self._hurry(task)
            self._soonest = min((task.limit.ends for task in self._timed), default=inf)
            with trio.move_on_after(self._soonest - now):
                await self._sooner.park()

    async def run(self) -> None:
        """Work until cancelled. Jobs under way then are told to stop, and left behind."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._watch_the_time)
            nursery.start_soon(self._work, self._desk, self._errand)
            nursery.start_soon(self._work_with_the_engine, self._cheap, self._engines.wait)
            for lane in (self._short, self._long):
                for _ in range(lane.workers + lane.guests):
                    nursery.start_soon(self._work_with_the_engine, lane, self._engines.wait_for_all)

    async def _next(self, lane: _Lane) -> Task:
        while (task := lane.take()) is None:
            await lane.idle.park()
        self.queued -= 1
        self._timed.discard(task)
        return task

    async def _work_with_the_engine(self, lane: _Lane, ready: Callable[[], Awaitable[Engine]]) -> None:
        try:
            engine = await ready()
        except BgdError as error:
            while True:
                task = await self._next(lane)
                lane.left(task)
                task.done(error)

        def job(task: Task) -> Answer:
            assert isinstance(task.job, Job)
            return run_job(task.job, engine, task.limit)

        await self._work(lane, job)

    @staticmethod
    def _errand(task: Task) -> Answer:
        assert isinstance(task.job, Errand)
        return run_errand(task.job)

    async def _work(self, lane: _Lane, do: Callable[[Task], Answer]) -> None:
        while True:
            task = await self._next(lane)
            self.running += 1
            try:
                answer = await trio.to_thread.run_sync(do, task, abandon_on_cancel=True, limiter=lane.limiter)
            except trio.Cancelled:
                task.limit.stop()
                raise
            finally:
                self.running -= 1
                lane.left(task)
            if not task.withdrawn:
                task.done(answer)
