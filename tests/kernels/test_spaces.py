"""Memory to work in comes back when nobody works in it."""

from __future__ import annotations

import threading
import weakref
from typing import Any

from bgd.engine.ladder import ladder_of
from bgd.engine.met import MatchEquityTable
from bgd.engine.weights import quantised
from bgd.kernels import bearoff
from bgd.kernels.case import judge
from bgd.kernels.network import money_weights
from bgd.kernels.selfplay import START
from bgd.kernels.spaces import RollSpaces, Workplace
from bgd.rules.state import Cube, Money, Side
from tests.kernels.arrays import small_net


def test_what_a_thread_worked_in_is_free_once_it_is_gone() -> None:
    ladder = ladder_of(Cube(), Side.TOP, Money(), MatchEquityTable.default(), plies=0)
    weights = money_weights()
    here = Workplace(quantised(small_net()), bearoff.load())
    arrays: list[weakref.ref[Any]] = []

    def work() -> None:
        here.board[:] = START
        for dice in ((3, 1), (0, 0)):
            judge(*dice, True, here.case(ladder, weights))
        assert here.bundle
        arrays.extend(weakref.ref(array) for array in (here.space.probs, here.worths, here.found))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert [array() for array in arrays] == [None] * 3


def test_games_are_played_in_memory_that_others_gave_back() -> None:
    spaces = RollSpaces(quantised(small_net()))
    with spaces.lent() as first, spaces.lent() as second:
        assert first.board is not second.board
    with spaces.lent() as again:
        assert again.board is first.board
