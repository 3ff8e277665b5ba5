"""A whole conversation: which dialect it is, and that each line is answered once whatever it is."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bgd.errors import BadValue, BgdError, Busy, Foreign, InternalError, LineTooLong, UnknownCommand
from bgd.wire.conversation import Conversation
from bgd.wire.detect import DIALECTS, Dialect
from bgd.wire.messages import Auth, Done, Incoming, Ping, Request
from tests.wire.replies import BOARD

OPENINGS = [
    ('{"jsonrpc":"2.0","id":1,"method":"ping"}', "json"),
    ("ubgi", "ubgi"),
    (BOARD, "gnubg"),
    (BOARD.upper(), "gnubg"),
    (f"  {BOARD}", "gnubg"),
    (f"evaluation fibsboard {BOARD} plies 0", "gnubg"),
    ("version", "gnubg"),
    ("set debug on", "gnubg"),
    ("set interface new", "gnubg"),
    ('set prompt "x"', "gnubg"),
    ("set match=7", "text"),
    ("help", "text"),
    ("hello", "text"),
    ("UBGI", "text"),
    ("flurb", "text"),
]


@pytest.mark.parametrize(("line", "dialect"), OPENINGS)
def test_the_first_line_chooses_the_dialect(line: str, dialect: str) -> None:
    conversation = Conversation()
    assert conversation.dialect is None
    conversation.receive_data(f"{line}\n".encode())
    assert conversation.dialect == dialect


def test_blank_lines_choose_nothing() -> None:
    conversation = Conversation()
    assert conversation.receive_data(b"\n  \n") == []
    assert conversation.dialect is None
    conversation.receive_data(b"ubgi\n")
    assert conversation.dialect == "ubgi"


@pytest.mark.parametrize(("line", "dialect"), OPENINGS)
def test_a_byte_order_mark_ahead_of_all_else_is_passed_over(line: str, dialect: str) -> None:
    marked, plain = Conversation(), Conversation()
    assert repr(marked.receive_data(f"\ufeff{line}\n".encode())) == repr(plain.receive_data(f"{line}\n".encode()))
    assert marked.dialect == dialect


def test_a_byte_order_mark_may_stand_before_a_token_and_on_a_blank_line() -> None:
    (token,) = Conversation().receive_data("\ufeffauth secret\n".encode())
    assert token.content == Auth(token="secret")
    assert Conversation().receive_data("\ufeff\n".encode()) == []
    (ping,) = Conversation("text").receive_data("\ufeffping\n".encode())
    assert ping.content == Ping()


@pytest.mark.parametrize("dialect", [None, *DIALECTS])
@pytest.mark.parametrize("first", ["GET / HTTP/1.1", "POST /x?y HTTP/1.0", "OPTIONS * HTTP/1.1", "PRI * HTTP/2.0"])
def test_a_web_browser_is_refused_and_nothing_it_sends_is_asked(dialect: Dialect | None, first: str) -> None:
    conversation = Conversation(dialect)
    (refused,) = conversation.receive_data(f"{first}\r\nHost: x\r\n\r\nping\n".encode())
    assert isinstance(refused.content, Foreign)
    assert conversation.closed
    assert conversation.receive_data(b"ping\n") == []
    assert conversation.send(refused, refused.content).startswith(b"error foreign Expected a line of bgd's protocol")


def test_what_looks_like_http_later_on_is_a_bad_line_and_no_more() -> None:
    _, bad, ping = Conversation().receive_data(b"ping\nPOST / HTTP/1.1\nping\n")
    assert isinstance(bad.content, UnknownCommand)
    assert ping.content == Ping()


def test_a_pinned_dialect_stays_whatever_comes_first() -> None:
    conversation = Conversation("text")
    conversation.receive_data(b"ubgi\n")
    assert conversation.dialect == "text"


def test_an_error_before_the_dialect_is_known_is_worded_in_text_also_when_sent_later() -> None:
    conversation = Conversation()
    bad, hello = conversation.receive_data(b"\xff\nubgi\n")
    assert isinstance(hello.content, Request)
    assert isinstance(bad.content, BgdError)
    assert conversation.send(bad, bad.content).startswith(b"error bad-argument Expected UTF-8")
    assert conversation.refuse(Busy("later")) == b"error search_in_progress later\n"


def test_a_full_house_is_refused_in_text_before_anything_was_said() -> None:
    assert Conversation().refuse(Busy("100 connections are open")) == b"error busy 100 connections are open\n"


def test_a_line_over_the_limit_is_answered_and_ends_the_reading() -> None:
    conversation = Conversation(limit=10)
    ping, long = conversation.receive_data(b"ping\n" + b"x" * 11 + b"\nping\n")
    assert isinstance(ping.content, Ping)
    assert isinstance(long.content, LineTooLong)
    assert conversation.closed
    assert conversation.receive_data(b"ping\n") == []
    assert conversation.send(long, long.content).startswith(b"error line-too-long ")


def answered(conversation: Conversation, incoming: Incoming) -> bytes:
    content = incoming.content
    return conversation.send(incoming, InternalError("no engine") if isinstance(content, Request) else content)


PROTOCOL_WORDS = """ubgi isready go role chequer cube turn position gnubgid xgid dice 3 1 stop set get keys
    setoption name value newgame newsession setscore setcube owner p0 p1 setturn eval depth movetime version help quit
    debug on off interface new evaluation fibsboard plies noise 0.5 150 prune cubeful resignation 2
    #a best moves check 31 8/5 position=start top=3 plies=9 = == # " ' "a \\" \\ : [ { } ] é XGID= board:
    {"id":1} [{"id":1}] {"jsonrpc":"2.0","id":1,"method":"ping"} {"jsonrpc":"2.0","id":"\\ud800","method":"\\ud800"}
    {"jsonrpc":"2.0","method":"best","params":{"plies":9}}"""
WORDS = st.sampled_from([*PROTOCOL_WORDS.split(), BOARD])
LINES = st.lists(WORDS, max_size=8).map(lambda words: " ".join(words).encode()) | st.binary(max_size=40)
INPUTS = st.lists(LINES, max_size=5).map(b"\n".join)


@given(st.sampled_from([None, *DIALECTS]), INPUTS)
def test_arbitrary_input_raises_nothing_and_every_answer_ends_its_line(dialect: Dialect | None, data: bytes) -> None:
    conversation = Conversation(dialect)
    for packet in (data, b""):
        for incoming in conversation.receive_data(packet):
            answer = answered(conversation, incoming)
            assert answer == b"" or answer.endswith(b"\n")


@given(st.sampled_from([None, *DIALECTS]), INPUTS, st.lists(st.integers(0, 1000), max_size=5))
def test_chunking_is_invisible_to_the_dialects(dialect: Dialect | None, data: bytes, places: list[int]) -> None:
    def heard(packets: list[bytes]) -> list[bytes]:
        conversation = Conversation(dialect)
        incomings = [incoming for packet in packets for incoming in conversation.receive_data(packet)]
        return [answered(conversation, incoming) for incoming in incomings]

    bounds = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    packets = [data[a:b] for a, b in itertools.pairwise(bounds) if a < b]
    assert heard([*packets, b""]) == heard([data, b""] if data else [b""])


@given(st.lists(st.sampled_from(["ping", "#a ping", "moves 31", "#b best plies=9", "flurb"]), max_size=6))
def test_each_line_that_is_not_blank_is_answered_once(lines: list[str]) -> None:
    conversation = Conversation("text")
    incomings = conversation.receive_data("".join(f"{line}\n\n" for line in lines).encode())
    answers = [
        conversation.send(incoming, Done() if isinstance(incoming.content, Request) else incoming.content)
        for incoming in incomings
    ]
    assert len([answer for answer in answers if answer]) == len(lines)
    for line, answer in zip(lines, filter(None, answers), strict=True):
        assert answer.count(b"\n") == 1
        assert answer.startswith(b"#") == line.startswith("#")


@pytest.mark.parametrize("dialect", ["text", "gnubg", "ubgi"])
def test_what_a_peer_wrote_into_an_error_harms_no_terminal(dialect: Dialect) -> None:
    conversation = Conversation(dialect)
    (asked,) = conversation.receive_data(b"version\n" if dialect == "gnubg" else b"help\n")
    answer = conversation.send(asked, BadValue("Expected 26 places, got `\x1b[2J\x07\u2028\x9b` in\n`-b-`"))
    assert answer.endswith(b"Expected 26 places, got `?[2J? ?` in `-b-`\n")
    assert answer.count(b"\n") == 1
