"""The exact equities of protocol/vectors: they are what their command works out, and what the engine answers."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from bgd.engine import Engine
from tests.protocol import exact
from tests.protocol.test_transcripts_in_memory import MemoryServer
from tests.protocol.transcript import VECTORS


def test_the_file_is_what_the_command_writes() -> None:
    assert exact.PATH.read_text(encoding="utf-8") == exact.text()


@pytest.mark.parametrize(
    ("own", "opponent", "win"),
    [
        ((6, 6), (6, 6), Fraction(410592493, 544195584)),
        ((3, 1), (1,), Fraction(34, 36)),
        ((6,), (1,), Fraction(27, 36)),
    ],
)
def test_chances_known_from_books_come_out(own: exact.Home, opponent: exact.Home, win: Fraction) -> None:
    assert exact.wins(own, opponent) == win


def test_at_the_take_point_of_the_last_roll_taking_and_passing_are_the_same() -> None:
    assert 2 * exact.rolls((6,), (1,), "other") == 1


def test_an_owned_cube_is_worth_no_less_than_one_in_the_middle_and_that_no_less_than_none() -> None:
    for own in ((6, 6), (6, 5, 4), (5, 1)):
        for opponent in ((6, 6), (4, 1), (3,)):
            owned, centred, other = (exact.rolls(own, opponent, cube) for cube in ("owned", "centred", "other"))
            assert owned >= centred >= other
            assert owned >= 2 * exact.wins(own, opponent) - 1 >= other


def test_the_engine_gives_these_numbers() -> None:
    asker = _InMemory(MemoryServer("json", Engine.load()))
    for line in exact.vectors():
        VECTORS[exact.PATH.name](line, asker)


class _InMemory:
    """Stands in for the Asker of the conformance runner."""

    def __init__(self, server: MemoryServer) -> None:
        self._server = server

    def ask(self, method: str, **params: object) -> tuple[dict[str, object], str | None]:
        call = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        reply = json.loads(self._server.receive(f"{json.dumps(call)}\n".encode()))
        return reply.get("result", {}), reply["error"]["data"]["code"] if "error" in reply else None
