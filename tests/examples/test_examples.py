"""The examples run, and show what they say."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bgd.duel.external import find_gnubg
from tests.conftest import DaemonProcess


def run(command: list[str]) -> str:
    """Its output. What it writes to stderr, and a status that isn't 0, fail the test."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    assert (done.returncode, done.stderr if command[-1] != "stdio" else "") == (0, "")
    return done.stdout


def example(repository: Path, name: str) -> str:
    return str(repository / "examples" / name)


def test_netcat(daemon: DaemonProcess, repository: Path) -> None:
    said = run(["bash", example(repository, "netcat.sh"), str(daemon.port)])
    assert "\nok 16 plays\n" in said
    assert "\nok 8/5 6/5\n" in said
    assert "\nerror illegal Four 6s can be played and must be" in said
    assert "\nok XGID=-b----E-C---eE---c-e----B-:" in said
    assert said.rstrip().splitlines()[-1].startswith("ok")


def test_python_client(daemon: DaemonProcess, repository: Path) -> None:
    said = run([sys.executable, example(repository, "python_client.py"), str(daemon.port)])
    assert said.startswith("31 is played 8/5 6/5\n")
    assert "Before the roll: roll (no double/take)\n" in said


def test_openings(daemon: DaemonProcess, repository: Path) -> None:
    said = run(["bash", example(repository, "openings.sh"), str(daemon.port)])
    assert len(said.splitlines()) == 15
    assert said.startswith("21 ")
    assert "\n31 8/5 6/5\n" in said


def test_match(daemon: DaemonProcess, repository: Path) -> None:
    node = shutil.which("node")
    if node is None:
        assert os.environ.get("CI") != "true", "with CI=true Node must be installed"
        pytest.skip("Node is not installed")
    said = run([node, example(repository, "match.mjs"), str(daemon.port), "5", "3"])
    assert re.match(r"bgd \S+ against a beginner, to 5\nGame 1, bgd 0, beginner 0\n", said)
    assert said.count("\nGame ") == len(re.findall(r"\n  \w+ wins \d+\n", said))
    assert re.search(r"\n\w+ wins the match \d+-[0-4]\n$", said)


@pytest.mark.peer
def test_gnubg_against_bgd(daemon: DaemonProcess, repository: Path, tmp_path: Path) -> None:
    if find_gnubg() is None:
        assert os.environ.get("CI") != "true", "with CI=true GNU Backgammon must be installed"
        pytest.skip("GNU Backgammon is not installed")
    record = tmp_path / "match.mat"
    said = run(["bash", example(repository, "gnubg_against_bgd.sh"), str(daemon.port), "1", str(record)])
    assert " 1 point match" in said
    assert re.search(r"Wins \d point", said)


def test_ubgi_engine(bgd_command: list[str], repository: Path) -> None:
    said = run([sys.executable, example(repository, "ubgi_engine.py"), *bgd_command, "stdio"])
    assert len(said.splitlines()) == 15
    assert "31: 8/5 6/5\n" in said


def test_every_example_is_listed_and_run(repository: Path) -> None:
    examples = {path.name for path in (repository / "examples").iterdir() if path.suffix in (".py", ".sh", ".mjs")}
    listed = set(
        re.findall(r"^\| \[(\S+?)\]\(\1\) \|", (repository / "examples" / "README.md").read_text(), re.MULTILINE)
    )
    tested = set(re.findall(r'example\(repository, "(\w+\.\w+)"\)', Path(__file__).read_text()))
    assert examples == listed == tested
