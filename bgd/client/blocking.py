"""The blocking client. Everything about waiting in one thread lives here."""

from __future__ import annotations

import select
import socket
import ssl
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Concatenate, Final, Generic, ParamSpec, TypeVar

from bgd.client.calls import BadReply, Call, Calls, Disconnected, OnProgress
from bgd.client.process import OWN_DAEMON, Process
from bgd.errors import TimedOut
from bgd.wire import messages
from bgd.wire.messages import Reply, Request

DEFAULT_PORT: Final = 4321
TIMEOUT: Final = 120.0
PATIENCE: Final = 5.0
FIRST_PAUSE: Final = 0.05
"""Seconds between the first two tries to connect again; each pause is twice the one before."""

READ_SIZE: Final = 65_536
MAX_UNSENT: Final = 65_536
"""Bytes of requests that wait to be sent before `submit` waits too."""

_NOT_NOW: Final = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)

P = ParamSpec("P")
R = TypeVar("R", bound=Reply)


def _verb(request: Callable[P, Request], kind: type[R]) -> Callable[Concatenate[Client, P], R]:
    """The method that asks a `request`, whose fields are its arguments."""

    def ask(client: Client, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return client.ask(request(*args, **kwargs), kind)

    ask.__doc__ = request.__doc__
    return ask


class Pending(Generic[R]):
    """A request that was sent. Its answer is there when it is wanted."""

    def __init__(self, client: Client, call: Call[R]) -> None:
        self._client, self._call = client, call

    @property
    def done(self) -> bool:
        """Whether `result` will not wait. Looking takes nothing in."""
        return self._call.outcome is not None

    def result(self, timeout: float | None = None) -> R:
        """The reply. Raises the error if that was the answer; TimedOut after `timeout` seconds (the client's, when it
        is None), and then the request is cancelled too."""
        return self._client._result(self._call, timeout)

    def cancel(self) -> None:
        """Ask the daemon to stop. `result` then raises Cancelled, or gives the answer if that was quicker."""
        self._client._cancel(self._call)


class Client:
    """See bgd.client. A client belongs to one thread.

    `timeout`: seconds that an answer may take, None for ever; the first one of a daemon just started waits for its
    engine. `patience`: seconds for which to try to connect again; 0: a lost connection is told, and nothing asked
    again. `token`: what the daemon wants to be told first; a wrong one raises Unauthorized."""

    def __init__(
        self,
        open_socket: Callable[[], socket.socket],
        *,
        timeout: float | None = TIMEOUT,
        patience: float = PATIENCE,
        token: str | None = None,
        on_close: Callable[[], None] = lambda: None,
    ) -> None:
        self.timeout = timeout
        self._patience = patience
        self._open_socket = open_socket
        self._on_close = on_close
        self._calls = Calls(token=token)
        self._out = bytearray()
        self._socket: socket.socket | None = None
        self._closed = False

    @classmethod
    def connect(
        cls,
        host: str = "127.0.0.1",
        port: int = DEFAULT_PORT,
        *,
        timeout: float | None = TIMEOUT,
        patience: float = PATIENCE,
        token: str | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> Client:
        """To a daemon's TCP port, encrypted if a context is given, as from `ssl.create_default_context`. Raises OSError
        when nobody listens there, or it is somebody else."""

        def open_socket() -> socket.socket:
            sock = socket.create_connection((host, port), timeout)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return tls.wrap_socket(sock, server_hostname=host) if tls is not None else sock

        return cls(open_socket, timeout=timeout, patience=patience, token=token)._opened()

    @classmethod
    def connect_unix(
        cls, path: str, *, timeout: float | None = TIMEOUT, patience: float = PATIENCE, token: str | None = None
    ) -> Client:
        """To a daemon's Unix socket. Raises OSError when nobody listens there."""

        def open_socket() -> socket.socket:
            sock = socket.socket(socket.AF_UNIX)
            try:
                sock.connect(path)
            except OSError:
                sock.close()
                raise
            return sock

        return cls(open_socket, timeout=timeout, patience=patience, token=token)._opened()

    @classmethod
    def start(
        cls, command: Sequence[str] = OWN_DAEMON, *, timeout: float | None = TIMEOUT, patience: float = PATIENCE
    ) -> Client:
        """To a process of its own, which ends with the client. Raises OSError when it can't be started."""
        process = Process(command)
        return cls(process.open, timeout=timeout, patience=patience, on_close=process.close)._opened()

    def _opened(self) -> Client:
        self._open()
        return self

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Whatever waits for an answer raises Disconnected."""
        self._closed = True
        self._drop()
        self._calls.fail_all(Disconnected("This client was closed"))
        self._on_close()

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

    def ask(self, request: Request, kind: type[R], on_progress: OnProgress = None) -> R:
        """Send a request and wait for its reply, which is a `kind`. `on_progress` is told what is reported meanwhile,
        if the request asks for that."""
        return self._result(self._begin(request, kind, on_progress), None)

    def submit(self, request: Request, kind: type[R], on_progress: OnProgress = None) -> Pending[R]:
        """Send a request and don't wait for its reply, which will be a `kind`. Any number may be on their way."""
        return Pending(self, self._begin(request, kind, on_progress))

    def _begin(self, request: Request, kind: type[R], on_progress: OnProgress) -> Call[R]:
        if self._closed:
            raise Disconnected("This client was closed")
        if self._socket is None:
            self._open()
        call = self._calls.begin(request, kind, on_progress)
        self._send(call.line)
        return call

    def _result(self, call: Call[R], timeout: float | None) -> R:
        timeout = self.timeout if timeout is None else timeout
        deadline = None if timeout is None else time.monotonic() + timeout
        while call.outcome is None:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                self._cancel(call)
                self._calls.fail(call, TimedOut(f"No answer within {timeout:g} s"))
            else:
                self._exchange(left)
        return call.answer()

    def _cancel(self, call: Call[Any]) -> None:
        self._send(self._calls.cancel(call))

    # The connection

    def _open(self) -> None:
        sock = self._open_socket()
        sock.setblocking(False)
        self._socket = sock
        self._out += self._calls.greeting

    def _drop(self) -> None:
        self._out.clear()
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _lose(self, why: str) -> None:
        """Connect again, and ask again what can be."""
        self._drop()
        lines = self._calls.lose(why, again=self._patience > 0)
        if lines and self._open_again(why):
            self._out += lines

    def _open_again(self, why: str) -> bool:
        """For `patience` seconds; then nothing that waits will be answered."""
        ends = time.monotonic() + self._patience
        pause = FIRST_PAUSE
        while True:
            try:
                self._open()
                return True
            except OSError as error:
                if time.monotonic() + pause > ends:
                    self._calls.fail_all(Disconnected(f"The connection was lost: {why}; and then: {error}"))
                    return False
            time.sleep(pause)
            pause *= 2

    def _send(self, data: bytes) -> None:
        """Hand over what the daemon takes at once. When too much is left, wait, and read so that it goes on reading."""
        self._out += data
        self._exchange(0)
        while len(self._out) > MAX_UNSENT:
            self._exchange(None)

    def _exchange(self, seconds: float | None) -> None:
        """Wait until something can be sent or received, for so many seconds at most, and do that."""
        sock = self._socket
        if sock is None:
            return
        try:
            if self._out:
                try:
                    del self._out[: sock.send(self._out)]
                except _NOT_NOW:
                    pass
                except OSError:
                    self._out.clear()  # what it said before it left is still to be read, and after that its end
            poll = select.poll()
            poll.register(sock, select.POLLIN | (select.POLLOUT if self._out else 0))
            decrypted = isinstance(sock, ssl.SSLSocket) and sock.pending() > 0
            if decrypted or poll.poll(None if seconds is None else seconds * 1000):
                with suppress(*_NOT_NOW):
                    data = sock.recv(READ_SIZE)
                    if not data:
                        raise Disconnected("the other side closed it")
                    self._calls.receive(data)
        except BadReply as error:
            self._drop()
            self._calls.fail_all(error)
        except OSError as error:
            self._lose(str(error))
