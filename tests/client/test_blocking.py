"""The blocking client: with a peer whose words were written down beforehand, and with a real daemon."""

from __future__ import annotations

import inspect
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from bgd.client import DEFAULT_PORT, AsyncClient, BadReply, Client, Disconnected
from bgd.config import DEFAULT_PORT as PORT_OF_THE_DAEMON
from bgd.errors import BadDice, Busy, Cancelled, IllegalPlay, MissingContext, TimedOut
from bgd.wire.messages import REQUESTS, BestReply, CubeReply, Done, Moves, MovesReply, Ping, Quit
from tests.conftest import DaemonProcess

PONG = b'{"jsonrpc":"2.0","id":%d,"result":{"text":"pong"}}\n'
LEAVES = b""
STAYS = b'{"jsonrpc":"2.0","method":"$/nothing"}\n'


class Door:
    """Each connection finds a peer that has said its words already; the last word says whether it LEAVES or STAYS."""

    def __init__(self, *scripts: tuple[bytes, ...]) -> None:
        self._scripts = list(scripts)
        self.peers: list[socket.socket] = []

    def __call__(self) -> socket.socket:
        if not self._scripts:
            raise ConnectionRefusedError("nobody there")
        ours, theirs = socket.socketpair()
        self.peers.append(theirs)
        *words, last = self._scripts.pop(0)
        theirs.sendall(b"".join(words) + last)
        if last == LEAVES:
            theirs.shutdown(socket.SHUT_WR)
        return ours

    def heard(self, number: int) -> bytes:
        peer = self.peers[number]
        peer.setblocking(False)
        return peer.recv(65536)


@pytest.fixture(scope="module")
def bgd(daemon: DaemonProcess) -> Iterator[Client]:
    with Client.connect("127.0.0.1", daemon.port) as client:
        yield client


# With a peer of few words


def test_every_verb_is_a_method_of_both_clients() -> None:
    left_out = {"quit", "auth"}  # closing the client is enough; and its token is told to it when it is made
    for verb in set(REQUESTS) - left_out:
        assert callable(getattr(Client, verb)), verb
        assert callable(getattr(AsyncClient, verb)), verb
    assert not hasattr(Client, Quit.verb)


def test_both_clients_share_their_methods_and_the_daemons_port() -> None:
    def public(kind: type) -> set[str]:
        return {name for name, _ in inspect.getmembers(kind, callable) if not name.startswith("_")}

    assert public(Client) - {"close", "submit"} == public(AsyncClient) - {"aclose"}
    assert DEFAULT_PORT == PORT_OF_THE_DAEMON


def test_a_lost_question_is_asked_again_on_a_new_connection() -> None:
    door = Door((LEAVES,), (PONG % 1, STAYS))
    with Client(door) as client:
        assert client.ping().text == "pong"
        assert door.heard(0) == door.heard(1)


def test_answers_said_before_leaving_are_heard_and_the_rest_is_asked_again() -> None:
    door = Door((PONG % 1, LEAVES), (PONG % 2, STAYS))
    with Client(door) as client:
        first, second = client.submit(Ping(), Done), client.submit(Ping(), Done)
        assert (second.result().text, first.result().text) == ("pong", "pong")
        assert b'"id":1' not in door.heard(1)


def test_patience_with_a_door_that_stays_shut_ends() -> None:
    with Client(Door((LEAVES,)), patience=0.1) as client, pytest.raises(Disconnected, match="nobody there"):
        client.ping()


def test_without_patience_a_lost_connection_is_told_at_once_and_the_next_question_opens_another() -> None:
    with Client(Door((LEAVES,), (PONG % 2, STAYS)), patience=0) as client:
        with pytest.raises(Disconnected):
            client.ping()
        assert client.ping().text == "pong"


def test_a_lost_session_is_told() -> None:
    with Client(Door((b'{"id":1,"result":{}}\n', LEAVES), (PONG % 3, STAYS))) as client:
        client.set(values={"match": "7"})
        with pytest.raises(Disconnected, match="what had been set"):
            client.ping()
        assert client.ping().text == "pong"


def test_a_token_is_told_first_on_each_connection() -> None:
    door = Door((LEAVES,), (b'{"id":0,"result":{}}\n' + PONG % 1, STAYS))
    with Client(door, token="secret") as client:
        client.ping()
        for number in range(2):
            first, second = door.heard(number).splitlines()
            assert b'"auth"' in first
            assert b'"ping"' in second


def test_a_full_house_is_told_and_not_tried_again() -> None:
    with Client(Door((b"error busy 256 connections are open\n", LEAVES))) as client, pytest.raises(Busy):
        client.ping()


def test_another_program_behind_the_port_is_noticed() -> None:
    with Client(Door((b"220 mail.example ESMTP\r\n", STAYS))) as client, pytest.raises(BadReply, match="220 mail"):
        client.ping()


def test_an_answer_that_does_not_come_is_waited_for_so_long_and_cancelled() -> None:
    door = Door((STAYS,))
    with Client(door, timeout=0.01) as client:
        with pytest.raises(TimedOut, match=r"0\.01 s"):
            client.ping()
        pending = client.submit(Ping(), Done)
        with pytest.raises(TimedOut):
            pending.result(0.001)
        with pytest.raises(TimedOut):
            pending.result()
        door.peers[0].sendall(PONG % 1 + PONG % 2 + PONG % 3)  # too late for the first two
        assert client.ping().text == "pong"
        assert door.heard(0).count(b"$/cancelRequest") == 2


def test_a_pending_request_can_be_cancelled() -> None:
    door = Door((b'{"id":1,"error":{"code":-32800,"message":"stopped","data":{"code":"cancelled"}}}\n', STAYS))
    with Client(door) as client:
        pending = client.submit(Ping(), Done)
        pending.cancel()
        with pytest.raises(Cancelled, match="stopped"):
            pending.result()
        assert pending.done


def test_a_closed_client_answers_no_more() -> None:
    client = Client(Door((STAYS,)))
    pending = client.submit(Ping(), Done)
    client.close()
    with pytest.raises(Disconnected, match="closed"):
        pending.result()
    with pytest.raises(Disconnected, match="closed"):
        client.ping()


def test_nobody_listening_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Client.connect_unix(str(tmp_path / "nothing"))
    with pytest.raises(FileNotFoundError):
        Client.start(["/nothing/there"])


# With a real daemon


def test_a_daemon_is_asked_by_tcp(bgd: Client) -> None:
    assert bgd.hello().name == "bgd"
    assert bgd.ping().text == "pong"
    assert "best" in "".join(bgd.help(topic="best").lines)
    assert len(bgd.moves(position="start", dice="31").plays) == 16
    assert bgd.best(position="start", dice="31").play == "8/5 6/5"
    assert bgd.check(position="start", dice="31", play="6/5 8/5").play == "8/5 6/5"
    assert 0.4 < bgd.eval(position="start").win < 0.6
    assert bgd.cube(position="start").label.startswith("no double")
    assert bgd.turn(position="start", dice="31").play == "8/5 6/5"
    assert bgd.convert(position="start", to="xgid").text.startswith("XGID=-b----E-C---eE")
    assert len(bgd.show(position="start").lines) > 10
    assert bgd.stats().values["requests"]
    assert bgd.options().options[0].name == "match"


def test_settings_are_the_sessions(daemon: DaemonProcess) -> None:
    with Client.connect("127.0.0.1", daemon.port) as one, Client.connect("127.0.0.1", daemon.port) as other:
        one.set(values={"match": "7", "score": "2-4"})
        one.position(position="start")
        assert one.get(names=("match",)).values == {"match": "7"}
        assert other.get(names=("match",)).values == {"match": "0"}
        one.newgame(session=True)
        with pytest.raises(MissingContext):
            one.best(dice="31")


def test_errors_come_as_their_classes(bgd: Client) -> None:
    with pytest.raises(IllegalPlay) as illegal:
        bgd.check(position="start", dice="66", play="24/18 13/7")
    assert illegal.value.rule == "all-of-double"
    with pytest.raises(BadDice, match="77"):
        bgd.moves(position="start", dice="77")


def test_thousands_of_requests_may_be_on_their_way(bgd: Client) -> None:
    # Their replies fill what the daemon holds back for a slow reader, and both sides' sockets, many times over.
    pending = [bgd.submit(Moves(position="start", dice=dice), MovesReply) for dice in ("31", "66", "11") * 1000]
    counts = [len(each.result().plays) for each in pending]
    assert counts == [counts[0], counts[1], counts[2]] * 1000
    assert counts[0] == 16


def test_a_daemon_of_ones_own_ends_with_its_client(bgd_command: list[str]) -> None:
    with Client.start([*bgd_command, "stdio"]) as client:
        reply = client.best(position="start", dice="31", top=0)
        assert isinstance(reply, BestReply)
        assert isinstance(client.cube(position="start"), CubeReply)


def test_a_daemon_that_is_started_again_is_found_again(tmp_path: Path) -> None:
    path = str(tmp_path / "socket")
    with DaemonProcess.start("--unix", path) as first:
        client = Client.connect_unix(first.path, patience=30)
        assert client.ping().text == "pong"
        assert first.stop() == 0
    with DaemonProcess.start("--unix", path) as second, client:
        assert client.ping().text == "pong"
        client.position(position="start")
        assert second.stop() == 0
        with pytest.raises(Disconnected, match="what had been set"):
            client.ping()
