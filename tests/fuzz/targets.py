"""What must hold whatever a peer sends: a function for each dialect, for the choice of a dialect, for the session.

Each takes the bytes of a whole conversation and raises AssertionError, or whatever was not to be raised.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Final

from bgd.errors import BadArgument, BgdError, InputError
from bgd.notation import detect, match_id
from bgd.wire.conversation import Conversation
from bgd.wire.detect import DIALECTS, Dialect
from bgd.wire.messages import (
    Best,
    BestReply,
    Check,
    CheckReply,
    Convert,
    Cube,
    CubeReply,
    Decide,
    DecisionReply,
    Done,
    Eval,
    EvalReply,
    Get,
    Hello,
    HelloReply,
    Help,
    HelpReply,
    Incoming,
    Luck,
    LuckReply,
    Moves,
    MovesReply,
    Options,
    OptionsReply,
    PositionReply,
    Reply,
    Request,
    Resign,
    ResignReply,
    Rollout,
    RolloutReply,
    SetPosition,
    Show,
    ShowReply,
    Stats,
    StatsReply,
    Turn,
    TurnReply,
    Values,
)
from tests.engine.fakes import fake_engine
from tests.protocol.test_transcripts_in_memory import MemoryServer
from tests.wire.replies import REPLIES

_ENGINE: Final = fake_engine()
KIND: Final[dict[type[Request], type[Reply]]] = {
    Best: BestReply,
    Check: CheckReply,
    Convert: PositionReply,
    Cube: CubeReply,
    Decide: DecisionReply,
    Eval: EvalReply,
    Get: Values,
    Hello: HelloReply,
    Help: HelpReply,
    Luck: LuckReply,
    Moves: MovesReply,
    Options: OptionsReply,
    Resign: ResignReply,
    Rollout: RolloutReply,
    SetPosition: PositionReply,
    Show: ShowReply,
    Stats: StatsReply,
    Turn: TurnReply,
}
"""What answers a request; Done answers all others."""

_SAMPLES: Final = {kind: [reply for reply in REPLIES if type(reply) is kind] for kind in {*KIND.values(), Done}}
_HELP: Final = "\tNo help information available"
"""What GNU Backgammon says to `help`, its tab included."""

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""What may move a cursor, or end a line in some reader's eyes."""

_FINAL: Final = re.compile(r"(?:#\S+ )?(?:ok|error)(?: |$)")
_PROBES: Final[dict[str | None, tuple[bytes, bytes]]] = {
    None: (b"ping\n", b"ok pong\n"),
    "text": (b"#probe ping\n", b"#probe ok pong\n"),
    "gnubg": (b"version\n", b"Interface: 2\n"),
    "ubgi": (b"isready\n", b"readyok\n"),
    "json": (b'{"jsonrpc":"2.0","id":"p","method":"ping"}\n', b'{"jsonrpc":"2.0","id":"p","result":{"text":"pong"}}\n'),
}
"""A question that every session answers, and how the answer begins."""


def pieces(data: bytes) -> Iterator[bytes]:
    """`data` cut up, in a way that depends on nothing but itself."""
    size = 1 + len(data) % 7
    while data:
        yield data[:size]
        data = data[size:]
        size = 1 + (size * 5 + len(data)) % 31


def check_form(dialect: str | None, answer: bytes) -> None:
    """Whether an answer is one that a reader of the dialect can read."""
    if not answer:
        return
    text = answer.decode()
    assert text.endswith("\n"), answer
    lines = text[:-1].split("\n")
    if dialect == "json":
        for line in lines:
            whole = json.loads(line)
            for each in whole if isinstance(whole, list) else [whole]:
                assert each["jsonrpc"] == "2.0", each
                assert ("result" in each) != ("error" in each), each
        return
    assert all(line == _HELP or not _CONTROL.search(line) for line in lines), answer
    if dialect != "ubgi" and dialect != "gnubg":
        assert _FINAL.match(lines[-1]), lines[-1]
        assert not any(_FINAL.match(line) for line in lines[:-1]), answer


class _Conversation(Conversation):
    """Looks at what it sends."""

    def send(self, incoming: Incoming, answer: Reply | BgdError | bytes | None) -> bytes:
        sent = super().send(incoming, answer)
        check_form("text" if incoming.style == "plain" else self.dialect, sent)
        return sent


def _answers(dialect: Dialect | None, packets: Iterable[bytes], thorough: bool) -> list[bytes]:
    """All answers to a conversation; `thorough`: every request gets several, which are looked at."""
    conversation = _Conversation(dialect)
    answers = []
    for packet in packets:
        for incoming in conversation.receive_data(packet):
            first, *others = _replies(incoming)
            answers.append(conversation.send(incoming, first))
            if thorough:
                for answer in others:
                    conversation.send(incoming, answer)
    return answers


def _replies(incoming: Incoming) -> list[Reply | BgdError | bytes | None]:
    content = incoming.content
    if not isinstance(content, Request):
        return [content]
    if incoming.style.startswith("batch"):  # is answered once, or its batch would be sent too soon
        return [BadArgument("no")]
    return [BadArgument("no"), *_SAMPLES[KIND.get(type(content), Done)]]


def codec(dialect: Dialect | None, data: bytes) -> None:
    """Nothing is raised, every answer is well formed, and it never shows how the bytes were cut."""
    whole = _answers(dialect, [data, b""] if data else [b""], thorough=True)
    assert whole == _answers(dialect, [*pieces(data), b""], thorough=False)


class _Server(MemoryServer):
    """Counts what it answers, and looks at it."""

    def __init__(self) -> None:
        super().__init__(None, _ENGINE)
        self.conversation = _Conversation()
        self.asked = 0

    def _answer(self, incoming: Incoming) -> Reply | BgdError | bytes | None:
        self.asked += incoming.content is not None
        return super()._answer(incoming)


def session(data: bytes) -> None:
    """Every request is answered or refused as its asker's fault, once; what is remembered stays a position that can be;
    and the next question is answered as if nothing had happened."""
    whole, cut = _Server(), _Server()
    answer = whole.receive(data + b"\n")
    assert answer == b"".join(map(cut.receive, pieces(data + b"\n")))
    dialect = whole.conversation.dialect
    if dialect in ("text", None):
        finals = sum(_FINAL.match(line) is not None for line in answer.decode().split("\n"))
        assert finals == whole.asked, answer
    if whole.session is not None:
        _check_settings(whole)
    if not whole.closed:
        probe, expected = _PROBES[dialect]
        answer = whole.receive(probe)
        assert answer.startswith(expected), (dialect, answer)


def _check_settings(server: MemoryServer) -> None:
    """The position in force can be told, and means the same to who is told."""
    assert server.session is not None
    try:
        state = server.session.settings.state()
        text = match_id.encode_pair(state)
    except InputError:  # none was given, or an ID has no words for a beaver
        return
    again = detect.decode_any(text)
    assert match_id.encode_pair(again) == text, text
    assert again.board == state.board, text


TARGETS: Final[dict[str, Callable[[bytes], None]]] = {
    **{dialect: partial(codec, dialect) for dialect in DIALECTS},
    "any": partial(codec, None),
    "session": session,
}
