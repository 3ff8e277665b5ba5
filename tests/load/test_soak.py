"""A short soak; and that a soak would notice what it looks for."""

from __future__ import annotations

import json

import pytest

from tests.load.ledger import Ledger
from tests.load.soak import run

ASKED = [b"ok 1\n", b"ok 2\n", b"ok 3\n"]


def judged(received: bytes) -> Ledger:
    ledger = Ledger()
    ledger.judge("visit", ASKED, received)
    return ledger


def test_fifty_clients_of_all_dialects_find_every_answer_once_and_leave_nothing_behind() -> None:
    summary = run(seconds=20, clients=50, seed=7, share=1.0)
    assert summary["soak"] == "ok", json.dumps(summary, indent=1)
    assert set(summary["dialects"]) == {"text", "gnubg", "ubgi", "json"}
    assert summary["replies"] == summary["requests"] > 500


def test_answers_in_order_are_as_they_should_be() -> None:
    ledger = judged(b"ok 1\nok 2\nok 3\n")
    assert ledger.whole
    assert (ledger.requests, ledger.replies) == (3, 3)


@pytest.mark.parametrize(
    ("received", "lost", "doubled", "wrong"),
    [
        (b"", 3, 0, 0),
        (b"ok 1\nok 2\n", 1, 0, 0),
        (b"ok 1\nok 2\nok 2\nok 3\n", 0, 1, 0),
        (b"ok 1\nok 2\nok 3\nok 3\n", 0, 1, 0),
        (b"ok 1\nok 7\nok 3\n", 0, 0, 1),
    ],
)
def test_what_is_lost_doubled_or_wrong_is_counted(received: bytes, lost: int, doubled: int, wrong: int) -> None:
    ledger = judged(received)
    assert (ledger.lost, ledger.doubled, ledger.wrong) == (lost, doubled, wrong)
    assert not ledger.whole


@pytest.mark.parametrize(
    ("replies", "lost", "doubled", "wrong"),
    [
        ([("a", b"#a ok\n"), ("b", b"#b error cancelled x\n")], 0, 0, 0),
        ([("b", b"#b ok\n"), ("a", b"#a ok\n")], 0, 0, 0),
        ([("a", b"#a ok\n")], 1, 0, 0),
        ([("a", b"#a ok\n"), ("b", b"#b ok\n"), ("a", b"#a ok\n")], 0, 1, 0),
        ([("a", b"#a ok\n"), ("b", b"#b ok\n"), ("c", b"#c ok\n")], 0, 1, 0),
        ([("a", b"#a oh\n"), ("b", b"#b ok\n")], 0, 0, 1),
    ],
)
def test_tagged_answers_are_counted_in_any_order(
    replies: list[tuple[str, bytes]], lost: int, doubled: int, wrong: int
) -> None:
    ledger = Ledger()
    ledger.judge_each("visit", {"a": (b"#a ok\n",), "b": (b"#b ok\n", rb"^#b error cancelled .*\n")}, replies)
    assert (ledger.lost, ledger.doubled, ledger.wrong) == (lost, doubled, wrong)
