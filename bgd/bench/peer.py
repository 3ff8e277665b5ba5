"""A GNU Backgammon's cube decisions: what it does, by its external interface, and what it thinks that worth, by its
Python module, since the interface tells no equities.

The side on roll is BOTTOM in every question, gnubg's player 1.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from bgd.duel.external import GnubgServer, question, required_gnubg
from bgd.errors import ConfigError
from bgd.notation import match_id
from bgd.rules.state import GameState, Phase

PATIENCE: Final = 600.0
"""Seconds that GNU Backgammon may take for all equities, or for one decision."""

_SCRIPT: Final = """\
import json, os
import gnubg
for command in ("set display off", "set player 0 human", "set player 1 human", "set automatic roll off",
                "set automatic game off", "set confirm new off", "set jacoby off", "set beavers 0", "new session"):
    gnubg.command(command)
asked = json.load(open(os.environ["BGD_ASKED"]))
context = {"cubeful": 1, "plies": asked["plies"], "deterministic": 1, "noise": 0.0, "prune": 1}
told = []
for identity in asked["ids"]:
    gnubg.command("set gnubgid " + identity)
    told.append(gnubg.cfevaluate(gnubg.board(), gnubg.cubeinfo(), context)[1:4])
json.dump(told, open(os.environ["BGD_TOLD"], "w"))
"""
"""Run inside GNU Backgammon: no double, double and take, double and pass of each ID; normalised equities."""


class Opinion(NamedTuple):
    """What GNU Backgammon does, and its equities, the side on roll's, normalised to the cube as it is."""

    double: bool
    take: bool
    no_double: float
    double_take: float


def opinions(states: Sequence[GameState], plies: int) -> list[Opinion]:
    """GNU Backgammon's cube decisions of BOTTOM before its roll: without beavers, and in money play without Jacoby's
    rule. Raises ConfigError when it isn't installed or does not answer."""
    told = _equities(states, plies)
    found = []
    with GnubgServer(plies, jacoby=False) as server, server.connect(PATIENCE) as client:
        for state, (no_double, double_take, _) in zip(states, told, strict=True):
            asked = [replace(state, phase=phase) for phase in (Phase.ROLL, Phase.DOUBLED)]
            double, answer = (client.ask(question(one)) for one in asked)
            if double not in ("double", "roll") or answer not in ("take", "drop", "beaver"):
                raise ConfigError(f"Expected gnubg to double or roll, take or drop, it said `{double}` and `{answer}`")
            found.append(Opinion(double == "double", answer != "drop", no_double, double_take))
    return found


def _equities(states: Sequence[GameState], plies: int) -> list[list[float]]:
    """No double, double and take, double and pass."""
    program = required_gnubg()
    with tempfile.TemporaryDirectory(prefix="bgd-gnubg-") as home:
        script, asked, told = (Path(home) / name for name in ("script.py", "asked.json", "told.json"))
        script.write_text(_SCRIPT)
        asked.write_text(json.dumps({"plies": plies, "ids": [match_id.encode_pair(state) for state in states]}))
        done = subprocess.run(
            [program, "-t", "-q", "-r", "-p", str(script)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=PATIENCE,
            check=False,
            env={**os.environ, "HOME": home, "LC_ALL": "C", "BGD_ASKED": str(asked), "BGD_TOLD": str(told)},
        )
        if not told.exists():
            said = done.stdout.decode(errors="replace")[-200:]
            raise ConfigError(f"Expected gnubg's Python module to tell equities, it said `{said}`")
        equities: list[list[float]] = json.loads(told.read_text())
    return equities
