"""Dice of rollouts: a function of seed, game and turn, the first of them stratified."""

from __future__ import annotations

from collections import Counter

from bgd.kernels.dice import STRATIFIED_TURNS, game_roll, random_roll, strata_of

MASK = 2**64 - 1


def split_mix(state: int) -> int:
    """The plain twin of SplitMix64's next number."""
    z = (state + 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def test_the_generator_gives_the_published_numbers() -> None:
    # The first two of Java's SplittableRandom(0), which is SplitMix64.
    assert split_mix(0) == 0xE220A8397B1DCDAF
    assert split_mix(0x9E3779B97F4A7C15) == 0x6E789E6AA1B965F4


def test_rolls_are_those_of_the_plain_twin() -> None:
    for seed, game, turn in [(0, 0, 0), (1, 2, 3), (2**40, 10**6, 400), (7, 1295, 50)]:
        bits = split_mix((split_mix((split_mix(seed) + game) & MASK) + turn) & MASK)
        assert random_roll(seed, game, turn) == (bits >> 32) * 36 >> 32


def test_rolls_are_of_equal_chances() -> None:
    counts = Counter(random_roll(5, game, turn) for game in range(200) for turn in range(90))
    assert set(counts) == set(range(36))
    assert all(abs(count - 500) < 5 * 500**0.5 for count in counts.values())


def test_every_first_and_every_second_roll_comes_once_in_36_games() -> None:
    strata = strata_of(3)
    for turn in (0, 1):
        for first in (0, 36, 36 * 40):
            rolls = [game_roll(3, game, turn, strata) for game in range(first, first + 36)]
            assert sorted(rolls) == list(range(36))


def test_every_pair_of_first_rolls_comes_once_in_1296_games() -> None:
    strata = strata_of(4)
    pairs = {(game_roll(4, game, 0, strata), game_roll(4, game, 1, strata)) for game in range(1296)}
    assert len(pairs) == 1296
    thirds = Counter(game_roll(4, game, 2, strata) for game in range(1296))
    assert set(thirds.values()) == {36}


def test_every_triple_comes_once_in_46656_games() -> None:
    strata = strata_of(5)
    triples = {tuple(game_roll(5, game, turn, strata) for turn in range(3)) for game in range(46656)}
    assert len(triples) == 46656


def test_seeds_shuffle_the_strata_and_later_rolls_are_random() -> None:
    assert strata_of(1).tolist() != strata_of(2).tolist()
    assert strata_of(1).tolist() == strata_of(1).tolist()
    assert game_roll(1, 10, STRATIFIED_TURNS, strata_of(1)) == random_roll(1, 10, STRATIFIED_TURNS)
