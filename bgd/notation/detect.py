"""Which notation is this text? And what does a notation not carry? One place for both, for all that bgd reads."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, Literal

from bgd.errors import BadPosition
from bgd.notation import fibs_board, match_id, ogid, position_id, xgid
from bgd.notation.fibs_board import Reading
from bgd.rules.game import moment
from bgd.rules.state import Cube, GameState, HouseRules, Money, Phase, Side

Notation = Literal["start", "position-id", "id", "xgid", "fibs", "ogid"]
"""`id` is a Position ID and a Match ID, joined by a colon or with a blank between them; `position-id` and `start`
carry the board alone."""

_XGID: Final = re.compile(r"(?i:XGID=)|[-A-Pa-p]{26}(?::|$)")
_XGID_LINE: Final = re.compile(r"^[ \t]*((?i:XGID=)[^\r\n]*)", re.MULTILINE)
_FIBS: Final = re.compile(r"board:|(?:[^:]*:){40}", re.IGNORECASE)
_OGID: Final = re.compile(r"(?i:OGID=)|[0-9a-q]*:[0-9a-q]*:[WBND?][0-9]+[NOTP](?::|$)")
_POSITION_ID: Final = re.compile(r"[A-Za-z0-9+/]{14}(?:==)?")
_ID: Final = re.compile(r"[A-Za-z0-9+/]{14}(?:==)?(?::|\s+)[A-Za-z0-9+/]{12}")


def notation_of(text: str) -> Notation:
    """The notation that `text` has the shape of; it may still be wrong inside.

    Raises BadPosition, naming all that is read, when it has no known shape.
    """
    text = text.strip()
    if text.startswith("board:"):  # first: every request of GNU Backgammon's clients is one
        return "fibs"
    if text.lower() == "start":
        return "start"
    if _POSITION_ID.fullmatch(text):
        return "position-id"
    if _ID.fullmatch(text):
        return "id"
    if _XGID.match(text) or _XGID_LINE.search(text):
        return "xgid"
    if _OGID.match(text):
        return "ogid"
    if _FIBS.match(text):
        return "fibs"
    raise BadPosition(
        "Expected a position as XGID, GNU Position ID (14 characters) with or without `:` and a Match ID (12), FIBS "
        f"`board:` line, OGID, or `start`, got `{text[:120]}`"
    )


def decode_any(text: str, reading: Reading = "gnubg") -> GameState:
    """The moment that `text` describes, in whichever notation.

    `start` and a Position ID alone give Side.BOTTOM on roll, to roll, in money play: see `carries_terms`. `reading` is
    for FIBS boards. In text of several lines the XGID is looked for at the start of a line. Raises BadPosition, BadDice
    or BadValue.
    """
    notation = notation_of(text)
    text = text.strip()
    if notation == "start":
        return GameState()
    if notation == "position-id":
        return moment(position_id.decode(text), Side.BOTTOM, Phase.ROLL, Cube(), None, Money())
    if notation == "fibs":
        return fibs_board.decode(text, reading).state
    if notation == "id":
        text = ":".join(text.split())
    elif notation == "xgid" and (line := _XGID_LINE.search(text)):
        text = line[1]
    return _DECODERS[notation](text)


def carries_terms(notation: Notation) -> bool:
    """Whether the notation says more than where the checkers stand: who is who, cube, dice, score."""
    return notation not in ("start", "position-id")


def encode(state: GameState, notation: Notation, reading: Reading = "gnubg") -> str:
    """`state` in `notation`. Raises BadPosition for `start` with another board, Unsupported or BadValue where the
    notation has no words for it; `losses` says what gets lost."""
    if notation == "start":
        if state.board != GameState().board:
            raise BadPosition("Expected the start position, got another one")
        return "start"
    if notation == "position-id":
        return position_id.encode(state.board)
    if notation == "fibs":
        return fibs_board.encode(state, reading=reading)
    return _ENCODERS[notation](state)


def losses(state: GameState, notation: Notation) -> tuple[str, ...]:
    """What `state` says and `notation` does not carry, in words; nothing when it reads back as it was (but for the
    order of the dice)."""
    if not carries_terms(notation):
        return ("who is who", "the cube", "the dice", "the score", "the rules")
    carried = _CARRIED[notation]
    return tuple(words for what, words in _present(state) if what not in carried)


def _present(state: GameState) -> list[tuple[str, str]]:
    """What is there to lose, among the things that not every notation carries."""
    cube, terms = state.cube, state.terms
    beavered = state.phase in (Phase.BEAVERED, Phase.RACCOONED)
    facts = [
        (isinstance(terms, Money), "jacoby", "whether Jacoby's rule is in use"),
        (isinstance(terms, Money), "beavers", "whether beavers are allowed"),
        (isinstance(terms, Money) and terms.automatic_doubles > 0, "automatic", "automatic doubles"),
        (cube.limit != Cube().limit, "limit", "the cube limit"),
        (cube.value == 1 and cube.owner is not None, "owner-at-1", "who alone may turn the cube at 1"),
        (beavered and cube.value > 1 and cube.owner is None, "beavered-centred", "that the cube was centred"),
        (state.resignation is not None, "resignation", "the resignation offered"),
        (state.phase is Phase.OPENING, "opening", "that nobody has rolled yet"),
        (state.phase is Phase.OVER and not state.board.finished, "over", "that the game is over"),
        (state.result is not None and not _result_shows(state), "result", "who won, and how"),
        (state.played is not None, "played", "the play made and not yet confirmed"),
        (state.house != HouseRules(), "house", "house rules on backgammons, the opening roll and Crawford"),
        (_past_the_length(state), "past-the-length", "points past the match length"),
    ]
    return [(what, words) for there, what, words in facts if there]


def _result_shows(state: GameState) -> bool:
    """Whether the board itself tells the result."""
    shown = moment(state.board, state.turn, Phase.OVER, state.cube, None, state.terms)
    return shown.result == state.result


def _past_the_length(state: GameState) -> bool:
    return not isinstance(state.terms, Money) and max(state.terms.scores) > state.terms.length


_DECODERS: Final[dict[str, Callable[[str], GameState]]] = {
    "id": match_id.decode_pair,
    "xgid": xgid.decode,
    "ogid": ogid.decode,
}
_ENCODERS: Final[dict[str, Callable[[GameState], str]]] = {
    "id": match_id.encode_pair,
    "xgid": xgid.encode,
    "ogid": ogid.encode,
}
_CARRIED: Final[dict[str, frozenset[str]]] = {
    "id": frozenset({"jacoby", "resignation", "over"}),
    "xgid": frozenset({"jacoby", "beavers", "limit", "beavered-centred"}),
    "fibs": frozenset({"owner-at-1"}),
    "ogid": frozenset(),
}
