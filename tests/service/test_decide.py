"""Whatever is to be decided: the decisions that GNU Backgammon's clients ask for, in its words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from bgd.engine import MAX_PLIES
from bgd.errors import BadDice, IllegalAction, Unsupported
from bgd.notation import match_id, plays
from bgd.rules.legality import check_play
from bgd.rules.state import Outcome, Phase, Resignation
from bgd.service import Job, Service
from bgd.service.settings import Settings
from bgd.wire.messages import Decide, DecisionReply, Eval, EvalReply, Set
from tests.engine.fakes import fake_engine
from tests.service.deadlines import Unhurried

OPENING = "board:A:B:0:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0"
HIT_TWICE = "board:A:B:0:0:0:-2:2:0:2:0:0:3:0:1:0:0:0:-4:5:0:0:0:-4:0:-5:0:0:0:0:2:0"


def board(
    points: str = OPENING, *, turn: int = 1, dice: str = "0:0:0:0", may: str = "1:1", doubled: int = 0, cube: int = 1
) -> str:
    return f"{points}:{turn}:{dice}:{cube}:{may}:{doubled}:1:-1:0:25:0:0:0:0:0:0:0:1"


def decide(text: str, chances: Sequence[float] | None = None, **options: object) -> str:
    session = Service(version="0", engine_state=lambda: "ready").open_session("gnubg")
    job = session.handle(Decide(position=text, **options))  # type: ignore[arg-type]
    assert isinstance(job, Job)
    reply = job.run(fake_engine(chances), Unhurried())
    assert isinstance(reply, DecisionReply)
    return reply.answer


GOOD, EVEN, BAD = ([chance, 0, 0, 0, 0] for chance in (0.75, 0.5, 0.3))
CRUSHING = [0.9, 0.0, 0.0, 0.0, 0.0]


# A roll


@pytest.mark.parametrize("turn", [1, -1])
@pytest.mark.parametrize("dice", ["5:2:5:2", "0:0:5:2", "2:5:2:5", "5:2:0:0"])
def test_dice_are_answered_with_a_legal_play_in_numbers(turn: int, dice: str) -> None:
    text = board(turn=turn, dice=dice)
    answer = decide(text)
    state = Settings().read(text)
    assert state.dice is not None
    assert check_play(state.board, state.dice, plays.decode(answer))
    assert all(part.replace("/", "").replace("*", "").isdigit() for part in answer.split())


@pytest.mark.parametrize("turn", [1, -1])
@pytest.mark.parametrize("dice", ["5:2:5:2", "2:1:2:1", "4:4:4:4", "0:0:0:0"])
def test_the_decision_is_the_same_whichever_player_it_is_asked_of(turn: int, dice: str) -> None:
    *head, points = HIT_TWICE.split(":", 6)
    turned = ":".join(str(-int(count)) for count in reversed(points.split(":")))
    asked = board(HIT_TWICE, turn=turn, dice=dice)
    assert decide(asked) == decide(board(":".join([*head, turned]), turn=-turn, dice=dice))


def test_a_play_of_fewer_than_four_parts_ends_in_a_blank() -> None:
    assert decide(board(dice="3:1:3:1")).endswith(" ")
    four = decide(board(dice="3:3:3:3"))
    assert len(four.split()) == 4
    assert not four.endswith(" ")


def test_the_bar_is_25_and_off_is_0() -> None:
    assert decide(board(HIT_TWICE, turn=-1, dice="2:1:2:1")).startswith("25/")
    bear_off = f"XGID=-BB{'-' * 21}b-:0:0:1:11:0:0:0:0:10"
    assert decide(bear_off).split() in (["2/1", "2/1", "1/0", "1/0"], ["2/1", "1/0", "1/0", "1/0"])


def test_no_legal_play_is_an_empty_answer() -> None:
    assert decide(board(HIT_TWICE, turn=-1, dice="6:6:6:6")) == ""


@pytest.mark.parametrize("dice", ["9:9:9:9", "1:0:1:0", "0:3:0:0", "-1:2:-1:2", "7:1:7:1"])
def test_nonsense_dice_are_refused(dice: str) -> None:
    with pytest.raises(BadDice):
        decide(board(dice=dice))


# Double or roll


def test_without_dice_it_is_double_or_roll() -> None:
    assert decide(board(), GOOD) == "double"
    assert decide(board(), EVEN) == "roll"
    assert decide(board(), CRUSHING) == "double"


def test_a_redouble_is_the_word_double_since_clients_take_re_for_a_resignation() -> None:
    for turn, may in ((1, "1:0"), (-1, "0:1")):
        owned = board(turn=turn, may=may, cube=2)
        assert decide(owned, CRUSHING) == "double"
        assert decide(owned, EVEN) == "roll"


def test_too_good_to_double_is_roll() -> None:
    assert decide(board(), [0.97, 0.8, 0, 0, 0], jacoby=False) == "roll"
    assert decide(board(), [0.97, 0.8, 0, 0, 0], jacoby=True) == "double"


def test_who_may_not_double_rolls() -> None:
    assert decide(board(may="0:1", cube=2), GOOD) == "roll"
    crawford = board().replace("A:B:0:0:0", "A:B:5:2:4", 1).removesuffix(":1") + ":0"
    assert decide(crawford, GOOD) == "roll"


def test_in_the_crawford_game_nobody_doubles_and_after_it_the_trailer_does() -> None:
    # The side on roll has the second score here, 2; the opponent is 1 away.
    crawford = board().replace("A:B:0:0:0", "A:B:5:4:2", 1).removesuffix(":1") + ":0"
    after = board().replace("A:B:0:0:0", "A:B:5:4:2", 1)
    assert decide(crawford, EVEN) == "roll"
    assert decide(after, EVEN) == "double"
    assert decide(crawford, EVEN, crawford=False) == "double"


def test_a_leader_one_away_never_doubles() -> None:
    assert decide(board().replace("A:B:0:0:0", "A:B:5:2:4", 1), CRUSHING) == "roll"


# An offered double: the other side answers, and chances are the doubler's


@pytest.mark.parametrize("turn", [1, -1])
@pytest.mark.parametrize(("doubled", "may"), [(1, "1:1"), (-1, "1:1"), (0, "0:0")])
def test_a_double_is_answered_by_the_other_side(turn: int, doubled: int, may: str) -> None:
    offered = board(HIT_TWICE, turn=turn, doubled=doubled, may=may)
    assert decide(offered, CRUSHING) == "drop"
    assert decide(offered, GOOD) == "take"
    assert decide(offered, BAD) == "beaver"


def test_a_double_is_answered_before_anything_else() -> None:
    assert decide(board(doubled=1, dice="3:1:3:1"), GOOD) == "take"
    assert decide(board(doubled=1), GOOD, resignation=3) == "take"


def test_without_beavers_a_bad_double_is_taken() -> None:
    assert decide(board(doubled=1), BAD, beavers=False) == "take"
    assert decide(board(doubled=1), BAD, beavers=True) == "beaver"


def test_no_beaver_in_a_match() -> None:
    assert decide(board(doubled=1).replace("A:B:0:0:0", "A:B:7:2:2", 1), BAD) == "take"


def pending(letter: str, rules: int = 3) -> str:
    """Bottom has doubled; what top, or bottom again, made of it is still to be answered."""
    return f"XGID=-b----E-C---eE---c-e----B-:0:0:1:{letter}:0:0:{rules}:0:10"


def test_a_beaver_is_answered_by_the_doubler_and_a_raccoon_by_the_other_side() -> None:
    # The cube is 4 after the beaver, 8 after the raccoon, and the chances are the doubler's.
    assert decide(pending("B"), [0.45, 0.0, 0.0, 0.0, 0.0]) == "take"
    assert decide(pending("B"), BAD) == "drop"
    assert decide(pending("B"), GOOD) == "raccoon"
    assert decide(pending("R"), GOOD) == "take"
    assert decide(pending("R"), CRUSHING) == "drop"


def test_where_beavers_are_not_played_a_beaver_is_not_raccooned() -> None:
    assert decide(pending("B"), GOOD, beavers=False) == "take"


# An offered resignation: the side on roll is asked, and the other one offers


def test_a_resignation_is_accepted_when_it_is_worth_no_less_than_playing_on() -> None:
    for outcome in (1, 2, 3):
        assert decide(board(), GOOD, resignation=outcome) == "accept"
    gammonish = [0.99, 0.7, 0.1, 0, 0]
    owned = {"may": "1:0", "cube": 2}
    assert decide(board(**owned), gammonish, resignation=1) == "reject"  # type: ignore[arg-type]
    assert decide(board(**owned), gammonish, resignation=2) == "accept"  # type: ignore[arg-type]


def test_a_sure_gammon_is_not_given_away_for_a_single_game() -> None:
    sure = [1.0, 1.0, 0.0, 0.0, 0.0]
    assert decide(board(), sure, resignation=1, jacoby=False) == "reject"
    assert decide(board(), sure, resignation=2, jacoby=False) == "accept"
    assert decide(board(), sure, resignation=1, jacoby=True) == "accept"


def test_a_resignation_comes_before_the_dice() -> None:
    assert decide(board(dice="3:1:3:1"), GOOD, resignation=1) == "accept"


def test_a_resignation_in_a_match_id_is_judged_for_the_side_it_is_made_to() -> None:
    state = Settings().read(board())
    for side, chances in ((state.turn.other, GOOD), (state.turn, [0.1, 0, 0, 0, 0])):
        offered = replace(state, resignation=Resignation(side, Outcome.SINGLE))
        assert decide(match_id.encode_pair(offered), chances) == "accept"


# Boards that are none


def test_a_finished_game_is_refused() -> None:
    with pytest.raises(IllegalAction, match="over"):
        decide(f"XGID=-BB{'-' * 23}:0:0:1:00:0:0:0:0:10")


def test_a_level_that_is_not_there_is_refused() -> None:
    with pytest.raises(Unsupported):
        decide(board(), plies=MAX_PLIES + 1)


# Whose score is whose


def test_the_second_score_is_the_side_on_rolls_as_gnu_backgammon_reads_and_the_first_as_fibs_does() -> None:
    text = board().replace("A:B:0:0:0", "A:B:7:5:0", 1)

    def chances(reading: str) -> float:
        session = Service(version="0", engine_state=lambda: "ready").open_session("text")
        session.handle(Set(values={"reading": reading}))
        job = session.handle(Eval(position=text))
        assert isinstance(job, Job)
        reply = job.run(fake_engine(EVEN), Unhurried())
        assert isinstance(reply, EvalReply)
        assert isinstance(reply.mwc, float)
        return reply.mwc

    assert chances("gnubg") == pytest.approx(0.146, abs=0.03)
    assert chances("fibs") == pytest.approx(0.862, abs=0.03)


def test_the_pending_double_is_the_doing_of_the_side_named_by_turn() -> None:
    state = Settings().read(board(HIT_TWICE, turn=-1, doubled=1))
    assert state.phase is Phase.DOUBLED
    assert state.board.bar == 2
