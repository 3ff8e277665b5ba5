"""GNU Backgammon reads bgd's IDs as bgd does, and writes the same ones."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from bgd.notation import match_id, xgid
from bgd.rules.state import GameState, Phase, Side
from tests.peers.gnubg import judge
from tests.peers.positions import random_states


def states(seed: int, count: int, *phases: Phase) -> list[GameState]:
    fitting = (state for state in random_states(seed) if state.phase in phases)
    return list(islice(fitting, 0, 3 * count, 3))


def exchanged(state: GameState) -> GameState:
    """The same moment with the players' names exchanged: TOP is BOTTOM."""
    cube, terms = state.cube, state.terms
    return replace(
        state,
        turn=state.turn.other,
        cube=replace(cube, owner=None if cube.owner is None else cube.owner.other),
        terms=replace(terms, scores=terms.scores[::-1]),
    )


def test_gnubg_gives_back_position_and_match_ids_as_they_were() -> None:
    ids = [match_id.encode_pair(state) for state in states(73, 1200, Phase.ROLL, Phase.PLAY)]
    answers = judge([{"ask": "id", "id": text} for text in ids])
    assert [answer["id"] for answer in answers] == ids


def test_gnubg_writes_the_same_id_when_a_double_is_offered() -> None:
    """Asked by doubling: set to such an ID, gnubg takes the double back and leaves its side on roll."""
    moments = states(75, 400, Phase.DOUBLED)
    before = [match_id.encode_pair(replace(state, phase=Phase.ROLL)) for state in moments]
    answers = judge([{"ask": "double", "id": text} for text in before])
    assert [answer["after"] for answer in answers] == [match_id.encode_pair(state) for state in moments]


def test_gnubg_reads_xgids_as_bgd_does() -> None:
    """gnubg seats the side on roll at the bottom, and takes the names and scores along."""
    moments = states(74, 1200, Phase.ROLL, Phase.PLAY)
    answers = judge([{"ask": "id", "xgid": xgid.encode(state)} for state in moments])
    expected = [state if state.turn is Side.BOTTOM else exchanged(state) for state in moments]
    assert [answer["id"] for answer in answers] == [match_id.encode_pair(state) for state in expected]
