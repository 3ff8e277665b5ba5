"""The match equity tables that come with GNU Backgammon, read by both."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from bgd.duel.external import required_gnubg
from bgd.engine.met import ROUNDING, MatchEquityTable
from bgd.rules.state import Side

FOLDER = Path("/usr/share/gnubg/met")
FORMULAS = {"mec", "zadeh"}
"""Which are refused. Whatever their parameters, this one's table before the Crawford game is the same extrapolation."""

LENGTH = 14
"""Points away that are compared: in tables of 15 GNU Backgammon puts its own figure in place of the last."""

SCRIPT = """
import gnubg, json
found = {}
for path in %r:
    gnubg.command("set matchequitytable " + path)
    found[path] = gnubg.met(%d)
open(%r, "w").write(json.dumps(found))
"""


def test_every_table_is_read_as_gnu_backgammon_reads_it(tmp_path: Path) -> None:
    paths = sorted(str(path) for path in FOLDER.glob("*.xml") if path.stem not in {"catalog", *FORMULAS})
    assert len(paths) >= 10
    script, told = tmp_path / "tables.py", tmp_path / "tables.json"
    script.write_text(SCRIPT % (paths, LENGTH, str(told)))
    command = [required_gnubg(), "--tty", "--quiet", "--python", str(script)]
    subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=60, check=False)
    for path, (pre, *posts) in json.loads(told.read_text()).items():
        table = MatchEquityTable.load(Path(path))
        for own in range(LENGTH):
            for side in Side:
                assert table.win(own + 1, 1, True, side) == pytest.approx(posts[side][own], abs=1e-6), path
            for opponent in range(LENGTH):
                chance = table.win(own + 1, opponent + 1, False, Side.TOP)
                # What rounding leaves over of both sides' chances is shared between them.
                assert chance == pytest.approx(pre[own][opponent], abs=ROUNDING / 2 + 1e-6), path
