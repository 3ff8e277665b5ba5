"""Games whose positions are labelled by a look one ply ahead, and whose plays are chosen by it: the teacher's lessons.

A label is what the network should have said of a position after a play: the mean, over the opponent's 21 rolls, of its
own opinion after his best reply. Every look that chooses a play also gives labels, so that none is wasted. In
hard positions a label also takes over what the rest of the game found out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bgd.kernels.bearoff import Bearoff
from bgd.kernels.cache import kernel
from bgd.kernels.decide import Space, one_ply
from bgd.kernels.encode import GROUPS, encode
from bgd.kernels.movegen import BOARD, flip, generate
from bgd.kernels.network import OUTPUTS, Net, exact_probabilities, utility_of
from bgd.kernels.prune import PruneNet
from bgd.kernels.scalars import as_single
from bgd.kernels.selfplay import (
    MAX_TURNS,
    Hard,
    Starts,
    begin_game,
    best_play_and_lesson,
    is_hard,
    remember_if_hard,
)

CANDIDATES = 3  # plays of one decision that are labelled: the best by the network's opinion
_MARGIN = 0.25  # and not worse than the best by more than this equity


@kernel
def _candidates(best: int, kept: int, space: Space, boards: NDArray[np.int8], most: int) -> int:
    """Copy the boards of the best few plays of the decision in `space` to `boards`, best first; their number."""
    margin = space.utility[best] - as_single(_MARGIN)
    found = 0
    while found < most:
        top = -1
        for q in range(kept):
            i = space.prune.kept[q]
            if space.utility[i] >= margin and (top < 0 or space.utility[i] > space.utility[top]):
                top = i
        if top < 0:
            break
        for k in range(BOARD):
            boards[found, k] = space.plays.boards[top, k]
        space.utility[top] = -100
        found += 1
    return found


class Lesson(NamedTuple):
    """What one thread remembers of a game, for the corrections at its end. One entry a turn."""

    values: NDArray[np.float32]  # (MAX_TURNS, 5) the network's opinion of what it thought the best play
    label: NDArray[np.int64]  # (MAX_TURNS,) index of the label of the position reached, -1 if there is none
    trust: NDArray[np.float32]  # (MAX_TURNS,) share of later corrections that the position takes over
    strayed: NDArray[np.int64]  # (MAX_TURNS,) 1 if the play was random: the game after it says nothing of before


def lesson_space() -> Lesson:
    """Fresh memory for one thread."""
    return Lesson(
        np.zeros((MAX_TURNS, OUTPUTS), np.float32),
        np.zeros(MAX_TURNS, np.int64),
        np.zeros(MAX_TURNS, np.float32),
        np.zeros(MAX_TURNS, np.int64),
    )


@kernel
def correct_labels(turns: int, end: NDArray[np.float32], labels: NDArray[np.float32], lesson: Lesson) -> None:
    """Carry what the later turns of a game found out back to the labels of its earlier ones.

    `end` is how much better than the network's opinion the game turned out at its end, for the side that played last.
    A label is the mean of the network's opinions over all rolls; the roll that came up led to a position that the
    later game judged better, by `found`, than the network did. A trusting position adds that to its label: the luck
    of the roll itself is no part of it, since the opinion of the position after the same roll is taken off."""
    found = np.zeros(OUTPUTS, np.float32)
    turned = np.zeros(OUTPUTS, np.float32)
    for k in range(OUTPUTS):
        found[k] = end[k]
    for t in range(turns - 1, -1, -1):
        turned[0] = -found[0]
        turned[1] = found[3]
        turned[2] = found[4]
        turned[3] = found[1]
        turned[4] = found[2]
        at = lesson.label[t]
        for k in range(OUTPUTS):
            change = lesson.trust[t] * turned[k]
            if at >= 0:
                labels[at, k] = min(max(labels[at, k] + change, as_single(0)), as_single(1))
                found[k] = labels[at, k] - lesson.values[t, k]
            else:
                found[k] = change
            if lesson.strayed[t]:
                found[k] = 0


@kernel
def label_games(
    wanted: int,
    share: float,
    share_hard: float,
    trust: float,
    trust_hard: float,
    keep: int,
    look_at_all: float,
    prune_rate: float,
    start: NDArray[np.int8],
    starts: Starts,
    hard: Hard,
    weights: NDArray[np.float32],
    net: Net,
    prune: PruneNet,
    table: Bearoff,
    space: Space,
    lesson: Lesson,
    boards: NDArray[np.int8],
    labels: NDArray[np.float32],
) -> int:
    """Fill `boards` (wanted + 16, 32), positions after a play, and `labels` (.., 5); returns how many there are.

    In a share of the decisions, another one in hard positions, the best few plays are labelled and the best by its
    label is played; in the others the best by the network's opinion is played. `trust` and `trust_hard` are what
    `correct_labels` uses in other positions and in hard ones, whose errors sit many turns deep."""
    board = np.zeros(BOARD, np.int8)
    few = np.zeros((CANDIDATES, BOARD), np.int8)
    few_label = np.zeros(CANDIDATES, np.int64)
    out = np.zeros(OUTPUTS, np.float32)
    end = np.zeros(OUTPUTS, np.float32)
    rows = np.zeros(GROUPS, np.int64)
    done = 0
    while done < wanted:
        die1 = np.random.randint(1, 7)
        die2 = np.random.randint(1, 7)
        while die1 == die2:
            die2 = np.random.randint(1, 7)
        random_plays, natural = begin_game(board, start, starts, hard)
        wander = 0.0
        if np.random.random() < starts.wandering:
            wander = np.random.random() * starts.wander_rate
        turns = 0
        for k in range(OUTPUTS):
            end[k] = 0
        while turns < MAX_TURNS and done < wanted:
            found = 1
            look = False
            serious = False
            strayed = turns < random_plays or np.random.random() < wander
            if strayed:
                count = generate(board, die1, die2, space.plays)
                chosen = np.random.randint(0, count)
                for k in range(BOARD):
                    few[0, k] = space.plays.boards[chosen, k]
                look = np.random.random() < (0.05 if turns < random_plays else 0.2)
            else:
                best, count, kept = best_play_and_lesson(
                    board, die1, die2, keep, look_at_all, prune_rate, weights, net, prune, table, space
                )
                for k in range(OUTPUTS):
                    lesson.values[turns, k] = space.probs[best, k]
                serious = is_hard(space.plays.boards[best], encode(space.plays.boards[best], rows))
                look = np.random.random() < (share_hard if serious else share)
                found = _candidates(best, kept, space, few, CANDIDATES if look else 1)
            play = 0
            few_label[0] = -1
            if look:
                top = as_single(-100)
                for c in range(found):
                    few_label[c] = -1
                    if not exact_probabilities(few[c], table, out):
                        one_ply(few[c], weights, net, prune, table, space, out)
                        for k in range(BOARD):
                            boards[done, k] = few[c, k]
                        for k in range(OUTPUTS):
                            labels[done, k] = out[k]
                        few_label[c] = done
                        done += 1
                    value = utility_of(weights, out)
                    if value > top:
                        top = value
                        play = c
            if exact_probabilities(few[play], table, out):
                if not strayed:
                    for k in range(OUTPUTS):
                        end[k] = out[k] - lesson.values[turns, k]
                break
            lesson.label[turns] = few_label[play]
            lesson.trust[turns] = trust_hard if serious else trust
            lesson.strayed[turns] = strayed
            flip(few[play], board)
            if natural:
                remember_if_hard(board, encode(few[play], rows), hard)
            turns += 1
            die1 = np.random.randint(1, 7)
            die2 = np.random.randint(1, 7)
        correct_labels(turns, end, labels, lesson)
    return done


@kernel
def store_labels(
    boards: NDArray[np.int8],
    labels: NDArray[np.float32],
    count: int,
    place: int,
    rows: NDArray[np.int16],
    kinds: NDArray[np.int16],
    targets: NDArray[np.float32],
) -> None:
    """Encode `count` labelled boards into a ring of lessons, from `place` on, over the oldest."""
    size = rows.shape[0]
    active = np.zeros(GROUPS, np.int64)
    for i in range(count):
        at = (place + i) % size
        kinds[at] = encode(boards[i], active)
        for group in range(GROUPS):
            rows[at, group] = active[group]
        for k in range(OUTPUTS):
            targets[at, k] = labels[i, k]
