"""JSON-RPC 2.0, one object (or batch) a line: methods are the verbs, params the requests' fields by name.

`$/cancelRequest` with an id stops that request, and `$/progress` with the id as its token tells how far one has come,
as in the Language Server Protocol. Fields of a result that have their default value are left out.
"""

from __future__ import annotations

from typing import ClassVar, Final

import msgspec

from bgd.errors import BadArgument, BgdError, IllegalPlay, InputError, UnknownCommand
from bgd.wire.build import build, shown
from bgd.wire.messages import Cancel, Incoming, Progress, Reply, Request

_MAX_ID: Final = 64
_MEMBERS: Final = frozenset({"jsonrpc", "id", "method", "params"})
_NOTIFICATION: Final = "notification"

_PARSE_ERROR: Final = -32700
_INVALID_REQUEST: Final = -32600
_METHOD_NOT_FOUND: Final = -32601
_INVALID_PARAMS: Final = -32602
_INTERNAL_ERROR: Final = -32603
_NUMBERS: Final = {
    "busy": -32001,
    "timeout": -32002,
    "shutting-down": -32003,
    "unsupported": -32004,
    "unauthorized": -32005,
    "flooding": -32006,
    "cancelled": -32800,  # the Language Server Protocol's RequestCancelled
}


class NotJson(BadArgument):
    """A line that is no JSON."""


class NotACall(BadArgument):
    """JSON that is no JSON-RPC 2.0 request."""


class _Batch:
    """Answers of a batch, kept until the last one is there."""

    def __init__(self, expected: int) -> None:
        self.expected = expected
        self.answers: list[bytes] = []


class JsonRpcCodec:
    """See the module. It remembers one thing of the conversation: which answers a batch still waits for.

    The tag of a request is its id as JSON; `style` says whether it is a notification, or in which batch it came."""

    name: ClassVar[str] = "json"

    def __init__(self) -> None:
        self._batches: dict[str, _Batch] = {}
        self._count = 0
        self.held = 0
        """Bytes of answers that wait for the rest of their batch."""

    def decode_all(self, line: str) -> list[Incoming]:
        """The requests of a line: one, or those of a batch."""
        if not line.strip():
            return []
        try:
            whole = msgspec.json.decode(line)
        except (msgspec.DecodeError, RecursionError) as error:
            return [Incoming(NotJson(f"Expected JSON: {error}"))]
        if not isinstance(whole, list):
            return [_call(whole)]
        if not whole:
            return [Incoming(NotACall("Expected at least one request in a batch"))]
        self._count += 1
        key = f"batch {self._count}"
        calls = [_call(member) for member in whole]
        calls = [call if call.style else Incoming(call.content, call.tag, key) for call in calls]
        expected = sum(call.style == key for call in calls)
        if expected:
            self._batches[key] = _Batch(expected)
        return calls

    def decode(self, line: str) -> Incoming:
        """One request that is no batch."""
        incomings = self.decode_all(line)
        return incomings[0] if incomings else Incoming(None)

    def encode(self, incoming: Incoming, answer: Reply | BgdError) -> bytes:
        if incoming.style == _NOTIFICATION:
            return b""
        member = b'"error":' + _error(answer) if isinstance(answer, BgdError) else b'"result":' + _json(answer)
        body = b'{"jsonrpc":"2.0","id":%s,%s}' % ((incoming.tag or "null").encode(), member)
        batch = self._batches.get(incoming.style)
        if batch is None:
            return body + b"\n"
        batch.answers.append(body)
        self.held += len(body)
        if len(batch.answers) < batch.expected:
            return b""
        self.held -= sum(map(len, batch.answers))
        del self._batches[incoming.style]
        return b"[" + b",".join(batch.answers) + b"]\n"

    def report(self, incoming: Incoming, progress: Progress) -> bytes:
        if incoming.tag is None:
            return b""
        params = b'{"token":%s,"value":%s}' % (incoming.tag.encode(), _json(progress))
        return b'{"jsonrpc":"2.0","method":"$/progress","params":%s}\n' % params

    def refuse(self, error: BgdError) -> bytes:
        return b'{"jsonrpc":"2.0","id":null,"error":%s}\n' % _error(error)


def _json(value: object) -> bytes:
    return msgspec.json.encode(value)


def _error(error: BgdError) -> bytes:
    data = {"code": error.code}
    if isinstance(error, InputError) and error.path:
        data["path"] = f"$.params.{error.path}"
    if isinstance(error, IllegalPlay):
        data["rule"] = error.rule
    return _json({"code": _number(error), "message": error.message, "data": data})


def _number(error: BgdError) -> int:
    if isinstance(error, NotJson):
        return _PARSE_ERROR
    if isinstance(error, NotACall):
        return _INVALID_REQUEST
    if isinstance(error, UnknownCommand):
        return _METHOD_NOT_FOUND
    return _NUMBERS.get(error.code, _INVALID_PARAMS if isinstance(error, InputError) else _INTERNAL_ERROR)


def _call(call: object) -> Incoming:
    """One request. Whatever is wrong with it, its id is found if there is one."""
    if not isinstance(call, dict):
        return Incoming(NotACall(f"Expected a request object, got `{shown(str(call))}`"))
    tag = None
    if "id" in call:
        if not _is_id(call["id"]):
            return Incoming(NotACall(f"Expected id to be a whole number or a text of at most {_MAX_ID} characters"))
        tag = _json(call["id"]).decode()
    style = "" if "id" in call else _NOTIFICATION
    method, params = call.get("method"), call.get("params", {})
    unknown = sorted(set(call) - _MEMBERS)
    fault = None
    if unknown:
        fault = f"Unknown member `{shown(unknown[0])}`; known are id, jsonrpc, method and params"
    elif call.get("jsonrpc") != "2.0":
        fault = 'Expected "jsonrpc":"2.0"'
    elif not isinstance(method, str):
        fault = "Expected method to be the name of a verb"
    if fault or not isinstance(method, str):
        return Incoming(NotACall(fault or ""), tag)  # answered also without an id, as JSON-RPC says
    try:
        if not isinstance(params, dict):
            raise BadArgument("Expected params by name, as an object")
        return Incoming(_request(method, params), tag, style)
    except BgdError as error:
        return Incoming(error, tag, style)


def _is_id(value: object) -> bool:
    if isinstance(value, str):
        return len(value) <= _MAX_ID
    return value is None or (isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63)


def _request(method: str, params: dict[str, object]) -> Request:
    if method == "$/cancelRequest":
        if set(params) != {"id"} or not _is_id(params["id"]):
            raise BadArgument("Expected params to be the id of a request")
        return Cancel(target=_json(params["id"]).decode())
    if method.startswith("$/"):
        raise UnknownCommand(f"Unknown method `{shown(method)}`; known with `$/` is $/cancelRequest")
    dice = params.get("dice")
    if isinstance(dice, list) and list(map(type, dice)) == [int, int] and all(0 < die < 10 for die in dice):
        params = {**params, "dice": "".join(map(str, dice))}  # [3, 1] is the natural way to write a roll here
    target = params.get("target")
    if method == "cancel" and target is not None and _is_id(target):
        params = {**params, "target": _json(target).decode()}
    return build(method, params, strict=True)
