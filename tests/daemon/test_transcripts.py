"""The transcripts of the protocol, replayed against real processes: over TCP, a Unix socket, and stdin and stdout."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.conftest import DaemonProcess, started
from tests.protocol.transcript import Step, Transcript, mismatch, transcripts

TIMEOUT = 60.0

ALL = list(transcripts())
PLAIN = [transcript for transcript in ALL if transcript.plain and not transcript.leaves]
PREPARED = [transcript for transcript in ALL if transcript not in PLAIN]
UNPINNED = [transcript for transcript in PLAIN if transcript.dialect is None]


def name(transcript: Transcript) -> str:
    return transcript.name


def answer_to(step: Step, receive: Callable[[], bytes]) -> str:
    """As many lines as expected; where their number isn't known, what comes until they match; all, up to an end."""
    answer = b""

    def complete() -> bool:
        if step.closes:
            return False
        if "{lines}" in step.expected:
            return step.pattern().fullmatch(answer.decode()) is not None
        return answer.count(b"\n") >= len(step.expected)

    while not complete():
        try:
            data = receive()
        except TimeoutError:
            break
        if not data:
            break
        answer += data
    return answer.decode()


def replay(transcript: Transcript, sock: socket.socket, leave: Callable[[], None] | None = None) -> None:
    sock.settimeout(TIMEOUT)
    for step in transcript.steps:
        sock.sendall(step.sent)
        if step.leaves:
            assert leave is not None
            leave()
        if step.ends:
            sock.shutdown(socket.SHUT_WR)
        wrong = mismatch(transcript, step, answer_to(step, lambda: sock.recv(65_536)))
        assert wrong is None, wrong
        if step.closes:
            assert sock.recv(1) == b""
            return
    sock.shutdown(socket.SHUT_WR)
    assert sock.recv(65_536) == b"", "more was answered than the transcript says"


@pytest.mark.parametrize("transcript", UNPINNED, ids=name)
def test_over_tcp_a_conversation_goes_as_its_transcript_says(transcript: Transcript, daemon: DaemonProcess) -> None:
    with daemon.connect() as client:
        replay(transcript, client.sock)


@pytest.mark.parametrize("transcript", UNPINNED, ids=name)
def test_over_a_unix_socket_it_goes_the_same_way(transcript: Transcript, daemon: DaemonProcess) -> None:
    with daemon.connect_unix() as client:
        replay(transcript, client.sock)


@pytest.mark.parametrize("transcript", PREPARED, ids=name)
def test_with_a_server_of_its_own_it_goes_as_its_transcript_says(transcript: Transcript, tmp_path: Path) -> None:
    settings = {f"BGD_LIMITS_{limit.upper()}": value for limit, value in transcript.limits.items()}
    if transcript.token is not None:
        secret = tmp_path / "token"
        secret.touch(0o600)
        secret.write_text(transcript.token)
        settings["BGD_TOKEN_FILE"] = str(secret)
    if transcript.dialect is not None:
        settings["BGD_DIALECT"] = transcript.dialect
    with DaemonProcess.start("--host", "127.0.0.1", "--port", "0", env=settings) as server, ExitStack() as stack:
        for _ in range(transcript.guests):
            guest = stack.enter_context(server.connect())
            guest.send("ping")
            assert guest.receive()
        with server.connect() as client:
            replay(transcript, client.sock, server.process.terminate)


@pytest.mark.parametrize("transcript", PLAIN, ids=name)
def test_over_stdin_and_stdout_it_goes_the_same_way(transcript: Transcript, bgd_command: list[str]) -> None:
    pinned = ["--dialect", transcript.dialect] if transcript.dialect else []
    ours, theirs = socket.socketpair()
    with (
        ours,
        started(*bgd_command, "stdio", "--log-level", "error", *pinned, stdin=theirs, stdout=theirs) as process,
    ):
        theirs.close()
        replay(transcript, ours)
        ours.close()
        assert process.wait(TIMEOUT) == 0
