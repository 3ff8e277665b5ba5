"""JSON-RPC 2.0."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bgd.errors import BgdError, Cancelled, IllegalPlay, InternalError
from bgd.wire.conversation import Conversation
from bgd.wire.messages import Best, BestReply, Cancel, Done, Eval, Incoming, MovesReply, Ping, Request, Set
from tests.wire.replies import EIGHT_FIVE, REPLIES, Peer


@pytest.fixture
def peer() -> Peer:
    return Peer("json")


def call(method: str, id_: object = 1, **params: object) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": id_, "method": method, "params": params})


def error_of(peer: Peer, line: str) -> dict[str, Any]:
    return json.loads(peer.hears(line))["error"]


def test_methods_are_the_verbs_and_params_the_fields(peer: Peer) -> None:
    assert peer.request(call("best", position="start", dice="31", plies=2)) == Best(
        position="start", dice="31", plies=2
    )


def test_dice_may_be_two_numbers(peer: Peer) -> None:
    assert peer.request(call("best", dice=[3, 1])) == Best(dice="31")


@pytest.mark.parametrize("dice", [[31], ["3", "1"], [3, 1, 1], [True, 1], [3.0, 1], [0, 7], [10, 1], [], 31, "77", "3"])
def test_dice_that_are_none_are_told_whatever_their_type(peer: Peer, dice: object) -> None:
    error = error_of(peer, call("best", dice=dice))
    assert (
        error["message"]
        == f"Expected `dice` to be two dice from 1 to 6, got `{json.dumps(dice, separators=(',', ':'))}`"
    )
    assert error["data"] == {"code": "bad-dice", "path": "$.params.dice"}


@pytest.mark.parametrize(
    ("params", "told"),
    [
        ({"plies": "2"}, 'Expected `plies` to be a number from 0 to 4, got `"2"`'),
        ({"plies": True}, "Expected `plies` to be a number from 0 to 4, got `true`"),
        ({"plies": 1.5}, "Expected `plies` to be a number from 0 to 4, got `1.5`"),
        ({"jacoby": "on"}, 'Expected `jacoby` to be true or false, got `"on"`'),
        ({"jacoby": 1}, "Expected `jacoby` to be true or false, got `1`"),
        ({"noise": None}, "Expected `noise` to be a number from 0 to 1, got `null`"),
        ({"position": ["start"]}, 'Expected `position` to be a position, at most 2048 characters, got `["start"]`'),
    ],
)
def test_what_came_is_told_as_json(peer: Peer, params: dict[str, object], told: str) -> None:
    assert error_of(peer, call("eval", **params))["message"] == told


def test_params_may_be_left_out(peer: Peer) -> None:
    assert peer.request('{"jsonrpc":"2.0","id":"a","method":"ping"}') == Ping()


def test_a_result_is_the_reply_and_names_the_id(peer: Peer) -> None:
    reply = json.loads(peer.hears(call("best", "x"), BestReply(play="8/5 6/5", plays=(EIGHT_FIVE,), plies=0)))
    assert reply["id"] == "x"
    assert reply["result"]["play"] == "8/5 6/5"
    assert reply["result"]["plays"][0]["moves"] == [[8, 5, False], [6, 5, False]]


@pytest.mark.parametrize("reply", REPLIES)
def test_every_reply_is_one_line_of_json(peer: Peer, reply: Any) -> None:
    line = peer.hears(call("ping"), reply)
    assert line.count("\n") == 1
    assert set(json.loads(line)) == {"jsonrpc", "id", "result"}


@pytest.mark.parametrize(("id_", "tag"), [(1, "1"), ("1", '"1"'), (None, "null")])
def test_the_tag_is_the_id_as_json_so_that_1_is_not_one_in_quotes(peer: Peer, id_: object, tag: str) -> None:
    assert peer.asks(call("ping", id_)).tag == tag


def test_cancel_names_the_id(peer: Peer) -> None:
    line = '{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":7}}'
    assert peer.request(line) == Cancel(target="7")
    assert peer.request(call("cancel", 2, target=7)) == Cancel(target="7")
    assert peer.request(call("cancel", 2, target="a")) == Cancel(target='"a"')


def test_a_notification_is_never_answered(peer: Peer) -> None:
    assert peer.hears('{"jsonrpc":"2.0","method":"ping"}', Done()) == ""
    assert peer.hears('{"jsonrpc":"2.0","method":"flurb"}') == ""
    assert peer.hears('{"jsonrpc":"2.0","method":"$/setTrace","params":{}}') == ""


@pytest.mark.parametrize(
    ("line", "number", "code"),
    [
        ("{", -32700, "bad-argument"),
        ("flurb", -32700, "bad-argument"),
        ("[" * 4000, -32700, "bad-argument"),
        ("1", -32600, "bad-argument"),
        ("[]", -32600, "bad-argument"),
        ("{}", -32600, "bad-argument"),
        ('{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600, "bad-argument"),
        ('{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, "bad-argument"),
        ('{"jsonrpc":"2.0","id":1}', -32600, "bad-argument"),
        ('{"jsonrpc":"2.0","id":1,"method":"ping","extra":1}', -32600, "bad-argument"),
        (call("flurb"), -32601, "unknown-command"),
        (call("$/flurb"), -32601, "unknown-command"),
        (call("best", plise=1), -32602, "bad-argument"),
        (call("convert"), -32602, "bad-argument"),
        (call("best", plies=9), -32602, "bad-value"),
        (call("best", plies="2"), -32602, "bad-value"),
        (call("best", dice=[3]), -32602, "bad-dice"),
        (call("best", position=""), -32602, "bad-position"),
        ('{"jsonrpc":"2.0","id":1,"method":"best","params":[31]}', -32602, "bad-argument"),
    ],
)
def test_errors_have_json_rpc_s_number_and_the_stable_word(peer: Peer, line: str, number: int, code: str) -> None:
    error = error_of(peer, line)
    assert error["code"] == number
    assert error["data"]["code"] == code
    assert error["message"]


def test_a_bad_field_is_named_by_its_path(peer: Peer) -> None:
    assert error_of(peer, call("best", plies=9))["data"]["path"] == "$.params.plies"
    assert error_of(peer, call("set", values={"match": 7}))["data"]["path"].startswith("$.params.values")
    assert error_of(peer, call("best", dice="7"))["data"]["path"] == "$.params.dice"
    assert error_of(peer, call("best", plise=9))["data"]["path"] == "$.params.plise"
    assert "path" not in error_of(peer, call("flurb"))["data"]


@pytest.mark.parametrize(
    ("error", "number", "data"),
    [
        (IllegalPlay("no", rule="blocked"), -32602, {"code": "illegal", "rule": "blocked"}),
        (Cancelled("stopped"), -32800, {"code": "cancelled"}),
        (InternalError("bug"), -32603, {"code": "internal"}),
    ],
)
def test_what_the_service_refuses(peer: Peer, error: BgdError, number: int, data: dict[str, str]) -> None:
    reply = json.loads(peer.hears(call("ping"), error))
    assert reply["error"] == {"code": number, "message": error.message, "data": data}


def test_a_batch_is_answered_with_one_array_when_the_last_is_done() -> None:
    conversation = Conversation("json")
    line = (
        '[{"jsonrpc":"2.0","id":1,"method":"eval"},{"jsonrpc":"2.0","method":"ping"},'
        '{"jsonrpc":"2.0","id":2,"method":"moves"},7]\n'
    )
    first, notification, second, bad = conversation.receive_data(line.encode())
    assert isinstance(first.content, Eval)
    assert isinstance(bad.content, BgdError)
    assert conversation.send(second, MovesReply(plays=())) == b""
    assert conversation.send(notification, Done()) == b""
    assert conversation.send(bad, bad.content) == b""
    answers = json.loads(conversation.send(first, Done(text="late")))
    assert [answer["id"] for answer in answers] == [2, None, 1]
    assert conversation.send(Incoming(Ping(), "3"), Done()) == b'{"jsonrpc":"2.0","id":3,"result":{}}\n'


def test_a_batch_of_notifications_is_not_answered() -> None:
    conversation = Conversation("json")
    (incoming,) = conversation.receive_data(b'[{"jsonrpc":"2.0","method":"ping"}]\n')
    assert conversation.send(incoming, Done()) == b""


def test_settings_are_given_by_name(peer: Peer) -> None:
    request: Request = Set(values={"match": "7"})
    assert peer.request(call("set", values={"match": "7"})) == request
