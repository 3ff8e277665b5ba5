"""A client that does anything in any order, against the real daemon: each request has exactly one final reply, untagged
ones in the order sent, and how the bytes were cut never shows."""

from __future__ import annotations

import json
import re
from collections import Counter

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from tests.conftest import DaemonProcess, LineSocket

REQUESTS = {
    "ping": "ok pong",
    "best 31 position=start top=0": "ok 8/5 6/5",
    "best 31 position=start plies=1 top=2": "ok 8/5 6/5",
    "moves 65 position=start": "ok 7 plays",
    "check 66 24/18 13/7 position=start": "error illegal ",
    "eval position=start plies=1": "ok",
    "moves 77 position=start": "error bad-dice ",
    "moves 65 positoin=start": "error bad-argument ",
    "get match": "ok",
    "flurb": "error unknown-command ",
    '"': "error unknown-command ",
    "\x01\ufffd": "error unknown-command ",
}
"""And how their final lines begin."""

FINAL = re.compile(r"(?:#(\S+) )?((?:ok|error)(?: .*)?)$")
UNHURRIED = settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
"""Another process answers, and its engine may have to be loaded first."""

cuts = st.lists(st.integers(1, 40), max_size=6)


def send_cut(client: LineSocket, data: bytes, sizes: list[int]) -> None:
    """In pieces of those sizes, and the rest."""
    for size in sizes:
        client.send_bytes(data[:size])
        data = data[size:]
    client.send_bytes(data)


class Asker(RuleBasedStateMachine):
    """One connection in the text dialect; everything is judged when it ends."""

    def __init__(self, daemon: DaemonProcess) -> None:
        super().__init__()
        self.daemon = daemon
        self.client = daemon.connect()
        self.untagged: list[str] = []
        self.tagged: Counter[str] = Counter()

    @initialize()
    def choose_the_dialect(self) -> None:
        self.ask_untagged("ping", [], "\n")

    @rule(line=st.sampled_from(sorted(REQUESTS)), sizes=cuts, end=st.sampled_from(["\n", "\r\n", "\n\0", "\n\n"]))
    def ask_untagged(self, line: str, sizes: list[int], end: str) -> None:
        send_cut(self.client, f"{line}{end}".encode(), sizes)
        self.untagged.append(line)

    @rule(line=st.sampled_from(sorted(REQUESTS)), tag=st.sampled_from("abc"), sizes=cuts)
    def ask_tagged(self, line: str, tag: str, sizes: list[int]) -> None:
        """A tag still in use is an error, with that tag."""
        send_cut(self.client, f"#{tag} {line}\n".encode(), sizes)
        self.tagged[tag] += 1

    @rule(tag=st.sampled_from("abc"))
    def cancel(self, tag: str) -> None:
        self.client.send(f"#x cancel #{tag}")
        self.tagged["x"] += 1

    @rule()
    def hear_nothing_wrong(self) -> None:
        """A question in between is answered, whatever is still on its way."""
        self.client.send("#y ping")
        self.tagged["y"] += 1

    def teardown(self) -> None:
        with self.client as client:
            client.end_input()
            said = client.receive_rest()
        finals = [match.groups() for line in said.splitlines() if (match := FINAL.match(line))]
        in_order = [text for tag, text in finals if tag is None]
        assert len(in_order) == len(self.untagged), said
        for line, text in zip(self.untagged, in_order, strict=True):
            assert text.startswith(REQUESTS[line]), (line, text)
        assert Counter(tag for tag, _ in finals if tag is not None) == self.tagged, said
        with self.daemon.connect() as other:
            other.send(*self.untagged)
            other.end_input()
            plain = [line for line in said.splitlines() if not line.startswith("#")]
            assert other.receive_rest().splitlines() == plain


def test_each_request_has_one_final_reply_whatever_else_goes_on(daemon: DaemonProcess) -> None:
    run_state_machine_as_test(lambda: Asker(daemon), settings=settings(UNHURRIED, stateful_step_count=30))


calls = st.sampled_from(
    [
        {"method": "ping"},
        {"method": "best", "params": {"position": "start", "dice": [3, 1], "plies": 1}},
        {"method": "moves", "params": {"position": "start", "dice": "77"}},
        {"method": "flurb"},
        {"method": "$/cancelRequest", "params": {"id": 1}},
        {"method": 7},
    ]
)


@UNHURRIED
@given(lines=st.lists(st.lists(st.tuples(calls, st.booleans()), min_size=1, max_size=4), max_size=8), sizes=cuts)
def test_each_call_of_json_has_one_reply_and_each_batch_one_line(
    daemon: DaemonProcess, lines: list[list[tuple[dict[str, object], bool]]], sizes: list[int]
) -> None:
    number = 0
    sent, expected = [json.dumps({"jsonrpc": "2.0", "id": 0, "method": "ping"})], Counter([0])
    arrays = 0
    for line in lines:
        members = []
        for call, notified in line:
            number += 1
            members.append({"jsonrpc": "2.0", **call} if notified else {"jsonrpc": "2.0", "id": number, **call})
            if not notified:
                expected[number] += 1
            elif call["method"] == 7:  # no request at all, so no notification either
                expected[None] += 1
        sent.append(json.dumps(members if len(members) > 1 else members[0]))
        arrays += len(members) > 1 and any("id" in member or member["method"] == 7 for member in members)
    with daemon.connect() as client:
        send_cut(client, "".join(f"{line}\n" for line in sent).encode(), sizes)
        client.end_input()
        replies = [json.loads(line) for line in client.receive_rest().splitlines()]
    assert sum(isinstance(reply, list) for reply in replies) == arrays
    flat = [each for reply in replies for each in (reply if isinstance(reply, list) else [reply])]
    assert Counter(each["id"] for each in flat) == expected
    assert all(("result" in each) != ("error" in each) for each in flat)
