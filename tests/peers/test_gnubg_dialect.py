"""The gnubg dialect's fixed answers and error wordings, heard again from a real GNU Backgammon."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bgd.duel.external import ExternalClient, GnubgServer
from tests.wire.heard import HEARD
from tests.wire.replies import BOARD, Peer

ENDS = [
    " help ",
    "HELP",
    "Set Debug Off",
    "SET INTERFACE NEW",
    "set prompt ''",
    "help 1.5",
    "help -1",
    "help :",
    "#x",
    '"',
]
"""More lines that ask nothing of an engine."""


@pytest.fixture(scope="module")
def gnubg() -> Iterator[ExternalClient]:
    """One connection for all: GNU Backgammon listens again only some time after a client has left."""
    with GnubgServer() as server, server.connect() as client:
        yield client


def test_gnubg_and_bgd_say_the_same_byte_for_byte(gnubg: ExternalClient) -> None:
    lines = [line for line, _ in HEARD] + ENDS
    theirs = [(line, gnubg.ask(line)) for line in lines]
    assert [(line, Peer("gnubg").hears(line).removesuffix("\n")) for line in lines] == theirs


def test_what_is_written_down_is_what_gnubg_says(gnubg: ExternalClient) -> None:
    assert [(line, gnubg.ask(line)) for line, _ in HEARD] == HEARD


@pytest.mark.parametrize(
    "options",
    [
        "plies 0 noise 0 noise 0.0 prune on prune deterministic off deterministic",
        "cube off cubeful cubeless PLIES 0",
        "jacobyrule on crawfordrule yes beavers no resignation 0",
    ],
)
def test_bgd_reads_every_option_that_gnubg_reads(gnubg: ExternalClient, options: str) -> None:
    line = f"evaluation fibsboard {BOARD} {options}"
    assert len(line) < 255  # more would end gnubg
    assert len(gnubg.ask(line).split()) == 6
    assert Peer("gnubg").request(line).verb == "eval"
