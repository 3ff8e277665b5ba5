"""`bgd duel A B`: games in several processes, progress on stderr, one JSON object on stdout."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import islice
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Final

from bgd.duel.game import Luck, Seat, play_pair
from bgd.duel.luck import LuckMeter
from bgd.duel.players import Player, parse_player
from bgd.duel.report import Header, Log, PairRecord, mat, report
from bgd.engine.evaluator import Evaluator
from bgd.errors import BgdError, InternalError

_PROGRESS: Final = 2.0
"""Seconds between lines of progress."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What every worker needs to know."""

    header: Header
    mat_folder: Path | None


class Table:
    """Two players seated in this process, ready for any pair."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._players: dict[Seat, Player] = {}
        Finalize(self, self.close, exitpriority=10)  # a worker ends without running atexit handlers
        seats: tuple[tuple[Seat, str], ...] = (("a", terms.header.a), ("b", terms.header.b))
        for seat, name in seats:
            self._players[seat] = parse_player(name, terms.header.cube)()
        self._luck: Luck | None = LuckMeter(Evaluator.load(), terms.header.cube) if terms.header.luck else None

    def play(self, pair: int) -> PairRecord:
        header = self._terms.header
        games = play_pair(self._players, header.seed, pair, self._luck, header.cube)
        if self._terms.mat_folder is not None:
            text = mat(header, pair, games)
            (self._terms.mat_folder / f"pair-{pair:06d}.mat").write_text(text)
        (first, _), (second, _) = games
        return PairRecord(pair=pair, games=(first, second))

    def close(self) -> None:
        for player in self._players.values():
            player.close()
        self._players.clear()


_table: Table | BgdError | OSError | None = None
"""A worker's table, or why it has none: a process that fails to start could not say."""


def _sit_down(terms: Terms) -> None:
    global _table
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes: the first one says when to stop
    try:
        _table = Table(terms)
    except (BgdError, OSError) as fault:
        _table = fault


def _play(pair: int) -> PairRecord:
    if not isinstance(_table, Table):
        raise _table or InternalError("Expected a worker with a table, got one without")
    return _table.play(pair)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="bgd duel",
        description="Two players, many games of money with duplicate dice: points a game, standard errors.",
        epilog="Players: bgd:plies=0[,weights=FILE]  gnubg:plies=0  'ubgi:COMMAND'  external:HOST:PORT. "
        "An illegal play, a crash or a minute's silence loses a backgammon and is counted as a fault.",
    )
    parser.add_argument("a", metavar="A", help="the player whose points a game are reported")
    parser.add_argument("b", metavar="B", help="its opponent")
    parser.add_argument("--games", type=int, default=1000, metavar="N", help="two a pair, rounded up (1000)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the dice (1)")
    parser.add_argument("--cube", action="store_true", help="with a doubling cube, without beavers (without a cube)")
    parser.add_argument("--log", type=Path, metavar="FILE", help="finished games, JSON lines; resumed if it exists")
    parser.add_argument("--mat", type=Path, metavar="FOLDER", help="write the games here as .mat files")
    parser.add_argument("--no-luck", action="store_true", help="don't measure luck (faster, larger standard errors)")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, metavar="N", help="processes (one a core)")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run a duel. Returns its exit status: 0 done, 1 a failure that stderr explains, 130 interrupted (what was played
    until then is reported); a wrong command line exits 2."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    if arguments.games < 1 or arguments.workers < 1:
        parser.error("expected --games and --workers from 1 up")
    header = Header(a=arguments.a, b=arguments.b, seed=arguments.seed, luck=not arguments.no_luck, cube=arguments.cube)
    try:
        for name in (header.a, header.b):
            parse_player(name, header.cube)
        if arguments.mat is not None:
            arguments.mat.mkdir(parents=True, exist_ok=True)
        log = Log(arguments.log, header)
    except (BgdError, OSError) as fault:
        print(f"bgd duel: {fault}", file=sys.stderr)
        return 1
    wanted = range((arguments.games + 1) // 2)
    missing = [pair for pair in wanted if pair not in log.pairs]
    status = 0
    try:
        _play_all(Terms(header, arguments.mat), missing, log, arguments.workers)
    except KeyboardInterrupt:
        status = 130
    except (BgdError, OSError, BrokenProcessPool) as fault:
        print(f"bgd duel: {fault}", file=sys.stderr)
        return 1
    finally:
        log.close()
    print(json.dumps(report(header, [log.pairs[pair] for pair in wanted if pair in log.pairs]), indent=2))
    return status


def _play_all(terms: Terms, pairs: Sequence[int], log: Log, workers: int) -> None:
    """Play the pairs, in whatever order they finish."""
    progress = Progress(len(pairs), log, terms.header)
    if workers == 1 or len(pairs) < 2:
        table = Table(terms)
        try:
            for pair in pairs:
                log.add(table.play(pair))
                progress.tell()
        finally:
            table.close()
        return
    for record in _in_processes(terms, pairs, min(workers, len(pairs))):
        log.add(record)
        progress.tell()


def _in_processes(terms: Terms, pairs: Sequence[int], workers: int) -> Iterator[PairRecord]:
    # Spawned, not forked: a forked child would inherit numba's threads and the sockets of its siblings.
    context = multiprocessing.get_context("spawn")
    waiting = iter(pairs)
    with ProcessPoolExecutor(workers, context, _sit_down, (terms,)) as pool:
        running: set[Future[PairRecord]] = {pool.submit(_play, pair) for pair in islice(waiting, 2 * workers)}
        try:
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
                running |= {pool.submit(_play, pair) for pair in islice(waiting, len(done))}
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


class Progress:
    """A line on stderr now and then: games, rate, points a game so far."""

    def __init__(self, pairs: int, log: Log, header: Header) -> None:
        self._pairs, self._log, self._header = pairs, log, header
        self._began = self._told = time.monotonic()
        self._done = 0

    def tell(self) -> None:
        self._done += 1
        now = time.monotonic()
        if now - self._told < _PROGRESS and self._done < self._pairs:
            return
        self._told = now
        figures = report(self._header, list(self._log.pairs.values()))
        shown = figures.get("luck_adjusted", figures["points_a_game"])
        error = "" if shown["se"] is None else f" ± {shown['se']:.4f}"
        rate = 2 * self._done / max(now - self._began, 1e-9)
        print(
            f"{figures['games']} games, {rate:.1f} a second: {shown['mean']:+.4f}{error} points a game"
            f"{' luck-adjusted' if self._header.luck else ''}",
            file=sys.stderr,
            flush=True,
        )
