"""What the network sees of a position: one active row in each of 52 groups of rows, and a few facts.

A position is always one after a play, seen by the side that played ("mover"); the other side ("opponent") rolls next.
28 groups are the board as it is: the state of each point and bar (-7 or more against .. 7 or more own) and the checkers
borne off. The others are counts that a network of this size does not find by itself; each was measured in training
(see bgd/data/MANIFEST): race and timing, men back, bar against home board, shots, escapes, containment, anchors
against timing, and the pips needed to save a gammon. A count is given as a row of its own for each value, which costs
nothing at play: the first layer is a sum of the 52 rows, and a play changes few of them.

The meaning of weights depends on every line here: change INPUT_SET with the rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bgd.kernels.cache import inner_kernel
from bgd.kernels.lanes import (
    DEEP_MEN,
    HOMEWARD,
    MEN_MASK,
    PIPS,
    PIPS_MASK,
    TIMING,
    at_least,
    at_most,
    count_bits,
    leading,
    lowest,
    opponent_places,
    opponent_tally,
    own_places,
    own_tally,
    reversed_bits,
)
from bgd.kernels.scalars import as_int

INPUT_SET = "point-state-52b"
GROUPS = 52
POINTS = 26  # groups of a point or bar; the others are facts
POINT_ROWS = POINTS * 15

_SIZES = (
    [15] * 26
    + [16, 16]  # borne off: own, opponent
    + [96, 96, 97]  # pips / 3: own, opponent, difference
    + [52]  # distance between the hindmost checkers
    + [256, 16, 16]  # men back own x opponent; men on the three deepest points: own, opponent
    + [32, 32]  # pips / 4 of the men not back (timing): own, opponent
    + [384, 384]  # men on the bar (0..5) x points made in the home board against them: own, opponent
    + [37, 37, 37]  # rolls that hit: the mover's blots; those on points 1..11; the opponent's, were the mover to roll
    + [37, 37, 37, 37]  # rolls that escape from the hindmost point: own, opponent; from the worst point: own, opponent
    + [260, 260]  # hindmost point x escapes / 4: own, opponent
    + [512, 512]  # points made in the other's home board x timing: own, opponent
    + [64, 64]  # pips needed to bring all men home, / 3: own, opponent
)
_STARTS = [sum(_SIZES[:group]) for group in range(len(_SIZES) + 1)]
ROWS: int = _STARTS[-1]
assert len(_SIZES) == GROUPS
(
    _OWN_OFF,
    _OPP_OFF,
    _OWN_PIPS,
    _OPP_PIPS,
    _PIP_LEAD,
    _DISTANCE,
    _BACK,
    _OWN_DEEP,
    _OPP_DEEP,
    _OWN_TIMING,
    _OPP_TIMING,
    _OWN_BAR,
    _OPP_BAR,
    _SHOTS,
    _FAR_SHOTS,
    _RETURNS,
    _OWN_ESCAPE,
    _OPP_ESCAPE,
    _OWN_HELD,
    _OPP_HELD,
    _OWN_REAR,
    _OPP_REAR,
    _OWN_ANCHORS,
    _OPP_ANCHORS,
    _OWN_HOMEWARD,
    _OPP_HOMEWARD,
) = _STARTS[26:52]

# Classes: each has a second and third layer of its own. All but the races have contact; the first that fits is meant.
(
    RACE,
    CONTACT,  # men of both sides are back, in the other's home board; or none of what follows
    BACKGAME,  # the mover holds two points in the opponent's home board and has four men or more there: or nearly one
    AGAINST_BACKGAME,  # the opponent does
    BEAR_OFF,  # somebody has borne off a checker
    BAR,  # somebody has a checker on the bar
    BEHIND,  # of the mover's men some are back, of the opponent's none
    AHEAD,  # of the opponent's men some are back, of the mover's none
    PASSING,  # nobody's men are back
    ODD_RACE,  # a race that games hardly come to: far from home, far apart, or with men off while others are not home
) = range(10)
CLASSES = 10
CLASS_NAMES = (
    "race",
    "contact",
    "backgame",
    "against_backgame",
    "bear_off",
    "bar",
    "behind",
    "ahead",
    "passing",
    "odd_race",
)
_FAR, _APART = 130, 60  # pips of a side, and between the two, beyond which a race is odd
# A position's kind is its class plus these bits: which results are still possible.
CLASS_MASK = 15
WIN_GAMMON, WIN_BACKGAMMON, LOSE_GAMMON, LOSE_BACKGAMMON, WIN, LOSE = 16, 32, 64, 128, 256, 512

_MIDDLE = 0x1FFFFFE  # bits 1..24


def _escape_counts() -> NDArray[np.int8]:
    """For each set of blocked points 1..12 ahead: rolls of 36 that bring one checker on, stopping where it may."""
    table = np.zeros(4096, np.int8)
    for blocked in range(4096):
        for high in range(6):
            for low in range(high + 1):
                lands = not (blocked >> (high + low + 1)) & 1
                starts = not ((blocked >> high) & 1 and (blocked >> low) & 1)
                if lands and starts:
                    table[blocked] += 1 if high == low else 2
    return table


_ESCAPES = _escape_counts()


@inner_kernel
def _count(hit: int, far: int, weight: int) -> int:
    """`weight` if any blot is hit, plus 64 times that if one of the `far` ones is."""
    return weight * (as_int(hit != 0) + 64 * as_int((hit & far) != 0))


@inner_kernel
def _run(first: int, die: int, stops: int, blots: int, steps: int) -> int:
    """Blots hit by checkers at `first` or within `steps` more moves of a double over points they may stop on."""
    reached = first
    here = first
    for _ in range(steps):
        here = (here << die) & stops
        reached |= here
    return reached & blots


@inner_kernel
def hitting_rolls(men: int, on_bar: int, blocked: int, blots: int, far: int) -> int:
    """Rolls of 36 that hit a blot, plus 64 times those that hit one of the `far` blots.

    All sets are bits of points; men move to higher bits and enter from bit 0, where those on the bar stand."""
    one = as_int(1)
    stops = ~blocked
    total = as_int(0)
    if on_bar == 0:
        for die in range(1, 7):
            high = (men << die) & stops
            total += _count(_run(high, die, stops, blots, 3), far, 1)
            for other in range(1, die):  # by either die, or by one checker with both
                low = (men << other) & stops
                total += _count((high | low | (high << other) | (low << die)) & blots, far, 2)
        return total
    others = men & ~one
    for die in range(1, 7):
        entry = (one << die) & stops
        if entry != 0:
            hit = _run(others | entry, die, stops, blots, 4 - on_bar)
            total += _count(hit, far, 1)
        for low in range(1, die):
            low_entry = (one << low) & stops
            hit = (entry | low_entry) & blots
            if on_bar == 1:
                if entry != 0:
                    hit |= ((others | entry) << low) & blots
                if low_entry != 0:
                    hit |= ((others | low_entry) << die) & blots
            total += _count(hit, far, 2)
    return total


@inner_kernel
def point_row(board: NDArray[np.int8], point: int) -> int:
    """The active row of the point's group."""
    return point * 15 + min(max(as_int(board[point]), -7), 7) + 7


@inner_kernel
def encode_facts(board: NDArray[np.int8], own: int, opponent: int, rows: NDArray[np.int64]) -> int:
    """`encode` without the rows of the points. `own` and `opponent` are the points with men of either, as bits."""
    one = as_int(1)
    opponent_bar_bit = one << 25
    # Sets of points as bits: `up` has bit p for point p, `down` bit 25 - p, which is p as the opponent counts.
    own_made = at_least(board, 2)
    opp_made = at_most(board, -2)
    own_blots_up = own & ~own_made & _MIDDLE
    opp_blots = opponent & ~opp_made
    own_made_down = reversed_bits(own_made) >> 6
    opp_made_down = (reversed_bits(opp_made) >> 6) & _MIDDLE
    own_made_up = own_made & _MIDDLE
    own_rear = 63 - leading(own | 1)
    opp_front = lowest(opponent | opponent_bar_bit)  # the opponent's hindmost checker, on the mover's numbering
    contact = own_rear > opp_front
    own_bar = max(as_int(board[25]), 0)
    opp_bar = max(-as_int(board[0]), 0)

    own_tallied = own_tally(board)
    opp_tallied = opponent_tally(board)
    own_placed = own_places(board)
    opp_placed = opponent_places(board)
    own_men = own_tallied & MEN_MASK
    opp_men = opp_tallied & MEN_MASK
    own_pips = (own_tallied >> PIPS) & PIPS_MASK
    opp_pips = (opp_tallied >> PIPS) & PIPS_MASK
    own_homeward = (own_tallied >> HOMEWARD) & PIPS_MASK
    opp_homeward = (opp_tallied >> HOMEWARD) & PIPS_MASK
    own_timing = (own_tallied >> TIMING) & PIPS_MASK
    opp_timing = (opp_tallied >> TIMING) & PIPS_MASK
    own_back = own_placed & 255
    opp_back = opp_placed & 255
    own_anchors = (own_made_down >> 1) & 63
    opp_anchors = (opp_made >> 1) & 63
    rows[26] = _OWN_OFF + 15 - own_men
    rows[27] = _OPP_OFF + 15 - opp_men
    rows[28] = _OWN_PIPS + min(own_pips // 3, 95)
    rows[29] = _OPP_PIPS + min(opp_pips // 3, 95)
    rows[30] = _PIP_LEAD + min(max((own_pips - opp_pips) // 3, -48), 48) + 48
    rows[31] = _DISTANCE + min(max(own_rear - opp_front, -25), 25) + 25
    rows[32] = _BACK + own_back * 16 + opp_back
    rows[33] = _OWN_DEEP + (own_placed >> DEEP_MEN)
    rows[34] = _OPP_DEEP + (opp_placed >> DEEP_MEN)
    rows[35] = _OWN_TIMING + min(own_timing // 4, 31)
    rows[36] = _OPP_TIMING + min(opp_timing // 4, 31)
    rows[37] = _OWN_BAR + min(own_bar, 5) * 64 + ((opp_made_down >> 1) & 63)
    rows[38] = _OPP_BAR + min(opp_bar, 5) * 64 + ((own_made >> 1) & 63)

    shots = as_int(0)
    far_shots = as_int(0)
    returns = as_int(0)
    own_escape = as_int(36)
    opp_escape = as_int(36)
    own_held = as_int(36)
    opp_held = as_int(36)
    if contact:
        if own_blots_up != 0:
            both = hitting_rolls(opponent, opp_bar, own_made_up, own_blots_up, as_int(0xFFE))
            shots = both & 63
            far_shots = both >> 6
        opp_blots_down = (reversed_bits(opp_blots) >> 6) & _MIDDLE
        if opp_blots_down != 0:
            own_down = reversed_bits(own) >> 6
            returns = hitting_rolls(own_down, own_bar, opp_made_down, opp_blots_down, as_int(0)) & 63
        own_escape = as_int(_ESCAPES[(opp_made_down >> (26 - own_rear)) & 4095])
        opp_escape = as_int(_ESCAPES[(own_made_up >> (opp_front + 1)) & 4095])
        for point in range(25 - own_rear, 19):
            own_held = min(own_held, as_int(_ESCAPES[(opp_made_down >> (point + 1)) & 4095]))
        for point in range(opp_front, 19):
            opp_held = min(opp_held, as_int(_ESCAPES[(own_made_up >> (point + 1)) & 4095]))
    rows[39] = _SHOTS + shots
    rows[40] = _FAR_SHOTS + far_shots
    rows[41] = _RETURNS + returns
    rows[42] = _OWN_ESCAPE + own_escape
    rows[43] = _OPP_ESCAPE + opp_escape
    rows[44] = _OWN_HELD + own_held
    rows[45] = _OPP_HELD + opp_held
    rows[46] = _OWN_REAR + own_rear * 10 + own_escape // 4
    rows[47] = _OPP_REAR + (25 - opp_front) * 10 + opp_escape // 4
    rows[48] = _OWN_ANCHORS + own_anchors * 8 + min(own_timing // 16, 7)
    rows[49] = _OPP_ANCHORS + opp_anchors * 8 + min(opp_timing // 16, 7)
    rows[50] = _OWN_HOMEWARD + min(own_homeward // 3, 63)
    rows[51] = _OPP_HOMEWARD + min(opp_homeward // 3, 63)

    if not contact:
        kind = RACE
        odd = own_pips > _FAR or opp_pips > _FAR or abs(own_pips - opp_pips) > _APART
        if odd or (own_men < 15 and own_rear > 6) or (opp_men < 15 and opp_front < 19):
            kind = ODD_RACE
    elif count_bits(own_anchors) >= 2 and own_back >= 4:
        kind = BACKGAME
    elif count_bits(opp_anchors) >= 2 and opp_back >= 4:
        kind = AGAINST_BACKGAME
    elif own_men + opp_men < 30:
        kind = BEAR_OFF
    elif own_bar + opp_bar > 0:
        kind = BAR
    elif own_back > 0 and opp_back > 0:
        kind = CONTACT
    elif own_back > 0:
        kind = BEHIND
    elif opp_back > 0:
        kind = AHEAD
    else:
        kind = PASSING
    if contact or opp_men > 2 or opp_pips > 3:  # else the opponent, past the mover's men, is off with any roll
        kind += WIN
    if contact or own_men > 2 or own_pips > 3 or (opp_men <= 4 and opp_pips <= 24):  # or he may be off before the mover
        kind += LOSE
    if opp_men == 15:
        kind += WIN_GAMMON
        if contact or opp_back > 0:
            kind += WIN_BACKGAMMON
    if own_men == 15:
        kind += LOSE_GAMMON
        if contact or own_back > 0:
            kind += LOSE_BACKGAMMON
    return kind


@inner_kernel
def encode(board: NDArray[np.int8], rows: NDArray[np.int64]) -> int:
    """Write the 52 active rows of the position to `rows` and return its kind: class and possible results."""
    for point in range(POINTS):
        rows[point] = point_row(board, point)
    return encode_facts(board, at_least(board, 1), at_most(board, -1), rows)
