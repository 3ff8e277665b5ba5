"""Rollouts: a position, or several plays side by side, played out many times.

The unit is a block of 36 games, one for each first roll; a game depends on the seed and its own number alone, and every
contender gets the same dice. Blocks are played by any number of threads and counted in order, so that the answer has
the same bytes whoever plays them; a block stopped half way counts only if there is no whole one. The first block is
played in slices, a few games of each contender in turn, so that a rollout that is soon stopped knows something of all.
So several machines can share a rollout: each plays a `Part` of it (`play_part`), and `merge` makes of them what one
would have found.
The statistics are in bgd.engine.scores.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from itertools import chain, count
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bgd.engine.deeper import Deeper
from bgd.engine.judge import Player
from bgd.engine.ladder import ladder_of
from bgd.engine.met import MatchEquityTable
from bgd.engine.scores import BLOCK, Contender, Games, Scores
from bgd.engine.stakes import play_stakes
from bgd.engine.values import Rollout, RolloutPlan, Stop, never
from bgd.errors import BadArgument, BadValue
from bgd.kernels.cubeful import CENTRED, Ladder
from bgd.kernels.dice import strata_of
from bgd.kernels.doubling import owner_of, turned
from bgd.kernels.lookahead import Orders
from bgd.kernels.movegen import BOARD
from bgd.kernels.rollout import RESULTS, Start
from bgd.rules.board import Board
from bgd.rules.cube import why_no_cube
from bgd.rules.state import Cube, GameState

_LOOK: Final = 8
"""Plays of each roll that are looked at to measure luck: bgd/kernels/SPEED.md has what fewer and more cost and gain."""

_DOUBLINGS: Final = 10
"""How often the cube is turned in money play at most; in matches the score says."""

_SLICE: Final = 2
"""Games of a slice of the first block: the fewest that have a spread."""

_POLL: Final = 0.01
"""Seconds between looks at whether to stop."""

_ROLLOUTS: Final = count(1)
"""Numbers by which threads know whose looks they have kept; they have no say in what is found."""


class _Unit(NamedTuple):
    """What one thread plays at a time: `size` games of a contender from number `first` on."""

    contender: int
    first: int
    size: int


class Part(NamedTuple):
    """Some blocks of a rollout that others play, too: those from number `first` on, the games of each contender."""

    first: int
    games: tuple[Games, ...]


def contenders(state: GameState, plays: Sequence[Board] | None, plan: RolloutPlan) -> list[Contender]:
    """The plays, by their resulting boards; without them the position, with the cube turned too where it may be."""
    if plays is not None:
        if not plays:
            raise BadArgument("Expected at least one play to roll out, got none")
        return [Contender(board, "play", 0) for board in plays]
    found = [Contender(state.board, "no double", 0)]
    if plan.cubeful and plan.doubled and why_no_cube(state.cube, state.terms, state.turn) is None:
        found.append(Contender(state.board, "double/take", turned(0, 0, 1)))
    return found


def roll_out(
    player: Player,
    state: GameState,
    plan: RolloutPlan,
    plays: Sequence[Board] | None,
    table: MatchEquityTable,
    threads: int | None = None,
    progress: Callable[[Rollout], None] | None = None,
    stop_now: Stop = never,
) -> Rollout:
    """Play out `plays`, the boards after them (mover's view), or the position of `state` before its roll.

    `threads`: as many as share a search of the player's unless given. `progress` is told the result so far after blocks
    of all contenders. `stop_now` is asked every hundredth of a second; the games counted by then are the answer. Raises
    TimedOut when there are not two of each contender."""
    setting = _Setting(player, state, plan, plays, table)
    scores = setting.scores
    threads = _threads(player, threads)
    with ThreadPoolExecutor(threads) as pool:
        units = chain(_slices(scores.live), _blocks(_whole(plan)[1:], scores.live))
        played = _Played(pool, setting.play, units, scores.live, 2 * threads)
        try:
            while (games := played.next(stop_now)) is not None:
                scores.add(*games)
                if scores.worth_a_look:
                    if progress:
                        progress(scores.result())
                    if scores.settle():
                        break
        finally:
            setting.stop[0] = 1
        if not scores.rounds:
            for games in played.rest():
                scores.add(*games)
    return scores.result()


def play_part(
    player: Player,
    state: GameState,
    plan: RolloutPlan,
    plays: Sequence[Board] | None,
    table: MatchEquityTable,
    numbers: range,
    threads: int | None = None,
) -> Part:
    """Play the blocks with these numbers, 36 games of each contender a block, of the rollout that `roll_out` plays
    whole. Nothing ends it early: what `plan` says of errors is for `merge`. Raises BadValue for other blocks than it
    has, or with some left out between."""
    whole = _whole(plan)
    if numbers.step != 1 or not 0 <= numbers.start <= numbers.stop <= whole.stop:
        raise BadValue(f"Expected blocks that follow each other, from 0 to {whole.stop}, got `{numbers}`")
    setting = _Setting(player, state, plan, plays, table)
    games: list[list[Games]] = [[] for _ in setting.scores.live]
    threads = _threads(player, threads)
    with ThreadPoolExecutor(threads) as pool:
        played = _Played(pool, setting.play, _blocks(numbers, setting.scores.live), setting.scores.live, 2 * threads)
        try:
            while (block := played.next(never)) is not None:
                games[block[0]].append(block[1])
        finally:
            setting.stop[0] = 1
    return Part(numbers.start, tuple(np.concatenate(found or [np.zeros((0, RESULTS))]) for found in games))


def merge(
    player: Player,
    state: GameState,
    plan: RolloutPlan,
    plays: Sequence[Board] | None,
    table: MatchEquityTable,
    parts: Sequence[Part],
) -> Rollout:
    """The rollout whose parts these are, in any order: the same bytes as if it had been played in one place.

    Raises BadArgument if a part is missing before another, or is one of another rollout's form."""
    scores = _Setting(player, state, plan, plays, table).scores
    for part in sorted(parts, key=lambda part: part.first):
        if part.first != scores.rounds or len(part.games) != scores.contenders:
            raise BadArgument(
                f"Expected a part from block {scores.rounds} on, with {scores.contenders} contenders,"
                f" got one from {part.first} on, with {len(part.games)}"
            )
        for first in range(0, len(part.games[0]), BLOCK):
            for contender in tuple(scores.live):
                scores.add(contender, part.games[contender][first : first + BLOCK])
            if scores.worth_a_look and scores.settle():
                return scores.result()
    return scores.result()


def _threads(player: Player, wanted: int | None) -> int:
    """Those of the player unless others are wanted. Raises BadValue."""
    if wanted is None:
        return player.threads
    if wanted < 1:
        raise BadValue(f"Expected one thread or more for a rollout, got `{wanted}`")
    return wanted


class _Setting:
    """What the blocks of one rollout have in common."""

    def __init__(
        self,
        player: Player,
        state: GameState,
        plan: RolloutPlan,
        plays: Sequence[Board] | None,
        table: MatchEquityTable,
    ) -> None:
        ladder = ladder_of(state.cube, state.turn, state.terms, table, _DOUBLINGS)
        cubes = _cubes(state, ladder)
        weights = _weights(state, cubes, table)
        entered = contenders(state, plays, plan)
        self._player = player
        self._starts = [_start(player, contender) for contender in entered]
        self._orders = Orders(_numbers(plan), strata_of(plan.seed), ladder, weights)
        self._deeper = Deeper(state, cubes, weights, plan.cubeful, table)
        self.stop = np.zeros(1, np.uint8)
        self.scores = Scores(state, plan, entered, ladder, table)

    def play(self, unit: _Unit) -> Games:
        """The games of a unit; fewer if `stop` was set meanwhile."""
        games = np.zeros((unit.size, RESULTS))
        start = self._starts[unit.contender]
        return games[: self._player.games(unit.first, start, self._orders, self.stop, games, self._deeper)]


def _whole(plan: RolloutPlan) -> range:
    """The numbers of all blocks."""
    return range(-(-plan.trials // BLOCK))


def _blocks(numbers: range, live: Sequence[int]) -> Iterable[_Unit]:
    """Of each block that has one of these numbers, all contenders that are `live` when it is its turn."""
    return (_Unit(contender, number * BLOCK, BLOCK) for number in numbers for contender in tuple(live))


def _slices(contenders: Sequence[int]) -> Iterable[_Unit]:
    """The first block, a slice of each contender in turn."""
    return (_Unit(contender, first, _SLICE) for first in range(0, BLOCK, _SLICE) for contender in tuple(contenders))


class _Played:
    """Units played ahead by the threads of `pool` and handed out in order, but for contenders no longer `live`."""

    def __init__(
        self,
        pool: ThreadPoolExecutor,
        play: Callable[[_Unit], Games],
        units: Iterable[_Unit],
        live: Sequence[int],
        ahead: int,
    ) -> None:
        self._pool, self._play, self._live, self._ahead = pool, play, live, ahead
        self._units = iter(units)
        self._waiting: deque[tuple[_Unit, Future[Games]]] = deque()

    def next(self, stop_now: Stop) -> tuple[int, Games] | None:
        """The next contender and its games; None when all are played, or it is time to stop."""
        while True:
            while len(self._waiting) < self._ahead and (unit := next(self._units, None)) is not None:
                if unit.contender in self._live:
                    self._waiting.append((unit, self._pool.submit(self._play, unit)))
            if not self._waiting or stop_now():
                return None
            unit, future = self._waiting[0]
            if unit.contender not in self._live:
                self._waiting.popleft()
                continue
            try:
                games = future.result(_POLL)
            except NotYet:
                continue
            self._waiting.popleft()
            return unit.contender, games

    def rest(self) -> Iterable[tuple[int, Games]]:
        """What had been begun, after all were told to stop: of each contender the games up to the first left out."""
        broken: set[int] = set()
        for unit, future in self._waiting:
            games = future.result()
            if unit.contender not in broken:
                yield unit.contender, games
            if len(games) < unit.size:
                broken.add(unit.contender)


def _cubes(state: GameState, ladder: Ladder) -> list[Cube]:
    """The cube in each of its states."""
    sides = (state.turn, state.turn.other)
    cubes = []
    for cube_state in range(2 * ladder.usable.shape[1] - 1):
        value = state.cube.value << (cube_state + 1) // 2
        holder = owner_of(cube_state, ladder)
        owner = None if holder == CENTRED else sides[holder]
        cubes.append(Cube(min(value, state.cube.limit), owner, state.cube.limit))
    return cubes


def _weights(state: GameState, cubes: Sequence[Cube], table: MatchEquityTable) -> NDArray[np.float32]:
    """What plays are chosen by, for each state of the cube and side: see kernels.lookahead.Orders."""
    sides = (state.turn, state.turn.other)
    return np.array([[play_stakes(cube, side, state.terms, table) for side in sides] for cube in cubes], np.float32)


def _numbers(plan: RolloutPlan) -> NDArray[np.int64]:
    return np.array(
        [
            plan.plies if plan.first_plies is None else plan.first_plies,
            plan.first_turns,
            plan.plies,
            _LOOK if plan.reduce_variance else 0,
            plan.truncate,
            int(plan.cubeful),
            int(plan.bearoff),
            plan.seed,
            next(_ROLLOUTS),
        ],
        np.int64,
    )


def _start(player: Player, contender: Contender) -> Start:
    """Where the contender's games begin: after a play, of the other side if it is a position before its roll."""
    played = contender.action == "play"
    after = contender.board if played else contender.board.flip()
    board = np.zeros(BOARD, np.int8)
    board[:26] = after.points
    chances = player.evaluate(np.array([after.flip().points], np.int8))[0]
    numbers = np.array([int(played), contender.state, int(played)], np.int64)
    return Start(board, np.ascontiguousarray(chances), numbers)
