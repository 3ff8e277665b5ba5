"""The trio client. Everything about tasks that share one connection lives here.

There is no task of its own: whoever waits for an answer does what nobody else is doing just then, connecting, sending
or reading, for all of them; and when it is done, the next one does. Only thus can a client be used without a nursery,
and errors reach their asker as they are.
"""

from __future__ import annotations

import ssl
from collections.abc import Awaitable, Callable, Sequence
from types import TracebackType
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

import trio

from bgd.client.blocking import DEFAULT_PORT, FIRST_PAUSE, PATIENCE, READ_SIZE
from bgd.client.calls import BadReply, Call, Calls, Disconnected, OnProgress
from bgd.client.process import OWN_DAEMON, Process
from bgd.wire import messages
from bgd.wire.messages import Reply, Request

SEND_TIMEOUT: Final = 10.0
"""Seconds for the daemon to take what is sent, before its connection counts as lost."""

P = ParamSpec("P")
R = TypeVar("R", bound=Reply)


def _verb(request: Callable[P, Request], kind: type[R]) -> Callable[Concatenate[AsyncClient, P], Awaitable[R]]:
    """The method that asks a `request`, whose fields are its arguments."""

    async def ask(client: AsyncClient, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await client.ask(request(*args, **kwargs), kind)

    ask.__doc__ = request.__doc__
    return ask


async def _nothing() -> None:
    pass


async def _encrypted(stream: trio.abc.Stream, tls: ssl.SSLContext, host: str) -> trio.abc.Stream:
    """Raises ConnectionError when the other side is not who it should be."""
    secure = trio.SSLStream(stream, tls, server_hostname=host, https_compatible=True)
    try:
        await secure.do_handshake()
    except trio.BrokenResourceError as error:
        await trio.aclose_forcefully(secure)
        raise ConnectionError(f"no TLS with {host}: {error.__cause__ or error}") from error
    return secure


class AsyncClient:
    """See bgd.client. Any number of tasks of one trio loop may ask at once.

    `patience`: seconds for which to try to connect again; 0: a lost connection is told, and nothing asked again.
    `token`: what the daemon wants to be told first; a wrong one raises Unauthorized."""

    def __init__(
        self,
        open_stream: Callable[[], Awaitable[trio.abc.Stream]],
        *,
        patience: float = PATIENCE,
        token: str | None = None,
        on_close: Callable[[], Awaitable[None]] = _nothing,
    ) -> None:
        self._open_stream = open_stream
        self._patience = patience
        self._on_close = on_close
        self._calls = Calls(self._settled, token=token)
        self._out = bytearray()
        self._stream: trio.abc.Stream | None = None
        self._opening = self._sending = self._reading = False
        self._sleepers: dict[int, trio.Event] = {}
        self._closed = False

    @classmethod
    def connect(
        cls,
        host: str = "127.0.0.1",
        port: int = DEFAULT_PORT,
        *,
        patience: float = PATIENCE,
        token: str | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> AsyncClient:
        """To a daemon's TCP port, encrypted if a context is given, as from `ssl.create_default_context`."""

        async def open_stream() -> trio.abc.Stream:
            stream = await trio.open_tcp_stream(host, port)
            return stream if tls is None else await _encrypted(stream, tls, host)

        return cls(open_stream, patience=patience, token=token)

    @classmethod
    def connect_unix(cls, path: str, *, patience: float = PATIENCE, token: str | None = None) -> AsyncClient:
        """To a daemon's Unix socket."""
        return cls(lambda: trio.open_unix_socket(path), patience=patience, token=token)

    @classmethod
    def start(cls, command: Sequence[str] = OWN_DAEMON, *, patience: float = PATIENCE) -> AsyncClient:
        """To a process of its own, which ends with the client."""
        process = Process(command)

        async def open_stream() -> trio.abc.Stream:
            sock = await trio.to_thread.run_sync(process.open)
            return trio.SocketStream(trio.socket.from_stdlib_socket(sock))

        async def on_close() -> None:
            await trio.to_thread.run_sync(process.close)

        return cls(open_stream, patience=patience, on_close=on_close)

    async def __aenter__(self) -> AsyncClient:
        """Connect. Raises OSError when that fails."""
        await self._connect()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Whatever waits for an answer raises Disconnected."""
        self._closed = True
        stream, self._stream = self._stream, None
        self._calls.fail_all(Disconnected("This client was closed"))
        if stream is not None:
            await trio.aclose_forcefully(stream)
        await self._on_close()

    # Asking

    hello = _verb(messages.Hello, messages.HelloReply)
    ping = _verb(messages.Ping, messages.Done)
    help = _verb(messages.Help, messages.HelpReply)
    position = _verb(messages.SetPosition, messages.PositionReply)
    newgame = _verb(messages.NewGame, messages.Done)
    set = _verb(messages.Set, messages.Done)
    get = _verb(messages.Get, messages.Values)
    options = _verb(messages.Options, messages.OptionsReply)
    moves = _verb(messages.Moves, messages.MovesReply)
    check = _verb(messages.Check, messages.CheckReply)
    best = _verb(messages.Best, messages.BestReply)
    eval = _verb(messages.Eval, messages.EvalReply)
    cube = _verb(messages.Cube, messages.CubeReply)
    rollout = _verb(messages.Rollout, messages.RolloutReply)
    luck = _verb(messages.Luck, messages.LuckReply)
    resign = _verb(messages.Resign, messages.ResignReply)
    turn = _verb(messages.Turn, messages.TurnReply)
    decide = _verb(messages.Decide, messages.DecisionReply)
    convert = _verb(messages.Convert, messages.PositionReply)
    show = _verb(messages.Show, messages.ShowReply)
    cancel = _verb(messages.Cancel, messages.Done)
    stats = _verb(messages.Stats, messages.StatsReply)

    async def ask(self, request: Request, kind: type[R], on_progress: OnProgress = None) -> R:
        """Send a request and wait for its reply, which is a `kind`. Cancelled here, it is cancelled in the daemon.
        `on_progress` is told what is reported meanwhile, if the request asks for that."""
        if self._closed:
            raise Disconnected("This client was closed")
        call = self._calls.begin(request, kind, on_progress)
        self._out += call.line
        try:
            while call.outcome is None:
                await self._take_part(call)
        except trio.Cancelled:
            self._out += self._calls.cancel(call)
            self._calls.fail(call, Disconnected("Its asker has left"))
            if self._stream is not None and not self._sending:
                await self._send(self._stream)
            raise
        finally:
            self._wake_one()
        return call.answer()

    # Sharing the work

    async def _take_part(self, call: Call[Any]) -> None:
        """Do what there is to do and nobody does; sleep if there is nothing."""
        if self._stream is None:
            if not self._opening:
                return await self._open()
        elif self._out and not self._sending:
            self._wake_one()  # to read, or the daemon might stop reading too
            return await self._send(self._stream)
        elif not self._reading:
            return await self._receive(self._stream)
        event = self._sleepers[call.id] = trio.Event()
        try:
            await event.wait()
        finally:
            self._sleepers.pop(call.id, None)

    def _wake_one(self) -> None:
        if self._sleepers:
            self._sleepers.popitem()[1].set()

    def _settled(self, call: Call[Any]) -> None:
        event = self._sleepers.pop(call.id, None)
        if event is not None:
            event.set()

    # The connection

    async def _connect(self) -> None:
        """Raises OSError."""
        stream = await self._open_stream()
        if self._closed:
            await trio.aclose_forcefully(stream)
        else:
            self._stream = stream
            self._out[:0] = self._calls.greeting

    async def _open(self) -> None:
        """For `patience` seconds; then nothing that waits will be answered."""
        self._opening = True
        ends = trio.current_time() + self._patience
        pause = FIRST_PAUSE
        try:
            while self._stream is None and not self._closed:
                try:
                    await self._connect()
                except OSError as error:
                    if trio.current_time() + pause > ends:
                        self._out.clear()
                        return self._calls.fail_all(Disconnected(f"Can't connect: {error}"))
                    await trio.sleep(pause)
                    pause *= 2
        finally:
            self._opening = False

    async def _lose(self, stream: trio.abc.Stream, why: str) -> None:
        """Let go of a connection; what can be asked again waits to be sent on the next one."""
        if stream is self._stream:
            self._stream = None
            self._out[:] = self._calls.lose(why, again=self._patience > 0)
        await trio.aclose_forcefully(stream)

    async def _send(self, stream: trio.abc.Stream) -> None:
        """All that is to be sent. A line cut short would be the end of the connection: so nobody cancels this."""
        self._sending = True
        try:
            with trio.CancelScope(shield=True, deadline=trio.current_time() + SEND_TIMEOUT) as scope:
                while self._out and stream is self._stream:
                    data = bytes(self._out)
                    self._out.clear()
                    await stream.send_all(data)
            if scope.cancelled_caught:
                await self._lose(stream, f"the daemon took nothing for {SEND_TIMEOUT:g} s")
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            self._out.clear()  # what it said before it left is still to be read, and after that its end
        finally:
            self._sending = False

    async def _receive(self, stream: trio.abc.Stream) -> None:
        """The next data, and what they answer."""
        self._reading = True
        try:
            data = await stream.receive_some(READ_SIZE)
            if data:
                self._calls.receive(bytes(data))
            else:
                await self._lose(stream, "the other side closed it")
        except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
            await self._lose(stream, str(error))
        except BadReply as error:
            if stream is self._stream:
                self._stream = None
                self._out.clear()
                self._calls.fail_all(error)
            await trio.aclose_forcefully(stream)
        finally:
            self._reading = False
