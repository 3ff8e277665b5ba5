"""`bgd bench`: a line a measurement on stderr as it is made, all of them as one JSON object on stdout."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from bgd import __version__
from bgd.bench import accuracy, speed
from bgd.engine.evaluator import Evaluator
from bgd.errors import BgdError
from bgd.kernels.team import cores


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bgd bench", description="Measure bgd: how right, how quick.")
    kinds = parser.add_subparsers(dest="kind", required=True)
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--plies", type=int, nargs="+", metavar="N", help="levels to measure (0 1 2)")
    common.add_argument("--sample", type=int, metavar="N", help="only so many lines, evenly spread over the file")
    common.add_argument("--weights", type=Path, metavar="FILE", help="instead of bgd's own")
    common.add_argument("--threads", type=int, metavar="N", help="that share a search (one a core)")

    right = kinds.add_parser("accuracy", parents=[common], help="errors against rolled-out positions")
    right.add_argument(
        "references", type=Path, nargs="+", metavar="FILE", help="lines of JSON: board, equity, probs; all of them seen"
        " by the side on roll, equity cubeless money"
    )  # fmt: skip
    quick = kinds.add_parser("speed", parents=[common], help="time of a play and of a cube decision")
    quick.add_argument("decisions", type=Path, metavar="FILE", help="lines of JSON: board, seen by the mover, and dice")
    quick.add_argument("--gnubg", action="store_true", help="ask GNU Backgammon the same, turn and turn about")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run a measurement. Returns the exit status: 0 fine, 1 a failure that stderr explains."""
    asked = _parser().parse_args(argv)
    threads = asked.threads or cores()
    try:
        evaluator = Evaluator.load(asked.weights, threads=threads)
        levels = asked.plies or [0, 1, 2]
        if asked.kind == "accuracy":
            found = [
                row for path in asked.references for row in accuracy.measure(evaluator, path, levels, asked.sample)
            ]
        else:
            found = speed.measure(evaluator, asked.decisions, levels, asked.sample, asked.gnubg)
    except (BgdError, OSError) as error:
        print(f"bgd bench: {error}", file=sys.stderr)
        return 1
    report = {"bench": asked.kind, "version": __version__, "threads": threads, "measured": found}
    print(json.dumps(report, indent=1))
    return 0
