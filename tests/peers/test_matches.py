"""GNU Backgammon plays whole matches and money games against bgd, as `set player 0 external` lets anybody do."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.conftest import DaemonProcess
from tests.peers.gnubg import Record, play_match, run


def assert_clean(record: Record) -> None:
    assert record.problems == []
    assert "???" not in record.mat
    assert len(record.wins) == record.games > 0


def score(record: Record) -> dict[str, int]:
    totals = {"bgd": 0, "gnubg": 0}
    for name, points in record.wins:
        totals[name] += points
    return totals


@pytest.mark.parametrize("seed", [1, 2])
def test_gnubg_plays_a_match_to_seven(daemon: DaemonProcess, seed: int) -> None:
    record = play_match(daemon.port, length=7, seed=seed)
    assert_clean(record)
    assert max(score(record).values()) >= 7


def test_gnubg_searching_two_plies_plays_a_match_to_one(daemon: DaemonProcess) -> None:
    record = play_match(daemon.port, length=1, seed=3, plies=2)
    assert_clean(record)


def test_gnubg_plays_a_money_session(daemon: DaemonProcess) -> None:
    record = play_match(daemon.port, length=0, seed=4, games=5)
    assert_clean(record)
    assert record.games == 5


def test_no_double_is_offered_in_a_crawford_game(daemon: DaemonProcess) -> None:
    """Matches to three until one comes to a Crawford game in which both sides would have had a use for the cube."""
    played = []
    for seed in range(6, 40):
        record = play_match(daemon.port, length=3, seed=seed)
        assert_clean(record)
        played += crawford_games(record, length=3)
        if len(played) == 2:
            break
    assert len(played) == 2
    assert all("Doubles" not in game for game in played)


def crawford_games(record: Record, length: int) -> list[str]:
    """The text of the first game that starts with exactly one side a point away, if there is one."""
    totals = {"bgd": 0, "gnubg": 0}
    texts = record.mat.split(" Game ")[1:]
    for (name, points), text in zip(record.wins, texts, strict=True):
        if (length - totals["bgd"] == 1) != (length - totals["gnubg"] == 1):
            return [text]
        totals[name] += points
    return []


def test_gnubg_takes_another_daemon_on_the_same_port() -> None:
    with DaemonProcess.start("--host", "127.0.0.1", "--port", "0") as process:
        port = process.port
        assert_clean(play_match(port, length=1, seed=8))
        assert process.stop() == 0
    said = run([], f"set player 0 external localhost:{port}\nquit\n", timeout=30)
    assert "Connection refused" in said
    with DaemonProcess.start("--host", "127.0.0.1", "--port", str(port)) as process:
        assert process.port == port
        assert_clean(play_match(port, length=1, seed=9))


def test_gnubg_stops_the_match_with_a_word_when_the_daemon_goes_away(daemon: DaemonProcess) -> None:
    with cut_after(daemon.port, decisions=3) as port:  # in the first game, whatever is played
        record = play_match(port, length=3, seed=10, timeout=60)
    assert record.problems == ["External connection closed."]
    assert record.games == 1  # begun, and written as far as it went


@contextmanager
def cut_after(port: int, decisions: int) -> Iterator[int]:
    """A port that leads to the daemon and is cut off, both ways, after so many replies."""

    def carry(listener: socket.socket) -> None:
        client, _ = listener.accept()
        with client, socket.create_connection(("127.0.0.1", port)) as server:
            questions, answers = client.makefile("rb"), server.makefile("rb")
            with questions, answers:
                for _ in range(decisions):
                    server.sendall(questions.readline())
                    client.sendall(answers.readline())

    with socket.create_server(("127.0.0.1", 0)) as listener:
        carrier = threading.Thread(target=carry, args=(listener,))
        carrier.start()
        yield listener.getsockname()[1]
        carrier.join(timeout=10)
        assert not carrier.is_alive()
