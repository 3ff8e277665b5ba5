"""GNU Match ID: 12 characters for score, cube, dice, and who decides what. With a Position ID it is a whole moment.

72 bits, least significant first (GNU Backgammon manual, "A technical description of the Match ID"; bit 66 is newer than
the manual):

    0-3 log2 of the cube    4-5 cube owner (0, 1; 3 centred)    6 side on roll    7 Crawford game
    8-10 game (0 none, 1 playing, 2 over, 3 resigned, 4 dropped)    11 side that decides    12 doubled
    13-14 resignation offered (1 single, 2 gammon, 3 backgammon)    15-17, 18-20 dice    21-35 match length, 0 money
    36-50, 51-65 scores of player 0 and 1    66 Jacoby not in use    67-71 zero

Player 0 is Side.TOP, player 1 Side.BOTTOM. The Position ID beside it is seen by the side on roll (bit 6), also while a
double is pending. After a beaver GNU Backgammon writes the cube as accepted so far: doubled for the beaver, doubled
again for the raccoon, owned by the doubler's opponent; GameState keeps the cube as it was before the double.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from typing import Final

from bgd.errors import BadDice, BadPosition, BadValue
from bgd.notation import position_id
from bgd.notation._common import check_running, check_turned, read_cube
from bgd.rules.board import Board
from bgd.rules.dice import Dice
from bgd.rules.game import moment
from bgd.rules.state import MAX_CUBE_EXPONENT, Cube, GameState, Match, Money, Outcome, Phase, Resignation, Side

LENGTH: Final = 12

_SHAPE: Final = re.compile(r"[A-Za-z0-9+/]{12}", re.ASCII)
_CENTRED: Final = 3
_NONE, _PLAYING, _OVER = 0, 1, 2
_MAX_SCORE: Final = 2**15 - 1
_PENDING: Final = (Phase.DOUBLED, Phase.BEAVERED, Phase.RACCOONED)

# name, bits: in the order of the text above
_FIELDS: Final = (
    ("cube", 4),
    ("owner", 2),
    ("on_roll", 1),
    ("crawford", 1),
    ("game", 3),
    ("decider", 1),
    ("doubled", 1),
    ("resignation", 2),
    ("die_1", 3),
    ("die_2", 3),
    ("length", 15),
    ("score_0", 15),
    ("score_1", 15),
    ("no_jacoby", 1),
    ("zero", 5),
)


def encode(state: GameState) -> str:
    """The Match ID of `state`. Not carried (see detect.losses): beavers, cube limit, the opening roll, the result.

    Scores past the length of a match are written as the length. Raises BadValue for a score over 32767 or under 0, and
    for a resignation offered while a beaver is pending, which this format cannot tell from a double.
    """
    terms = state.terms
    length = terms.length if isinstance(terms, Match) else 0
    scores = [min(score, length) if length else score for score in terms.scores]
    if not all(0 <= score <= _MAX_SCORE for score in scores):
        raise BadValue(f"Expected scores from 0 to {_MAX_SCORE}, got `{scores[0]}` and `{scores[1]}`")
    if state.resignation is not None and state.phase in (Phase.BEAVERED, Phase.RACCOONED):
        raise BadValue("Expected no resignation while a beaver is pending, got one")
    exponent, owner = state.cube.exponent, state.cube.owner if state.cube.value > 1 else None
    if (turned := {Phase.BEAVERED: 1, Phase.RACCOONED: 2}.get(state.phase, 0)) > 0:
        exponent, owner = exponent + turned, state.turn.other
        if exponent > MAX_CUBE_EXPONENT:
            raise BadValue(f"Expected a cube up to {2**MAX_CUBE_EXPONENT} after the beaver, got `{2**exponent}`")
    values = {
        "cube": exponent,
        "owner": _CENTRED if owner is None else int(owner),
        "on_roll": int(state.turn),
        "crawford": int(isinstance(terms, Match) and terms.crawford),
        "game": _OVER if state.phase is Phase.OVER else _PLAYING,
        "decider": int(state.decider),
        "doubled": int(state.phase in _PENDING),
        "resignation": 0 if state.resignation is None else int(state.resignation.outcome),
        "die_1": state.dice.high if state.dice else 0,
        "die_2": state.dice.low if state.dice else 0,
        "length": length,
        "score_0": scores[0],
        "score_1": scores[1],
        "no_jacoby": int(not (isinstance(terms, Money) and terms.jacoby)),
        "zero": 0,
    }
    bits = shift = 0
    for name, width in _FIELDS:
        bits |= values[name] << shift
        shift += width
    return b64encode(bits.to_bytes(9, "little")).decode("ascii")


def decode(text: str, board: Board) -> GameState:
    """The moment that `text` describes, with `board` as the side on roll sees it.

    Owner 2 reads as centred, as GNU Backgammon does; game state 0 ("none") as a game being played; dice in either
    order; bit 66 counts in money play only. Beavers are taken to be allowed in money play: the ID does not say. Raises
    BadValue or BadDice for a field out of its bounds or two that contradict each other.
    """
    if _SHAPE.fullmatch(text) is None:
        raise BadValue(f"Expected a Match ID of {LENGTH} characters from A-Z a-z 0-9 + /, got `{text[:80]}`")
    bits = int.from_bytes(b64decode(text), "little")
    values: dict[str, int] = {}
    for name, width in _FIELDS:
        values[name] = bits & ((1 << width) - 1)
        bits >>= width
    if values["zero"]:
        raise BadValue(f"Expected zeros in bits 67 to 71 of the Match ID, got `{values['zero']:b}` in `{text}`")
    if values["game"] > 4:
        raise BadValue(f"Expected a game state from 0 to 4 in the Match ID, got `{values['game']}` in `{text}`")
    turn, decider = Side(values["on_roll"]), Side(values["decider"])
    over = values["game"] >= _OVER
    doubled, resigned = bool(values["doubled"]), values["resignation"]
    if turn is not decider and not (over or doubled or resigned):
        raise BadValue(f"Expected the side on roll to decide when nothing is offered, got the other one in `{text}`")
    terms = _terms(values, text)
    dice = _dice(values, text)
    if over:
        return moment(board, turn, Phase.OVER, _cube(values), None, terms)
    check_running(terms)
    if doubled:
        if dice is not None:
            raise BadValue(f"Expected no dice while a double is pending, got `{dice}` in `{text}`")
        phase, cube = _double(values, turn, decider, terms)
        check_turned(phase, turn, cube, terms)
    else:
        phase, cube = Phase.PLAY if dice else Phase.ROLL, _cube(values)
    resignation = Resignation(decider.other, Outcome(resigned)) if resigned else None
    return moment(board, turn, phase, cube, dice, terms, resignation)


def encode_pair(state: GameState) -> str:
    """`position:match`, the usual pair of IDs."""
    return f"{position_id.encode(state.board)}:{encode(state)}"


def decode_pair(text: str) -> GameState:
    """The moment of a `position:match` pair. Raises BadPosition when it is no pair, and as both `decode`s do."""
    position, colon, match = text.partition(":")
    if not colon:
        raise BadPosition(f"Expected a Position ID and a Match ID joined by a colon, got `{text[:80]}`")
    return decode(match, position_id.decode(position))


def _terms(values: dict[str, int], text: str) -> Match | Money:
    scores = (values["score_0"], values["score_1"])
    if values["length"]:
        if max(scores) > values["length"]:
            raise BadValue(f"Expected scores up to the length {values['length']}, got `{max(scores)}` in `{text}`")
        return Match(values["length"], scores, bool(values["crawford"]))
    if values["crawford"]:
        raise BadValue(f"Expected no Crawford game in money play (length 0), got one in `{text}`")
    return Money(jacoby=not values["no_jacoby"], scores=scores)


def _dice(values: dict[str, int], text: str) -> Dice | None:
    first, second = values["die_1"], values["die_2"]
    if first == second == 0:
        return None
    if not (1 <= first <= 6 and 1 <= second <= 6):
        raise BadDice(f"Expected two dice from 1 to 6 or none, got `{first}` and `{second}` in `{text}`")
    return Dice(first, second)


def _cube(values: dict[str, int]) -> Cube:
    return read_cube(values["cube"], Side(values["owner"]) if values["owner"] < 2 else None)


def _double(values: dict[str, int], turn: Side, decider: Side, terms: Match | Money) -> tuple[Phase, Cube]:
    """What is offered, and the cube before it was: see the module's text on beavers."""
    beavered = decider is turn and not values["resignation"]
    raccooned = not beavered and values["owner"] == turn.other and not values["resignation"]
    if not (beavered or raccooned):
        return Phase.DOUBLED, _cube(values)
    exponent = values["cube"] - (1 if beavered else 2)
    if isinstance(terms, Match) or values["owner"] != turn.other or exponent < 0:
        raise BadValue(
            "Expected a double by the side on roll, holding the cube or with the cube centred, to be answered by the "
            "other side (or a beaver of it, in money play), got one that contradicts the cube or the side to decide"
        )
    return Phase.BEAVERED if beavered else Phase.RACCOONED, Cube(2**exponent, turn if exponent else None)
