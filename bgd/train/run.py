"""The command line of a training run, and the order of its stages."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bgd.engine.weights import dequantised, load_weights
from bgd.errors import BgdError, ConfigError
from bgd.kernels import bearoff
from bgd.kernels.bearoff import Bearoff
from bgd.kernels.network import Net
from bgd.kernels.prune import PruneNet
from bgd.train import checkpoint, iterate, races, td
from bgd.train.export import export
from bgd.train.journal import Journal
from bgd.train.plot import plot
from bgd.train.recipe import Recipe
from bgd.train.reference import read_reference

_PROVING_POSITIONS = 100_000


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bgd train", description="Make the weights from nothing, by self-play.")
    parser.add_argument("--run", type=Path, required=True, help="directory of checkpoints; an old run goes on")
    parser.add_argument("--go-on-from", type=Path, metavar="WEIGHTS", help="begin the rounds with this file's network")
    parser.add_argument("--reference", type=Path, action="append", default=[], help="JSON lines to measure against")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scale", type=float, default=1.0, help="factor on the time of every stage")
    parser.add_argument("--export", type=Path, help="weights file to write at the end")
    parser.add_argument("--plot", type=Path, help="picture of the errors to draw at the end (.svg, .png)")
    parser.add_argument("--note", default="", help="a sentence for the manifest: what the recipe does not say")
    parser.add_argument("--as-it-is", action="store_true", help="export or plot the last checkpoint as it is")
    return parser


def _last(directory: Path) -> tuple[Net, PruneNet]:
    """The averaged network of the newest stage that has a checkpoint."""
    for name, prefix in (("races", "average"), ("iterate", "average"), ("td", "player")):
        arrays = checkpoint.load(directory / f"{name}.npz")
        if arrays is not None:
            return checkpoint.net_from(prefix, arrays), checkpoint.prune_from("prune", arrays)
    raise ConfigError(f"{directory}: expected a training run, found no checkpoint")


def _train(recipe: Recipe, table: Bearoff, arguments: argparse.Namespace) -> None:
    directory, threads = arguments.run, arguments.threads
    (directory / "races.npz").unlink(missing_ok=True)
    journal = Journal(directory / "log.csv", [read_reference(path) for path in arguments.reference], table)
    if arguments.go_on_from:
        net, prune, _ = load_weights(arguments.go_on_from)
        net = dequantised(net)
    else:
        net, prune = td.run(recipe, directory, table, journal, threads)
    net, prune = iterate.run(recipe, directory, table, journal, threads, iterate.Start(net, prune))
    net, errors = races.refit(recipe, net, prune, table, threads)
    told = ", ".join(f"{error:.4f}" for error in errors)
    print(f"bgd train: odd races, errors against the labels of each generation: {told}", file=sys.stderr)
    arrays = {**checkpoint.net_arrays("average", net), **checkpoint.net_arrays("prune", prune)}
    checkpoint.save(directory / "races.npz", arrays)


def main(argv: Sequence[str]) -> int:
    """Run `bgd train`; returns the exit status. Killed at any moment, the same command goes on."""
    arguments = _parser().parse_args(argv)
    recipe = replace(Recipe().scaled(arguments.scale), seed=arguments.seed)
    arguments.run.mkdir(parents=True, exist_ok=True)
    try:
        table = bearoff.load(lambda text: print(text, file=sys.stderr))
        if not arguments.as_it_is:
            _train(recipe, table, arguments)
        if arguments.export:
            net, prune = _last(arguments.run)
            boards = iterate.sample_positions(iterate.Start(net, prune), table, recipe, _PROVING_POSITIONS)
            export(arguments.export, net, prune, boards, recipe, arguments.run / "log.csv", arguments.note)
        if arguments.plot:
            plot(arguments.run / "log.csv", arguments.plot)
    except BgdError as error:
        print(f"bgd train: {error}", file=sys.stderr)
        return 1
    return 0
