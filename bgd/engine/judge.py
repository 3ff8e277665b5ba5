"""What the engine, and rollouts in it, need of what judges positions: of bgd.engine.evaluator.Evaluator; see there for
shapes and units. Loads nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bgd.engine.deeper import Deeper
    from bgd.engine.search import Look, Ranked
    from bgd.engine.values import ExactMoney, Standing, Stop
    from bgd.kernels.cubeful import Ladder
    from bgd.kernels.lookahead import Orders
    from bgd.kernels.rollout import Start


class Decider(Protocol):
    """Decisions of a game, one at a time."""

    def look(
        self, board: Sequence[int], weights6: NDArray[np.float32], ladder: Ladder, plies: int, stop: Stop
    ) -> Look: ...

    def choose(
        self,
        board: Sequence[int],
        d1: int,
        d2: int,
        weights6: NDArray[np.float32],
        plies: int,
        stop: Stop,
        ladder: Ladder | None,
    ) -> tuple[tuple[int, ...], Sequence[float], float]: ...


class Player(Protocol):
    """Games of a rollout, many at a time, by as many `threads` unless others are asked for."""

    threads: int

    def evaluate(self, boards: NDArray[np.int8]) -> NDArray[np.float32]: ...

    def games(
        self,
        first: int,
        start: Start,
        orders: Orders,
        stop: NDArray[np.uint8],
        results: NDArray[np.float64],
        deeper: Deeper | None = None,
    ) -> int: ...


class Judge(Decider, Player, Protocol):
    """All of it."""

    def complete(self, progress: Callable[[str], None] | None) -> None: ...

    def rank(
        self,
        board: Sequence[int],
        d1: int,
        d2: int,
        weights6: NDArray[np.float32],
        plies: int,
        stop: Stop,
        ladder: Ladder | None,
    ) -> Ranked: ...

    def stand(self, board: Sequence[int], ladder: Ladder) -> Standing: ...

    def exact_money(self, board: Sequence[int]) -> ExactMoney | None: ...
