"""XGID: one line with everything on it, as eXtreme Gammon writes it.

    XGID=26 places:cube exponent:cube owner:turn:dice:score of bottom:score of top:rules:match length:max cube exponent

All fields are absolute: upper case, `1` and the first score are the bottom player's (Side.BOTTOM), lower case, `-1` and
the second score the top player's, whoever is on roll. Place 0 is the top player's bar, 25 the bottom player's, 1 to 24
the points as the bottom player counts them. Dice are `00` to roll, two digits, or `D`, `B`, `R` while a double, beaver
or raccoon waits for its answer; turn and cube are then still those of the double's moment. Rules are 1 in a Crawford
game; in money play Jacoby counts 1 and beavers 2. Sources: the format's public descriptions, GNU Backgammon's reader,
and XGIDs in the wild.
"""

from __future__ import annotations

from typing import Final

from bgd.errors import BadDice, BadPosition, BadValue
from bgd.notation._common import check_running, check_turned, read_cube, whole, without
from bgd.rules.board import CHECKERS, Board
from bgd.rules.cube import TURNS
from bgd.rules.dice import Dice
from bgd.rules.game import moment
from bgd.rules.state import MAX_CUBE_EXPONENT, MAX_MATCH_LENGTH, GameState, Match, Money, Phase, Side

PREFIX: Final = "XGID="

_COUNTS: Final = {
    "-": 0,
    **{chr(ord("A") + n - 1): n for n in range(1, CHECKERS + 1)},
    **{chr(ord("a") + n - 1): -n for n in range(1, CHECKERS + 1)},
}
_PLACES: Final = {count: place for place, count in _COUNTS.items()}
_OWNERS: Final = {"0": None, "1": Side.BOTTOM, "-1": Side.TOP}
_TURNS: Final = {"1": Side.BOTTOM, "-1": Side.TOP}
_OFFERS: Final = {"D": Phase.DOUBLED, "B": Phase.BEAVERED, "R": Phase.RACCOONED}
_OFFER_LETTERS: Final = {phase: letter for letter, phase in _OFFERS.items()}
_MAX_SCORE: Final = 999_999


def encode(state: GameState) -> str:
    """The XGID of `state`, with its prefix and all ten fields.

    Not carried (see detect.losses): the opening roll, a resignation, the result, the owner of a cube at 1. Scores past
    the length of a match cannot be read back. Raises BadValue for scores under 0.
    """
    terms, cube, turn = state.terms, state.cube, state.turn
    if min(terms.scores) < 0:
        raise BadValue(f"Expected scores from 0 up, got `{min(terms.scores)}`")
    owner = cube.owner if cube.value > 1 else None
    if isinstance(terms, Match):
        length, rules = terms.length, int(terms.crawford)
    else:
        length, rules = 0, int(terms.jacoby) + 2 * int(terms.beavers)
    fields: tuple[object, ...] = (
        "".join(_PLACES[count] for count in state.board_of(Side.BOTTOM).points),
        cube.exponent,
        0 if owner is None else _sign(owner),
        _sign(turn),
        _OFFER_LETTERS.get(state.phase) or state.dice or "00",
        terms.scores[Side.BOTTOM],
        terms.scores[Side.TOP],
        rules,
        length,
        cube.limit.bit_length() - 1,
    )
    return PREFIX + ":".join(map(str, fields))


def decode(text: str) -> GameState:
    """The moment that `text` describes; with or without `XGID=`, with ten fields or without the last one.

    Of several lines only the first is read. A cube at 1 counts as centred whoever the text says owns it (GammonView's
    README has such an XGID). Max exponent 0 means that the cube is not in play.

    Raises BadPosition, BadDice or BadValue, naming the field, for whatever is out of its bounds; for a game in a match
    that is won already; and for a double by a side that cannot have offered it.
    """
    line = without(PREFIX, text.strip().partition("\n")[0].rstrip())
    fields = line.split(":")
    if len(fields) not in (9, 10):
        raise BadPosition(f"Expected an XGID of 10 fields (or 9), got {len(fields)} in `{line[:120]}`")
    bottom = _board(fields[0])
    exponent = whole(fields[1], "cube exponent (field 2 of the XGID)", 0, MAX_CUBE_EXPONENT)
    if fields[2] not in _OWNERS:
        raise BadValue(f"Expected the cube owner (field 3 of the XGID) to be 1, 0 or -1, got `{fields[2][:80]}`")
    if fields[3] not in _TURNS:
        raise BadValue(f"Expected the turn (field 4 of the XGID) to be 1 or -1, got `{fields[3][:80]}`")
    turn = _TURNS[fields[3]]
    limit = None
    if len(fields) == 10:
        limit = 2 ** whole(fields[9], "max cube exponent (field 10 of the XGID)", 0, MAX_CUBE_EXPONENT)
    cube = read_cube(exponent, _OWNERS[fields[2]], limit)
    terms = _terms(*fields[5:9])
    check_running(terms)
    phase, dice = _dice(fields[4])
    if phase in TURNS and not bottom.finished:
        check_turned(phase, turn, cube, terms)
    board = bottom if turn is Side.BOTTOM else bottom.flip()
    return moment(board, turn, phase, cube, dice, terms)


def _sign(side: Side) -> int:
    return 1 if side is Side.BOTTOM else -1


def _board(text: str) -> Board:
    if len(text) != 26:
        raise BadPosition(f"Expected 26 places (field 1 of the XGID), got {len(text)} in `{text[:80]}`")
    try:
        points = tuple([_COUNTS[place] for place in text])
    except KeyError as fault:
        raise BadPosition(
            f"Expected `-`, `A` to `O` or `a` to `o` in each place (field 1 of the XGID), "
            f"got `{fault.args[0]}` in `{text}`"
        ) from None
    if points[0] > 0 or points[25] < 0:
        raise BadPosition(
            "Expected lower case or `-` in the first place of the XGID (the top player's bar) and upper case or `-` in "
            f"the last one (the bottom player's), got `{text[0]}` and `{text[25]}`"
        )
    return Board(points)


def _dice(text: str) -> tuple[Phase, Dice | None]:
    if text in _OFFERS:
        return _OFFERS[text], None
    if text == "00":
        return Phase.ROLL, None
    if len(text) == 2 and text[0] in "123456" and text[1] in "123456":
        return Phase.PLAY, Dice(int(text[0]), int(text[1]))
    raise BadDice(f"Expected two dice from 1 to 6, `00`, `D`, `B` or `R` (field 5 of the XGID), got `{text[:80]}`")


def _terms(bottom: str, top: str, rules: str, length: str) -> Match | Money:
    scores = (
        whole(top, "top player's score (field 7 of the XGID)", 0, _MAX_SCORE),
        whole(bottom, "bottom player's score (field 6 of the XGID)", 0, _MAX_SCORE),
    )
    points = whole(length, "match length (field 9 of the XGID)", 0, MAX_MATCH_LENGTH)
    if points:
        return Match(points, scores, whole(rules, "Crawford flag (field 8 of the XGID)", 0, 1) == 1)
    flags = whole(rules, "money rules (field 8 of the XGID: Jacoby 1, beavers 2)", 0, 3)
    return Money(jacoby=bool(flags & 1), beavers=bool(flags & 2), scores=scores)
