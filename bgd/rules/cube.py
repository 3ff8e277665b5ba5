"""Who may turn the cube, and what an offered cube is worth.

While a double is pending the cube shows its old value; each answer that turns it again (beaver, raccoon) doubles what
is on offer. Whoever ends up taking, the cube goes to the side that was doubled first: a beaver keeps the cube, and so
does a side whose beaver was raccooned. (Backgammon FAQ, M. Damish, on beavers and raccoons.)
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from typing import Final

from bgd.rules.state import Cube, GameState, Match, Money, Phase, Side

TURNS: Final = {Phase.DOUBLED: 1, Phase.BEAVERED: 2, Phase.RACCOONED: 3}
"""How often the cube has been turned, in the phases in which a turned cube waits for an answer."""


class NoCube(Enum):
    """Why the cube may not be turned; the value is the reason in words."""

    GAME_OVER = "the game is over"
    NOT_BEFORE_ROLL = "a double is offered before the roll, in one's own turn"
    CRAWFORD = "this is the Crawford game"
    OPPONENT_OWNS = "the opponent owns the cube"
    LIMIT = "the cube is at its limit"
    MATCH_PLAY = "beavers are for money play"
    NOT_AGREED = "beavers were not agreed on"
    NOTHING_TO_BEAVER = "no double is to be answered"
    NOTHING_TO_RACCOON = "no beaver is to be answered"


def why_no_cube(cube: Cube, terms: Match | Money, side: Side) -> NoCube | None:
    """Why `side` has no right to double in this game as the cube stands, or None if it has."""
    if isinstance(terms, Match) and terms.crawford:
        return NoCube.CRAWFORD
    if cube.owner is side.other:
        return NoCube.OPPONENT_OWNS
    return NoCube.LIMIT if cube.value >= cube.limit else None


def why_no_double(state: GameState) -> NoCube | None:
    """Why the side on roll may not double now, or None if it may. A dead cube may be turned, to no use."""
    if state.phase is Phase.OVER:
        return NoCube.GAME_OVER
    if state.phase is not Phase.ROLL:
        return NoCube.NOT_BEFORE_ROLL
    return why_no_cube(state.cube, state.terms, state.turn)


def why_no_beaver(state: GameState) -> NoCube | None:
    """Why the side that was doubled may not beaver, or None if it may."""
    return _why_not_again(state) if state.phase is Phase.DOUBLED else NoCube.NOTHING_TO_BEAVER


def why_no_raccoon(state: GameState) -> NoCube | None:
    """Why the doubler may not raccoon the beaver, or None if it may."""
    return _why_not_again(state) if state.phase is Phase.BEAVERED else NoCube.NOTHING_TO_RACCOON


def _why_not_again(state: GameState) -> NoCube | None:
    if isinstance(state.terms, Match):
        return NoCube.MATCH_PLAY
    if not state.terms.beavers:
        return NoCube.NOT_AGREED
    return NoCube.LIMIT if offered(state) >= state.cube.limit else None


def offered(state: GameState) -> int:
    """The value of the cube on offer: what the game is played for if it is taken. The cube's own when none is."""
    return state.cube.value << TURNS.get(state.phase, 0)


def passed(state: GameState) -> int:
    """What a pass costs: the value before the last turn of the cube."""
    return offered(state) // 2


def taken(state: GameState) -> Cube:
    """The cube after the offer is taken: with the side that was doubled."""
    return replace(state.cube, value=offered(state), owner=state.turn.other)


def is_dead(cube: Cube, terms: Match | Money, side: Side) -> bool:
    """Whether turning the cube is of no use to `side`: a single game at its present value wins it the match."""
    return isinstance(terms, Match) and terms.away(side) <= cube.value
