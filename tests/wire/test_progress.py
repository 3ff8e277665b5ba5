"""How far an answer has come, as each dialect words it."""

from __future__ import annotations

import json

import pytest

from bgd.wire.detect import Dialect
from bgd.wire.messages import Progress, RolloutProgress, SearchProgress
from tests.wire.replies import BOARD, Peer

SEARCHED = SearchProgress(plies=1, equity=0.0, play="8/5 6/5")
WORTH = SearchProgress(plies=2, equity=-0.3105)
ROLLED = RolloutProgress(trials=324, equity=0.15941, error=0.00412, play="bar/22*")


def told(dialect: Dialect, line: str, progress: Progress) -> str:
    peer = Peer(dialect)
    return peer.conversation.report(peer.asks(line), progress).decode()


@pytest.mark.parametrize(
    ("progress", "line"),
    [
        (SEARCHED, 'progress plies=1 equity=+0.0000 play="8/5 6/5"\n'),
        (WORTH, "progress plies=2 equity=-0.3105\n"),
        (ROLLED, 'progress trials=324 equity=+0.1594 error=0.0041 play="bar/22*"\n'),
    ],
)
def test_text_has_a_data_line_for_it(progress: Progress, line: str) -> None:
    assert told("text", "best 31", progress) == line
    assert told("text", "#a best 31", progress) == f"#a {line}"


def test_json_has_a_notification_with_the_id_as_its_token() -> None:
    call = {"jsonrpc": "2.0", "id": "a", "method": "best", "params": {"dice": "31"}}
    assert json.loads(told("json", json.dumps(call), WORTH)) == {
        "jsonrpc": "2.0",
        "method": "$/progress",
        "params": {"token": "a", "value": {"plies": 2, "equity": -0.3105}},
    }


def test_json_tells_nothing_of_notifications() -> None:
    assert told("json", '{"jsonrpc":"2.0","method":"best","params":{"dice":"31"}}', WORTH) == ""


@pytest.mark.parametrize(
    ("command", "progress", "line"),
    [
        ("go role chequer", SEARCHED, "info role chequer depth 2 eq 0.0000 pv 8/5 6/5\n"),
        ("go role cube", WORTH, "info role cube depth 3 eq -0.3105\n"),
        ("go turn", WORTH, "info role turn depth 3 eq -0.3105\n"),
        ("eval", WORTH, "info depth 3 eq -0.3105\n"),
        ("go", ROLLED, "info role chequer trials 324 eq 0.1594 stderr 0.0041 pv bar/22\n"),
    ],
)
def test_ubgi_has_an_info_line(command: str, progress: Progress, line: str) -> None:
    assert told("ubgi", command, progress) == line


def test_gnubg_tells_nothing_since_its_clients_take_every_line_for_the_answer() -> None:
    assert told("gnubg", BOARD, SEARCHED) == ""
