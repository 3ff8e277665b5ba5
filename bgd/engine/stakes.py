"""What winning or losing a game is worth to each side, with the cube dead, alive or somewhere between.

After Rick Janowski, "Take-Points in Money Games" (1993), in the general form that serves matches as well. A dead cube
is never turned again: the worth is linear in the probability of winning. A live cube is turned exactly at the point
where the other side may as well pass: the worth is linear between

    p = 0, losing      the take point, where a double costs no more than passing
    the cash point, where one's own double is passed or taken alike      p = 1, winning

and the two points follow from each other through the levels of the cube: one's take point at a level needs one's own
cash point at the next. In money play they have a closed form; in a match the levels end where the cube is dead.

The real cube is alive in part. x, the efficiency of a side's cube (`Efficiency`), says how far: were it that side's
alone, it would be worth x * live + (1 - x) * dead. Of the cube in the middle either side has its x. Followed beyond
its cash point, that line reaches what cashing brings with some more chances than that; likewise the other side's, and
between these two points the worth in the middle is linear, as far as the cash and the take point, and from there on to
the game won or lost. Without gammons, and with one x, this is Janowski's 4 / (4 - x) times the slope of the one side's.

Losses and wins are averaged over gammons by their share in the position at hand, and these shares are taken as
independent of p, as Janowski does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from bgd.engine.met import MatchEquityTable
from bgd.engine.values import Chances
from bgd.rules.board import Board
from bgd.rules.state import Cube, Match, Money, Side


class Lateness(NamedTuple):
    """When a cube that is not turned is late: from `on_roll` before the cash point on for the side on roll, from
    `waiting` before it for the one that waits, whose next chance comes a roll sooner; altogether late `width` beyond
    that. If there is nothing to play on for it is not: `prize` more than cashing brings, in units of what lies between
    cashing and dropping, makes it so altogether. If there is no risk in turning it, it is late by the share `free`."""

    on_roll: float
    waiting: float
    width: float
    prize: float
    free: float

    def degree(self, beyond: float, prize: float, on_roll: bool) -> float:
        """0..1, with chances of winning `beyond` the cash point, and `prize` more for the game won than for cashing."""
        margin = self.on_roll if on_roll else self.waiting
        return min(1.0, max(0.0, beyond + margin) / self.width) * min(1.0, max(0.0, prize) / self.prize)


class Efficiency(NamedTuple):
    """How alive the cube of a side is, 0..1.

    `even` with even chances and no gammons; `win` more for each chance of winning beyond a half; `gammons` less for the
    share of gammons in its own wins; `lost_gammons` more for that in the other side's; `last` less if that side alone
    may turn it, and nobody after that; `late` less when it is too late to turn it for the game: who plays on for a
    gammon instead often falls back past the cash point in a single roll. `free`, whatever the chances, when the side on
    roll may turn it without a risk: it surely will, the next time."""

    even: float
    win: float
    gammons: float
    lost_gammons: float
    last: float
    late: float
    free: float

    def alive(self, win: float, gammons: float, lost_gammons: float, *, late: float, last: bool) -> float:
        """At a position, with these of the side whose cube it is, which is `late` (0..1)."""
        alive = self.even + self.win * (win - 0.5) - self.gammons * gammons + self.lost_gammons * lost_gammons
        alive -= self.late * late
        return min(1.0, max(0.0, alive - self.last if last else alive))

    def freely_alive(self, late: float) -> float:
        """For the side on roll, which may turn it without a risk and is `late` (0..1)."""
        return max(0.0, self.free - LATENESS.free * self.late * late)


LATENESS: Final = Lateness(0.08, 0.02, 0.25, 0.1, 0.75)
"""Chosen by how alive the cube of one side was found to be in 650 contact positions, by its chances beyond the cash
point (`bgd bench efficiency` tells that as `by_distance`): on roll .75 from .2 to .05 before it, .60 up to .15 beyond,
and .56 after that; waiting .85 from .15 before it to the cash point itself, then .74, .64, .58 and .54. A martingale
with such jumps, solved for its best doubles, says the same: with gammons a cube loses an eighth near its cash point.
Without any it recovers at once, as races do; hence `prize`. Steeper, a better position could be worth less.

Tried in its place: the square of the line beyond the cash point, which fell short by .04 to .1; a chord across the
corner there, which gained nothing."""

DEAD: Final = Efficiency(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
ALIVE: Final = Efficiency(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)

CONTACT_EFFICIENCY: Final = Efficiency(0.735, 0.56, 0.22, 0.29, 0.07, 0.44, 0.98)
"""For contact positions. Fitted to own rollouts (288 or 432 games each way, weights with an error of .034) of 650
positions for money, with the cube in all three places, a third of them beyond the cash point and a third below the take
point. By absolute errors more than by squares, which a few last shots rule: in the order of the fields .73, .57, .22,
.30 and .49 for `late`; by squares .74, .39, .18, .19, .44 (standard errors .02, .06, .06, .10, .05). `last` stands
between .05 (.015) and .13 (.04) for the cube taken at 3-away and at 4-away, and .075 (.015) for the doubler's own where
money play ends with it; `free` is from 96 positions in matches, whose owner was thought .20 too little with `even` and
so on (.99 far from the cash point, .90 at it, .80 beyond), and from 15 with the cube in the middle, at 2-away after the
Crawford game (.93 just before it, .83 at it, .70 beyond). 180 others in matches at six scores would have `late` at .38.

Errors of no double, double/take and the own cube at 2 plies in every other one of the 650: .030, .055, .025, of which
.013, .021, .010 is the rollouts' noise; before `late` they were .038, .064, .029. With chances of more than .7 biases
are .002, -.002, .003, and were .019, -.015, .019. Rollouts at 1 ply agree with those at 0 plies: 19 positions differ by
.001 to .003 on average beyond what their chances do, with .006."""

RACE_EFFICIENCY: Final = (0.71, 42.0, 0.48)
"""For races: with even chances the most, and what the square of the pips of the side on roll divides to be taken away
from it; and `win`. Nothing is late in a race: there is hardly a gammon to play on for.

Fitted to 2,514 races with chances of .1 to .98, 288 of them known exactly: .70, 24, .51; to the 1,983 of 30 pips and
more .72, 57, .49. Errors of the formula in these: .024, .033, .012."""

FAR_LIMIT: Final = 1024
"""A cube limit this many times the cube is as good as none: each level brings the take point to a third of its distance
from the closed form, which is then off by 4e-6 at most."""


class Player:
    """One side's worth of results, by points won (positive) or lost, with its own shares of gammons."""

    __slots__ = ("_backgammons", "_lost_backgammons", "gammons", "lost_gammons", "worth")

    def __init__(self, worth: Callable[[int], float], chances: Chances) -> None:
        self.worth = worth
        won, lost = chances.win, 1 - chances.win
        self.gammons = min(1.0, chances.win_gammon / won) if won > 0 else 0.0
        self._backgammons = min(self.gammons, chances.win_backgammon / won) if won > 0 else 0.0
        self.lost_gammons = min(1.0, chances.lose_gammon / lost) if lost > 0 else 0.0
        self._lost_backgammons = min(self.lost_gammons, chances.lose_backgammon / lost) if lost > 0 else 0.0

    def win(self, cube: int) -> float:
        """The average worth of a game won with the cube at `cube`."""
        gammons, backgammons, worth = self.gammons, self._backgammons, self.worth
        if gammons == 0:
            return worth(cube)
        return (1 - gammons) * worth(cube) + (gammons - backgammons) * worth(2 * cube) + backgammons * worth(3 * cube)

    def lose(self, cube: int) -> float:
        """The average worth of a game lost with the cube at `cube`."""
        gammons, backgammons, worth = self.lost_gammons, self._lost_backgammons, self.worth
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

    def cubeful(self, cube: int, users: tuple[bool, bool], efficiency: Efficiency, jacoby: bool = False) -> float:
        """With the cube at `cube`, where `users` says which sides may turn it. `jacoby`: gammons do not count until
        somebody does."""
        mine, theirs = users[0] and self.has_use(0, cube), users[1] and self.has_use(1, cube)
        free = theirs and self.is_free(1, cube)  # He turns it at once, but for what is worth more than a pass.
        if not (mine or theirs):
            return self.cubeless(cube, jacoby)
        last = mine != theirs and not self.has_use(1 if mine else 0, 2 * cube)
        p, player = self.chances.win, self.players[0]
        dropped, cashed = player.worth(-cube), player.worth(cube)
        lost, won = (dropped, cashed) if jacoby else (player.lose(cube), player.win(cube))
        # The ends of the line between the two points, and these points.
        left, low, take_point = 0.0, lost, 0.0
        right, high, cash_point = 1.0, won, 1.0
        held = 0.0  # how alive the cube is that the other side may turn
        if theirs:
            take_point = self.take_point(0, cube)
            late = LATENESS.degree(take_point - p, (dropped - lost) / (cashed - dropped), on_roll=False)
            held = efficiency.alive(1 - p, player.lost_gammons, player.gammons, late=late, last=last)
            left, low = 1 - _reach(1 - take_point, won - dropped, won - lost, 1.0 if free else held), dropped
        if mine:
            cash_point = self.cash_point(0, cube)
            late = LATENESS.degree(p - cash_point, (won - cashed) / (cashed - dropped), on_roll=True)
            if free:
                alive = 1.0
            elif self.is_free(0, cube):
                alive = efficiency.freely_alive(late)
            else:
                alive = efficiency.alive(p, player.gammons, player.lost_gammons, late=late, last=last)
            right, high = _reach(cash_point, cashed - lost, won - lost, alive), cashed
        if left >= right:  # A point for both: below it the other side doubles and is passed, above it this side.
            left = take_point = cash_point = (left + right) / 2
            low, slope = low if p < left else high, 0.0
        else:
            slope = (high - low) / (right - left)
        if p < take_point:
            below = lost + (low + slope * (take_point - left) - lost) * p / take_point
            return min(dropped, held * below + (1 - held) * self.cubeless(cube, jacoby)) if free else below
        if p > cash_point:
            corner = low + slope * (cash_point - left)
            return corner + (won - corner) * (p - cash_point) / (1 - cash_point)
        return low + slope * (p - left)

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
        if points > 0:
            return win(own - points, opponent, crawford_done, side)
        return win(own, opponent + points, crawford_done, side)

    return worth


def _reach(point: float, gain: float, slope: float, alive: float) -> float:
    """The chances with which a cube `alive` in part, a side's alone, would be worth as much as turning it brings, which
    is `gain` above the worth of the game lost. Alive it would be at `point`; dead the worth rises with `slope`."""
    rise = (1 - alive) * slope * point + alive * gain
    return min(1.0, point * gain / rise) if rise > 0 else point


def efficiency(board: Board) -> Efficiency:
    """How alive the cube of either side is at `board`, seen by the side on roll.

    On the last roll it is dead: when the opponent surely bears off everything with his next one, or, as good as that,
    when the side on roll has next to nothing left.
    """
    if board.has_contact:
        return CONTACT_EFFICIENCY
    most, less, win = RACE_EFFICIENCY
    even = most - less / max(1, board.pips) ** 2
    if _surely_off(board) or even <= 0:
        return DEAD
    return CONTACT_EFFICIENCY._replace(even=even, win=win, late=0.0)


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
