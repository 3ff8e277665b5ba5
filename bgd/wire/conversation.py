"""One peer's conversation: bytes in, requests out; answers in, bytes out. Which dialect it is, its first line tells.

    conversation = Conversation()
    for incoming in conversation.receive_data(data):     # b"" at the end of input
        ...                                              # find the answer: a Reply, or a BgdError
        transport.send(conversation.send(incoming, answer))

Each Incoming is answered once: a request with its reply or error; an error with itself; bytes and None are answers
already, and `send` passes them through. After LineTooLong or Foreign nothing more is read, and the connection is to be
closed.

`auth TOKEN` may stand before all else, whatever the dialect: it is read and answered as in text, and the next line
chooses the dialect.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from bgd.errors import BgdError, Foreign
from bgd.wire.codec import Codec
from bgd.wire.detect import Dialect, detect
from bgd.wire.framing import MAX_LINE, LineBuffer
from bgd.wire.gnubg import GnubgCodec
from bgd.wire.jsonrpc import JsonRpcCodec
from bgd.wire.messages import Auth, Incoming, Progress, Reply
from bgd.wire.text import TextCodec
from bgd.wire.ubgi import UbgiCodec

_CODECS: Final[dict[Dialect, type[Codec]]] = {
    "text": TextCodec,
    "gnubg": GnubgCodec,
    "ubgi": UbgiCodec,
    "json": JsonRpcCodec,
}
_HTTP: Final = re.compile(r"[A-Z]+ \S+ HTTP/[0-9.]+")
"""A web browser's first line. What follows may be a page's, which must not ask anything of a daemon behind its back."""

_BYTE_ORDER_MARK: Final = "\ufeff"
"""What .NET's writers, and files of Windows, begin with."""

_PLAIN: Final = "plain"
"""Style of what came before any line told the dialect: it is answered in text."""


class Conversation:
    """See the module. `dialect` pins what the first line would choose; `limit` is the longest line, in bytes."""

    def __init__(self, dialect: Dialect | None = None, limit: int = MAX_LINE) -> None:
        self._lines = LineBuffer(limit)
        self.dialect: str | None = dialect
        """None while nothing has told it."""
        self._codec: Codec | None = _CODECS[dialect]() if dialect else None
        self._opened = False  # a line was read that is no `auth`
        self._decode_one: Callable[[str], Incoming] | None = None  # once opened, where a line is one request

    @property
    def closed(self) -> bool:
        """Nothing more will be read from this peer."""
        return self._lines.closed

    @property
    def held(self) -> int:
        """Bytes of answers that wait for the rest of their batch."""
        return self._codec.held if isinstance(self._codec, JsonRpcCodec) else 0

    def receive_data(self, data: bytes) -> list[Incoming]:
        """What the lines that `data` completes ask; b"" is the end of input. Never raises on what a peer sends."""
        lines = self._lines.receive_data(data)
        decode = self._decode_one
        if decode is not None and len(lines) == 1 and isinstance(line := lines[0], str):
            return [decode(line)]
        found: list[Incoming] = []
        for line in lines:
            if self._decode_one is not None and isinstance(line, str):
                found.append(self._decode_one(line))
            else:
                found += self._decode(line)
                if found and isinstance(found[-1].content, Foreign):
                    break
        return found

    def _decode(self, line: str | BgdError) -> list[Incoming]:
        codec = self._codec
        if isinstance(line, BgdError):
            return [Incoming(line, style=_PLAIN if codec is None else "")]
        if not self._opened:
            line = line.removeprefix(_BYTE_ORDER_MARK)
            if _HTTP.fullmatch(line):
                self._lines.close()
                told = "Expected a line of bgd's protocol, got HTTP's; nothing after it is read"
                return [Incoming(Foreign(told), style=_PLAIN)]
            first = line.split(None, 1)[:1]
            if first and first[0].lower() == Auth.verb:
                return [Incoming(TextCodec().decode(line).content, style=_PLAIN)]
            self._opened = bool(first)
        if codec is None:
            if not self._opened:
                return []
            self.dialect = detect(line)
            codec = self._codec = _CODECS[self.dialect]()
        if isinstance(codec, JsonRpcCodec):
            return codec.decode_all(line)
        if self._opened:
            self._decode_one = codec.decode
        return [codec.decode(line)]

    def send(self, incoming: Incoming, answer: Reply | BgdError | bytes | None) -> bytes:
        """The bytes that answer `incoming`; empty where its dialect answers with silence."""
        if answer is None:
            return b""
        if isinstance(answer, bytes):
            return answer
        if self._codec is None or incoming.style == _PLAIN:
            return TextCodec().encode(Incoming(incoming.content), answer)
        return self._codec.encode(incoming, answer)

    def report(self, incoming: Incoming, progress: Progress) -> bytes:
        """The bytes that tell how far the answer to `incoming` has come; may be none. It is still to be answered."""
        return self._codec.report(incoming, progress) if self._codec else b""

    def refuse(self, error: BgdError) -> bytes:
        """An error that answers no request, as this conversation's dialect words it; text before that is known."""
        return (self._codec or TextCodec()).refuse(error)
