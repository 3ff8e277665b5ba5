"""What threads find by a number is what they expect."""

from __future__ import annotations

import numpy as np
import pytest

from bgd.engine.ladder import ladder_of
from bgd.engine.met import MatchEquityTable
from bgd.kernels.movegen import BOARD
from bgd.kernels.network import money_weights
from bgd.kernels.search import example_task, layer_for, task_like
from bgd.rules.state import Cube, Money, Side


def test_a_task_of_other_arrays_is_refused() -> None:
    ladder = ladder_of(Cube(), Side.TOP, Money(), MatchEquityTable.default(), plies=1)
    example = example_task(ladder)
    boards = np.zeros((4, BOARD), np.int8)
    for weights in (money_weights(), np.ones(6, np.float32)):
        _, number = task_like(example, layer_for(boards, 7), weights, ladder, 1)
        assert number
    with pytest.raises(TypeError, match="Expected arrays of these types"):
        task_like(example, layer_for(boards[::2], 7), money_weights(), ladder, 1)
