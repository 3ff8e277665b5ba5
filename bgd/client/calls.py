"""The asking side of a conversation, without a wire: which requests wait, and which reply is whose.

Requests go out as JSON-RPC 2.0 (protocol/SPEC.md), the one dialect whose replies read back as Structs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Final, Generic, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType, field

from bgd.errors import BgdError, Cancelled, IllegalPlay, InputError, LineTooLong
from bgd.wire.framing import MAX_LINE
from bgd.wire.messages import NewGame, Progress, Reply, Request, RolloutProgress, SearchProgress, Set, SetPosition

TRIES: Final = 3
"""Connections on which one request is asked at most: it might be the one that brings the daemon down."""

MAX_REPLY: Final = 64 * 1024 * 1024
"""Bytes in a line of the daemon's; a peer that sends more is no daemon of ours."""

_AUTH: Final = 0
"""The id of `auth`; the first request has 1."""

R = TypeVar("R", bound=Reply)
OnProgress: TypeAlias = Callable[[Progress], None] | None
"""Told of what is reported before the reply. If it raises, that is the call's outcome."""


class Disconnected(ConnectionError):
    """The connection ended before the answer came."""


class BadReply(ConnectionError):
    """What came is no reply of bgd's: some other program listens there."""


class _ErrorData(Struct, frozen=True):
    code: str = ""
    rule: str = ""
    path: str = ""


class _Error(Struct, frozen=True):
    message: str
    data: _ErrorData = field(default_factory=_ErrorData)


class _ProgressParams(Struct, frozen=True):
    token: int
    value: dict[str, Any]


class _Message(Struct, frozen=True):
    """A line of the daemon's. Notifications have no id; an error that answers no request has the id null."""

    method: str = ""
    params: Raw = Raw()
    id: int | str | None = None
    result: Raw = Raw()
    error: _Error | UnsetType = UNSET


_MESSAGES: Final = msgspec.json.Decoder(_Message)
_PROGRESS: Final = msgspec.json.Decoder(_ProgressParams)


@lru_cache
def _reader(kind: type[Reply]) -> msgspec.json.Decoder[Reply]:
    return msgspec.json.Decoder(kind)


def _leaves(kind: type[BgdError]) -> Iterator[type[BgdError]]:
    """The classes of bgd.errors that have none below them there."""
    below = [each for each in kind.__subclasses__() if each.__module__ == BgdError.__module__]
    for each in below:
        yield from _leaves(each)
    if not below:
        yield kind


_ERRORS: Final = {kind.code: kind for kind in _leaves(BgdError)}


def _raised(message: str, data: _ErrorData) -> BgdError:
    """The error that the daemon tells of. A code that this version has no class for is told by a plain BgdError."""
    kind = _ERRORS.get(data.code)
    if kind is None:
        return BgdError(f"{data.code}: {message}")
    error = IllegalPlay(message, data.rule) if issubclass(kind, IllegalPlay) else kind(message)
    return error.at(data.path.removeprefix("$.params.")) if isinstance(error, InputError) else error


class Call(Generic[R]):
    """One request on its way (`line` as it is sent), and then its outcome."""

    __slots__ = ("id", "kind", "line", "on_progress", "outcome", "tries", "unwanted")

    def __init__(self, number: int, line: bytes, kind: type[R], on_progress: OnProgress) -> None:
        self.id, self.line, self.kind, self.on_progress = number, line, kind, on_progress
        self.outcome: R | Exception | None = None
        self.tries = 1
        self.unwanted = False

    def answer(self) -> R:
        """Of a call that has its outcome: the reply. Raises the error if that is what it was."""
        if isinstance(self.outcome, Exception):
            raise self.outcome
        assert self.outcome is not None
        return self.outcome


class Calls:
    """All calls of one client that wait for a reply. `on_settled` is told of each that has its outcome; `token` is
    what the daemon wants to hear first, or None."""

    def __init__(
        self, on_settled: Callable[[Call[Any]], None] = lambda call: None, *, token: str | None = None
    ) -> None:
        self._on_settled = on_settled
        auth = {"jsonrpc": "2.0", "id": _AUTH, "method": "auth", "params": {"token": token}}
        self.greeting = msgspec.json.encode(auth) + b"\n" if token is not None else b""
        """What is to be sent first on each connection."""
        self._waiting: dict[int, Call[Any]] = {}
        self._count = 0
        self._tail = bytearray()
        self._farewell: BgdError | None = None
        self._has_session = False

    def begin(self, request: Request, kind: type[R], on_progress: OnProgress = None) -> Call[R]:
        """A call whose `line` is now to be sent. Raises LineTooLong, which would cost all others their connection."""
        number = self._count + 1
        line = msgspec.json.encode({"jsonrpc": "2.0", "id": number, "method": request.verb, "params": request})
        if len(line) > MAX_LINE:
            raise LineTooLong(f"Expected a request of at most {MAX_LINE} bytes, got {len(line)}")
        self._count = number
        self._has_session = self._has_session or isinstance(request, SetPosition | Set | NewGame)
        call = self._waiting[number] = Call(number, line + b"\n", kind, on_progress)
        return call

    def cancel(self, call: Call[Any]) -> bytes:
        """What to send so that the daemon stops working on it. Its reply comes all the same."""
        if call.id not in self._waiting:
            return b""
        call.unwanted = True
        return b'{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":%d}}\n' % call.id

    def fail(self, call: Call[Any], error: Exception) -> None:
        """Wait for it no more; what still comes of it is dropped."""
        self._settle(call.id, error)

    def fail_all(self, error: Exception) -> None:
        for call in list(self._waiting.values()):
            self.fail(call, error)

    def receive(self, data: bytes) -> None:
        """Settle what the lines in `data` answer. Raises BadReply."""
        self._tail += data
        if b"\n" in data:
            *lines, rest = bytes(self._tail).split(b"\n")
            self._tail = bytearray(rest)
            for line in lines:
                self._take_in(line)
        if len(self._tail) > MAX_REPLY:
            raise BadReply(f"Expected at most {MAX_REPLY} bytes in a line")

    def _take_in(self, line: bytes) -> None:
        if line.startswith(b"error "):  # said before our first line told the daemon which dialect is ours
            code, _, told = line.removeprefix(b"error ").decode(errors="replace").partition(" ")
            self._farewell = _raised(told, _ErrorData(code))
            return
        try:
            message = _MESSAGES.decode(line)
        except (msgspec.MsgspecError, RecursionError) as fault:
            raise BadReply(f"Expected a reply of bgd, got `{line[:60]!r}`: {fault}") from None
        error = message.error
        outcome = _raised(error.message, error.data) if error else None
        if message.method == "$/progress":
            self._report(message.params)
        elif message.id is None:
            self._farewell = outcome or self._farewell
        elif message.id == _AUTH:
            if outcome is not None:
                self.fail_all(outcome)
        elif isinstance(message.id, int) and (call := self._waiting.get(message.id)) is not None:
            self._settle(call.id, outcome or _read(message.result, call.kind))

    def _report(self, params: Raw) -> None:
        """Tell of progress who wants to know; what a later version reports in other words is passed over."""
        try:
            report = _PROGRESS.decode(params)
            kind = RolloutProgress if "trials" in report.value else SearchProgress
            progress: Progress = msgspec.convert(report.value, kind)
        except msgspec.MsgspecError:
            return
        call = self._waiting.get(report.token)
        if call is not None and call.on_progress is not None:
            try:
                call.on_progress(progress)
            except Exception as error:  # noqa: BLE001  # whoever happens to read is not to blame
                self.fail(call, error)

    def _settle(self, number: int, outcome: Reply | Exception) -> None:
        call = self._waiting.pop(number, None)
        if call is not None:
            call.outcome = outcome
            self._on_settled(call)

    def lose(self, why: str, *, again: bool) -> bytes:
        """The connection is gone. What to send on the next one, if requests may be asked `again`; what can't be asked
        again has its outcome now."""
        farewell, self._farewell = self._farewell, None
        had_session, self._has_session = self._has_session, False
        self._tail.clear()
        lines = []
        for call in list(self._waiting.values()):
            call.tries += 1
            if call.unwanted:
                self.fail(call, Cancelled("Cancelled, and then the connection was lost"))
            elif farewell is not None:
                self.fail(call, farewell)
            elif had_session:
                self.fail(call, Disconnected(f"The connection was lost, and with it what had been set: {why}"))
            elif not again or call.tries > TRIES:
                self.fail(call, Disconnected(f"The connection was lost: {why}"))
            else:
                lines.append(call.line)
        return b"".join(lines)


def _read(result: Raw, kind: type[Reply]) -> Reply | BadReply:
    try:
        return _reader(kind).decode(result)
    except (msgspec.MsgspecError, RecursionError) as error:
        return BadReply(f"Expected {kind.__name__}: {error}")
