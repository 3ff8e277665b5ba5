"""`bgd bench`: a line a measurement on stderr as it is made, all of them as one JSON object on stdout."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bgd import __version__
from bgd.bench import accuracy, cube, efficiency, rollout, socket, speed
from bgd.bench.peer import opinions
from bgd.engine import MAX_PLIES, Engine
from bgd.engine.evaluator import Evaluator
from bgd.errors import BgdError
from bgd.kernels.team import cores


def _number(low: int, high: int = 2**53 - 1) -> Callable[[str], int]:
    """What argparse makes a number of an argument by, from `low` to `high`."""

    def read(text: str) -> int:
        number = int(text)
        if not low <= number <= high:
            raise argparse.ArgumentTypeError(f"expected {low} to {high}, got {number}")
        return number

    read.__name__ = "number"  # which argparse names where the text is none
    return read


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds <= 3600:
        raise argparse.ArgumentTypeError(f"expected more than 0 and at most 3600 seconds, got {text}")
    return seconds


_LEVEL = _number(0, MAX_PLIES)
_ONE_OR_MORE = _number(1)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bgd bench", description="Measure bgd: how right, how quick.")
    kinds = parser.add_subparsers(dest="kind", required=True)
    levels = argparse.ArgumentParser(add_help=False)
    levels.add_argument("--plies", type=_LEVEL, nargs="+", metavar="N", help="levels to measure (0 1 2)")
    sampled = argparse.ArgumentParser(add_help=False)
    sampled.add_argument(
        "--sample", type=_ONE_OR_MORE, metavar="N", help="only so many lines, evenly spread over the file"
    )
    weighed = argparse.ArgumentParser(add_help=False)
    weighed.add_argument("--weights", type=Path, metavar="FILE", help="instead of bgd's own")
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--threads", type=_ONE_OR_MORE, metavar="N", help="that share a search or rollout (one a core)")
    common = argparse.ArgumentParser(add_help=False, parents=[sampled, weighed, shared])

    right = kinds.add_parser("accuracy", parents=[levels, common], help="errors against rolled-out positions")
    right.add_argument(
        "references", type=Path, nargs="+", metavar="FILE", help="lines of JSON: board, equity, probs; all of them seen"
        " by the side on roll, equity cubeless money"
    )  # fmt: skip
    reached = kinds.add_parser(
        "socket", parents=[sampled, weighed], help="plays and evaluations through a socket, alone and in company"
    )
    reached.add_argument(
        "decisions", type=Path, metavar="FILE", help="lines of JSON: board, seen by the mover, and dice"
    )
    reached.add_argument(
        "--rounds", type=_ONE_OR_MORE, default=5, metavar="N", help="through the file, one after another (5)"
    )
    reached.add_argument("--seconds", type=_seconds, default=5.0, metavar="S", help="of many clients, of long work (5)")
    reached.add_argument("--clients", type=_ONE_OR_MORE, default=50, metavar="N", help="at once (50)")
    reached.add_argument(
        "--idle", type=_number(0), default=1000, metavar="N", help="connections that say nothing (1000)"
    )
    reached.add_argument("--gnubg", action="store_true", help="ask GNU Backgammon the same, in turns of a round each")

    quick = kinds.add_parser("speed", parents=[levels, common], help="time of a play and of a cube decision")
    quick.add_argument("decisions", type=Path, metavar="FILE", help="lines of JSON: board, seen by the mover, and dice")
    quick.add_argument("--gnubg", action="store_true", help="ask GNU Backgammon the same, turn and turn about")
    quick.add_argument(
        "--alone", action="store_true", help="ask one thread the same, turn and turn about: what the others bring"
    )
    played = kinds.add_parser("rollout", parents=[common], help="time and standard error of rollouts")
    played.add_argument(
        "positions", type=Path, nargs="?", default=rollout.POSITIONS, metavar="FILE",
        help="lines of JSON: board, seen by the side on roll; without it six of bgd's own",
    )  # fmt: skip
    played.add_argument("--trials", type=_ONE_OR_MORE, default=1296, metavar="N", help="games of a rollout (1296)")
    played.add_argument("--seed", type=_number(0), default=1, metavar="N", help="of the dice (1)")
    instead = played.add_mutually_exclusive_group()
    instead.add_argument("--gnubg", action="store_true", help="roll the same out with GNU Backgammon")
    instead.add_argument("--pairs", type=_ONE_OR_MORE, metavar="N", help="instead: whether N pairs of seeds agree")
    decided = kinds.add_parser("cube", parents=[common], help="cube decisions near a decision, at several scores")
    decided.add_argument(
        "positions", type=Path, nargs="?", metavar="FILE", help="lines of JSON: xgid; without it positions of own games"
    )
    decided.add_argument(
        "--count", type=_ONE_OR_MORE, default=90, metavar="N", help="positions to make at each score (90)"
    )
    decided.add_argument("--write", type=Path, metavar="FILE", help="keep the positions made")
    decided.add_argument("--plies", type=_LEVEL, default=2, metavar="N", help="level of the decisions (2)")
    decided.add_argument(
        "--trials", type=_ONE_OR_MORE, default=5184, metavar="N", help="games of a judging rollout (5184)"
    )
    decided.add_argument("--seed", type=_number(0), default=1, metavar="N", help="of the games and rollouts (1)")
    decided.add_argument("--gnubg", action="store_true", help="ask GNU Backgammon, and judge disagreements")
    alive = kinds.add_parser(
        "efficiency", parents=[weighed, shared], help="fit the cube's efficiency by class of position to rollouts"
    )
    alive.add_argument("--count", type=_ONE_OR_MORE, default=80, metavar="N", help="positions of each class (80)")
    alive.add_argument("--trials", type=_ONE_OR_MORE, default=144, metavar="N", help="games of a rollout (144)")
    alive.add_argument("--seed", type=_number(0), default=1, metavar="N", help="of the games and rollouts (1)")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run a measurement. Returns the exit status: 0 fine, 1 a failure that stderr explains."""
    asked = _parser().parse_args(argv)
    try:
        if asked.kind == "socket":
            return _tell(asked.kind, _through_a_socket(asked))
        threads = asked.threads or cores()
        evaluator = Evaluator.load(asked.weights, threads=threads)
        if asked.kind == "cube":
            return _tell(asked.kind, _cube(evaluator, asked), threads=threads, plies=asked.plies)
        if asked.kind == "efficiency":
            fitted = efficiency.measure(evaluator, asked.count, asked.trials, asked.seed)
            return _tell(asked.kind, fitted, threads=threads, trials=asked.trials, seed=asked.seed)
        if asked.kind == "rollout":
            found = _rollout(evaluator, asked)
            return _tell(asked.kind, found, threads=threads, trials=asked.trials, seed=asked.seed)
        levels = asked.plies or [0, 1, 2]
        if asked.kind == "accuracy":
            found = [
                row for path in asked.references for row in accuracy.measure(evaluator, path, levels, asked.sample)
            ]
        else:
            alone = Evaluator.load(asked.weights, threads=1) if asked.alone else None
            found = speed.measure(evaluator, asked.decisions, levels, asked.sample, asked.gnubg, alone)
    except (BgdError, OSError) as error:
        print(f"bgd bench: {error}", file=sys.stderr)
        return 1
    return _tell(asked.kind, found, threads=threads)


def _through_a_socket(asked: argparse.Namespace) -> list[dict[str, Any]]:
    return socket.measure(
        asked.decisions,
        asked.sample,
        rounds=asked.rounds,
        seconds=asked.seconds,
        clients=asked.clients,
        idle=asked.idle,
        beside_gnubg=asked.gnubg,
        weights=asked.weights,
    )


def _rollout(evaluator: Evaluator, asked: argparse.Namespace) -> list[dict[str, Any]]:
    what = evaluator, asked.positions, asked.sample, asked.trials, asked.seed
    if asked.pairs is not None:
        return rollout.agreement(*what, asked.pairs)
    return rollout.measure(*what, asked.gnubg)


def _cube(evaluator: Evaluator, asked: argparse.Namespace) -> list[dict[str, Any]]:
    if asked.positions is None:
        states = cube.make(Engine(evaluator), asked.count, asked.seed, asked.plies)
    else:
        states = cube.load(asked.positions, asked.sample)
    if asked.write is not None:
        cube.write(asked.write, states)
    return cube.measure(evaluator, states, asked.plies, asked.trials, asked.seed, opinions if asked.gnubg else None)


def _tell(kind: str, found: list[dict[str, Any]], **more: Any) -> int:
    print(json.dumps({"bench": kind, "version": __version__, **more, "measured": found}, indent=1))
    return 0
