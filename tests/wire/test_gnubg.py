"""GNU Backgammon's external interface."""

from __future__ import annotations

import pytest

from bgd.errors import BadArgument, BadDice, BadPosition
from bgd.wire.messages import Decide, DecisionReply, Done, Eval, EvalReply, Hello, Quit
from tests.wire.heard import HEARD
from tests.wire.replies import BOARD, EVALUATION, HELLO, Peer


@pytest.fixture
def peer() -> Peer:
    return Peer("gnubg")


def test_a_board_asks_for_a_decision(peer: Peer) -> None:
    assert peer.request(BOARD) == Decide(position=BOARD)


def test_a_board_is_known_in_any_case_and_after_blanks(peer: Peer) -> None:
    assert peer.request(f"  BOARD{BOARD[5:]}  ") == Decide(position=BOARD)


def test_session_options_follow_the_board_in_any_order_and_case(peer: Peer) -> None:
    assert peer.request(f"{BOARD} BEAVERS no resignation 2\tjacobyrule Off crawfordrule YES") == Decide(
        position=BOARD, jacoby=False, crawford=True, beavers=False, resignation=2
    )


def test_no_resignation_is_none(peer: Peer) -> None:
    assert peer.request(f"{BOARD} resignation 0") == Decide(position=BOARD)


def test_a_board_decision_may_name_its_plies(peer: Peer) -> None:  # the original can't
    assert peer.request(f"{BOARD} plies 2") == Decide(position=BOARD, plies=2)


@pytest.mark.parametrize("name", ['"A B"', "'A B'", '"a:b"'])
def test_names_with_blanks_or_colons_are_quoted(peer: Peer, name: str) -> None:  # pitfall 5
    board = BOARD.replace("A", name, 1)
    assert peer.request(f"{board} beavers on") == Decide(position=board, beavers=True)


@pytest.mark.parametrize(
    "answer", ["8/5 6/5 ", "24/18 24/18 13/7* 13/7", "roll", "double", "take", "drop", "beaver", "accept", "reject"]
)
def test_a_decision_is_one_line_and_nothing_else(peer: Peer, answer: str) -> None:
    assert peer.hears(BOARD, DecisionReply(answer=answer)) == f"{answer}\n"


def test_no_legal_play_is_an_empty_line(peer: Peer) -> None:
    assert peer.hears(BOARD, DecisionReply(answer="")) == "\n"


def test_an_evaluation_reads_its_options_in_any_order_and_case(peer: Peer) -> None:
    line = f"EVALUATION FIBSBOARD {BOARD} CUBE ON PLIES 2 PRUNE NO NOISE 0.25 DETERMINISTIC JACOBYRULE ON"
    assert peer.request(line) == Eval(position=BOARD, plies=2, noise=0.25, jacoby=True)


def test_an_evaluation_is_0_ply_unless_it_says_otherwise(peer: Peer) -> None:
    assert peer.request(f"evaluation fibsboard {BOARD}") == Eval(position=BOARD, plies=0)


def test_an_integer_noise_counts_ten_thousandths(peer: Peer) -> None:  # pitfall 4
    assert peer.request(f"evaluation fibsboard {BOARD} noise 150") == Eval(position=BOARD, plies=0, noise=0.015)


@pytest.mark.parametrize(
    ("options", "value"),
    [
        ("", "0.067024"),
        ("cubeless", "0.067024"),
        ("cubeful", "0.084256"),
        ("cube on", "0.084256"),
        ("cube off", "0.067024"),
        ("cubeless cubeful", "0.084256"),
        ("cube on cubeless", "0.067024"),
    ],
)
def test_an_evaluation_gives_the_equity_asked_for(peer: Peer, options: str, value: str) -> None:
    line = f"evaluation fibsboard {BOARD} plies 0 {options}"
    assert peer.hears(line, EVALUATION) == f"0.521483 0.153909 0.007563 0.129867 0.007548 {value}\n"


@pytest.mark.parametrize(("cube", "value"), [("cubeless", "0.667516"), ("cubeful", "0.658168")])
def test_in_a_match_an_evaluation_gives_match_winning_chances(peer: Peer, cube: str, value: str) -> None:
    reply = EvalReply(
        win=0.5,
        wingammon=0.1,
        winbackgammon=0.0,
        losegammon=0.1,
        losebackgammon=0.0,
        equity=-0.1,
        cubeful=-0.2,
        plies=0,
        mwc=0.667516,
        mwccubeful=0.658168,
    )
    assert peer.hears(f"evaluation fibsboard {BOARD} {cube}", reply).split()[-1] == value


def test_version_is_four_lines_and_names_bgd(peer: Peer) -> None:
    assert peer.request("VERSION") == Hello()
    assert peer.hears("version", HELLO) == "Interface: 2\nRFBF: 0\nEngine: 1.00\nSoftware: bgd 0.1.0\n"


@pytest.mark.parametrize("word", ["quit", "exit", "  QUIT"])
def test_quit_and_exit_are_not_answered(peer: Peer, word: str) -> None:
    assert peer.request(word) == Quit()
    assert peer.hears(word, Done()) == ""


@pytest.mark.parametrize(("line", "reply"), HEARD)
def test_what_gnubg_says_to_this_bgd_says_too(peer: Peer, line: str, reply: str) -> None:
    assert peer.hears(line) == f"{reply}\n"


def test_a_blank_line_never_repeats_the_command_before_it(peer: Peer) -> None:  # pitfall 3
    peer.hears(BOARD, DecisionReply(answer="roll"))
    assert peer.hears("") == "Error: no command given\n"


def test_a_board_that_cannot_be_is_badly_formed(peer: Peer) -> None:
    assert peer.hears(BOARD, BadPosition("badly formed board: 16 checkers")) == "Error: badly formed board\n"


def test_nonsense_dice_get_an_error_and_no_play(peer: Peer) -> None:
    assert peer.hears(BOARD, BadDice("badly formed board: got `99`")) == "Error: badly formed board: got `99`\n"


def test_every_error_is_one_line_that_begins_as_gnubg_s_client_expects(peer: Peer) -> None:  # pitfall 1
    assert peer.hears(BOARD, BadArgument("two\nlines")) == "Error: two lines\n"


@pytest.mark.parametrize("options", ["plies -1", "plies 5", "plies 99999999999999999999", "noise 10001", "noise 1.1"])
def test_what_is_out_of_bounds_is_refused_by_name(peer: Peer, options: str) -> None:
    assert peer.hears(f"evaluation fibsboard {BOARD} {options}").startswith(f"Error: Expected {options.split()[0]}")


@pytest.mark.parametrize("offer", [4, -1])
def test_a_resignation_that_is_none_is_refused(peer: Peer, offer: int) -> None:  # the original accepts it
    assert peer.hears(f"{BOARD} resignation {offer}").startswith("Error: Expected resignation from 0 to 3")
