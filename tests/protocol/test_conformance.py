"""The conformance runner passes bgd, and would notice a server that is not as the protocol says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import DaemonProcess
from tests.protocol.transcript import PLACEHOLDERS, RUNNER, VECTORS, parse_text

PROTOCOL = Path(__file__).parents[2] / "protocol"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """With the standard library alone."""
    return subprocess.run([sys.executable, "-I", "-S", str(RUNNER), *arguments], capture_output=True, text=True)


def test_bgd_conforms_over_tcp(daemon: DaemonProcess) -> None:
    check = run("--host", "127.0.0.1", "--port", str(daemon.port))
    assert check.returncode == 0, check.stdout + check.stderr
    assert "skip pinned_text (needs a server with the dialect text pinned)" in check.stdout.splitlines()


def test_bgd_conforms_over_a_unix_socket(daemon: DaemonProcess) -> None:
    check = run("--unix", daemon.path, "--only", "*_1_*")
    assert check.returncode == 0, check.stdout + check.stderr
    assert "ok   text_1_hello" in check.stdout.splitlines()


@pytest.mark.parametrize("only", ["pinned_*", "*_1_play*", "ids.jsonl"])
def test_bgd_conforms_on_stdin_and_stdout(only: str, bgd_command: list[str]) -> None:
    check = run("--pinned", "--only", only, "--", *bgd_command, "stdio", "--log-level", "error")
    assert check.returncode == 0, check.stdout + check.stderr
    assert ", 0 failed, 0 skipped in " in check.stdout


@pytest.mark.parametrize(
    ("only", "told"),
    [("pinned_text", "sent b'version\\n'; expected"), ("play_spellings.jsonl", "that is no reply: 'ok")],
)
def test_a_server_that_says_something_else_fails(only: str, told: str) -> None:
    liar = "import sys\nfor line in sys.stdin: print('ok pong', flush=True)"
    check = run("--pinned", "--only", only, "--timeout", "1", "--", sys.executable, "-c", liar)
    assert check.returncode == 1
    assert check.stdout.startswith(f"FAIL {only}\n")
    assert told in check.stdout
    assert "\n0 ok, 1 failed, 0 skipped" in check.stdout


def test_tokens_and_limits_are_checked_of_a_server_that_has_them() -> None:
    with DaemonProcess.start("--host", "127.0.0.1", "--port", "0", env={"BGD_LIMITS_MAX_RATE": "3"}) as process:
        check = run("--port", str(process.port), "--only", "limit_1*", "--prepared")
    assert check.stdout.startswith("ok   limit_1_flooding\n1 ok, 0 failed, 0 skipped")
    for name, told in (
        ("limit_1*", "the limit max_rate=3"),
        ("token_1*", "the token 2c26b46b68ffc68ff99b453c1d304134"),
    ):
        skipped = run("--only", name, "--", "true")
        assert f"(needs a server with {told})" in skipped.stdout


def test_a_server_that_ends_badly_fails() -> None:
    quitter = "import sys; sys.exit(3)"
    check = run("--only", "text_2*", "--timeout", "5", "--", sys.executable, "-c", quitter)
    assert check.returncode == 1
    assert "FAIL text_2" in check.stdout


def test_a_server_that_is_not_there_is_told(tmp_path: Path) -> None:
    for arguments in (["--unix", str(tmp_path / "none")], ["--", str(tmp_path / "none")]):
        check = run(*arguments)
        assert check.returncode == 2
        assert "can't be reached" in check.stderr


def test_what_a_server_must_be_prepared_for_is_told(daemon: DaemonProcess) -> None:
    check = run("--port", str(daemon.port), "--only", "limit_1*")
    assert check.stdout.startswith("skip limit_1_flooding (needs a server with the limit max_rate=3)\n")
    assert check.returncode == 1, "nothing was checked"


def test_a_prepared_server_conforms() -> None:
    with DaemonProcess.start("--host", "127.0.0.1", "--port", "0", env={"BGD_LIMITS_MAX_RATE": "3"}) as daemon:
        check = run("--port", str(daemon.port), "--prepared", "--only", "limit_1*")
        assert check.stdout.startswith("ok   limit_1_flooding\n")
        assert check.returncode == 0
        assert daemon.stop() == 0


def test_every_vector_is_checked() -> None:
    assert set(VECTORS) == {path.name for path in (PROTOCOL / "vectors").glob("*.jsonl")}


def test_the_placeholders_are_those_that_the_readme_explains() -> None:
    readme = (PROTOCOL / "transcripts" / "README.md").read_text()
    explained = set(re.findall(r"^\| `\{(\w+)\}` \|", readme, re.MULTILINE))
    assert explained == {*PLACEHOLDERS, "lines"}


@pytest.mark.parametrize("line", ["X: what", "S: before anything was asked", "@flurb"])
def test_what_is_no_transcript_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="flurb:1: not a line of a transcript"):
        parse_text("flurb", line)
