"""What a duel leaves behind: a log to resume from, figures with standard errors, and games as .mat files."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from typing import IO, Any

import msgspec
from msgspec import Struct

from bgd.duel.game import Call, GameRecord, Seat, Step
from bgd.errors import ConfigError
from bgd.rules.plays import OFF, CheckerMove


class Header(Struct, frozen=True, kw_only=True, tag_field="log", tag="duel 1"):
    """The first line of a log: what the games in it have in common."""

    a: str
    b: str
    seed: int
    luck: bool
    cube: bool = False


class PairRecord(Struct, frozen=True, kw_only=True):
    """A line of the log: both games of a pair."""

    pair: int
    games: tuple[GameRecord, GameRecord]

    @property
    def points(self) -> float:
        """Player a's points a game."""
        return sum(game.points for game in self.games) / 2

    @property
    def adjusted(self) -> float:
        """The same less luck, as far as it was measured."""
        return sum(game.points - (game.luck or 0.0) for game in self.games) / 2


class Log:
    """JSON lines, one a finished pair, each written whole before the next: kill the duel whenever you like.

    Opened on an existing file it reads what was played. Raises ConfigError for a log of another duel or no log at all.
    """

    def __init__(self, path: Path | None, header: Header) -> None:
        self.pairs: dict[int, PairRecord] = {}
        self._file: IO[bytes] | None = None
        if path is None:
            return
        end = self._read(path, header) if path.exists() and path.stat().st_size else 0
        self._file = path.open("r+b" if path.exists() else "w+b")
        self._file.truncate(end)  # a line cut short by a kill goes
        self._file.seek(end)
        if end == 0:
            self._write(header)

    def _read(self, path: Path, header: Header) -> int:
        """How many bytes of whole lines there are."""
        data = path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        lines = whole.splitlines()
        try:
            found = msgspec.json.decode(lines[0], type=Header) if lines else header
            for line in lines[1:]:
                self._keep(msgspec.json.decode(line, type=PairRecord))
        except msgspec.MsgspecError as fault:
            raise ConfigError(f"Expected `{path}` to be the log of a duel: {fault}") from None
        if found != header:
            raise ConfigError(f"Expected `{path}` to be the log of this duel, {header}, got {found}")
        return len(whole)

    def add(self, record: PairRecord) -> None:
        self._keep(record)
        self._write(record)

    def _keep(self, record: PairRecord) -> None:
        self.pairs[record.pair] = record

    def _write(self, line: Struct) -> None:
        if self._file is not None:
            self._file.write(msgspec.json.encode(line) + b"\n")
            self._file.flush()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


def report(header: Header, pairs: Sequence[PairRecord]) -> dict[str, Any]:
    """The figures, ready for JSON. Points a game are player a's; `se` is one standard error of the mean over pairs,
    whose games share their dice and so are not independent; None with fewer than two pairs."""
    games = [game for record in pairs for game in record.games]
    figures: dict[str, Any] = {
        "a": header.a,
        "b": header.b,
        "seed": header.seed,
        "terms": f"money, {'with a cube, no Jacoby, no beavers' if header.cube else 'cubeless'}, duplicate dice",
        "pairs": len(pairs),
        "games": len(games),
        "points_a_game": _mean([record.points for record in pairs]),
    }
    if header.luck:
        figures["luck_adjusted"] = _mean([record.adjusted for record in pairs])
    figures["a_wins"] = _wins(games, 1, header.cube)
    figures["b_wins"] = _wins(games, -1, header.cube)
    seats: tuple[Seat, Seat] = ("a", "b")
    for seat in seats:
        faults = [game.fault for game in games if game.faulty == seat]
        figures[f"{seat}_faults"] = {"games": len(faults), "examples": faults[:3]}
    figures["unfinished"] = sum(game.unfinished for game in games)
    return figures


def _mean(values: Sequence[float]) -> dict[str, float | None]:
    count = len(values)
    mean = sum(values) / count if count else 0.0
    if count < 2:
        return {"mean": round(mean, 5), "se": None}
    variance = sum((value - mean) ** 2 for value in values) / (count - 1)
    return {"mean": round(mean, 5), "se": round(sqrt(variance / count), 5)}


def _wins(games: Sequence[GameRecord], sign: int, cube: bool) -> dict[str, int]:
    """Games won on the board by how, and by a pass of the other; by its fault they are counted with the faults."""
    won = [game for game in games if game.points * sign > 0 and game.faulty is None]
    ends = [abs(game.points) // game.cube for game in won if not game.passed]
    kinds = {"single": ends.count(1), "gammon": ends.count(2), "backgammon": ends.count(3)}
    return kinds | ({"pass": len(won) - len(ends)} if cube else {})


def mat(header: Header, pair: int, games: Sequence[tuple[GameRecord, Sequence[Step]]]) -> str:
    """The games of a pair as a .mat file: a money session, player a on the left. A fault ends its game early.

    GNU Backgammon counts the gammons in it after `set jacoby off` only: the file's own word on that it doesn't heed."""
    names = (_name(header.a), _name(header.b))
    if names[0] == names[1]:
        names = (f"{names[0]}_a", f"{names[1]}_b")
    lines = [
        f'; [Player 1 "{names[0]}"]',
        f'; [Player 2 "{names[1]}"]',
        '; [Variation "Backgammon"]',
        '; [Jacoby "Off"]',
        *([] if header.cube else ['; [CubeLimit "1"]']),
        f'; [Event "Pair {pair} of seed {header.seed}"]',
        "",
        " 0 point match",
    ]
    scores = [0, 0]
    for number, (record, steps) in enumerate(games, 1):
        left, right = (f"{name} : {score}" for name, score in zip(names, scores, strict=True))
        lines += ["", f" Game {number}", f" {left:<33}{right}", *_rows(record, steps)]
        scores[0 if record.points > 0 else 1] += abs(record.points)
    return "\n".join(lines) + "\n"


def _rows(record: GameRecord, steps: Sequence[Step]) -> list[str]:
    cells = [_cell(step) for step in steps]
    won = f"Wins {abs(record.points)} point{'s' if abs(record.points) > 1 else ''}" if record.points else ""
    winner_left = record.points > 0
    if record.first == "b":
        cells.insert(0, "")  # the left player did not begin
    if won:
        if (len(cells) % 2 == 0) != winner_left:
            cells.append("")
        cells.append(won)
    pairs = [(cells[index], cells[index + 1] if index + 1 < len(cells) else "") for index in range(0, len(cells), 2)]
    return [f"{number:3d}) {left:<28} {right}".rstrip() for number, (left, right) in enumerate(pairs, 1)]


def _cell(step: Step) -> str:
    if isinstance(step, Call):
        return {"double": f"Doubles => {step.value}", "take": "Takes", "pass": "Drops"}[step.said]
    return f"{step.dice}: {_spelled(step.play.moves)}".rstrip()


def _spelled(moves: Sequence[CheckerMove]) -> str:
    """Every die on its own, numbers only (25 the bar, 0 off), as all readers of the format take it."""
    return " ".join(
        f"{move.source}/{'Off' if move.destination == OFF else move.destination}{'*' if move.hit else ''}"
        for move in moves
    )


def _name(player: str) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in player)[:24].strip("_")
