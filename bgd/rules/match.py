"""A match from game to game: the score and the one Crawford game."""

from __future__ import annotations

from bgd.rules.state import Match, Result, Side


def after_game(match: Match, result: Result, *, crawford_rule: bool = True) -> Match:
    """The match with a game's result counted, as the next game begins (if there is one: see Match.winner).

    Points beyond the length are not counted. Where the Crawford rule is played, the next game is the Crawford game when
    it is the first that begins with a side 1 point away, and the other side more.
    """
    scores = list(match.scores)
    scores[result.winner] = min(match.length, scores[result.winner] + result.points)
    first = crawford_rule and not any(match.away(side) == 1 for side in Side)
    return Match(match.length, (scores[0], scores[1]), crawford=first and _begins_crawford(match.length, scores))


def _begins_crawford(length: int, scores: list[int]) -> bool:
    return max(scores) == length - 1 and min(scores) < length - 1
