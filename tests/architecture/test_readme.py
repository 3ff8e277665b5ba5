"""What the README shows is what happens: its dialogue, its Python, its links. (.ci/run runs its commands.)"""

from __future__ import annotations

import pathlib
import re

from tests.conftest import DaemonProcess

README = (pathlib.Path(__file__).parents[2] / "README.md").read_text()


def block(marker: str) -> str:
    """The fenced block that follows a marker."""
    found = re.search(rf"<!-- {marker} -->\n```\w+\n(.*?)```", README, re.DOTALL)
    assert found, f"README.md has no block marked `{marker}`"
    return found[1]


def matches(shown: str, line: str) -> bool:
    """Whether a line is as shown, `...` standing for the rest."""
    return line.startswith(shown[:-3]) if shown.endswith("...") else line == shown


def test_the_dialogue_happens_as_shown(daemon: DaemonProcess) -> None:
    shown = block("dialogue").splitlines()[1:]
    verbs = ("position ", "best ", "check ")
    asked = [line for line in shown if line.startswith(verbs)]
    with daemon.connect() as peer:
        for line in shown:
            if line in asked:
                peer.send(line)
            else:
                answer = peer.receive()
                assert matches(line, answer), f"shown {line!r}, got {answer!r}"


def test_the_python_runs() -> None:
    exec(compile(block("python"), "README.md", "exec"), {})


def test_every_file_it_links_to_is_there() -> None:
    root = pathlib.Path(__file__).parents[2]
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (root / target).exists(), target
