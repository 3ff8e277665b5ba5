"""Self-play games that teach the network: temporal differences, one game after the other.

Several threads may play and learn on the same weights without locks ("hogwild"): a lost update now and then does no
harm. The player is a slowly moving average of the learner, which also gives the values that the returns lean on. The
dice are numba's per-thread generator, seeded by `seed_dice`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bgd.kernels.bearoff import Bearoff
from bgd.kernels.cache import kernel, learning_kernel
from bgd.kernels.decide import Space, best_play_pruned, turn_probabilities
from bgd.kernels.encode import (
    AGAINST_BACKGAME,
    BACKGAME,
    CLASS_MASK,
    GROUPS,
    LOSE_BACKGAMMON,
    LOSE_GAMMON,
    WIN_BACKGAMMON,
    WIN_GAMMON,
    encode,
)
from bgd.kernels.movegen import BOARD, MAX_PLAYS, flip, generate
from bgd.kernels.network import (
    OUTPUTS,
    UNITS,
    Net,
    NetSpace,
    evaluate_board,
    exact_probabilities,
    sum_rows,
    upper_layers,
)
from bgd.kernels.prune import PruneNet, learn_score
from bgd.kernels.scalars import as_int, as_single

MAX_TURNS = 1200  # a game longer than this is broken off: two bots that can't finish a backgame
START = np.array(
    [0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0] + [0] * (BOARD - 26), np.int8
)


class Starts(NamedTuple):
    """How games begin. Shares of games; the rest begin from the opening position with the players' own plays."""

    random_plays: float  # begin with 2 to 19 random plays
    scattered: float  # begin with some checkers moved to places where they are hard to judge
    races: float  # begin with a race of men anywhere past the other side's, often with some borne off
    revisited: float  # begin from a hard position met earlier by the players' own plays (`Hard`)
    wandering: float  # games with random plays in between
    wander_rate: float  # at most this share of plays in such a game


class Hard(NamedTuple):
    """A ring of hard positions (backgames, three or more on a bar) met in games from the opening, on roll's view."""

    boards: NDArray[np.int8]  # (size, 32)
    met: NDArray[np.int64]  # (1,) how many were ever put in


class Trace(NamedTuple):
    """What one thread remembers of the game it plays, for learning backwards at its end."""

    rows: NDArray[np.int64]  # (MAX_TURNS, GROUPS)
    kinds: NDArray[np.int64]  # (MAX_TURNS,)
    values: NDArray[np.float32]  # (MAX_TURNS, OUTPUTS) the player's values of the positions
    better: NDArray[np.float32]  # (MAX_TURNS, OUTPUTS) of the best play, where another was played
    strayed: NDArray[np.int64]  # (MAX_TURNS,) 1 where the play was random
    gradient: NDArray[np.float32]  # (hidden,)


def hard_positions(size: int) -> Hard:
    """An empty ring."""
    return Hard(np.zeros((size, BOARD), np.int8), np.zeros(1, np.int64))


def trace_for(net: Net) -> Trace:
    """Fresh memory for one thread."""
    return Trace(
        np.zeros((MAX_TURNS, GROUPS), np.int64),
        np.zeros(MAX_TURNS, np.int64),
        np.zeros((MAX_TURNS, OUTPUTS), np.float32),
        np.zeros((MAX_TURNS, OUTPUTS), np.float32),
        np.zeros(MAX_TURNS, np.int64),
        np.zeros(net.embed.shape[1], np.float32),
    )


@kernel
def seed_dice(seed: int) -> None:
    """Seed the calling thread's dice."""
    np.random.seed(seed)


@kernel
def relocate(board: NDArray[np.int8], mine: bool, point: int) -> None:
    """Move a random checker of one side to a point of its own numbering, unless the other side is there."""
    wanted = np.random.randint(0, 15)
    source = -1
    for p in range(26):
        men = as_int(board[p]) if mine else -as_int(board[p])
        if men > 0:
            wanted -= men
            if wanted < 0:
                source = p
                break
    if source < 0:
        return
    sign = 1 if mine else -1
    target = point if mine else 25 - point
    if board[target] * sign < 0:
        return
    board[source] -= sign
    board[target] += sign


@kernel
def scatter(board: NDArray[np.int8]) -> None:
    """Move some checkers of each side: anchors for a backgame, men to the bar, or anywhere."""
    for side in range(2):
        mine = side == 0
        pick = np.random.random()
        if pick < 0.2:
            continue
        if pick < 0.5:
            for _ in range(np.random.randint(1, 4)):
                point = 19 + np.random.randint(0, 6)
                for _ in range(np.random.randint(2, 4)):
                    relocate(board, mine, point)
        elif pick < 0.65:
            for _ in range(np.random.randint(1, 6)):
                relocate(board, mine, 25)
        if pick > 0.5 or np.random.random() < 0.5:
            for _ in range(np.random.randint(0, 8)):
                where = np.random.random()
                if where < 0.1:
                    point = 25
                elif where < 0.35:
                    point = 19 + np.random.randint(0, 6)
                elif where < 0.6:
                    point = 1 + np.random.randint(0, 8)
                else:
                    point = 1 + np.random.randint(0, 24)
                relocate(board, mine, point)


@kernel
def place_race(board: NDArray[np.int8]) -> None:
    """A race: each side's men in a stretch of its own, up to a point in between. Of half the sides some are off."""
    for k in range(BOARD):
        board[k] = 0
    between = np.random.randint(1, 24)  # the last point for the side on roll
    for side in range(2):
        points = between if side == 0 else 24 - between
        men = 15 if np.random.random() < 0.5 else np.random.randint(1, 16)
        last = np.random.randint(1, points + 1)
        first = np.random.randint(1, last + 1) if np.random.random() < 0.5 else 1
        for _ in range(men):
            point = np.random.randint(first, last + 1)
            board[point if side == 0 else 25 - point] += 1 if side == 0 else -1


@kernel
def begin_game(board: NDArray[np.int8], start: NDArray[np.int8], starts: Starts, hard: Hard) -> tuple[int, bool]:
    """Set up a game's first position; returns the number of random plays to begin with, and whether the positions of
    this game count as met by the players' own plays."""
    for k in range(BOARD):
        board[k] = start[k]
    pick = np.random.random()
    if pick < starts.random_plays:
        return np.random.randint(2, 20), False
    pick -= starts.random_plays
    if pick < starts.scattered:
        scatter(board)
        return np.random.randint(0, 4), False
    pick -= starts.scattered
    if pick < starts.races:
        place_race(board)
        return 0, False
    pick -= starts.races
    stored = min(hard.met[0], hard.boards.shape[0])
    if pick < starts.revisited and stored > 500:
        i = np.random.randint(0, stored)
        for k in range(BOARD):
            board[k] = hard.boards[i, k]
        return 0, False
    return 0, True


@kernel
def is_hard(board: NDArray[np.int8], kind: int) -> bool:
    """True for backgames and with three or more men on a bar; `kind` is of the board or of its turned one."""
    return kind & CLASS_MASK in (BACKGAME, AGAINST_BACKGAME) or board[25] >= 3 or board[0] <= -3


@kernel
def remember_if_hard(board: NDArray[np.int8], kind: int, hard: Hard) -> None:
    """Put a hard position into the ring, over the oldest; `kind` is of the board before it was turned."""
    if not is_hard(board, kind):
        return
    i = hard.met[0] % hard.boards.shape[0]
    hard.met[0] += 1
    for k in range(BOARD):
        hard.boards[i, k] = board[k]


@kernel
def possible(kind: int, output: int) -> bool:
    """True if the output is not made 0 by the position: only such outputs are learned."""
    if output == 1:
        return kind & WIN_GAMMON != 0
    if output == 2:
        return kind & WIN_BACKGAMMON != 0
    if output == 3:
        return kind & LOSE_GAMMON != 0
    if output == 4:
        return kind & LOSE_BACKGAMMON != 0
    return True


@learning_kernel
def learn_position(
    rows: NDArray[np.int64],
    kind: int,
    target: NDArray[np.float32],
    rate: float,
    net: Net,
    space: NetSpace,
    gradient: NDArray[np.float32],
) -> None:
    """One gradient step of cross entropy towards the five target numbers. `space` must be of a float32 net."""
    zero = as_single(0)
    step = as_single(rate)
    hidden = net.embed.shape[1]
    cls = min(kind & CLASS_MASK, net.second.shape[0] - 1)
    sum_rows(rows, net, space.acc)
    count = upper_layers(cls, net, space)
    back = np.zeros(UNITS, np.float32)
    for q in range(OUTPUTS):
        if not possible(kind, q):
            continue
        delta = step * (target[q] - space.out[q])
        weights = net.third[cls, q]
        for j in range(UNITS):
            back[j] += delta * weights[j]
        for j in range(UNITS):
            weights[j] += delta * space.units[j]
        net.bias3[cls, q] += delta
    for j in range(UNITS):
        back[j] = back[j] if space.units[j] > zero else zero
        net.bias2[cls, j] += back[j]
    for k in range(hidden):
        gradient[k] = zero
    clip = net.clip[0]
    for i in range(count):
        k = space.active[i]
        value = min(space.acc[k], clip)
        weights = net.second[cls, k]
        total = zero
        for j in range(UNITS):
            total += back[j] * weights[j]
        gradient[k] = total if value < clip else zero
        for j in range(UNITS):
            weights[j] += value * back[j]
    for k in range(hidden):
        net.bias1[k] += gradient[k]
    for group in range(GROUPS):
        row = net.embed[rows[group]]
        for k in range(hidden):
            row[k] += gradient[k]


@learning_kernel
def best_play_and_lesson(
    board: NDArray[np.int8],
    die1: int,
    die2: int,
    keep: int,
    look_at_all: float,
    prune_rate: float,
    weights: NDArray[np.float32],
    player: Net,
    prune: PruneNet,
    table: Bearoff,
    space: Space,
) -> tuple[int, int, int]:
    """`best_play_pruned`; but in a share `look_at_all` of the decisions all plays are evaluated, and the small network
    learns from the best and three others."""
    all_plays = np.random.random() < look_at_all
    best, count, kept = best_play_pruned(
        board, die1, die2, MAX_PLAYS if all_plays else keep, weights, player, prune, table, space
    )
    if all_plays and count > keep:
        for q in range(4):
            i = best if q == 0 else np.random.randint(0, count)
            learn_score(space.plays.boards[i], space.utility[i], prune_rate, prune, space.prune)
    return best, count, kept


@learning_kernel
def learn_games(
    games: int,
    rate: float,
    trace_decay: float,
    keep: int,
    look_at_all: float,
    prune_rate: float,
    start: NDArray[np.int8],
    starts: Starts,
    hard: Hard,
    weights: NDArray[np.float32],
    learner: Net,
    player: Net,
    prune: PruneNet,
    table: Bearoff,
    space: Space,
    trace: Trace,
) -> int:
    """Play games and learn from each at its end; returns the number of positions learned from.

    Targets are returns of temporal differences with decay `trace_decay` over the values of `player`. A random play
    cuts the return: what came before it learns from the best play's value instead. In a share `look_at_all` of the
    decisions all plays are evaluated, and the small network learns from them."""
    board = np.zeros(BOARD, np.int8)
    target = np.zeros(OUTPUTS, np.float32)
    turned = np.zeros(OUTPUTS, np.float32)
    decay = as_single(trace_decay)
    rest = as_single(1) - decay
    learned = 0
    for _ in range(games):
        die1 = np.random.randint(1, 7)
        die2 = np.random.randint(1, 7)
        while die1 == die2:
            die2 = np.random.randint(1, 7)
        random_plays, natural = begin_game(board, start, starts, hard)
        wander = 0.0
        if np.random.random() < starts.wandering:
            wander = np.random.random() * starts.wander_rate
        over = False
        for _ in range(random_plays):
            count = generate(board, die1, die2, space.plays)
            chosen = space.plays.boards[np.random.randint(0, count)]
            if exact_probabilities(chosen, table, target):
                over = True
                break
            flip(chosen, board)
            die1 = np.random.randint(1, 7)
            die2 = np.random.randint(1, 7)
        if over:
            continue
        turns = 0
        while turns < MAX_TURNS:
            best, count, _ = best_play_and_lesson(
                board, die1, die2, keep, look_at_all, prune_rate, weights, player, prune, table, space
            )
            for k in range(OUTPUTS):
                trace.better[turns, k] = space.probs[best, k]
                trace.values[turns, k] = space.probs[best, k]
            chosen = space.plays.boards[best]
            trace.strayed[turns] = 0
            if wander > 0 and np.random.random() < wander:
                trace.strayed[turns] = 1
                chosen = space.plays.boards[np.random.randint(0, count)]
                evaluate_board(chosen, player, table, space.net)
                for k in range(OUTPUTS):
                    trace.values[turns, k] = space.net.out[k]
            if exact_probabilities(chosen, table, target):
                if trace.strayed[turns]:
                    for k in range(OUTPUTS):
                        target[k] = trace.better[turns, k]
                break
            trace.kinds[turns] = encode(chosen, trace.rows[turns])
            flip(chosen, board)
            if natural:
                remember_if_hard(board, trace.kinds[turns], hard)
            turns += 1
            die1 = np.random.randint(1, 7)
            die2 = np.random.randint(1, 7)
        if turns == MAX_TURNS:
            continue
        for t in range(turns - 1, -1, -1):
            turn_probabilities(target, turned)
            learn_position(trace.rows[t], trace.kinds[t], turned, rate, learner, space.net, trace.gradient)
            if trace.strayed[t]:
                for k in range(OUTPUTS):
                    target[k] = trace.better[t, k]
            else:
                for k in range(OUTPUTS):
                    target[k] = decay * turned[k] + rest * trace.values[t, k]
        learned += turns
    return learned
