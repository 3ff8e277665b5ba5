"""Strangers are let in by a token, by TLS, or because somebody said so. The daemon as a process, with real sockets."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import DaemonProcess
from tests.protocol.transcript import Transcript, transcripts

from .test_transcripts import name, replay

TOKEN = "2c26b46b68ffc68ff99b453c1d304134"
OTHER = "fcde2b2edba56bf408601fb721fe9b5c"
GUARDED = [transcript for transcript in transcripts() if transcript.token is not None]


def tokens(folder: Path, *lines: str) -> Path:
    path = folder / "tokens"
    path.touch(0o600)
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon that asks for TOKEN, on TCP and a Unix socket."""
    folder = tmp_path_factory.mktemp("guarded")
    flags = ["--token-file", str(tokens(folder, TOKEN)), "--log-level", "debug"]
    with DaemonProcess.start("--host", "127.0.0.1", "--port", "0", "--unix", str(folder / "s"), *flags) as process:
        with process.connect_unix() as client:
            assert client.ask("best 31 position=start")[-1].startswith("ok")
        yield process
        assert process.stop() == 0
        assert not [line for line in process.log if TOKEN in line]


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_a_public_address_is_refused_with_what_to_do(host: str, bgd_command: list[str]) -> None:
    done = subprocess.run([*bgd_command, "--host", host, "--port", "0"], capture_output=True, text=True, timeout=60)
    if "Can't listen on" in done.stderr:
        pytest.skip("no such address here")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("bgd: Others can reach ")
    for way_out in ("--token-file", "--tls-certificate", "--tls-key", "--insecure"):
        assert way_out in done.stderr


def test_it_is_served_when_told_that_nobody_is_kept_out() -> None:
    with DaemonProcess.start("--host", "0.0.0.0", "--port", "0", "--insecure") as process:
        process.wait_for_log(r"listening on 0\.0\.0\.0:\d+$")
        assert process.stop() == 0


def test_it_is_served_with_a_token_and_a_warning_that_it_is_not_secret(tmp_path: Path) -> None:
    with DaemonProcess.start(
        "--host", "0.0.0.0", "--port", "0", "--token-file", str(tokens(tmp_path, TOKEN))
    ) as process:
        process.wait_for_log(r"listening on 0\.0\.0\.0:\d+ with a token$")
        process.wait_for_log("WARNING tokens and games go over .* in clear")
        assert process.stop() == 0


@pytest.mark.parametrize("transcript", GUARDED, ids=name)
def test_over_tcp_the_token_is_asked_for_as_the_transcripts_say_and_never_logged(
    transcript: Transcript, guarded: DaemonProcess
) -> None:
    assert transcript.token == TOKEN
    with guarded.connect() as client:
        replay(transcript, client.sock)


def test_a_unix_socket_has_its_permissions_and_asks_for_none(guarded: DaemonProcess) -> None:
    with guarded.connect_unix() as client:
        assert client.ask("best 31 position=start top=0") == ["ok 8/5 6/5"]
        assert client.ask("auth anything") == ["ok not needed"]


def test_a_hangup_signal_reads_the_tokens_anew_and_a_bad_file_changes_nothing(tmp_path: Path) -> None:
    path = tokens(tmp_path, TOKEN)
    with DaemonProcess.start("--host", "127.0.0.1", "--port", "0", "--token-file", str(path)) as process:
        with process.connect() as before:
            tokens(tmp_path, OTHER)
            assert before.ask(f"auth {TOKEN}") == ["ok authorized"]
            process.process.send_signal(signal.SIGHUP)
            process.wait_for_log("SIGHUP: tokens and certificates read anew")
            assert before.ask("moves 31 position=start")[-1] == "ok 16 plays"
        tokens(tmp_path, "short")
        process.process.send_signal(signal.SIGHUP)
        process.wait_for_log("SIGHUP: all stays as it was: .*tokens:1: expected a token")
        with process.connect() as after:
            assert after.ask(f"auth {TOKEN}")[0].startswith("error unauthorized ")
            assert after.ask(f"auth {OTHER}") == ["ok authorized"]
        assert process.stop() == 0


def test_a_wrong_token_is_logged_by_whom_and_not_which(guarded: DaemonProcess) -> None:
    with guarded.connect() as client:
        assert client.ask("auth not-the-token-of-this-server")[0].startswith("error unauthorized ")
        guarded.wait_for_log(rf"WARNING 127\.0\.0\.1:{client.sock.getsockname()[1]}: wrong token, 1 of 3")
    assert not [line for line in guarded.log if "not-the-token" in line]
