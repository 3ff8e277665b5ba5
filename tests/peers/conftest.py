"""The tests of this folder need a real GNU Backgammon. Without one they are skipped; with CI=true they fail."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from bgd.duel.external import ExternalClient, GnubgServer, find_gnubg


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent.name == "peers":
            item.add_marker(pytest.mark.peer)


@pytest.fixture(scope="session", autouse=True)
def gnubg_program() -> str:
    """Path of the gnubg program."""
    program = find_gnubg()
    if program is None:
        message = "GNU Backgammon is not installed (Debian's package is `gnubg`)"
        if os.environ.get("CI") == "true":
            pytest.fail(f"{message}, and with CI=true the peer must be there")
        pytest.skip(message)
    return program


@pytest.fixture(scope="session")
def gnubg_server(gnubg_program: str) -> Iterator[GnubgServer]:
    """gnubg serving its external interface at 0 plies, cubeful, without noise, with Jacoby and beavers.

    It takes one client at a time."""
    with GnubgServer(plies=0) as server:
        yield server


@pytest.fixture
def gnubg_client(gnubg_server: GnubgServer) -> Iterator[ExternalClient]:
    """A connection to gnubg's external interface, alone with it."""
    with gnubg_server.connect() as client:
        yield client
