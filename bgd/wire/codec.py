"""What a dialect is: lines to requests, replies to bytes. One module a dialect implements it; detect chooses."""

from __future__ import annotations

from typing import ClassVar, Protocol

from bgd.errors import BgdError
from bgd.wire.messages import Incoming, Progress, Reply


class Codec(Protocol):
    """One dialect. Codecs raise nothing on what a peer sends: a bad line becomes an Incoming with the error in it.

    They hold no state of the conversation (what position was set, say): that is the session's. The one exception is
    JSON-RPC, which collects the answers of a batch."""

    name: ClassVar[str]

    def decode(self, line: str) -> Incoming:
        """One line without its line end."""
        ...

    def encode(self, incoming: Incoming, answer: Reply | BgdError) -> bytes:
        """The whole final answer to `incoming`, line ends included; empty where the dialect answers with silence."""
        ...

    def report(self, incoming: Incoming, progress: Progress) -> bytes:
        """How far the answer to `incoming` has come; empty where the dialect has no words for that."""
        ...

    def refuse(self, error: BgdError) -> bytes:
        """An error that answers no request: a line over the limit, a full house, a daemon that leaves."""
        ...
