"""The board as lines of plain ASCII, as people know it from the net.

Side.BOTTOM is X, plays towards the lower right corner and counts the points as printed; Side.TOP is O. The bar is in
the middle with each side's checkers under the cube's track; checkers borne off are to the right.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bgd.rules.board import OPPONENT_BAR, OWN_BAR
from bgd.rules.cube import offered
from bgd.rules.state import GameState, Match, Phase, Side

ROWS: Final = 5
"""Checkers drawn on a point; of more, the innermost place shows how many there are."""

_TOP_LABELS: Final = "+13-14-15-16-17-18------19-20-21-22-23-24-+"
_BOTTOM_LABELS: Final = "+12-11-10--9--8--7-------6--5--4--3--2--1-+"
_TOP_POINTS: Final = (*range(13, 19), OPPONENT_BAR, *range(19, 25))
_BOTTOM_POINTS: Final = (*range(12, 6, -1), OWN_BAR, *range(6, 0, -1))
MARKS: Final = {Side.TOP: "O", Side.BOTTOM: "X"}
_OUTCOMES: Final = {1: "a single game", 2: "a gammon", 3: "a backgammon"}


def board_lines(state: GameState) -> tuple[str, ...]:
    """The board of `state` with pip counts, checkers off, cube, score, and who is to do what; each line under 80
    characters, without blanks at its end."""
    board = state.board_of(Side.BOTTOM)
    points = board.points
    upper = [_row(points, _TOP_POINTS, row) for row in range(ROWS)]
    lower = [_row(points, _BOTTOM_POINTS, row) for row in reversed(range(ROWS))]
    cube = _cube_words(state)
    beside = [""] * (2 * ROWS + 3)
    beside[0] = f"O: {_score(state, Side.TOP)}"
    beside[1] = f"   {board.opponent_pips} pips{_off(board.opponent_off)}"
    beside[-1] = f"X: {_score(state, Side.BOTTOM)}"
    beside[-2] = f"   {board.pips} pips{_off(board.off)}"
    beside[{Side.TOP: 2, None: ROWS + 1, Side.BOTTOM: -3}[state.cube.owner]] = f"   {cube}"
    drawn = [_TOP_LABELS, *upper, "|                  |BAR|                  |", *lower, _BOTTOM_LABELS]
    lines = [f"{line}  {text}".rstrip() for line, text in zip(drawn, beside, strict=True)]
    return (*lines, caption(state))


def caption(state: GameState, names: Mapping[Side, str] = MARKS) -> str:
    """What is played for, and what is to be done: `Match to 7. X to play 31.`"""
    return f"{_terms(state)}. {_to_do(state, names)}."


def _row(points: tuple[int, ...], order: tuple[int, ...], row: int) -> str:
    """One line of checkers, `row` counted from the edge of the board."""
    cells = [_cell(points[point], row) for point in order]
    return f"|{''.join(cells[:6])}|{cells[6]}|{''.join(cells[7:])}|"


def _cell(count: int, row: int) -> str:
    height = abs(count)
    if height <= row:
        return "   "
    if row == ROWS - 1 and height > ROWS:
        return f"{height:^3}"
    return f" {MARKS[Side.BOTTOM if count > 0 else Side.TOP]} "


def _off(count: int) -> str:
    return f", {count} off" if count else ""


def _score(state: GameState, side: Side) -> str:
    points = _points(state.terms.scores[side])
    return f"{points}, on roll" if state.turn is side and state.phase is not Phase.OPENING else points


def _points(number: int) -> str:
    return f"{number} point" if number == 1 else f"{number} points"


def _cube_words(state: GameState) -> str:
    if state.cube.limit == 1:
        return "no cube"
    return f"cube {state.cube.value}"


def _terms(state: GameState) -> str:
    terms = state.terms
    if isinstance(terms, Match):
        game = ", Crawford game" if terms.crawford else ", after the Crawford game" if terms.post_crawford else ""
        return f"Match to {terms.length}{game}"
    rules = [name for name, used in (("Jacoby", terms.jacoby), ("beavers", terms.beavers)) if used]
    return "Money play" + (f" with {' and '.join(rules)}" if rules else "")


def _to_do(state: GameState, names: Mapping[Side, str]) -> str:
    turn, decider = names[state.turn], names[state.decider]
    if state.phase is Phase.OVER:
        return _ending(state, names)
    if state.resignation is not None:
        return f"{names[state.resignation.side]} resigns {_OUTCOMES[state.resignation.outcome]}; {decider} is to answer"
    if state.phase is Phase.OPENING:
        return "The opening roll is to come"
    if state.phase is Phase.PLAY:
        return f"{turn} to play {state.dice}" if state.played is None else f"{turn} plays {state.dice}: {state.played}"
    if state.phase is Phase.ROLL:
        return f"{turn} to roll"
    deed = {Phase.DOUBLED: "doubles", Phase.BEAVERED: "beavers", Phase.RACCOONED: "raccoons"}[state.phase]
    return f"{names[state.decider.other]} {deed}, to {offered(state)}; {decider} is to answer"


def _ending(state: GameState, names: Mapping[Side, str]) -> str:
    if state.result is None:
        return "The game is over"
    won = _OUTCOMES[state.result.outcome]
    return f"{names[state.result.winner]} has won {won}, {_points(state.result.points)}"
