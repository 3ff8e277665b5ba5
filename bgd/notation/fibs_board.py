"""FIBS board: the `board:` line of FIBS's board style 3, which is also what GNU Backgammon sends to external players.

52 fields after `board:`, joined by colons. Field 1 is counted as in FIBS's own description, `board` itself being 1:

    2, 3 names   4 match length (0 or 9999: money)   5, 6 scores   7-32 26 counts: O positive, X negative, bars first
    and last   33 turn (1 O, -1 X)   34, 35 own dice   36, 37 the opponent's dice   38 cube   39 you may double   40 the
    opponent may double   41 a double is pending   42 colour: who you are (1 O, -1 X)   43 your direction (-1: from 24
    to 1)   44-49 home, bar, checkers off and on the bar   50, 51 movable checkers, forced   52 Crawford game over
    53 FIBS: redoubles, or 3 without the Crawford rule; GNU Backgammon: 1 unless this is the Crawford game

"You", the side of the given colour, is Side.BOTTOM here. Fields 44 to 51 follow from the rest and are not looked at.

**Whose names and scores.** Two readings of fields 2, 3, 5 and 6:

- `fibs`: the first is you, always. That is FIBS's own definition.
- `gnubg`: the first is the *opponent* (GNU Backgammon's player 0; you are player 1), except that with a double pending
  the first is you. So does GNU Backgammon 1.07 write as a client, and so does it read when asked for a decision
  (observed; asked for an `evaluation` it takes you for the second even then).

Everything else reads the same in both. A pending double (field 41 not 0, or both may-double fields 0) is the doing of
the side named by `turn`; its opponent answers. Who alone may double owns the cube, also at 1.
"""

from __future__ import annotations

import re
from functools import lru_cache
from operator import itemgetter
from typing import Final, Literal, NamedTuple

from bgd.errors import BadDice, BadPosition, BadValue, Unsupported
from bgd.notation._common import check_double, check_running
from bgd.rules.board import Board
from bgd.rules.dice import Dice
from bgd.rules.game import moment
from bgd.rules.state import MAX_MATCH_LENGTH, Cube, GameState, Match, Money, Phase, Side

Reading = Literal["gnubg", "fibs"]
"""Whose names and scores stand first: see the module's text."""

FIELDS: Final = 52
UNLIMITED: Final = 9999
"""The match length that FIBS writes for an unlimited match, which is money play."""

_PREFIX: Final = "board:"
_NAME: Final = r"""(?:"([^"]*)"|'([^']*)'|([^\s:"']+))"""
_NAMES: Final = re.compile(_NAME + ":" + _NAME + ":")
_HEAD: Final = 6
"""Where the board begins, `board` itself being 0."""
_TAIL: Final = _HEAD + 26
"""The first field after it."""
_REST: Final = FIELDS + 1 - _TAIL
_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,20}", re.ASCII)
_USUAL: Final = {str(count): count for count in range(-15, 16)}
_FAULT: Final = "badly formed board"  # the words of GNU Backgammon's own refusal


class FibsBoard(NamedTuple):
    """A decoded line. `names[side]` are the players' names, Side.BOTTOM being the side of the line's colour."""

    state: GameState
    names: tuple[str, str]

    @property
    def asks(self) -> Literal["take", "play", "double"]:
        """The decision that the line asks for: answer a double, play the dice, or double or roll.

        `take` is asked of the side that did not double; the others of the side on roll.
        """
        if self.state.phase is Phase.DOUBLED:
            return "take"
        return "play" if self.state.phase is Phase.PLAY else "double"


def decode(
    text: str, reading: Reading = "gnubg", *, jacoby: bool = True, beavers: bool = True, crawford: bool = True
) -> FibsBoard:
    """The moment that the line describes; with or without `board:`, in any case. `jacoby` and `beavers` are the rules
    of a money game, `crawford` whether a match has the Crawford rule: the line does not carry them.

    As GNU Backgammon does: the opponent's dice count when the own ones are 0; dice are not looked at while a double is
    pending; a bar's sign is not looked at; a match over 64 points is shortened to 64, with the same points to go (at
    most 64); the Crawford game is on when one side is 1 point away and the last two fields are 0. Unlike it: exactly 52
    fields, at most 15 checkers a side, real dice and cube values, a double only by a side that may.

    Raises BadPosition, BadDice or BadValue. The message begins `badly formed board`, but with too many fields it is
    GNU Backgammon's own. About 3 µs.
    """
    return FibsBoard(*decode_plain(text, reading, jacoby, beavers, crawford))


def decode_plain(
    text: str, reading: Reading, jacoby: bool, beavers: bool, crawford: bool
) -> tuple[GameState, tuple[str, str]]:
    """What `decode` gives, not put into a FibsBoard: for those who read one line after another."""
    fields = _split(text)
    _, name_1, name_2, length, score_1, score_2 = fields[:_HEAD]
    counts = fields[_HEAD:_TAIL]
    rest = _rest(name_1, name_2, length, score_1, score_2, fields[_TAIL], reading, jacoby, beavers, crawford)
    try:
        points: tuple[int, ...] = itemgetter(*counts)(_USUAL)
    except KeyError:
        points = tuple(_numbers(counts, 7))
    if rest.turned or points[0] > 0 or points[25] < 0:
        points = _points(points, rest.turn, rest.direction)
    try:
        return moment(Board(points), *rest.moment), rest.names
    except BadPosition as fault:
        raise BadPosition(f"{_FAULT}: {fault.message}") from None


def _split(text: str) -> list[str]:
    """`board`, the fields before and on the board, and those after it in one."""
    fields = text.split(":", _TAIL)
    if len(fields) > _TAIL and fields[0] == "board" and fields[1].isalnum() and fields[2].isalnum():
        return fields
    line = text.strip()
    if line[:6].lower() == _PREFIX:
        line = line[6:]
    found = _NAMES.match(line)
    if found is None:
        raise BadPosition(
            f"{_FAULT}: expected two names (in quotes if they hold blanks) and numbers, joined by colons, "
            f"got `{line[:80]}`"
        )
    words = found.groups("")  # each name in three forms of quotation, two of them empty
    fields = ["board", "".join(words[:3]), "".join(words[3:]), *line[found.end() :].split(":", _TAIL - 3)]
    if len(fields) <= _TAIL:
        raise BadPosition(f"{_FAULT}: expected {FIELDS} fields, got {len(fields) - 1}")
    return fields


class _Rest(NamedTuple):
    """What a line says beside the board."""

    turn: int
    direction: int
    """Of the side on roll."""
    turned: bool
    """Whether the board is to be turned to be seen by it."""
    moment: tuple[Side, Phase, Cube, Dice | None, Match | Money]
    """As bgd.rules.game.moment takes it."""
    names: tuple[str, str]


# In a match or session the same few hundred come again and again. Reading one takes 5 µs, finding it 0.2.
@lru_cache(maxsize=4096)
def _rest(
    name_1: str,
    name_2: str,
    match_length: str,
    points_1: str,
    points_2: str,
    tail: str,
    reading: Reading,
    jacoby: bool,
    beavers: bool,
    crawford: bool,
) -> _Rest:
    """From the fields before the board and, in one, those after it."""
    names = (name_1, name_2)
    fields = tail.rstrip().split(":")
    if len(fields) > _REST:
        raise BadPosition(f"Invalid board. Maximum number of elements is {FIELDS}")
    if len(fields) < _REST:
        raise BadPosition(f"{_FAULT}: expected {FIELDS} fields, got {FIELDS - _REST + len(fields)}")
    length, score_1, score_2 = _numbers([match_length, points_1, points_2], 4)
    numbers = _numbers(fields, 7 + 26)
    turn, die_1, die_2, die_3, die_4, cube, may, opponent_may, doubled, colour, direction = numbers[:11]
    for name, value in (("turn", turn), ("colour", colour), ("direction", direction)):
        if value not in (1, -1):
            raise BadValue(f"{_FAULT}: expected the {name} to be 1 or -1, got `{value}`")

    mine = turn == colour
    pending = doubled != 0 or (may == 0 and opponent_may == 0)
    try:
        you_first = reading == "fibs" or pending
        scores = (score_1, score_2)
        if you_first:
            names, scores = (names[1], names[0]), (score_2, score_1)
        terms = _terms(length, scores, crawford and not any(numbers[19:]), jacoby, beavers)
        side = Side.BOTTOM if mine else Side.TOP
        owner = None if bool(may) == bool(opponent_may) else Side.BOTTOM if may else Side.TOP
        if pending:
            if owner is None and not may and cube > 1:
                owner = side  # FIBS clears both flags: a turned cube can only be redoubled by its owner
            phase, dice = Phase.DOUBLED, None
        else:
            dice = _dice((die_1, die_2) if die_1 or not die_3 else (die_3, die_4))
            phase = Phase.ROLL if dice is None else Phase.PLAY
        stake = _cube(cube, owner)
        if pending:
            check_double(side, stake, terms)
    except (BadPosition, BadDice, BadValue) as fault:
        raise type(fault)(f"{_FAULT}: {fault.message}") from None
    if not mine:
        direction = -direction
    turned = turn < 0 or direction > 0
    return _Rest(turn, direction, turned, (side, phase, stake, dice, terms), names)


def encode(state: GameState, names: tuple[str, str] = ("O", "X"), reading: Reading = "gnubg") -> str:
    """The `board:` line of `state`, drawn as GNU Backgammon draws it: Side.BOTTOM is O and "you", moving from 24 to 1.

    `names[side]` are the players' names; in them `:` becomes `_`, and names with blanks are quoted. Not carried (see
    detect.losses): Jacoby, beavers, the cube limit, a resignation, the opening roll. Raises Unsupported for a beaver
    and for a game that was given up, which the format has no words for.
    """
    given_up = state.phase is Phase.OVER and not state.board.finished
    if state.phase in (Phase.BEAVERED, Phase.RACCOONED) or given_up:
        raise Unsupported(f"A FIBS board cannot say that the game is `{state.phase.value}`")
    board = state.board_of(Side.BOTTOM)
    terms = state.terms
    pending = state.phase is Phase.DOUBLED
    first = Side.BOTTOM if reading == "fibs" or pending else Side.TOP
    roll = (state.dice.first, state.dice.second) if state.dice else (0, 0)
    if reading == "gnubg":
        dice = (*roll, *roll)
        unlimited, last = 0, int(not (isinstance(terms, Match) and terms.crawford))
    else:
        dice = (*roll, 0, 0) if state.turn is Side.BOTTOM else (0, 0, *roll)
        unlimited, last = UNLIMITED, 0
    numbers = (
        terms.length if isinstance(terms, Match) else unlimited,
        terms.scores[first],
        terms.scores[first.other],
        *board.points,
        1 if state.turn is Side.BOTTOM else -1,
        *dice,
        state.cube.value,
        int(state.cube.owner is not Side.TOP),
        int(state.cube.owner is not Side.BOTTOM),
        int(pending),
        *(1, -1, 0, 25),  # colour, direction, home, bar
        *(board.off, board.opponent_off, board.bar, board.opponent_bar),
        *(0, 0),  # movable checkers and forced play: nobody reads them
        int(isinstance(terms, Match) and terms.post_crawford),
        last,
    )
    written = [_name(names[first]), _name(names[first.other])]
    return _PREFIX + ":".join([*written, *map(str, numbers)])


def _numbers(fields: list[str], first: int) -> list[int]:
    """`first`: the number that the first of these fields has in the module's list."""
    for number, field in enumerate(fields, first):
        if _WHOLE.fullmatch(field) is None:
            raise BadValue(f"{_FAULT}: expected a whole number in field {number}, got `{field[:80]}`")
    return [int(field) for field in fields]


def _points(counts: tuple[int, ...], turn: int, direction: int) -> tuple[int, ...]:
    """26 counts from the view of the side on roll, `direction` being its own."""
    if turn < 0:
        counts = tuple(-count for count in counts)
    if direction > 0:
        counts = counts[::-1]
    return -abs(counts[0]), *counts[1:25], abs(counts[25])


@lru_cache(maxsize=4096)
def _terms(length: int, scores: tuple[int, int], crawford: bool, jacoby: bool, beavers: bool) -> Match | Money:
    if scores[0] < 0 or scores[1] < 0:
        raise BadValue(f"Expected scores from 0 up, got `{min(scores)}`")
    if length in (0, UNLIMITED):
        return Money(jacoby=jacoby, beavers=beavers, scores=scores)
    if length > MAX_MATCH_LENGTH and max(scores) < length:
        top, bottom = (max(0, score - (length - MAX_MATCH_LENGTH)) for score in scores)
        length, scores = MAX_MATCH_LENGTH, (top, bottom)
    one_away = (length - scores[0] == 1) != (length - scores[1] == 1)
    terms = Match(length, scores, crawford=crawford and one_away)
    check_running(terms)
    return terms


_cube: Final = lru_cache(maxsize=256)(Cube)
"""The same object for the same cube, as with `_terms`: whoever looks something up by them finds it sooner."""


def _dice(roll: tuple[int, int]) -> Dice | None:
    return None if roll == (0, 0) else Dice(*roll)


def _name(text: str) -> str:
    text = text.replace(":", "_") or "_"
    if _NAMES.fullmatch(f"{text}:x:"):
        return text
    return '"' + text.replace('"', "_") + '"'
