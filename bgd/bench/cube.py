"""Cube decisions beside GNU Backgammon's: on positions of bgd's own games that are near a decision, by score.

Money is played without Jacoby's rule and without beavers. There is no cube in a Crawford game. A position is near when
bgd's search puts doubling and not doubling, or taking and passing, less than `NEAR` apart; one position of a game is
kept at most, none twice; half of them are near a double and half near a take, as far as a score has both.

What a disagreement costs is told in normalised equity, by each engine's own numbers. Those that cost more than `DEAR`
by both are rolled out, since neither engine can say who is right. As all positions are near a decision by bgd's
numbers, and only some by the other's, they find bgd's errors more easily than the other's.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from bgd.bench import played
from bgd.bench.lines import Marked, read
from bgd.bench.peer import Opinion
from bgd.engine import Engine, RolloutPlan
from bgd.engine.evaluator import Evaluator
from bgd.engine.values import CubeDecision, RolledOut
from bgd.notation import xgid
from bgd.rules.state import GameState, Match, Money

NEAR: Final = 0.1
"""Normalised equity between two actions, below which a position is near a decision."""

DEAR: Final = 0.02
"""What a disagreement must cost by both engines to be rolled out."""

TERMS: Final[tuple[Match | Money, ...]] = (
    Money(jacoby=False, beavers=False),
    Match(5, (3, 1)),
    Match(5, (2, 2)),
    Match(5, (0, 3)),
    Match(5, (1, 1)),
    Match(5, (4, 3)),
    Match(5, (4, 1)),
)
"""What games are played for: money, 2-away 4-away, 3-away 3-away, 5-away 2-away, 4-away 4-away, and after the Crawford
game 2-away and 4-away."""

_QUESTIONS: Final = ("double", "take")

_GAMES: Final = 100
"""So many games are played for each position that is wanted, at most: some scores know only a few hundred."""

_FEWEST: Final = 324
"""Games of a judging rollout at first; four times as many each time that they don't tell who is right."""

_MISSED: Final = 50
"""After so many games without a position near the decision that is wanted the other will do: at some scores one is
never near."""

_SURE: Final = 3.0
"""Standard errors that must be between two actions for a rollout to say which is right."""


Peer: TypeAlias = Callable[[Sequence[GameState], int], list[Opinion]]
"""The decisions of another engine, of positions before the roll of BOTTOM, at so many plies."""


@dataclass(frozen=True, slots=True)
class _Case:
    """A position, what bgd makes of it, and what GNU Backgammon does."""

    state: GameState
    own: CubeDecision
    peer: Opinion

    @property
    def actions(self) -> dict[str, tuple[bool, bool]]:
        """Of each question bgd's answer and GNU Backgammon's."""
        return {"double": (self.own.double, self.peer.double), "take": (self.own.response != "pass", self.peer.take)}

    def cost(self, question: str, own: bool) -> float:
        """What lies between the two answers by bgd's `own` numbers, or by GNU Backgammon's."""
        judge = self.own if own else self.peer
        return abs(_gap(question, judge.no_double, judge.double_take))


def score_of(terms: Match | Money) -> str:
    """The score in words: `money`, `2-away 4-away`, `post-Crawford 2-away`."""
    if isinstance(terms, Money):
        return "money"
    near, far = sorted(terms.length - score for score in terms.scores)
    return f"post-Crawford {far}-away" if terms.post_crawford else f"{near}-away {far}-away"


def make(engine: Engine, count: int, seed: int, plies: int) -> list[GameState]:
    """`count` positions near a decision at each of TERMS, by bgd at `plies`, from games that `seed` names."""
    return [state for terms in TERMS for state in _near(engine, terms, count, seed, plies)]


def write(path: Path, states: Iterable[GameState]) -> None:
    """Lines of JSON with an XGID each."""
    path.write_text("".join(json.dumps({"xgid": xgid.encode(state)}) + "\n" for state in states))


def load(path: Path, sample: int | None) -> list[GameState]:
    """What `write` wrote. Raises OSError, or BadPosition, BadValue or BadArgument for a wrong line."""
    return [played.seen_from_the_roll(xgid.decode(line.xgid)) for line in read(path, Marked, sample)]


def measure(
    evaluator: Evaluator,
    states: Sequence[GameState],
    plies: int,
    trials: int,
    seed: int,
    peer: Peer | None = None,
) -> list[dict[str, Any]]:
    """A row for each score: what bgd says. Beside a `peer` (peer.opinions is GNU Backgammon) a row for each score and
    one for all with the agreement of the two, and then one for each disagreement that costs more than DEAR by both,
    with what a rollout of `trials` games at most says of it."""
    engine = Engine(evaluator)
    own = [engine.cube(state, plies) for state in states]
    scores = list(dict.fromkeys(score_of(state.terms) for state in states))
    if peer is None:
        return [
            _labels(score, [mine for state, mine in zip(states, own, strict=True) if score_of(state.terms) == score])
            for score in scores
        ]
    cases = [_Case(*row) for row in zip(states, own, peer(states, plies), strict=True)]
    rows = []
    for score in [*scores, "all"]:
        some = cases if score == "all" else [case for case in cases if score_of(case.state.terms) == score]
        rows.append(_agreement(score, some))
    _print(rows)
    return rows + [_judged(engine, *asked, trials, seed) for asked in _dear(cases)]


def _near(engine: Engine, terms: Match | Money, count: int, seed: int, plies: int) -> Iterator[GameState]:
    """`count` different positions, or fewer when so many games have been played; near a double and a take in turn, as
    far as there are both."""
    rng = random.Random(f"{seed} {terms}")
    found: set[GameState] = set()
    missed = 0
    for _ in range(_GAMES * count):
        if len(found) == count:
            return
        question = _QUESTIONS[(len(found) + missed // _MISSED) % 2]
        near = [
            state
            for state in played.game(engine, terms, rng)
            if _is_near(question, engine.cube(state, min(plies, 1))) and _is_near(question, engine.cube(state, plies))
        ]
        missed += 1
        if near and (state := rng.choice(near)) not in found:
            missed = 0
            found.add(state)
            yield state


def _is_near(question: str, decision: CubeDecision) -> bool:
    return abs(_gap(question, decision.no_double, decision.double_take)) < NEAR


def _gap(question: str, no_double: float, double_take: float) -> float:
    """What the side that is asked gains by doubling, or by taking: negative where the other action is right."""
    return min(double_take, 1.0) - no_double if question == "double" else 1.0 - double_take


def _labels(score: str, own: Sequence[CubeDecision]) -> dict[str, Any]:
    words = [decision.label for decision in own]
    row = {"score": score, "positions": len(own), "labels": {word: words.count(word) for word in sorted(set(words))}}
    print(f"{score}: {row['labels']}", file=sys.stderr)
    return row


def _agreement(score: str, cases: Sequence[_Case]) -> dict[str, Any]:
    """`cost` and `gnubg_cost`: the mean over all positions of what disagreements cost, by bgd's and by GNU Backgammon's
    numbers. `apart`: mean distance of the two engines' equities of no double and of a double taken."""
    row: dict[str, Any] = {"score": score, "positions": len(cases)}
    for question in _QUESTIONS:
        apart = [case for case in cases if len(set(case.actions[question])) == 2]
        row[question] = {
            "near": sum(_is_near(question, case.own) for case in cases),
            "agreed": round(1 - len(apart) / len(cases), 4),
            "cost": round(sum(case.cost(question, own=True) for case in apart) / len(cases), 5),
            "gnubg_cost": round(sum(case.cost(question, own=False) for case in apart) / len(cases), 5),
        }
    row["apart"] = {
        "no_double": _mean(abs(case.own.no_double - case.peer.no_double) for case in cases),
        "double_take": _mean(abs(case.own.double_take - case.peer.double_take) for case in cases),
        "no_double_bias": _mean(case.own.no_double - case.peer.no_double for case in cases),
        "double_take_bias": _mean(case.own.double_take - case.peer.double_take for case in cases),
    }
    return row


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return round(sum(found) / len(found), 5)


def _dear(cases: Sequence[_Case]) -> Iterator[tuple[_Case, str]]:
    """The disagreements that cost enough by both engines' numbers, and the question each is about."""
    for case in cases:
        for question, (own, peer) in case.actions.items():
            if own != peer and min(case.cost(question, own=True), case.cost(question, own=False)) > DEAR:
                yield case, question


def _judged(engine: Engine, case: _Case, question: str, trials: int, seed: int) -> dict[str, Any]:
    """Who is right about a position, by a rollout of bgd's own; `open` when it can't tell."""
    games = _FEWEST
    rolled, doubled, gap, error = _rolled_out(engine, case.state, question, games, seed)
    while abs(gap) < _SURE * error and games < trials:
        games = min(4 * games, trials)
        rolled, doubled, gap, error = _rolled_out(engine, case.state, question, games, seed)
    mine, theirs = case.actions[question]
    right = "open" if abs(gap) < _SURE * error else "bgd" if mine == (gap > 0) else "gnubg"
    words = {"double": ("no double", "double"), "take": ("pass", "take")}[question]
    row = {
        "score": score_of(case.state.terms),
        "xgid": xgid.encode(case.state),
        "question": question,
        "bgd": words[mine],
        "gnubg": words[theirs],
        "bgd_equities": [round(case.own.no_double, 4), round(case.own.double_take, 4)],
        "gnubg_equities": [round(case.peer.no_double, 4), round(case.peer.double_take, 4)],
        "rollout_equities": [round(rolled.value, 4), round(doubled.value, 4)],
        "games": games,
        "gap": round(gap, 4),
        "error": round(error, 4),
        "right": right,
    }
    print(", ".join(f"{name} {value}" for name, value in row.items()), file=sys.stderr)
    return row


def _rolled_out(
    engine: Engine, state: GameState, question: str, trials: int, seed: int
) -> tuple[RolledOut, RolledOut, float, float]:
    """The two lines of a rollout, the gap between the actions in question, and its standard error."""
    rolled, doubled = engine.rollout(state, RolloutPlan(trials=trials, seed=seed)).lines
    if question == "take":
        error = doubled.cubeful_error
    elif doubled.value < 1:
        error = doubled.behind_error or rolled.behind_error
    else:
        error = rolled.cubeful_error
    assert error is not None
    return rolled, doubled, _gap(question, rolled.value, doubled.value), error


def _print(rows: Sequence[dict[str, Any]]) -> None:
    """The table, on stderr."""
    print(
        f"{'score':22}{'positions':>10}{'double agreed':>15}{'cost':>9}{'take agreed':>13}{'cost':>9}"
        f"{'apart: no double':>18}{'double/take':>13}",
        file=sys.stderr,
    )
    for row in rows:
        double, take, apart = row["double"], row["take"], row["apart"]
        print(
            f"{row['score']:22}{row['positions']:10}{double['agreed']:15.1%}{double['cost']:9.4f}{take['agreed']:13.1%}"
            f"{take['cost']:9.4f}{apart['no_double']:18.4f}{apart['double_take']:13.4f}",
            file=sys.stderr,
        )
