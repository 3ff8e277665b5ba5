"""What a session remembers: the position, the stakes, the rules, how deeply to look. All settings have text values.

Settings are a value; each change makes another, checked as a whole, so that a request that names one wrong setting
changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple, TypeVar

from bgd.engine import MAX_PLIES
from bgd.errors import BadArgument, BadValue, InputError, MissingContext, hint
from bgd.notation import fibs_board
from bgd.notation.detect import carries_terms, decode_any, notation_of
from bgd.notation.fibs_board import Reading
from bgd.rules.board import Board
from bgd.rules.dice import Dice
from bgd.rules.game import moment, under
from bgd.rules.state import (
    MAX_CUBE_EXPONENT,
    MAX_MATCH_LENGTH,
    Cube,
    GameState,
    Match,
    Money,
    Phase,
    Resignation,
    Side,
)
from bgd.wire.messages import Option

_MAX_SCORE: Final = 32767
"""What the fifteen bits of a GNU Match ID hold."""

_SIDES: Final = {"bottom": Side.BOTTOM, "top": Side.TOP}
_OWNERS: Final = {"centre": None, "center": None, **_SIDES}
_SWITCH: Final = {"on": True, "yes": True, "true": True, "off": False, "no": False, "false": False}
_READINGS: Final[dict[str, Reading]] = {"gnubg": "gnubg", "fibs": "fibs"}


@dataclass(frozen=True, slots=True)
class Settings:
    """`scores` are by Side. `crawford` is whether this is the Crawford game, should a score allow it. `board` is seen
    by `turn`; None: no position was given yet. Dice, a pending double and a resignation belong to the position."""

    match: int = 0
    scores: tuple[int, int] = (0, 0)
    cube: Cube = field(default_factory=Cube)
    turn: Side = Side.BOTTOM
    crawford: bool = False
    jacoby: bool = True
    beavers: bool = True
    automatic_doubles: int = 0
    plies: int = 0
    reading: Reading = "gnubg"
    board: Board | None = None
    dice: Dice | None = None
    phase: Phase = Phase.ROLL
    resignation: Resignation | None = None

    @property
    def terms(self) -> Match | Money:
        if not self.match:
            return Money(self.jacoby, self.beavers, self.automatic_doubles, self.scores)
        one_away = [self.match - score == 1 for score in self.scores]
        return Match(self.match, self.scores, self.crawford and one_away[0] != one_away[1])

    def state(self) -> GameState:
        """The moment that is set. Raises MissingContext without a position."""
        if self.board is None:
            raise MissingContext("Expected a position first, for instance `position start`")
        return moment(self.board, self.turn, self.phase, self.cube, self.dice, self.terms, self.resignation)

    def read(self, text: str, reading: Reading | None = None, crawford: bool = True) -> GameState:
        """The moment that `text` describes, in any notation; what the notation does not say is as set here.

        `crawford`: whether the Crawford rule is in use, which FIBS boards leave open."""
        try:
            if text.startswith("board:") or (notation := notation_of(text)) == "fibs":
                return fibs_board.decode_plain(text, reading or self.reading, self.jacoby, self.beavers, crawford)[0]
            state = decode_any(text)
            if not carries_terms(notation):
                return moment(state.board, self.turn, Phase.ROLL, self.cube, None, self.terms)
            if isinstance(state.terms, Money) and notation in _RULES_SAID:
                jacoby = state.terms.jacoby if "jacoby" in _RULES_SAID[notation] else self.jacoby
                return under(state, replace(state.terms, jacoby=jacoby, beavers=self.beavers))
            return state
        except InputError as error:
            raise error.at("position") from None

    def placed(self, text: str, reading: Reading | None = None) -> Settings:
        """With the position that `text` describes, and the stakes and rules that it tells. Dice are forgotten."""
        state = self.read(text, reading)
        if not carries_terms(notation_of(text)):
            return replace(self, board=state.board, dice=None, phase=Phase.ROLL, resignation=None)
        terms = state.terms
        changed = replace(
            self,
            scores=terms.scores,
            cube=state.cube,
            turn=state.turn,
            board=state.board,
            dice=state.dice,
            phase=state.phase,
            resignation=state.resignation,
        )
        if isinstance(terms, Match):
            return replace(changed, match=terms.length, crawford=terms.crawford)
        return replace(
            changed,
            match=0,
            crawford=False,
            jacoby=terms.jacoby,
            beavers=terms.beavers,
            automatic_doubles=terms.automatic_doubles,
        )

    def without_dice(self) -> Settings:
        return replace(self, dice=None, phase=Phase.ROLL) if self.dice else self

    def new_game(self) -> Settings:
        """Position, dice and cube forgotten; match, score and rules kept."""
        cube = Cube(limit=self.cube.limit)
        return replace(self, board=None, dice=None, phase=Phase.ROLL, resignation=None, cube=cube)

    def changed(self, values: Mapping[str, str], *, strict: bool = True) -> Settings:
        """With `values` set, all of them or (an exception) none.

        `strict`: the Crawford game can be set only at a score that allows it, and is over when the score changes.
        Otherwise `crawford` says that the rule is in use, which counts at the scores where it can.

        Raises BadArgument for an unknown name, BadValue or BadDice for a value."""
        after = self
        for name in values:
            if name not in SETTINGS:
                told = f"Unknown setting `{name}`{hint(name, SETTINGS)}; there are {', '.join(SETTINGS)}"
                raise BadArgument(told).at(f"values.{name}")
        for name, setting in SETTINGS.items():  # in this order, however they were given
            if name in values:
                try:
                    after = setting.change(after, values[name].strip())
                except InputError as error:
                    raise error.at(f"values.{name}") from None
        if strict and values.keys() & {"match", "score"} and "crawford" not in values:
            after = replace(after, crawford=False)
        if values.keys() & {"match", "score", "cube", "owner", "turn", "crawford"} and not after.dice:
            after = replace(after, phase=Phase.ROLL, resignation=None)  # what was offered, was at other stakes
        _check(after, strict and "crawford" in values)
        return after


_RULES_SAID: Final[dict[str, tuple[str, ...]]] = {"id": ("jacoby",), "ogid": ()}
"""Notations that leave open some of the rules of money play, and which they say."""


def _check(after: Settings, crawford_named: bool) -> None:
    if after.match and max(after.scores) >= after.match:
        top, bottom = after.scores
        raise BadValue(f"Expected scores under the match length {after.match}, got `{bottom}-{top}`")
    terms = after.terms
    if crawford_named and after.crawford and not (isinstance(terms, Match) and terms.crawford):
        raise BadValue("Expected `crawford=on` only in a match with exactly one side 1 point away")


class Setting(NamedTuple):
    """How a setting is read and written, and what `options` says of it."""

    type: str
    domain: str
    meaning: str
    change: Callable[[Settings, str], Settings]
    shown: Callable[[Settings], str]


def _number(name: str, text: str, low: int, high: int) -> int:
    if not re.fullmatch(r"[0-9]{1,6}", text, re.ASCII) or not low <= int(text) <= high:
        raise BadValue(f"Expected `{name}` to be a number from {low} to {high}, got `{text}`")
    return int(text)


T = TypeVar("T")


def _choice(name: str, text: str, words: Mapping[str, T]) -> T:
    if text.lower() not in words:
        raise BadValue(f"Expected `{name}` to be {', '.join(words)}, got `{text}`")
    return words[text.lower()]


def _score(settings: Settings, text: str) -> Settings:
    parts = re.fullmatch(r"([0-9]{1,5})\s*[-:]\s*([0-9]{1,5})", text, re.ASCII)
    if parts is None or max(map(int, parts.groups())) > _MAX_SCORE:
        raise BadValue(f"Expected `score` as the points of bottom and of top, like `2-4`, got `{text}`")
    bottom, top = map(int, parts.groups())
    return replace(settings, scores=(top, bottom))


def _cube_value(settings: Settings, text: str) -> Settings:
    return replace(settings, cube=replace(settings.cube, value=_number("cube", text, 1, 2**MAX_CUBE_EXPONENT)))


def _owner(settings: Settings, text: str) -> Settings:
    return replace(settings, cube=replace(settings.cube, owner=_choice("owner", text, _OWNERS)))


def _dice(settings: Settings, text: str) -> Settings:
    if text.lower() == "none":
        return settings.without_dice()
    return replace(settings, dice=Dice.parse(text), phase=Phase.PLAY, resignation=None)


def _on_off(value: bool) -> str:
    return "on" if value else "off"


def _side(side: Side | None) -> str:
    return "centre" if side is None else side.name.lower()


SETTINGS: Final[dict[str, Setting]] = {
    "match": Setting(
        "int", f"0..{MAX_MATCH_LENGTH}", "length of the match in points; 0 is money play",
        lambda s, text: replace(s, match=_number("match", text, 0, MAX_MATCH_LENGTH)), lambda s: str(s.match),
    ),
    "score": Setting(
        "string", "*", "points of bottom, then of top",
        _score, lambda s: f"{s.scores[Side.BOTTOM]}-{s.scores[Side.TOP]}",
    ),
    "cube": Setting("int", f"1..{2**MAX_CUBE_EXPONENT}", "value of the cube", _cube_value, lambda s: str(s.cube.value)),
    "owner": Setting("enum", "centre|bottom|top", "who holds the cube", _owner, lambda s: _side(s.cube.owner)),
    "crawford": Setting(
        "bool", "on|off", "whether this is the Crawford game",
        lambda s, text: replace(s, crawford=_choice("crawford", text, _SWITCH)), lambda s: _on_off(s.crawford),
    ),
    "jacoby": Setting(
        "bool", "on|off", "money play: gammons count only once somebody has doubled",
        lambda s, text: replace(s, jacoby=_choice("jacoby", text, _SWITCH)), lambda s: _on_off(s.jacoby),
    ),
    "beavers": Setting(
        "bool", "on|off", "money play: a double may be beavered",
        lambda s, text: replace(s, beavers=_choice("beavers", text, _SWITCH)), lambda s: _on_off(s.beavers),
    ),
    "dice": Setting(
        "string", "*", "the roll to be played, or none", _dice, lambda s: str(s.dice) if s.dice else "none"
    ),
    "turn": Setting(
        "enum", "bottom|top", "who is on roll",
        lambda s, text: replace(s, turn=_choice("turn", text, _SIDES)), lambda s: _side(s.turn),
    ),
    "plies": Setting(
        "int", f"0..{MAX_PLIES}", "how deeply to look, as GNU Backgammon counts",
        lambda s, text: replace(s, plies=_number("plies", text, 0, MAX_PLIES)), lambda s: str(s.plies),
    ),
    "variant": Setting(
        "enum", "backgammon", "the game that is played",
        lambda s, text: _choice("variant", text, {"backgammon": s}), lambda _: "backgammon",
    ),
    "reading": Setting(
        "enum", "gnubg|fibs", "whose score is whose in a FIBS board",
        lambda s, text: replace(s, reading=_choice("reading", text, _READINGS)), lambda s: s.reading,
    ),
}  # fmt: skip
"""All settings by name, in the order that they are listed and applied in."""


def shown(settings: Settings, names: tuple[str, ...] = ()) -> dict[str, str]:
    """Settings as text, all of them without `names`. Raises BadArgument for an unknown one."""
    for place, name in enumerate(names):
        if name not in SETTINGS:
            raise BadArgument(f"Unknown setting `{name}`; there are {', '.join(SETTINGS)}").at(f"names[{place}]")
    return {name: SETTINGS[name].shown(settings) for name in names or SETTINGS}


def options(defaults: Settings) -> tuple[Option, ...]:
    """What can be set, with `defaults` as the values before anything is."""
    return tuple(
        Option(
            name=name,
            type=setting.type,
            domain=setting.domain,
            default=setting.shown(defaults),
            meaning=setting.meaning,
        )
        for name, setting in SETTINGS.items()
    )
