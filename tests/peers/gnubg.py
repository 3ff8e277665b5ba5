"""A real GNU Backgammon as judge, client and server of the tests.

- `judge(questions)`: its Python module (gnubg -p) says what a play does, which plays there are, what an ID means.
- `play_match(...)`: it plays a match or session as a client of an external player and writes the record.
- bgd.duel.external.GnubgServer: it serves its own external interface.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bgd.duel.external import find_gnubg

_JUDGE = Path(__file__).with_name("inside_gnubg.py")


def run(arguments: list[str], commands: str = "", timeout: float = 120.0, **environment: str) -> str:
    """One run of gnubg's command line in a home of its own; what it printed. Raises TimeoutExpired."""
    program = find_gnubg()
    assert program is not None
    with tempfile.TemporaryDirectory(prefix="bgd-gnubg-") as home:
        done = subprocess.run(
            [program, "-t", "-q", "-r", *arguments],
            input=commands,
            text=True,
            errors="replace",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=timeout,
            check=False,
            env={**os.environ, "HOME": home, "LC_ALL": "C", **environment},
        )
    return done.stdout


def judge(questions: Iterable[dict[str, str]], timeout: float = 120.0) -> list[dict[str, object]]:
    """gnubg's answers, one to each question, in order. The questions are described in inside_gnubg.py."""
    with tempfile.TemporaryDirectory(prefix="bgd-judge-") as folder:
        asked, answered = Path(folder, "questions.json"), Path(folder, "answers.json")
        asked.write_text(json.dumps(list(questions)))
        said = run(["-p", str(_JUDGE)], timeout=timeout, BGD_QUESTIONS=str(asked), BGD_ANSWERS=str(answered))
        assert answered.exists(), f"gnubg's Python module gave no answers; it said: {said[-2000:]}"
        answers: list[dict[str, object]] = json.loads(answered.read_text())
    return answers


@dataclass(frozen=True, slots=True)
class Record:
    """What came of a match that gnubg played against an external player."""

    said: str
    mat: str

    @property
    def problems(self) -> list[str]:
        """Lines in which gnubg complains, of the other player or of the connection."""
        bad = re.compile(r"Warning|badly formed|Error|refused|[Ii]llegal|connection closed|not allowed")
        return [line.strip() for line in self.said.splitlines() if bad.search(line)]

    @property
    def games(self) -> int:
        return len(re.findall(r"^ Game \d+", self.mat, re.MULTILINE))

    @property
    def wins(self) -> list[tuple[str, int]]:
        """Who won each game, and how many points: the column of `Wins n points` names the winner."""
        found: list[tuple[str, int]] = []
        names: tuple[str, str] = ("", "")
        for line in self.mat.splitlines():
            if names_line := re.match(r"^ (\S+) : \d+\s+(\S+) : \d+", line):
                names = (names_line[1], names_line[2])
            elif won := re.match(r"^(.*)Wins (\d+) point", line):
                found.append((names[0] if len(won[1]) < 30 else names[1], int(won[2])))
        return found


def play_match(
    port: int, *, length: int, seed: int, plies: int = 0, games: int = 1, timeout: float = 120.0, settings: str = ""
) -> Record:
    """gnubg plays a match to `length` points (0: `games` games of a money session) against localhost:`port`."""
    with tempfile.TemporaryDirectory(prefix="bgd-mat-") as folder:
        mat = Path(folder, "match.mat")
        commands = [
            f"set automatic game {'on' if length else 'off'}",
            "set automatic roll on",
            "set automatic bearoff off",
            "set automatic crawford on",
            "set automatic doubles 0",
            "set confirm new off",
            "set confirm save off",
            "set display off",
            "set rng mersenne",
            f"set seed {seed}",
            "set defaultnames bgd gnubg",
            f"set player 0 external localhost:{port}",
            "set player 1 gnubg",
            f"set player 1 chequer evaluation plies {plies}",
            f"set player 1 cube evaluation plies {plies}",
            *settings.splitlines(),
            *([f"new match {length}"] if length else ["new session", *(["new game"] * (games - 1))]),
            f"export match mat {mat}",
            "quit",
            "y",
        ]
        said = run([], "".join(f"{command}\n" for command in commands), timeout=timeout)
        return Record(said, mat.read_text() if mat.exists() else "")
