"""What a peer may not exceed: at each limit it is served, one beyond it is told so, and others never notice."""

from __future__ import annotations

import json
import re
import socket
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st

from bgd.config import Config, Limits
from bgd.daemon.auth import Guard, Tokens
from bgd.daemon.crowd import Crowd, origin
from bgd.daemon.host import Host
from bgd.daemon.pace import Pace
from bgd.errors import Busy
from bgd.wire.conversation import Conversation
from bgd.wire.messages import Done

from .fakes import House, Peer
from .test_connection import in_house
from .test_server import a_host

TOKEN = "2c26b46b68ffc68ff99b453c1d304134"


# Lines a second


def test_a_second_s_lines_may_come_at_once_and_one_more_may_not() -> None:
    pace = Pace(3, now=0)
    assert pace.take(3, now=0) == 3
    assert pace.take(1, now=0) == 0


def test_time_makes_room_for_as_many_as_the_rate_says() -> None:
    pace = Pace(10, now=0)
    pace.take(10, now=0)
    assert pace.take(9, now=0.5) == 5
    assert pace.take(99, now=1000) == 10


def test_a_rate_of_0_is_no_limit() -> None:
    assert Pace(0, now=0).take(10**9, now=0) == 10**9


@given(st.integers(1, 50), st.lists(st.tuples(st.floats(0, 3), st.integers(0, 100)), max_size=30))
def test_law_no_second_has_more_than_twice_the_rate(rate: int, arrivals: list[tuple[float, int]]) -> None:
    pace, now, taken = Pace(rate, now=0), 0.0, []
    for pause, lines in arrivals:
        now += pause
        taken.append((now, pace.take(lines, now)))
    for start, _ in taken:
        assert sum(count for at, count in taken if start <= at < start + 1) <= 2 * rate


@in_house(max_rate=3)
async def test_at_the_rate_all_lines_are_answered(house: House) -> None:
    peer = house.connect()
    await peer.say("ping", "ping", "ping")
    assert [await peer.hear() for _ in range(3)] == ["ok pong"] * 3


@in_house(max_rate=3)
async def test_one_line_more_is_flooding_which_closes_after_what_came_before_is_answered(house: House) -> None:
    flood, other = house.connect(), house.connect()
    await flood.say("job slow", "ping", "", "ping", "ping")
    await house.jobs.wait_begun()
    house.jobs.finish("slow")
    assert await flood.hear_all() == ["ok slow", "ok pong", "error flooding"]
    await other.say("ping")
    assert await other.hear() == "ok pong"


# Memory of results


@in_house(max_unsent=4096, max_pending=5000)
async def test_replies_that_wait_for_an_older_one_count_as_unsent(house: House) -> None:
    peer = house.connect()
    await peer.say("job slow", *["bytes"] * 10_000, "job last")
    await house.jobs.wait_begun()
    await trio.testing.wait_all_tasks_blocked()
    assert house.counts.requests < 500
    house.jobs.finish("slow", "last")
    assert [await peer.hear() for _ in range(10_002)] == ["ok slow", *["as it is"] * 10_000, "ok last"]


def batch_of(count: int) -> str:
    return json.dumps([{"jsonrpc": "2.0", "id": number, "method": "ping"} for number in range(count)])


def test_the_answers_of_a_batch_are_counted_while_it_waits() -> None:
    conversation = Conversation()
    first, second = conversation.receive_data(f"{batch_of(2)}\n".encode())
    assert conversation.held == 0
    conversation.send(first, Done(text="x" * 5000))
    assert conversation.held > 5000
    assert conversation.send(second, Done()).endswith(b"]\n")
    assert conversation.held == 0


@in_house(max_unsent=4096)
async def test_a_batch_whose_answers_take_too_much_memory_gets_busy_for_the_rest(house: House) -> None:
    peer = house.connect(conversation=Conversation())
    await peer.say(batch_of(150), batch_of(10))
    answers = json.loads(await peer.hear())
    assert [answer["id"] for answer in answers] == list(range(150))
    pongs = [answer for answer in answers if answer.get("result") == {"text": "pong"}]
    assert 70 < len(pongs) < 90
    assert {answer["error"]["data"]["code"] for answer in answers[len(pongs) :]} == {"busy"}
    assert len(json.loads(await peer.hear())) == 10


# Tokens


def guarded(house: House, max_bad: int = 2) -> Peer:
    return house.connect(guard=Guard(Tokens([TOKEN]), max_bad=max_bad))


@in_house()
async def test_before_the_token_nothing_is_computed(house: House) -> None:
    peer = guarded(house)
    await peer.say("ping", "job a", "#1 job b", f"auth {TOKEN}", "job cheap")
    assert [await peer.hear() for _ in range(5)] == [
        "ok pong",
        "error unauthorized",
        "#1 error unauthorized",
        "ok authorized",
        "ok cheap",
    ]
    assert house.jobs.order == ["cheap"]


@in_house()
async def test_the_last_wrong_token_closes_and_nothing_after_it_is_read(house: House) -> None:
    peer = guarded(house, max_bad=2)
    await peer.say("auth a", "ping", "auth b", "ping", f"auth {TOKEN}")
    assert await peer.hear_all() == ["error unauthorized", "ok pong", "error unauthorized"]


def timed(autojump_clock: trio.testing.MockClock, scenario: Any, **limits: Any) -> None:
    async def main() -> None:
        async with trio.open_nursery() as nursery:
            await scenario(House(nursery, **limits))
            nursery.cancel_scope.cancel()

    trio.run(main, clock=autojump_clock)


def test_who_gives_no_token_for_too_long_is_told_and_closed(autojump_clock: trio.testing.MockClock) -> None:
    async def scenario(house: House) -> None:
        peer = guarded(house)
        await trio.sleep(29)
        await peer.say("ping")
        assert await peer.hear() == "ok pong"
        assert await peer.hear_all() == ["error unauthorized"]
        assert trio.current_time() == pytest.approx(30, abs=0.5)

    timed(autojump_clock, scenario, auth_timeout=30.0)


def test_who_gives_it_in_time_may_think_for_days(autojump_clock: trio.testing.MockClock) -> None:
    async def scenario(house: House) -> None:
        peer = guarded(house)
        await trio.sleep(29)
        await peer.say(f"auth {TOKEN}")
        assert await peer.hear() == "ok authorized"
        await trio.sleep(3 * 24 * 3600)
        await peer.say("ping")
        assert await peer.hear() == "ok pong"

    timed(autojump_clock, scenario, auth_timeout=30.0)


# Idle peers


def test_an_idle_peer_is_told_and_closed_and_half_a_line_is_not_idle(autojump_clock: trio.testing.MockClock) -> None:
    async def scenario(house: House) -> None:
        peer = house.connect()
        for _ in range(4):
            await trio.sleep(9)
            await peer.stream.send_all(b"ping\n"[:5] if _ else b"pi")
            if _ == 0:
                await peer.stream.send_all(b"ng\n")
            assert await peer.hear() == "ok pong"
        assert await peer.hear_all() == ["error timeout"]
        assert trio.current_time() == pytest.approx(46, abs=0.5)

    timed(autojump_clock, scenario, idle_timeout=10.0)


def test_a_peer_that_waits_for_an_answer_is_not_idle(autojump_clock: trio.testing.MockClock) -> None:
    async def scenario(house: House) -> None:
        house.load_gate.clear()
        peer = house.connect()  # its job waits for ever: nobody runs the scheduler
        await peer.say("job slow")
        await trio.sleep(1000)
        await peer.say("cancel", "ping")
        assert [await peer.hear() for _ in range(3)] == ["error cancelled", "ok 1 cancelled", "ok pong"]
        assert await peer.hear_all() == ["error timeout"]

    timed(autojump_clock, scenario, idle_timeout=10.0)


# Connections


@pytest.mark.parametrize(
    ("host", "place"),
    [
        ("127.0.0.1", None),
        ("127.9.9.9", None),
        ("::1", None),
        ("::ffff:127.0.0.1", None),
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
    ],
)
def test_a_place_is_an_address_or_a_network_of_one_customer(host: str, place: str | None) -> None:
    assert origin(host) == place


def test_the_crowd_has_room_for_so_many_and_so_many_from_one_place() -> None:
    crowd = Crowd(3, 2)
    with crowd.joined("a"):
        assert crowd.refusal("a") is None
        with crowd.joined("a"):
            assert str(crowd.refusal("a")) == "2 connections from a are open, which is the limit"
            assert crowd.refusal("b") is None
            assert crowd.refusal(None) is None
            with crowd.joined(None):
                assert str(crowd.refusal("b")) == "3 connections are open, which is the limit; try again later"
        assert crowd.refusal("a") is None
    assert crowd.open == 0


def test_too_many_from_one_address_are_refused_and_others_are_not() -> None:
    limits = Limits(max_per_address=2, linger=0.0)

    async def main() -> None:
        host = a_host(Config(limits=limits))
        streams: list[trio.SocketStream] = []
        with trio.fail_after(20):
            await scenario(host, streams)

    async def scenario(host: Host, streams: list[trio.SocketStream]) -> None:
        async with trio.open_nursery() as nursery:

            def come_from(address: str | None) -> trio.SocketStream:
                ours, theirs = trio.socket.socketpair()
                nursery.start_soon(host.admit, socket.socket(fileno=theirs.detach()), "peer", address)
                streams.append(trio.SocketStream(ours))
                return streams[-1]

            async def is_served(stream: trio.SocketStream) -> bool:
                await stream.send_all(b"ping\n")
                return await stream.receive_some() == b"ok pong\n"

            for address in ("192.0.2.1", "192.0.2.1", "192.0.2.2", None, None, None, *["127.0.0.1"] * 5):
                assert await is_served(come_from(address))
            told = await come_from("192.0.2.1").receive_some()
            assert told == b"error busy 2 connections from 192.0.2.1 are open, which is the limit\n"
            assert host.tally.refused == {"busy": 1}
            assert len(streams) == 12
            nursery.cancel_scope.cancel()

    trio.run(main)


def test_a_crowd_at_the_door_is_one_line_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        host = a_host(Config(limits=Limits(max_connections=1, linger=0.0)))
        async with trio.open_nursery() as nursery:
            inside, theirs = socket.socketpair()
            nursery.start_soon(host.admit, theirs, "first", None)
            await trio.testing.wait_all_tasks_blocked()
            for _ in range(10):
                ours, theirs = socket.socketpair()
                await host.admit(theirs, "late", None)
                ours.close()
            inside.close()
            nursery.cancel_scope.cancel()

    with caplog.at_level("INFO"):
        trio.run(main)
    assert len([record for record in caplog.records if "refused" in record.message]) == 1


# All of them


def test_every_limit_has_bounds_a_sentence_and_a_row_in_the_protocol() -> None:
    spec = (Path(__file__).parents[2] / "protocol" / "SPEC.md").read_text()
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]+) \|", spec.split("## Limits")[1], re.MULTILINE))
    source = (Path(__file__).parents[2] / "bgd" / "config.py").read_text()
    for limit in msgspec.structs.fields(Limits):
        bounds = msgspec.json.schema(limit.type)
        assert bounds.keys() & {"minimum", "exclusiveMinimum"}, limit.name
        assert "maximum" in bounds, limit.name
        assert re.search(rf'    {limit.name}: [^\n]*\n    """', source), limit.name
        assert rows[limit.name].replace(",", "").split()[0] == f"{limit.default:g}" or (
            float(rows[limit.name].replace(",", "").split()[0]) == limit.default
        ), limit.name
    assert set(rows) == set(Limits.__struct_fields__)


def test_a_refusal_is_a_busy() -> None:
    assert isinstance(Crowd(0, 0).refusal(None), Busy)
