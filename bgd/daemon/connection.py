"""One peer, from its first byte to its last: reading goes on while jobs run, and every request gets one final reply.

Untagged requests are answered in the order sent, tagged ones as they finish. What takes less than a thread hop is
computed where it was read and leaves in the same turn of the loop; the rest goes to the scheduler. A connection ends

- at the end of input: what was asked is answered first;
- after `quit`, a line over the limit, too many lines in too short a time, or the last try at a token: likewise, and
  the peer gets a moment to read the last reply;
- when nothing is asked, or no token given, for too long: after an error that says so;
- when the daemon leaves (`shut_down`): likewise, within the grace time;
- when the peer is gone or takes no replies: its jobs are stopped at once.

On TCP a peer that closed its socket looks like one that has ended its input, until a reply or a report of progress
comes back refused, or a probe of the system's does, after about a minute.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from math import inf
from time import perf_counter
from typing import TYPE_CHECKING, Final

import trio

from bgd.config import Limits
from bgd.daemon.auth import Guard
from bgd.daemon.deadline import UNLIMITED, TimeLimit
from bgd.daemon.engine import EngineHost
from bgd.daemon.pace import Pace
from bgd.daemon.scheduler import Answer, Scheduler, Task, internal_error
from bgd.daemon.session import Session
from bgd.daemon.tally import Counts
from bgd.daemon.transport import Transport
from bgd.errors import (
    BadArgument,
    BgdError,
    Busy,
    Cancelled,
    Flooding,
    Foreign,
    LineTooLong,
    ShuttingDown,
    TimedOut,
    Unauthorized,
)
from bgd.service.job import Errand, Job
from bgd.wire.messages import Auth, Cancel, Done, Incoming, Quit, Reply, Request, Stats, StatsReply

if TYPE_CHECKING:
    from bgd.wire.conversation import Conversation

log = logging.getLogger(__name__)

_OWN: Final = (Cancel, Quit, Stats)
"""Requests that no session sees."""

SLICE: Final = 0.005
"""Seconds that one connection may compute in the loop before the others get their turn."""

LINGER_READS: Final = 16
"""Reads, of 64 KiB at most, thrown away after the last reply while the peer is given time to close."""


class _Pending:
    """A request not answered yet, or answered while an older untagged one is not."""

    __slots__ = ("began", "incoming", "reply", "reporting", "task")

    def __init__(self, incoming: Incoming, task: Task | None = None, reply: bytes | None = None) -> None:
        self.incoming, self.task, self.reply = incoming, task, reply
        self.reporting: trio.CancelScope | None = None
        self.began = perf_counter()


class Connection:
    """Serve `transport` with `run`; other methods belong to the same loop."""

    def __init__(
        self,
        transport: Transport,
        conversation: Conversation,
        *,
        open_session: Callable[[str], Session],
        engines: EngineHost,
        scheduler: Scheduler,
        limits: Limits,
        counts: Counts,
        statistics: Callable[[], dict[str, int | float | str]],
        name: str,
        guard: Guard | None = None,
    ) -> None:
        self._transport = transport
        self._conversation = conversation
        self._open_session = open_session
        self._session: Session | None = None
        self._engines = engines
        self._scheduler = scheduler
        self._limits = limits
        self._counts = counts
        self._tally = counts.tally
        self._statistics = statistics
        self._about = {"peer": name}
        self._guard = guard or Guard()
        self._now = trio.lowlevel.current_clock().current_time
        self._heard = self._now()  # something from the peer, or said something to it
        self._pace = Pace(limits.max_rate, self._heard)

        self._inbox: deque[Incoming] = deque()
        self._line: deque[_Pending] = deque()  # untagged, in the order sent
        self._tagged: dict[str, _Pending] = {}
        self._held = 0  # bytes of replies in `_line`
        self._out = bytearray()
        self._stalled = trio.Event()  # set while `_write` owns the output, because the peer is slow
        self._changed = trio.Event()  # something was answered or sent
        self._ended = False  # no more input is wanted
        self._ended_by_us = False
        self._quit = False
        self._lost = False
        self._grace_ends: float | None = None
        self._whole = trio.CancelScope()
        self._reading = trio.CancelScope()
        self._finishing = trio.CancelScope()
        self._reporters: trio.Nursery | None = None

    # The life of a connection

    async def run(self) -> None:
        """Until the connection is closed, whatever the peer does."""
        try:
            with self._whole:
                async with trio.open_nursery() as nursery:
                    self._reporters = nursery
                    nursery.start_soon(self._write)
                    if self._limits.idle_timeout or not self._guard.open:
                        nursery.start_soon(self._expire)
                    with self._reading:
                        await self._read()
                    await self._finish()
                    nursery.cancel_scope.cancel()
        finally:
            for pending in self._all_pending():
                if pending.task is not None:
                    self._scheduler.withdraw(pending.task)
            self._transport.close()

    def shut_down(self) -> None:
        """Read no more; answer what was asked, within the grace time; close."""
        if self._grace_ends is None:
            self._ended_by_us = True
            self._grace_ends = trio.current_time() + self._limits.grace
            self._finishing.deadline = self._grace_ends
            # For a peer that doesn't take what it is answered.
            self._whole.deadline = self._grace_ends + self._limits.linger
            self._reading.cancel()

    async def _read(self) -> None:
        while not self._ended:
            try:
                data = await self._transport.receive()
            except trio.BrokenResourceError as error:
                self._lose(str(error))
                return
            incoming = self._take_in(data)
            if not data:
                self._ended = True
            if len(incoming) == 1 and not (self._inbox or self._out or self._line or self._tagged):
                self._begin(incoming[0])  # by far the commonest
                self._flush()
                continue
            self._inbox.extend(incoming)
            while not self._begin_some():
                await self._pause()

    def _take_in(self, data: bytes) -> list[Incoming]:
        """What `data` asks, as far as so much may be asked in so little time."""
        self._heard = self._now()
        incoming = self._conversation.receive_data(data)
        taken = self._pace.take(len(incoming), self._heard)
        if taken < len(incoming):
            rate = self._limits.max_rate
            told = Flooding(f"Expected at most {rate} lines a second, got more; nothing after them is read")
            incoming[taken:] = [Incoming(told)]
        return incoming

    async def _expire(self) -> None:
        """Hang up on a peer that gives no token, or asks nothing, for too long."""
        limits = self._limits
        if not self._guard.open:
            await trio.sleep(limits.auth_timeout)
            if not self._guard.open:
                self._hang_up(Unauthorized(f"Expected this server's token within {limits.auth_timeout:g} s"))
                return
        while limits.idle_timeout:
            if self._line or self._tagged or self._out:
                self._heard = trio.current_time()
            ends = self._heard + limits.idle_timeout
            if trio.current_time() >= ends:
                self._hang_up(TimedOut(f"Nothing was asked for {limits.idle_timeout:g} s"))
                return
            await trio.sleep_until(ends)

    def _hang_up(self, why: BgdError) -> None:
        log.info("hanging up: %s", why.message, extra=self._about)
        self._failed(why)
        self._out += self._conversation.refuse(why)
        self._end()
        self._reading.cancel()

    async def _finish(self) -> None:
        """Answer what was asked, and say goodbye."""
        with self._finishing:
            if self._grace_ends is not None and not self._ended:
                self._read_rest()
            while not self._begin_some():
                await self._pause()
            await self._until(lambda: not self._line and not self._tagged)
        leaving = ShuttingDown("The daemon is leaving")
        for pending in self._all_pending():
            if pending.task is not None:
                self._scheduler.withdraw(pending.task)
                self._finished(pending, leaving)
        while self._inbox:
            incoming = self._inbox.popleft()
            if incoming.content is not None:
                self._answer(incoming, leaving)
        self._flush()
        await self._until(lambda: not self._out)
        if self._ended_by_us:
            await self._linger()

    def _read_rest(self) -> None:
        """What the peer had sent before the daemon was told to leave, as far as one connection may have it pending."""
        try:
            while len(self._inbox) < self._limits.max_pending and (data := self._transport.receive_now()):
                self._inbox.extend(self._take_in(data))
        except trio.BrokenResourceError as error:
            self._lose(str(error))

    async def _linger(self) -> None:
        """Closing with input unread would reset the connection, and the last reply could be lost on its way."""
        try:
            if not self._transport.end_output():
                return
            with trio.move_on_after(self._limits.linger):
                for _ in range(LINGER_READS):
                    if not await self._transport.receive():
                        return
        except trio.BrokenResourceError:
            return

    def _lose(self, why: str) -> None:
        if not self._lost:
            self._lost = True
            log.debug("lost: %s", why, extra=self._about)
            self._whole.cancel()

    # Requests

    def _begin_some(self) -> bool:
        """Begin what was asked, for SLICE at most and as long as there is room for answers. Whether that was all."""
        inbox = self._inbox
        slice_ends = perf_counter() + SLICE if len(inbox) > 1 else inf
        while inbox and not self._full():
            self._begin(inbox.popleft())
            if slice_ends < inf and perf_counter() > slice_ends:
                break
        self._flush()
        return not inbox

    async def _pause(self) -> None:
        """Let others have their turn, or wait until there is room for answers."""
        if self._full():
            await self._until(lambda: not self._full())
        else:
            await trio.lowlevel.checkpoint()

    def _full(self) -> bool:
        limits = self._limits
        waiting = len(self._line) + len(self._tagged)
        return len(self._out) + self._held >= limits.max_unsent or waiting >= limits.max_pending

    def _begin(self, incoming: Incoming) -> None:
        content = incoming.content
        if content is None:
            return
        self._counts.requests += 1
        if isinstance(content, Request) and incoming.tag not in self._tagged and not self._quit:
            began = perf_counter()
            answer = self._handle(incoming, content)
            if answer is not None:
                self._settle(incoming, self._encode(incoming, answer))
                seconds = perf_counter() - began
                self._counts.at_once.add(seconds)
                self._tally.answered(content.verb, seconds)
        elif self._quit:
            self._answer(incoming, Cancelled("Not done, since it came after `quit`"))
        elif isinstance(content, bytes):
            self._settle(incoming, content)
        elif isinstance(content, BgdError):
            if isinstance(content, LineTooLong | Flooding | Foreign):
                self._end()
                log.info("closing: %s", content.message, extra=self._about)
            self._answer(incoming, content)
        else:
            self._answer(incoming, BadArgument(f"Expected a tag not in use, got `{incoming.tag}`, still unanswered"))

    def _handle(self, incoming: Incoming, request: Request) -> Answer | None:
        """The answer to a request; None when it will come from the scheduler."""
        self._tally.requests[self._conversation.dialect or "text", request.verb] += 1
        if not self._guard.open or isinstance(request, Auth):
            answer = self._guard.answer(request)
            if answer is not None:
                if isinstance(request, Auth) and self._guard.gives_up:
                    self._end()
                    self._inbox.clear()
                return answer
        if incoming.style and self._conversation.held >= self._limits.max_unsent:
            return Busy(f"The answers of this batch take {self._limits.max_unsent} bytes already")
        if isinstance(request, _OWN):
            return self._do(request)
        try:
            if self._session is None:
                self._session = self._open_session(self._conversation.dialect or "text")
            result = self._session.handle(request)
            if isinstance(result, Job) and result.cheap and self._engines.engine is not None:
                return result.run(self._engines.engine, UNLIMITED)
        except BgdError as error:
            return error
        except Exception:
            log.exception("%r failed", request, extra=self._about)
            return internal_error()
        if isinstance(result, Job):
            limit, progress = TimeLimit(result.movetime), result.progress
        elif isinstance(result, Errand):
            limit, progress = TimeLimit(), 0
        else:
            return result
        pending = _Pending(incoming)
        pending.task = Task(self, result, limit, lambda answer: self._finished(pending, answer, flush=True))
        try:
            self._scheduler.submit(pending.task)
        except Busy as error:
            return error
        if incoming.tag is None:
            self._line.append(pending)
        else:
            self._tagged[incoming.tag] = pending
        if progress and self._reporters is not None:
            self._reporters.start_soon(self._report, pending, pending.task, progress)
        return None

    def _do(self, request: Cancel | Quit | Stats) -> Reply:
        """What the connection does itself."""
        if isinstance(request, Cancel):
            return self._cancel(request)
        if isinstance(request, Stats):
            return StatsReply(values=self._statistics())
        self._quit = True
        self._end()
        return Done()

    def _end(self) -> None:
        """Nothing more is read from this peer."""
        self._ended = self._ended_by_us = True

    def _cancel(self, request: Cancel) -> Reply:
        target = request.target
        running = [
            pending
            for pending in self._all_pending()
            if pending.task is not None and (target is None or pending.incoming.tag == target)
        ]
        for pending in running:
            assert pending.task is not None
            if request.finish:
                self._scheduler.finish(pending.task)
            else:
                self._scheduler.withdraw(pending.task)
                self._finished(pending, Cancelled("Cancelled by its asker"))
        return Done(text=f"{len(running)} cancelled")

    # Replies

    def _all_pending(self) -> list[_Pending]:
        return [*self._line, *self._tagged.values()]

    def _answer(self, incoming: Incoming, answer: Answer) -> None:
        self._settle(incoming, self._encode(incoming, answer))

    def _failed(self, error: BgdError) -> None:
        self._counts.errors += 1
        self._tally.errors[error.code] += 1

    def _encode(self, incoming: Incoming, answer: Answer) -> bytes:
        if isinstance(answer, BgdError):
            self._failed(answer)
            log.debug("answered %s: %s", answer.code, answer.message, extra=self._about)
        try:
            return self._conversation.send(incoming, answer)
        except Exception:
            log.exception("can't encode %r", answer, extra=self._about)
            return self._conversation.send(incoming, internal_error())

    def _settle(self, incoming: Incoming, reply: bytes) -> None:
        """The final reply to a request just read; an untagged one waits for those before it."""
        if self._line and incoming.tag is None:
            self._line.append(_Pending(incoming, reply=reply))
            self._held += len(reply)
        else:
            self._out += reply

    def _finished(self, pending: _Pending, answer: Answer, *, flush: bool = False) -> None:
        """The final reply to a request that was pending."""
        pending.task = None
        seconds = perf_counter() - pending.began
        self._counts.jobs.add(seconds)
        if isinstance(pending.incoming.content, Request):
            self._tally.answered(pending.incoming.content.verb, seconds)
        if pending.reporting is not None:
            pending.reporting.cancel()
        reply = self._encode(pending.incoming, answer)
        tag = pending.incoming.tag
        if tag is not None:
            del self._tagged[tag]
            self._out += reply
        else:
            pending.reply = reply
            self._held += len(reply)
            line = self._line
            while line and (ready := line[0].reply) is not None:
                line.popleft()
                self._held -= len(ready)
                self._out += ready
        if flush:
            self._flush()
        self._tell()

    async def _report(self, pending: _Pending, task: Task, interval: int) -> None:
        """Tell how far `task` has come, every `interval` ms if there is something new, until it is answered.

        A peer that is behind with its reading is spared, and an untagged request tells nothing while one before it is
        unanswered: whose progress that is could not be seen."""
        pause = max(interval / 1000, self._limits.min_progress)
        with trio.CancelScope() as pending.reporting:
            await trio.sleep(pause)
            while pending.task is not None:
                first = pending.incoming.tag is not None or self._line[0] is pending
                if first and not self._out and (news := task.limit.take_news()) is not None:
                    self._out += self._conversation.report(pending.incoming, news)
                    self._flush()
                await trio.sleep(pause)

    # Output

    def _flush(self) -> None:
        """Hand over what the peer takes at once; leave the rest to `_write`."""
        out = self._out
        if not out or self._stalled.is_set() or self._lost:
            return
        try:
            sent = self._transport.send_now(out)
        except trio.BrokenResourceError as error:
            self._lose(str(error))
            return
        del out[:sent]
        if out:
            self._stalled.set()

    async def _write(self) -> None:
        while True:
            await self._stalled.wait()
            while self._out:
                with trio.move_on_after(self._limits.send_timeout) as patience:
                    try:
                        sent = await self._transport.send_some(self._out)
                    except trio.BrokenResourceError as error:
                        self._lose(str(error))
                        return
                if patience.cancelled_caught:
                    log.info("dropped, took no replies for %g s", self._limits.send_timeout, extra=self._about)
                    self._lose("takes no replies")
                    return
                del self._out[:sent]
                self._tell()
            self._stalled = trio.Event()

    def _tell(self) -> None:
        self._changed.set()
        self._changed = trio.Event()

    async def _until(self, condition: Callable[[], bool]) -> None:
        """Wait for answers or for the peer to take them; notice if it leaves, since nobody reads meanwhile."""
        if condition():
            return
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._watch)
            while not condition():
                await self._changed.wait()
            nursery.cancel_scope.cancel()

    async def _watch(self) -> None:
        await self._transport.wait_gone()
        self._lose("the peer has left")
