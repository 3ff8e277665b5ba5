"""A service, a dialect and a peer for the daemon's own tests: no backgammon, no engine, no sockets."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import trio
import trio.testing

from bgd.config import Limits
from bgd.daemon.auth import Guard
from bgd.daemon.connection import Connection
from bgd.daemon.engine import EngineHost
from bgd.daemon.scheduler import Scheduler
from bgd.daemon.tally import Counts
from bgd.errors import BadArgument, BgdError, LineTooLong, UnknownCommand
from bgd.service.job import Deadline, Job
from bgd.wire.conversation import Conversation
from bgd.wire.messages import (
    Auth,
    Best,
    Cancel,
    Done,
    Help,
    Incoming,
    Ping,
    Progress,
    Quit,
    Reply,
    Request,
    SearchProgress,
    Stats,
    StatsReply,
)

if TYPE_CHECKING:
    from bgd.engine import Engine

MAX_LINE = 64


class FakeConversation:
    """`[#tag ]verb[ argument]` a line; replies are `[#tag ]ok text` or `[#tag ]error code`."""

    dialect = "text"
    held = 0

    def __init__(self) -> None:
        self._buffer = b""

    def receive_data(self, data: bytes) -> list[Incoming]:
        *lines, self._buffer = (self._buffer + (data or b"\n")).split(b"\n")
        found = [self._decode(line.decode()) for line in lines]
        if len(self._buffer) > MAX_LINE:
            found.append(Incoming(LineTooLong("too long")))
        return found

    def _decode(self, line: str) -> Incoming:
        tag = None
        if line.startswith("#"):
            tag, _, line = line[1:].partition(" ")
        verb, _, argument = line.partition(" ")
        requests: dict[str, Callable[[], Any]] = {
            "": lambda: None,
            "ping": Ping,
            "bug": lambda: Help(topic="bug"),
            "bytes": lambda: b"as it is\n",
            "bad": lambda: BadArgument("bad"),
            "job": lambda: Best(position=argument),
            "long": lambda: Best(position=f"long {argument}"),
            "cancel": lambda: Cancel(target=argument or None),
            "stop": lambda: Cancel(target=argument or None, finish=True),
            "stats": Stats,
            "quit": Quit,
            "auth": lambda: Auth(token=argument),
        }
        return Incoming(requests[verb]() if verb in requests else UnknownCommand(verb), tag)

    @staticmethod
    def _tag(incoming: Incoming) -> bytes:
        return f"#{incoming.tag} ".encode() if incoming.tag is not None else b""

    def send(self, incoming: Incoming, answer: Reply | BgdError) -> bytes:
        if isinstance(answer, BgdError):
            told = f"error {answer.code}"
        elif isinstance(answer, StatsReply):
            told = f"ok requests={answer.values['requests']}"
        else:
            assert isinstance(answer, Done)
            told = f"ok {answer.text}"
        return self._tag(incoming) + f"{told}\n".encode()

    def report(self, incoming: Incoming, progress: Progress) -> bytes:
        assert isinstance(progress, SearchProgress)
        return self._tag(incoming) + f"progress {progress.plies}\n".encode()

    def refuse(self, error: BgdError) -> bytes:
        return f"error {error.code}\n".encode()


class FakeSession:
    """`ping` is answered at once; `job NAME` and `long NAME` are jobs of `Jobs`; `bug` raises what nobody expects."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs

    def handle(self, request: Request) -> Reply | Job:
        if isinstance(request, Ping):
            return Done(text="pong")
        if isinstance(request, Best):
            assert request.position is not None
            return self._jobs.job(request.position)
        raise ZeroDivisionError("a bug in the service")


class Jobs:
    """Jobs by name: `cheap`, `bug`, `refused`; `big` has a long reply; any other runs until `finish(name)` or stopped.

    `name@20` has a movetime of 20 ms, `name%20` asks for progress each 20 ms, `name^7` has priority 7. `order` holds
    the names in the order in which they began; `stopped` those that were told to stop."""

    def __init__(self) -> None:
        self._gates: dict[str, threading.Event] = {}
        self._deadlines: dict[str, Deadline] = {}
        self.order: list[str] = []
        self.stopped: list[str] = []
        self.began = threading.Semaphore(0)

    def gate(self, name: str) -> threading.Event:
        return self._gates.setdefault(name, threading.Event())

    def finish(self, *names: str) -> None:
        for name in names:
            self.gate(name).set()

    def report(self, name: str, plies: int) -> None:
        """Have a job that runs tell how far it has come."""
        self._deadlines[name].report(SearchProgress(plies=plies, equity=0.0))

    def job(self, name: str) -> Job:
        long, name = name.startswith("long "), name.removeprefix("long ")
        name, _, priority = name.partition("^")
        name, _, interval = name.partition("%")
        name, _, movetime = name.partition("@")

        def run(engine: Engine, deadline: Deadline) -> Reply:
            self._deadlines[name] = deadline
            self.order.append(name)
            self.began.release()
            if name == "bug":
                raise ZeroDivisionError("a bug in the engine")
            if name == "refused":
                raise BadArgument("no")
            if name == "big":
                return Done(text="x" * 5000)
            while name != "cheap" and not self.gate(name).wait(0.001):
                if deadline.stop_now():
                    self.stopped.append(name)
                    return Done(text=f"{name} so far")
            return Done(text=name)

        return Job(
            run, name == "cheap", int(movetime) if movetime else None, int(interval or 0), long, int(priority or 0)
        )

    async def wait_begun(self) -> None:
        await trio.to_thread.run_sync(self.began.acquire)


class StreamTransport:
    """A transport over any trio stream; everything that is sent takes the slow path."""

    def __init__(self, stream: trio.abc.HalfCloseableStream) -> None:
        self._stream = stream
        self.gone = trio.Event()

    async def receive(self) -> bytes:
        return bytes(await self._stream.receive_some())

    def receive_now(self) -> bytes | None:
        return None

    def send_now(self, data: bytes | bytearray) -> int:
        return 0

    async def send_some(self, data: bytes | bytearray) -> int:
        chunk = bytes(data)  # more may be added while this one is on its way
        await self._stream.send_all(chunk)
        return len(chunk)

    async def wait_gone(self) -> None:
        await self.gone.wait()

    def end_output(self) -> bool:
        return False

    def close(self) -> None:
        trio.lowlevel.spawn_system_task(trio.aclose_forcefully, self._stream)


class House:
    """A loaded (or still loading) engine, workers, and connections to it over memory streams."""

    def __init__(
        self, nursery: trio.Nursery, *, loaded: bool = True, complete: bool = True, workers: int = 1, **limits: Any
    ) -> None:
        self.jobs = Jobs()
        self.limits = Limits(**limits)
        self.load_gate = threading.Event()
        if loaded:
            self.load_gate.set()
        self.finish_gate = threading.Event()
        if complete:
            self.finish_gate.set()
        self.engines = EngineHost(self._load, self._finish)
        self.scheduler = Scheduler(self.engines, workers, self.limits.max_queued)
        self.counts = Counts()
        self.failure: BgdError | None = None
        self.unfinished: Exception | None = None
        self._nursery = nursery

    def _load(self, progress: Callable[[str], None]) -> Engine:
        self.load_gate.wait()
        if self.failure is not None:
            raise self.failure
        return cast("Engine", object())

    def _finish(self, engine: Engine, progress: Callable[[str], None]) -> None:
        self.finish_gate.wait()
        if self.unfinished is not None:
            raise self.unfinished

    async def open(self, *, ready: bool = True) -> House:
        self._nursery.start_soon(self.scheduler.run)
        self._nursery.start_soon(self.engines.load)
        if ready:
            await self.engines.wait()
        return self

    def connect(self, *, guard: Guard | None = None, conversation: Conversation | None = None) -> Peer:
        ours, theirs = trio.testing.memory_stream_pair()
        return self.connect_over(StreamTransport(theirs), ours, guard=guard, conversation=conversation)

    def connect_over(
        self,
        transport: Any,
        stream: trio.abc.HalfCloseableStream,
        *,
        guard: Guard | None = None,
        conversation: Conversation | None = None,
    ) -> Peer:
        connection = Connection(
            transport,
            conversation or cast(Any, FakeConversation()),
            open_session=lambda dialect: FakeSession(self.jobs),
            engines=self.engines,
            scheduler=self.scheduler,
            limits=self.limits,
            counts=self.counts,
            statistics=lambda: {"requests": self.counts.requests},
            name="peer",
            guard=guard,
        )
        peer = Peer(connection, transport, stream)
        self._nursery.start_soon(peer.run)
        return peer


class Peer:
    """The other end of a connection."""

    def __init__(self, connection: Connection, transport: Any, stream: trio.abc.HalfCloseableStream) -> None:
        self.connection, self.transport, self.stream = connection, transport, stream
        self.closed = trio.Event()
        self._buffer = b""

    async def run(self) -> None:
        await self.connection.run()
        self.closed.set()

    async def say(self, *lines: str) -> None:
        await self.stream.send_all("".join(f"{line}\n" for line in lines).encode())

    async def hear(self) -> str:
        """The next line without its end; empty, too, when the connection is closed."""
        return (await self.hear_line()).removesuffix("\n")

    async def hear_line(self) -> str:
        """The next line with its end; empty when the connection is closed."""
        while b"\n" not in self._buffer:
            data = await self.stream.receive_some()
            if not data:
                assert not self._buffer
                return ""
            self._buffer += data
        line, end, self._buffer = self._buffer.partition(b"\n")
        return (line + end).decode()

    async def hear_all(self) -> list[str]:
        """Everything up to the end."""
        lines = []
        while line := await self.hear():
            lines.append(line)
        return lines
