"""What winning or losing a game is worth to each side, with the cube dead, alive or somewhere between.

After Rick Janowski, "Take-Points in Money Games" (1993), in the general form that serves matches as well. A dead cube
is never turned again: the worth is linear in the probability of winning. A live cube is turned exactly at the point
where the other side may as well pass: the worth is linear between

    p = 0, losing      the take point, where a double costs no more than passing
    the cash point, where one's own double is passed or taken alike      p = 1, winning

and the two points follow from each other through the levels of the cube: one's take point at a level needs one's own
cash point at the next. In money play they have a closed form; in a match the levels end where the cube is dead. The
real cube is alive in part: worth = x * live + (1 - x) * dead, x being the efficiency of the cube.

Losses and wins are averaged over gammons by their share in the position at hand, and these shares are taken as
independent of p, as Janowski does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from bgd.engine.met import MatchEquityTable
from bgd.engine.values import Chances
from bgd.rules.board import Board
from bgd.rules.state import Cube, Match, Money, Side

CONTACT_EFFICIENCY: Final = 0.70
"""For contact positions. Fitted near decisions (`bgd bench efficiency`: seed 1, 80 positions of 144 games each way,
weights with an error of .039): 0.710, standard error .012; 40 positions more gave 0.694 with .016, weights with an
error of .035 0.699 with .011. Janowski says 0.6 to 0.7, GNU Backgammon has 0.68."""

RACE_EFFICIENCY: Final = (0.31, 0.009, 0.37, 0.68)
"""For races: base, rise with each pip of the side on roll, least, most.

The line is that of the same fit in races under 50 pips, exact values among them (0.311, standard error .043; 0.0090
with .0013). Two plies deep it halves the error against exact values of 12 to 36 pips: .024, where GNU Backgammon's
constants, (0.55, 0.00125, 0.60, 0.70), leave .043. In longer races the fit is 0.710 with .004, by the formula alone;
two plies deep 0.65 has the least bias. 0.68 stands between them. Weights with an error of .035 give 0.300 (.043),
0.0094 (.0012) and 0.713 (.004)."""

FAR_LIMIT: Final = 1024
"""A cube limit this many times the cube is as good as none: each level brings the take point to a third of its distance
from the closed form, which is then off by 4e-6 at most."""


class Player:
    """One side's worth of results, by points won (positive) or lost, with its own shares of gammons."""

    __slots__ = ("_backgammons", "_gammons", "_lost_backgammons", "_lost_gammons", "worth")

    def __init__(self, worth: Callable[[int], float], chances: Chances) -> None:
        self.worth = worth
        won, lost = chances.win, 1 - chances.win
        self._gammons = min(1.0, chances.win_gammon / won) if won > 0 else 0.0
        self._backgammons = min(self._gammons, chances.win_backgammon / won) if won > 0 else 0.0
        self._lost_gammons = min(1.0, chances.lose_gammon / lost) if lost > 0 else 0.0
        self._lost_backgammons = min(self._lost_gammons, chances.lose_backgammon / lost) if lost > 0 else 0.0

    def win(self, cube: int) -> float:
        """The average worth of a game won with the cube at `cube`."""
        gammons, backgammons, worth = self._gammons, self._backgammons, self.worth
        if gammons == 0:
            return worth(cube)
        return (1 - gammons) * worth(cube) + (gammons - backgammons) * worth(2 * cube) + backgammons * worth(3 * cube)

    def lose(self, cube: int) -> float:
        """The average worth of a game lost with the cube at `cube`."""
        gammons, backgammons, worth = self._lost_gammons, self._lost_backgammons, self.worth
        if gammons == 0:
            return worth(-cube)
        return (
            (1 - gammons) * worth(-cube) + (gammons - backgammons) * worth(-2 * cube) + backgammons * worth(-3 * cube)
        )


class Stakes:
    """A game's stakes at one position. Side 0 is the side on roll, side 1 the other.

    Worth is in units of the cube as it is now in money play, in match winning chances in a match.
    """

    def __init__(
        self, chances: Chances, cube: Cube, turn: Side, terms: Match | Money, table: MatchEquityTable | None = None
    ) -> None:
        self.chances = chances
        self.cube = cube
        self.match = terms if isinstance(terms, Match) else None
        self.jacoby = isinstance(terms, Money) and terms.jacoby
        self.beavers = isinstance(terms, Money) and terms.beavers
        if self.match is None:
            self.away: tuple[int, int] | None = None
            unit = cube.value
            worths: tuple[Callable[[int], float], Callable[[int], float]] = (lambda points: points / unit,) * 2
        else:
            if table is None:
                table = MatchEquityTable.default()
            self.away = (self.match.away(turn), self.match.away(turn.other))
            worths = (_match_worth(table, self.match, turn), _match_worth(table, self.match, turn.other))
        self.players = (Player(worths[0], chances), Player(worths[1], chances.flip()))

    # The cube's use to a side

    def is_dead(self, side: int, cube: int) -> bool:
        """Whether `side` has nothing to gain by turning the cube from `cube`: it wins the match with that already."""
        return self.away is not None and self.away[side] <= cube

    def is_free(self, side: int, cube: int) -> bool:
        """Whether `side` risks nothing by turning the cube: losing at `cube` loses the match already, and winning does
        not win it. Such a side doubles at its first opportunity."""
        return self.away is not None and self.away[1 - side] <= cube < self.away[side] and self._can_rise(cube)

    def has_use(self, side: int, cube: int) -> bool:
        """Whether `side`, if it held the cube at `cube`, might ever turn it."""
        return self._can_rise(cube) and not self.is_dead(side, cube)

    def _can_rise(self, cube: int) -> bool:
        return cube < self.cube.limit and not (self.match is not None and self.match.crawford)

    # Points

    def take_point(self, side: int, cube: int) -> float:
        """The probability of winning with which `side` may as well take as pass a double from `cube`, the cube alive
        after that; 0..1."""
        if self.away is None and self.cube.limit >= FAR_LIMIT * cube:
            player = self.players[side]
            win, lose = player.win(self.cube.value), -player.lose(self.cube.value)
            return max(0.0, (lose - 0.5) / (win + lose + 0.5))
        player, raised = self.players[side], 2 * cube
        lose, dropped = player.lose(raised), player.worth(-cube)
        if self.has_use(side, raised):
            end, best = 1 - self.take_point(1 - side, raised), player.worth(raised)
        else:
            end, best = 1.0, player.win(raised)
        return min(1.0, max(0.0, end * (dropped - lose) / (best - lose)))

    def cash_point(self, side: int, cube: int) -> float:
        """The probability of winning with which a double of `side` from `cube` may as well be passed as taken."""
        return 1 - self.take_point(1 - side, cube)

    # Worth to the side on roll

    def cubeless(self, cube: int, jacoby: bool = False) -> float:
        """With a dead cube at `cube`. `jacoby`: gammons do not count."""
        p, player = self.chances.win, self.players[0]
        if jacoby:
            return p * player.worth(cube) + (1 - p) * player.worth(-cube)
        return p * player.win(cube) + (1 - p) * player.lose(cube)

    def cubeful(self, cube: int, users: tuple[bool, bool], efficiency: float, jacoby: bool = False) -> float:
        """With the cube at `cube`, where `users` says which sides may turn it. `jacoby`: gammons do not count until
        somebody does."""
        dead = self.cubeless(cube, jacoby)
        mine, theirs = users[0] and self.has_use(0, cube), users[1] and self.has_use(1, cube)
        if not (mine or theirs):
            return dead
        p, player = self.chances.win, self.players[0]
        dropped, cashed = player.worth(-cube), player.worth(cube)
        # The corners of the live cube's worth around p.
        left, low = 0.0, dropped if jacoby else player.lose(cube)
        right, high = 1.0, cashed if jacoby else player.win(cube)
        if theirs:
            take_point = self.take_point(0, cube)
            if p < take_point:
                right, high = take_point, dropped
            else:
                left, low = take_point, dropped
        if mine and right == 1.0:
            cash_point = max(left, self.cash_point(0, cube))
            if p < cash_point:
                right, high = cash_point, cashed
            else:
                left, low = cash_point, cashed
        live = low + (high - low) * (p - left) / (right - left) if right > left else low
        if theirs and self.is_free(1, cube):
            return live  # He turns it at once, whatever the position.
        return efficiency * live + (1 - efficiency) * dead

    def equity(self, worth: float) -> float:
        """`worth` to the side on roll as equity normalised to the cube: +1 and -1 are a single game won and lost."""
        if self.away is None:
            return worth
        won, lost = self.players[0].worth(self.cube.value), self.players[0].worth(-self.cube.value)
        return (2 * worth - won - lost) / (won - lost)


def _match_worth(table: MatchEquityTable, match: Match, side: Side) -> Callable[[int], float]:
    """Match winning chances of `side` after it wins (or, negative, loses) so many points of this game."""
    own, opponent = match.away(side), match.away(side.other)
    crawford_done = match.crawford or match.post_crawford
    win = table.win

    def worth(points: int) -> float:
        return win(own - points, opponent, crawford_done) if points > 0 else win(own, opponent + points, crawford_done)

    return worth


def efficiency(board: Board) -> float:
    """How alive the cube is, 0..1, at `board`, seen by the side on roll.

    On the last roll, when the opponent surely bears off everything with his next one, it is dead: 0.
    """
    if board.has_contact:
        return CONTACT_EFFICIENCY
    if _surely_off(board):
        return 0.0
    base, rise, least, most = RACE_EFFICIENCY
    return min(most, max(least, base + rise * board.pips))


def _surely_off(board: Board) -> bool:
    """Whether every roll bears off all of the opponent's checkers: one on his 3 point or lower, or two on 1-1 or 2-1
    (the 36s of the classic table of two-checker bear-offs)."""
    left = board.opponent_pips
    return board.opponent_off >= 13 and left <= 3


def play_stakes(
    cube: Cube, turn: Side, terms: Match | Money, table: MatchEquityTable | None = None
) -> tuple[float, ...]:
    """What a play is judged by, linear in the mover's five chances: a constant, and a weight for each of them.

    In money play cubeless equity in units of the cube (Jacoby's rule left aside: a centred cube is turned before most
    gammons); in a match match winning chances at the cube as it is, or at twice that where one side doubles at its
    first opportunity because it has nothing to lose.
    """
    if isinstance(terms, Money):
        return (-1.0, 2.0, 1.0, 1.0, -1.0, -1.0)
    stakes = Stakes(Chances(0.5), cube, turn, terms, table)
    value = cube.value
    if (cube.owner in (None, turn) and stakes.is_free(0, value)) or (
        cube.owner in (None, turn.other) and stakes.is_free(1, value)
    ):
        value *= 2
    worth = stakes.players[0].worth
    lost, lost_gammon, lost_backgammon = worth(-value), worth(-2 * value), worth(-3 * value)
    won, won_gammon, won_backgammon = worth(value), worth(2 * value), worth(3 * value)
    return (
        lost,
        won - lost,
        won_gammon - won,
        won_backgammon - won_gammon,
        lost_gammon - lost,
        lost_backgammon - lost_gammon,
    )
