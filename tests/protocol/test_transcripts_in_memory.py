"""The transcripts, played through the wire and the service alone: no sockets, no threads, no weights."""

from __future__ import annotations

from typing import Final

import pytest

from bgd.config import Limits
from bgd.daemon.auth import Guard, Tokens
from bgd.daemon.pace import Pace
from bgd.engine import Engine
from bgd.errors import BgdError, Flooding
from bgd.service.session import Service, Session
from bgd.wire.conversation import Conversation
from bgd.wire.detect import Dialect
from bgd.wire.messages import Auth, Cancel, Done, Incoming, Quit, Reply, Request, Stats, StatsReply
from tests.engine.fakes import fake_engine
from tests.protocol.transcript import Transcript, mismatch, transcripts
from tests.service.deadlines import done

LIMITS = {
    "max_line": 8192,
    "max_pending": 256,
    "max_queued": 4096,
    "max_connections": 256,
    "max_rate": 200_000,
    "idle_timeout": 0,
    "min_progress": 100,
}


class MemoryServer:
    """What the daemon does for one connection, without waiting for anything."""

    def __init__(self, dialect: Dialect | None, engine: Engine, token: str | None = None, max_rate: int = 0) -> None:
        self.conversation = Conversation(dialect)
        self.guard = Guard(None if token is None else Tokens([token]), max_bad=Limits().max_bad_tokens)
        self.pace = Pace(max_rate, now=0)
        self.service = Service(version="0.1.0", engine_state=lambda: "ready", limits=LIMITS)
        self.session: Session | None = None
        self.engine = engine
        self.closed = False

    def receive(self, data: bytes) -> bytes:
        """The answer to `data`; b"" is the end of input."""
        answer = b""
        incomings = self.conversation.receive_data(data)
        taken = self.pace.take(len(incomings), now=0)
        if taken < len(incomings):
            incomings[taken:] = [Incoming(Flooding("Too many lines"))]
        for incoming in incomings:
            if not self.closed:
                answer += self.conversation.send(incoming, self._answer(incoming))
        self.closed = self.closed or self.conversation.closed
        return answer

    def _answer(self, incoming: Incoming) -> Reply | BgdError | bytes | None:
        content = incoming.content
        if not isinstance(content, Request):
            self.closed = self.closed or isinstance(content, Flooding)
            return content
        told = self.guard.answer(content)
        if told is not None:
            self.closed = isinstance(content, Auth) and self.guard.gives_up
            return told
        match content:  # the daemon's own business
            case Quit():
                self.closed = True
                return Done()
            case Cancel():
                return Done(text="0 cancelled")
            case Stats():
                return StatsReply(values={"uptime": 0.5, "requests": 1})
        if self.session is None:
            self.session = self.service.open_session(self.conversation.dialect or "text")
        try:
            return done(self.session.handle(content), self.engine)
        except BgdError as error:
            return error


ENGINE: Final = fake_engine()


def replay(transcript: Transcript) -> None:
    """Assert that every step is answered as written."""
    server = MemoryServer(
        transcript.dialect, ENGINE, transcript.token, max_rate=int(transcript.limits.get("max_rate", 0))
    )
    for step in transcript.steps:
        answer = server.receive(step.sent) if step.sent else b""
        if step.ends:
            answer += server.receive(b"")
        wrong = mismatch(transcript, step, answer.decode())
        assert wrong is None, wrong
        assert server.closed == step.closes, f"{transcript.name}:{step.line}: closed is {server.closed}"


AT_ONCE: Final = [transcript for transcript in transcripts() if not transcript.name.startswith("daemon")]


@pytest.mark.parametrize("transcript", AT_ONCE, ids=lambda transcript: transcript.name)
def test_a_conversation_goes_as_its_transcript_says(transcript: Transcript) -> None:
    replay(transcript)
