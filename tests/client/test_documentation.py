"""What the documentation shows of the clients is what happens."""

from __future__ import annotations

import textwrap

import pytest
import trio

import bgd.client
from bgd.client import AsyncClient, Client
from bgd.wire.messages import Moves, MovesReply
from tests.conftest import DaemonProcess


def test_the_examples_run(daemon: DaemonProcess, capsys: pytest.CaptureFixture[str]) -> None:
    assert bgd.client.__doc__ is not None
    shown = [line for line in bgd.client.__doc__.splitlines() if line.startswith("    ") or not line]
    code = textwrap.dedent("\n".join(shown)).replace(".connect()", f".connect(port={daemon.port})")
    names = {"Client": Client, "AsyncClient": AsyncClient, "Moves": Moves, "MovesReply": MovesReply, "trio": trio}
    exec("async def main():\n" + textwrap.indent(code, "    "), names)
    trio.run(names["main"])  # type: ignore[arg-type]
    play, counts, cube = capsys.readouterr().out.splitlines()
    assert (play, counts) == ("8/5 6/5", "[16, 11]")
    assert cube.startswith("CubeReply(nodouble=")
