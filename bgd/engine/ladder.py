"""The stakes of a game as the search's kernels take them: `Stakes` level by level."""

from __future__ import annotations

from typing import Final

import numpy as np

from bgd.engine.met import MatchEquityTable
from bgd.engine.stakes import CONTACT_EFFICIENCY, FAR_LIMIT, LATENESS, RACE_EFFICIENCY, Stakes
from bgd.engine.values import Chances
from bgd.kernels.cubeful import CENTRED, Ladder
from bgd.rules.state import Cube, Match, Money, Side

_EFFICIENCY: Final = np.array([*RACE_EFFICIENCY, *CONTACT_EFFICIENCY, *LATENESS])


def ladder_of(cube: Cube, first: Side, terms: Match | Money, table: MatchEquityTable, plies: int) -> Ladder:
    """The ladder of a game at these stakes for a search of `plies` plies, in which the side `first` is on roll first.
    Units as in Stakes."""
    stakes = Stakes(Chances(0.5), cube, first, terms, table)
    value, owner = cube.value, cube.owner
    endless = stakes.match is None and cube.limit >= FAR_LIMIT * value
    levels = 2
    if endless:
        levels = plies + 3
    else:
        while any(stakes.has_use(one, value << (levels - 1)) for one in (0, 1)):
            levels += 1
    cubes = [value << level for level in range(levels)]
    return Ladder(
        np.array([[[player.worth(n * cube) for n in range(-3, 4)] for cube in cubes] for player in stakes.players]),
        np.array([[stakes.has_use(one, cube) for cube in cubes] for one in (0, 1)]),
        np.array([[stakes.is_free(one, cube) for cube in cubes] for one in (0, 1)]),
        CENTRED if owner is None else 0 if owner is first else 1,
        0.0 if stakes.match is None else 1.0,
        endless,
        stakes.jacoby and owner is None,
        stakes.beavers,
        _EFFICIENCY,
    )
