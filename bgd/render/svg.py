"""The board as SVG: one self-contained picture, the same bytes for the same moment, without fonts or scripts to load.

Side.BOTTOM plays the light checkers, from the upper right corner round to the lower right; Side.TOP the dark ones. The
cube is at the left edge, checkers borne off are at the right one. Lengths are in the picture's own units.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from bgd.render.text import caption
from bgd.rules.board import OPPONENT_BAR, OWN_BAR
from bgd.rules.cube import offered
from bgd.rules.state import GameState, Side

WIDTH: Final = 760
HEIGHT: Final = 540

_STEP: Final = 44  # width of a point, and of the bar
_RADIUS: Final = 20.0
_LEFT: Final = 70  # of the playing field, after the cube's track
_TOP: Final = 40
_BOTTOM: Final = 480
_MIDDLE: Final = (_TOP + _BOTTOM) / 2
_RIGHT: Final = _LEFT + 13 * _STEP
_TALL: Final = 5  # checkers drawn on a point; the innermost one shows how many there are when there are more
_NAMES: Final = {Side.BOTTOM: "White", Side.TOP: "Black"}
_CHECKER: Final = {Side.BOTTOM: ("#f4efe4", "#222222"), Side.TOP: ("#2b2b2b", "#f4efe4")}
_POINT: Final = ("#b98b5e", "#e3cba8")
_PIPS: Final = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}


def board_svg(state: GameState) -> str:
    """The picture of `state`, an `<svg>` element of about 7 kB. Its title is the caption, with colours for names."""
    words = caption(state, _NAMES)
    return "".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
            'font-family="sans-serif" text-anchor="middle">',
            f"<title>{words}</title>",
            *_field(),
            *_checkers(state),
            *_off(state),
            *_cube(state),
            *_dice(state),
            *_words(state, words),
            "</svg>",
        )
    )


def _field() -> Iterator[str]:
    yield _rectangle(0, 0, WIDTH, HEIGHT, "#ffffff")
    yield _rectangle(_LEFT - 6, _TOP - 6, _RIGHT - _LEFT + 12, _BOTTOM - _TOP + 12, "#5b3d23")
    yield _rectangle(_LEFT, _TOP, _RIGHT - _LEFT, _BOTTOM - _TOP, "#f6ead2")
    yield _rectangle(_LEFT + 6 * _STEP, _TOP, _STEP, _BOTTOM - _TOP, "#8a6240")
    for point in range(1, 25):
        x = _column(point)
        base, tip = (_TOP, _MIDDLE - 25) if point > 12 else (_BOTTOM, _MIDDLE + 25)
        half = _STEP / 2
        yield (
            f'<path d="M{x - half:g} {base:g}L{x + half:g} {base:g}L{x:g} {tip:g}z" fill="{_POINT[point % 2]}"/>'
            + _text(x, _TOP - 14 if point > 12 else _BOTTOM + 24, point, 13)
        )


def _checkers(state: GameState) -> Iterator[str]:
    for index, count in enumerate(state.board_of(Side.BOTTOM).points):
        side = Side.BOTTOM if count > 0 else Side.TOP
        number = abs(count)
        for row in range(min(number, _TALL)):
            label = number if row == _TALL - 1 and number > _TALL else None
            yield _checker(_column(index), _row(index, row), side, label)


def _column(index: int) -> float:
    """The middle of a point, or of the bar for indexes 0 and 25."""
    if index in (OPPONENT_BAR, OWN_BAR):
        place = 6
    elif index > 12:
        place = index - 13 + (index > 18)
    else:
        place = 12 - index + (index < 7)
    return _LEFT + _STEP * (place + 0.5)


def _row(index: int, row: int) -> float:
    """The middle of the checker `row` places in: from the edge on points, from the middle on the bar."""
    if index == OWN_BAR:
        return _MIDDLE + 30 + row * 2 * _RADIUS
    if index == OPPONENT_BAR:
        return _MIDDLE - 30 - row * 2 * _RADIUS
    inset = _RADIUS * (2 * row + 1)
    return _TOP + inset if index > 12 else _BOTTOM - inset


def _checker(x: float, y: float, side: Side, label: int | None) -> str:
    fill, ink = _CHECKER[side]
    circle = f'<circle cx="{x:g}" cy="{y:g}" r="{_RADIUS - 1:g}" fill="{fill}" stroke="#111111" stroke-width="1.5"/>'
    return circle + ("" if label is None else _text(x, y + 6, label, 17, ink))


def _off(state: GameState) -> Iterator[str]:
    board = state.board_of(Side.BOTTOM)
    for side, count in ((Side.BOTTOM, board.off), (Side.TOP, board.opponent_off)):
        for number in range(count):
            y = _BOTTOM - 12 * (number + 1) if side is Side.BOTTOM else _TOP + 12 * number
            yield _rectangle(_RIGHT + 16, y, 40, 10, _CHECKER[side][0], "#111111")


def _cube(state: GameState) -> Iterator[str]:
    if state.cube.limit == 1:
        return
    y = {None: _MIDDLE, Side.TOP: _TOP + 24, Side.BOTTOM: _BOTTOM - 24}[state.cube.owner]
    value = offered(state)
    if value != state.cube.value:  # turned, and lying before the side that is to answer
        y = _MIDDLE + (60 if state.decider is Side.BOTTOM else -60)
    yield _rectangle(12, y - 20, 40, 40, "#ffffff", "#111111")
    yield _text(32, y + 6, value, 17 if value < 1000 else 13)


def _dice(state: GameState) -> Iterator[str]:
    if state.dice is None:
        return
    left = _LEFT + _STEP * (9 if state.turn is Side.BOTTOM else 2)
    fill, ink = _CHECKER[state.turn]
    for number, die in enumerate((state.dice.first, state.dice.second)):
        x = left + number * 48
        yield _rectangle(x, _MIDDLE - 18, 36, 36, fill, "#111111")
        for across, down in _PIPS[die]:
            yield f'<circle cx="{x + 18 + 10 * across:g}" cy="{_MIDDLE + 10 * down:g}" r="3.5" fill="{ink}"/>'


def _words(state: GameState, words: str) -> Iterator[str]:
    board = state.board_of(Side.BOTTOM)
    for side, pips, y in ((Side.TOP, board.opponent_pips, _MIDDLE - 24), (Side.BOTTOM, board.pips, _MIDDLE + 40)):
        yield _text(_RIGHT + 36, y - 16, f"{state.terms.scores[side]}", 15)
        yield _text(_RIGHT + 36, y, f"{pips} pips", 13)
    yield _text(WIDTH / 2, HEIGHT - 10, words, 15)


def _rectangle(x: float, y: float, width: float, height: float, fill: str, stroke: str = "none") -> str:
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}" stroke="{stroke}"/>'


def _text(x: float, y: float, text: object, size: int, fill: str = "#111111") -> str:
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{fill}">{text}</text>'
