"""The asking side of a conversation, against the answering side of bgd.wire, without anything between them."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bgd import errors
from bgd.client.calls import TRIES, BadReply, Call, Calls, Disconnected
from bgd.errors import BadPosition, BgdError, Busy, Cancelled, IllegalPlay, LineTooLong
from bgd.wire.conversation import Conversation
from bgd.wire.messages import (
    Best,
    BestReply,
    Cancel,
    Check,
    CheckReply,
    Done,
    Hello,
    HelloReply,
    NewGame,
    Ping,
    Progress,
    Reply,
    Request,
    RolloutProgress,
    SearchProgress,
    Set,
    SetPosition,
)
from tests.wire.replies import REPLIES

PONG = Done(text="pong")
ERRORS = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, BgdError) and not kind.__subclasses__() and kind is not IllegalPlay
]


class Daemon:
    """The other side, whose answers the test gives."""

    def __init__(self) -> None:
        self.conversation = Conversation("json")

    def answers(self, line: bytes, answer: Reply | BgdError) -> bytes:
        (incoming,) = self.conversation.receive_data(line)
        return self.conversation.send(incoming, answer)


def test_a_request_arrives_as_it_was_asked() -> None:
    request = Best(dice="31", position="start", plies=2, top=3)
    (incoming,) = Daemon().conversation.receive_data(Calls().begin(request, HelloReply).line)
    assert incoming.content == request


@pytest.mark.parametrize("reply", REPLIES, ids=lambda reply: type(reply).__name__)
def test_a_reply_of_any_kind_comes_back_as_it_was_given(reply: Reply) -> None:
    calls = Calls()
    call = calls.begin(Hello(), type(reply))
    calls.receive(Daemon().answers(call.line, reply))
    assert call.answer() == reply


@pytest.mark.parametrize("kind", ERRORS, ids=lambda kind: kind.__name__)
def test_an_error_is_raised_as_the_class_of_its_code(kind: type[BgdError]) -> None:
    calls = Calls()
    call = calls.begin(Hello(), HelloReply)
    calls.receive(Daemon().answers(call.line, kind("what is wrong")))
    with pytest.raises(kind, match="what is wrong") as raised:
        call.answer()
    assert type(raised.value).code == kind.code


def test_an_illegal_play_keeps_the_rule_that_it_breaks() -> None:
    calls = Calls()
    call = calls.begin(Check(play="8/5"), CheckReply)
    calls.receive(Daemon().answers(call.line, IllegalPlay("no", "larger-die")))
    with pytest.raises(IllegalPlay) as raised:
        call.answer()
    assert raised.value.rule == "larger-die"


def test_an_error_keeps_the_field_that_is_at_fault() -> None:
    calls = Calls()
    call = calls.begin(Best(position="flurb", dice="31"), BestReply)
    calls.receive(Daemon().answers(call.line, BadPosition("no").at("position")))
    with pytest.raises(BadPosition) as raised:
        call.answer()
    assert raised.value.path == "position"


def test_an_error_of_a_later_version_names_its_code() -> None:
    calls = Calls()
    call = calls.begin(Ping(), Done)
    calls.receive(b'{"id":1,"error":{"code":-32099,"message":"who are you","data":{"code":"forbidden","more":1}}}\n')
    with pytest.raises(BgdError, match="forbidden: who are you"):
        call.answer()


def test_fields_that_a_later_version_adds_are_ignored() -> None:
    calls = Calls()
    call = calls.begin(Ping(), Done)
    calls.receive(b'{"jsonrpc":"2.0","id":1,"result":{"text":"pong","colour":"red"},"more":[]}\n')
    assert call.answer() == PONG


def test_notifications_answer_nothing() -> None:
    calls = Calls()
    call = calls.begin(Ping(), Done)
    calls.receive(b'{"jsonrpc":"2.0","method":"$/hello","params":[7]}\n')
    assert call.outcome is None


@pytest.mark.parametrize(
    "progress",
    [SearchProgress(plies=1, equity=0.25, play="8/5 6/5"), RolloutProgress(trials=36, equity=0.1, error=0.02)],
)
def test_progress_is_told_to_who_wants_to_know(progress: Progress) -> None:
    calls, daemon, told = Calls(), Daemon(), list[Progress]()
    curious, other = calls.begin(Ping(), Done, told.append), calls.begin(Ping(), Done)
    for call in (curious, other):
        (incoming,) = daemon.conversation.receive_data(call.line)
        calls.receive(daemon.conversation.report(incoming, progress))
    assert told == [progress]
    assert curious.outcome is None


def test_progress_of_an_unknown_kind_or_of_nobody_is_passed_over() -> None:
    calls, told = Calls(), list[Progress]()
    call = calls.begin(Ping(), Done, told.append)
    for params in (b"7", b'{"token":1,"value":{"mood":"good"}}', b'{"token":9,"value":{"plies":1,"equity":0}}'):
        calls.receive(b'{"jsonrpc":"2.0","method":"$/progress","params":%s}\n' % params)
    assert told == []
    assert call.outcome is None


def test_what_goes_wrong_in_hearing_of_progress_is_the_outcome() -> None:
    def hear(progress: Progress) -> None:
        raise ZeroDivisionError("my own fault")

    calls = Calls()
    call = calls.begin(Ping(), Done, hear)
    calls.receive(b'{"jsonrpc":"2.0","method":"$/progress","params":{"token":1,"value":{"plies":1,"equity":0.5}}}\n')
    with pytest.raises(ZeroDivisionError, match="my own fault"):
        call.answer()


@given(st.permutations(range(4)), st.lists(st.integers(0, 400), max_size=6))
def test_replies_find_their_call_in_any_order_and_however_they_are_cut(order: list[int], places: list[int]) -> None:
    calls, daemon = Calls(), Daemon()
    asked = [calls.begin(Ping(), Done) for _ in order]
    data = b"".join(daemon.answers(asked[number].line, Done(text=str(number))) for number in order)
    bounds = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    for start, end in itertools.pairwise(bounds):
        calls.receive(data[start:end])
    assert [call.answer().text for call in asked] == ["0", "1", "2", "3"]


@pytest.mark.parametrize("line", [b"hello there", b"[]", b"{", b'{"id":[]}', b"\xff", b'{"id":1,"error":7}'])
def test_what_is_no_reply_of_bgd_is_told(line: bytes) -> None:
    calls = Calls()
    calls.begin(Ping(), Done)
    with pytest.raises(BadReply, match="Expected a reply of bgd"):
        calls.receive(line + b"\n")


def test_a_reply_of_the_wrong_kind_fails_its_call_alone() -> None:
    calls = Calls()
    first, second = calls.begin(Hello(), HelloReply), calls.begin(Ping(), Done)
    calls.receive(b'{"id":1,"result":{"name":7}}\n{"id":2,"result":{"text":"pong"}}\n')
    with pytest.raises(BadReply, match="HelloReply"):
        first.answer()
    assert second.answer() == PONG


def test_the_reply_to_a_call_that_is_waited_for_no_more_is_dropped() -> None:
    calls = Calls()
    call = calls.begin(Ping(), Done)
    calls.fail(call, Cancelled("left"))
    calls.receive(b'{"id":1,"result":{}}\n{"id":"x","result":{}}\n')
    with pytest.raises(Cancelled, match="left"):
        call.answer()


def test_a_cancelled_request_is_named_to_the_daemon_until_it_is_answered() -> None:
    calls, daemon = Calls(), Daemon()
    call = calls.begin(Ping(), Done)
    (incoming,) = daemon.conversation.receive_data(calls.cancel(call))
    assert incoming.content == Cancel(target="1")
    calls.receive(daemon.answers(call.line, PONG))
    assert calls.cancel(call) == b""


def test_a_line_too_long_for_the_daemon_is_not_sent() -> None:
    calls = Calls()
    with pytest.raises(LineTooLong, match="8192"):
        calls.begin(SetPosition(position="x" * 9000), Done)
    assert calls.lose("gone", again=True) == b""


def test_a_token_goes_first_and_its_refusal_is_told_to_all() -> None:
    calls = Calls(token="secret")
    assert b'"method":"auth","params":{"token":"secret"}' in calls.greeting
    asked = [calls.begin(Ping(), Done) for _ in range(2)]
    calls.receive(b'{"jsonrpc":"2.0","id":0,"error":{"code":-32005,"message":"a bad token","data":{"code":"busy"}}}\n')
    for call in asked:
        with pytest.raises(Busy, match="a bad token"):
            call.answer()
    assert Calls().greeting == b""


# A lost connection


def test_questions_are_asked_again_in_the_order_asked() -> None:
    calls = Calls()
    asked = [calls.begin(Ping(), Done), calls.begin(Hello(), HelloReply)]
    calls.receive(b'{"id":')
    assert calls.lose("gone", again=True) == asked[0].line + asked[1].line
    calls.receive(b'{"id":1,"result":{"text":"pong"}}\n')
    assert asked[0].answer() == PONG


def test_a_question_lost_time_and_again_is_given_up() -> None:
    calls = Calls()
    call = calls.begin(Ping(), Done)
    assert [calls.lose("gone", again=True) for _ in range(TRIES)] == [call.line] * (TRIES - 1) + [b""]
    with pytest.raises(Disconnected, match="gone"):
        call.answer()


def test_nothing_is_asked_again_of_who_does_not_want_it() -> None:
    calls = Calls()
    call = calls.begin(Ping(), Done)
    assert calls.lose("gone", again=False) == b""
    with pytest.raises(Disconnected):
        call.answer()


@pytest.mark.parametrize("request_", [Set(values={"match": "7"}), SetPosition(position="start"), NewGame()])
def test_a_session_that_is_lost_is_told_to_all_that_was_asked(request_: Request) -> None:
    calls = Calls()
    made = calls.begin(request_, Done)
    calls.receive(Daemon().answers(made.line, Done()))
    asked = calls.begin(Best(dice="31"), HelloReply)
    assert calls.lose("gone", again=True) == b""
    with pytest.raises(Disconnected, match="what had been set"):
        asked.answer()
    fresh = calls.begin(Ping(), Done)
    assert calls.lose("gone", again=True) == fresh.line


def test_a_cancelled_request_is_not_asked_again() -> None:
    calls = Calls()
    call = calls.begin(Ping(), Done)
    calls.cancel(call)
    assert calls.lose("gone", again=True) == b""
    with pytest.raises(Cancelled):
        call.answer()


@pytest.mark.parametrize("conversation", [Conversation(), Conversation("json")], ids=["text", "json"])
def test_a_full_house_is_told_to_all_that_was_asked(conversation: Conversation) -> None:
    settled: list[Call[Done]] = []
    calls = Calls(settled.append)
    asked = [calls.begin(Ping(), Done) for _ in range(2)]
    calls.receive(conversation.refuse(Busy("256 connections are open")))
    assert settled == []
    calls.lose("the other side closed it", again=True)
    assert settled == asked
    for call in asked:
        with pytest.raises(Busy, match="256 connections"):
            call.answer()
