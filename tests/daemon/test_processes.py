"""The daemon as a process: how it listens, answers and leaves."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from pathlib import Path

from tests.conftest import DaemonProcess, LineSocket, started

START = "4HPwATDgc/ABMA"


def test_one_port_speaks_the_dialect_of_the_first_line(daemon: DaemonProcess) -> None:
    with daemon.connect() as text, daemon.connect() as ubgi, daemon.connect() as gnubg:
        assert text.ask("ping")[-1].startswith("ok")
        ubgi.send("ubgi")
        assert ubgi.receive().startswith("id name bgd")
        gnubg.send("version")
        assert gnubg.receive() == "Interface: 2"
        assert text.ask("ping")[-1].startswith("ok")


def test_a_unix_socket_is_served_like_a_port(daemon: DaemonProcess) -> None:
    with daemon.connect_unix() as client:
        assert client.ask("best 31 position=start")[-1] == "ok 8/5 6/5"


def test_two_commands_in_one_packet_get_two_replies(daemon: DaemonProcess) -> None:
    with daemon.connect() as client:
        client.send_bytes(b"ping\nping\n")
        assert [client.receive(), client.receive()] == ["ok pong", "ok pong"]


def test_nul_bytes_between_lines_are_dropped(daemon: DaemonProcess) -> None:
    with daemon.connect() as client:
        client.send_bytes(b"version\n\0")
        interface, *_ = [client.receive() for _ in range(4)]
        assert interface == "Interface: 2"
        client.send_bytes(b"\0set debug on\n\0")
        assert client.receive() == "Debug output ON"


def test_the_end_of_input_is_answered_before_the_connection_closes(daemon: DaemonProcess) -> None:
    with daemon.connect() as client:
        client.send("position start", "best 31 plies=1", "ping")
        client.end_input()
        lines = client.receive_rest().splitlines()
        assert [line.split(" ", 1)[0] for line in lines if line.startswith(("ok", "error"))] == ["ok", "ok", "ok"]
        assert lines[-1] == "ok pong"


def test_a_line_over_the_limit_is_answered_with_its_error_and_closes(daemon: DaemonProcess) -> None:
    with daemon.connect() as client:
        client.send_bytes(b"ping\n" + b"x" * 100_000)
        assert client.receive() == "ok pong"
        assert client.receive().startswith("error line-too-long ")
        assert client.receive_rest() == ""


def test_a_port_in_use_gives_one_clear_line_and_exit_status_1(daemon: DaemonProcess, bgd_command: list[str]) -> None:
    done = subprocess.run(
        [*bgd_command, "serve", "--host", "127.0.0.1", "--port", str(daemon.port)], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr == f"bgd: Can't listen on 127.0.0.1:{daemon.port}: address already in use\n"


def test_a_setting_that_cannot_be_used_gives_one_clear_line_and_exit_status_1(bgd_command: list[str]) -> None:
    done = subprocess.run([*bgd_command, "--port", "99999"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "bgd: command line: Expected `int` <= 65535 - at `$.port`, got `99999`\n"


def test_sigterm_answers_what_was_asked_and_leaves_with_status_0(tmp_path: Path) -> None:
    with DaemonProcess.start("--host", "127.0.0.1", "--port", "0", "--unix", str(tmp_path / "s")) as process:
        with process.connect() as client, process.connect() as idle:
            client.ask("position start")
            client.ask("best 31")
            client.send(*["best 31 plies=1"] * 20, "ping")
            assert client.receive_final()[-1].startswith("ok")  # all of it has arrived
            process.process.send_signal(signal.SIGTERM)
            lines = client.receive_rest().splitlines()
            assert [line for line in lines if line.startswith("ok")] == ["ok 8/5 6/5"] * 19 + ["ok pong"]
            assert idle.receive_rest() == ""
        assert process.process.wait(20) == 0
        assert not (tmp_path / "s").exists()


def test_while_the_engine_loads_it_answers_and_a_signal_is_obeyed(tmp_path: Path) -> None:
    environment = {"BGD_CACHE_DIR": str(tmp_path / "empty"), "BGD_LIMITS_GRACE": "0"}
    with DaemonProcess.start("--host", "127.0.0.1", "--port", "0", env=environment) as process:
        with process.connect() as client:
            assert "engine=loading" in " ".join(client.ask("hello"))
            assert client.ask("moves 31 position=start")[-1] == "ok 16 plays"
            client.send("#1 best 31 position=start", "ping")
            assert client.receive() == "ok pong"
            process.process.terminate()
            assert client.receive().startswith("#1 error shutting-down ")
            assert client.receive_rest() == ""
        assert process.process.wait(20) == 0


def test_a_second_signal_ends_it_at_once(tmp_path: Path) -> None:
    environment = {"BGD_CACHE_DIR": str(tmp_path / "empty"), "BGD_LIMITS_GRACE": "3600"}
    with (
        DaemonProcess.start("--host", "127.0.0.1", "--port", "0", env=environment) as process,
        process.connect() as client,
    ):
        client.send("#1 best 31 position=start", "ping")
        assert client.receive() == "ok pong"
        process.process.send_signal(signal.SIGINT)
        process.wait_for_log("SIGINT: answering")
        process.process.send_signal(signal.SIGINT)
        assert process.process.wait(20) == 1


def test_a_client_that_vanishes_disturbs_nobody(daemon: DaemonProcess) -> None:
    with daemon.connect() as stayer:
        for _ in range(20):
            sock = socket.create_connection(("127.0.0.1", daemon.port))
            sock.sendall(b"position start\n" + b"best 31 plies=1\n" * 50 + b"half a li")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # close with a reset
            sock.close()
        assert stayer.ask("best 31 position=start")[-1] == "ok 8/5 6/5"


# stdin and stdout


def stdio(command: list[str], requests: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*command, "stdio", *arguments], input=requests, capture_output=True, timeout=200)


def test_stdio_answers_all_and_ends_with_its_input(bgd_command: list[str]) -> None:
    done = stdio(bgd_command, b"position start\nbest 31\n#a best 64\nping")
    assert done.returncode == 0
    lines = done.stdout.decode().splitlines()
    assert lines[0].startswith(f"ok {START}")
    finals = [line for line in lines if line.startswith(("ok", "#a ok"))]
    assert sorted(line.split()[0] for line in finals) == ["#a", "ok", "ok", "ok"]
    assert [line for line in finals if not line.startswith("#")][1:] == ["ok 8/5 6/5", "ok pong"]


def test_stdio_may_be_files(bgd_command: list[str], tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(b"ping\nhello\n")
    with (tmp_path / "in").open("rb") as source, (tmp_path / "out").open("wb") as target:
        done = subprocess.run([*bgd_command, "stdio"], stdin=source, stdout=target, stderr=subprocess.PIPE, timeout=60)
    assert done.returncode == 0
    assert (tmp_path / "out").read_text().startswith("ok pong\n")


def test_stdio_with_nothing_to_read_just_ends(bgd_command: list[str]) -> None:
    done = subprocess.run([*bgd_command, "stdio"], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, b"")


def test_stdio_with_stdin_closed_says_so(bgd_command: list[str]) -> None:
    done = subprocess.run(["sh", "-c", 'exec "$@" <&-', "sh", *bgd_command, "stdio"], capture_output=True, timeout=60)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b"bgd: Expected stdin and stdout to be open")


def test_stdio_works_with_stderr_closed(bgd_command: list[str]) -> None:
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" 2>&-', "sh", *bgd_command, "stdio"], input=b"ping\n", capture_output=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (0, b"ok pong\n")


def test_quit_ends_the_process_while_its_input_is_still_open(bgd_command: list[str]) -> None:
    with started(*bgd_command, "stdio", stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(b"ubgi\nquit\n")
        process.stdin.flush()
        assert process.wait(60) == 0


def test_a_reader_that_leaves_ends_it_calmly(bgd_command: list[str]) -> None:
    with started(
        *bgd_command, "stdio", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stdin.write(b"ping\n")
        process.stdin.flush()
        assert process.wait(60) == 0
        assert b"Traceback" not in process.stderr.read()


def test_stdio_obeys_sigterm(bgd_command: list[str]) -> None:
    with started(
        *bgd_command, "stdio", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"ping\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"ok pong\n"
        process.terminate()
        assert process.wait(60) == 0


def test_a_terminal_is_served_too(bgd_command: list[str]) -> None:
    ours, theirs = os.openpty()
    with started(*bgd_command, "stdio", stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL) as process:
        os.close(theirs)
        os.write(ours, b"ping\n")
        answer = b""
        while b"ok pong" not in answer:
            answer += os.read(ours, 1000)
        os.write(ours, b"\4")  # Ctrl-D
        assert process.wait(60) == 0
    os.close(ours)


def test_what_stdio_was_started_with_is_not_made_non_blocking(bgd_command: list[str]) -> None:
    ours, theirs = socket.socketpair()
    with (
        started(*bgd_command, "stdio", stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL) as process,
        LineSocket(ours) as client,
    ):
        assert client.ask("ping") == ["ok pong"]
        assert os.get_blocking(theirs.fileno())
        client.end_input()
        assert process.wait(60) == 0
    theirs.close()


# Asking without a daemon


def test_ask_prints_the_replies_and_tells_by_its_status_whether_all_were_ok(bgd_command: list[str]) -> None:
    done = subprocess.run([*bgd_command, "ask", "position start", "moves 31"], capture_output=True, text=True)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert len([line for line in lines if line.startswith("play ")]) == 16
    assert lines[-1] == "ok 16 plays"
    done = subprocess.run([*bgd_command, "ask", "moves 77 position=start", "ping"], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stdout.splitlines()[0].startswith("error bad-dice ")
    assert done.stdout.splitlines()[1] == "ok pong"


def test_matches_are_played_by_the_table_that_is_named(bgd_command: list[str], tmp_path: Path) -> None:
    table = tmp_path / "table.xml"
    row, post = "<row>{}</row>", "<row><me>.5</me><me>.49</me><me>.32</me></row>"
    rows = [".5 .7 .75", ".3 .5 .55", ".25 .45 .5"]
    pre = "".join(row.format("".join(f"<me>{cell}</me>" for cell in line.split())) for line in rows)
    table.write_text(
        f'<met><pre-crawford-table type="explicit">{pre}</pre-crawford-table>'
        f'<post-crawford-table type="explicit" player="both">{post}</post-crawford-table></met>'
    )
    lost = ["set match=3", "eval position=XGID=-A------------------------:0:0:1:00:0:0:0:3:10"]
    named = subprocess.run([*bgd_command, "ask", "--met", str(table), *lost], capture_output=True, text=True)
    assert "mwc=0.4500" in named.stdout
    damaged = subprocess.run([*bgd_command, "ask", "--met", str(tmp_path), *lost], capture_output=True, text=True)
    assert damaged.stdout.splitlines()[1].startswith("error bad-config")
    assert damaged.returncode == 1


def test_ask_asks_the_engine(bgd_command: list[str]) -> None:
    done = subprocess.run([*bgd_command, "ask", "best 31 position=start top=0"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "ok 8/5 6/5\n")


def test_the_version_is_told(bgd_command: list[str]) -> None:
    done = subprocess.run([*bgd_command, "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "bgd 0.1.0\n")
