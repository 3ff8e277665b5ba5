"""OGID, OpenGammon's position line: readable, absolute, with as many fields as one cares to write.

    white:black:cube[:dice[:colour[:state[:score of white[:score of black[:length[:move[:checkers]]]]]]]]

White and black are a character for each checker, `0`-`9`, `a`-`o` for the points as Black counts them; White moves up
and its bar is `0`, Black moves down and its bar is `p` (25); `q` is off and may be left out. The cube is owner (`W`,
`B`, `N` centred, `D` dead, `?` unknown), exponent, and action (`N` none, `O` offered, `T` taken, `P` passed). The
colour is the side that *reached* the position: the other one acts, but at a pending double it is the doubler. The
length may end in `C` (the Crawford game), `L` (after it) or `G` and a number of games.

White is Side.TOP here and Black Side.BOTTOM, so that points read alike in an XGID. There is no public specification;
sources are the programs that read and write it.
"""

from __future__ import annotations

import re
from typing import Final

from bgd.errors import BadDice, BadPosition, BadValue, Unsupported
from bgd.notation._common import check_double, check_running, whole, without
from bgd.rules.board import CHECKERS, Board
from bgd.rules.dice import Dice
from bgd.rules.game import moment
from bgd.rules.state import MAX_CUBE_EXPONENT, MAX_MATCH_LENGTH, Cube, GameState, Match, Money, Phase, Side

PREFIX: Final = "OGID="

_PLACES: Final = "0123456789abcdefghijklmnop"
_OFF: Final = "q"
_CUBE: Final = re.compile(r"([WBND?])([0-9])([NOTP])", re.ASCII)
_LENGTH: Final = re.compile(r"([0-9]{1,4})(?:([CL])|G[0-9]{1,4})?", re.ASCII)
_DICE: Final = re.compile(r"[1-6]{2}", re.ASCII)
_STATE: Final = re.compile(r"[A-Z]{0,2}", re.ASCII)
_MAX_EXPONENT: Final = 9  # one digit
_MAX_SCORE: Final = 999_999
_COLOURS: Final = {"W": Side.TOP, "B": Side.BOTTOM}
_LETTERS: Final = {side: letter for letter, side in _COLOURS.items()}


def encode(state: GameState) -> str:
    """The OGID of `state`, to the match length (`0` in money play).

    Not carried (see detect.losses): Jacoby, beavers, the cube limit, a resignation, the opening roll, the result.
    Raises Unsupported for a pending beaver and for cubes over 512, and BadValue for scores under 0.
    """
    if state.phase in (Phase.BEAVERED, Phase.RACCOONED):
        raise Unsupported(f"An OGID cannot say that the double is `{state.phase.value}`")
    cube, terms = state.cube, state.terms
    if cube.exponent > _MAX_EXPONENT:
        raise Unsupported(f"An OGID can hold cubes up to {2**_MAX_EXPONENT}, got `{cube.value}`")
    if min(terms.scores) < 0:
        raise BadValue(f"Expected scores from 0 up, got `{min(terms.scores)}`")
    points = state.board_of(Side.BOTTOM).points
    offered = state.phase is Phase.DOUBLED
    owner = None if cube.value == 1 else cube.owner
    length = "0"
    if isinstance(terms, Match):
        length = f"{terms.length}{'C' if terms.crawford else 'L' if terms.post_crawford else ''}"
    return ":".join(
        (
            "".join(place * -count for place, count in zip(_PLACES, points, strict=True)),
            "".join(place * count for place, count in zip(_PLACES, points, strict=True)),
            f"{'N' if owner is None else _LETTERS[owner]}{cube.exponent}{'O' if offered else 'N'}",
            f"{state.dice.low}{state.dice.high}" if state.dice else "",
            _LETTERS[state.turn if offered else state.turn.other],
            "D" if offered else "",
            str(terms.scores[Side.TOP]),
            str(terms.scores[Side.BOTTOM]),
            length,
        )
    )


def decode(text: str) -> GameState:
    """The moment that `text` describes; with or without `OGID=`. Checkers may come in any order, dice too.

    Without a colour Black is on roll; without a length it is money play, with Jacoby and beavers, which the format does
    not carry. A dead cube is one at its limit. State codes and move numbers are passed over. A cube at 1 counts as
    centred. Raises BadPosition, BadDice, BadValue, and Unsupported for games with other than 15 checkers a side.
    """
    line = without(PREFIX, text.strip())
    fields = line.split(":")
    if not 3 <= len(fields) <= 11:
        raise BadPosition(f"Expected an OGID of 3 to 11 fields, got {len(fields)} in `{line[:120]}`")
    white, black, cube_text, dice_text, colour, code, score_white, score_black, length, move, checkers = (
        *fields,
        *[""] * (11 - len(fields)),
    )
    if checkers and whole(checkers, "number of checkers (field 11 of the OGID)", 0, 99) != CHECKERS:
        raise Unsupported(f"bgd plays with {CHECKERS} checkers a side, got `{checkers}`")
    if move:
        whole(move, "move number (field 10 of the OGID)", 0, _MAX_SCORE)
    if _STATE.fullmatch(code) is None:
        raise BadValue(f"Expected a state code of up to two letters (field 6 of the OGID), got `{code[:80]}`")
    if colour not in ("", "W", "B"):
        raise BadValue(f"Expected the colour (field 5 of the OGID) to be W or B, got `{colour[:80]}`")
    bottom = _board(white, black)
    terms = _terms(length, score_white, score_black)
    cube, action = _cube(cube_text)
    dice = _dice(dice_text)
    reached = _COLOURS.get(colour, Side.TOP)
    offered = action == "O" or code == "D"
    turn = reached if offered and colour else reached.other
    board = bottom if turn is Side.BOTTOM else bottom.flip()
    if action == "P":
        return moment(board, turn, Phase.OVER, cube, None, terms)
    check_running(terms)
    if offered:
        if dice is not None:
            raise BadValue(f"Expected no dice while a double is pending, got `{dice_text}` (field 4 of the OGID)")
        check_double(turn, cube, terms)
        return moment(board, turn, Phase.DOUBLED, cube, None, terms)
    return moment(board, turn, Phase.PLAY if dice else Phase.ROLL, cube, dice, terms)


def _board(white: str, black: str) -> Board:
    points = [0] * 26
    for text, step, whose in ((white, -1, "White's"), (black, 1, "Black's")):
        if len(text) > CHECKERS:
            raise BadPosition(f"Expected at most {CHECKERS} checkers a side, got {len(text)} of {whose} in the OGID")
        for place in text:
            if place == _OFF:
                continue
            index = _PLACES.find(place)
            if index < 0:
                raise BadPosition(f"Expected {whose} checkers as 0-9 and a-q in the OGID, got `{place}`")
            if points[index] * step < 0:
                raise BadPosition(f"Expected one side's checkers on the {index} point in the OGID, got both sides'")
            points[index] += step
    return Board(tuple(points))


def _cube(text: str) -> tuple[Cube, str]:
    match = _CUBE.fullmatch(text)
    if match is None or int(match[2]) > MAX_CUBE_EXPONENT:
        raise BadValue(
            "Expected the cube (field 3 of the OGID) as owner W B N D ?, a digit and an action N O T P, "
            f"got `{text[:80]}`"
        )
    owner, value, action = match[1], 2 ** int(match[2]), match[3]
    if owner == "D":
        return Cube(value, None, value), action
    if owner == "?" and value > 1:
        raise BadValue(f"Expected a known owner of a cube at {value} (field 3 of the OGID), got `{text}`")
    return Cube(value, _COLOURS.get(owner) if value > 1 else None), action


def _dice(text: str) -> Dice | None:
    if not text:
        return None
    if _DICE.fullmatch(text) is None:
        raise BadDice(f"Expected two dice from 1 to 6 or none (field 4 of the OGID), got `{text[:80]}`")
    return Dice(int(text[0]), int(text[1]))


def _terms(length: str, score_white: str, score_black: str) -> Match | Money:
    match = _LENGTH.fullmatch(length or "0")
    if match is None:
        raise BadValue(f"Expected a match length, perhaps with C, L or G (field 9 of the OGID), got `{length[:80]}`")
    scores = (
        whole(score_white or "0", "score of White (field 7 of the OGID)", 0, _MAX_SCORE),
        whole(score_black or "0", "score of Black (field 8 of the OGID)", 0, _MAX_SCORE),
    )
    points = whole(match[1], "match length (field 9 of the OGID)", 0, MAX_MATCH_LENGTH)
    if not points:
        if match[2] == "C":
            raise BadValue(f"Expected no Crawford game in money play, got `{length}` (field 9 of the OGID)")
        return Money(scores=scores)
    return Match(points, scores, crawford=match[2] == "C")
