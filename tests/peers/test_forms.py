"""bgd's gnubg dialect beside the original: the same questions to both, answers of the same form.

Engines differ in what they play, so a play is compared as a play; every other answer byte for byte.
"""

from __future__ import annotations

import random
import re
from itertools import islice
from pathlib import Path

from bgd.duel.external import ExternalClient, GnubgServer
from bgd.notation import fibs_board, plays
from bgd.rules.legality import check_play
from bgd.rules.state import GameState, Phase
from tests.conftest import DaemonProcess
from tests.peers.positions import random_states

PLAY = r"(\d+/\d+\*? ){1,3}|(\d+/\d+\*? ){3}\d+/\d+\*?"
NUMBERS = r"(\d\.\d{6} ){5}-?\d\.\d{6}"
CHOICES = (("roll", "double"), ("take", "drop", "beaver"), ("accept", "reject"))

BADLY = "Error: badly formed board: "
DIFFERENCES = {
    "9-9": (BADLY + ".*`99`", "no such dice; gnubg plays them"),
    "1-0": (BADLY + ".*`10`", "no such dice; gnubg plays the one"),
    "board with 16 checkers": (r"Error: badly formed board", "gnubg plays with sixteen"),
    "too few fields": (r"Error: badly formed board", "gnubg fills them up from the board before"),
    "VERSION": (r"Interface: 2\nRFBF: 0\nEngine: \S+\nSoftware: bgd \S+", "it says who answers"),
}
"""Where bgd means to answer otherwise: the title of the request, its answer, and why."""


def requests() -> list[tuple[str, str]]:
    lines = Path(__file__).with_name("external_requests.txt").read_text().split("\n")
    titles = [line[2:] for line in lines if line.startswith("# ")]
    return list(zip(titles, [line[3:] for line in lines if line.startswith("C: ")], strict=True))


def answer(client: ExternalClient, line: str) -> str:
    client.send(line)
    count = 4 if line.strip().lower() == "version" else 1
    return "\n".join(client.receive() for _ in range(count))


def form(reply: str) -> str:
    """What kind of answer it is, where its kind is all that can be compared; else the answer itself."""
    for name, pattern in (("a play", PLAY), ("six numbers", NUMBERS)):
        if re.fullmatch(pattern, reply):
            return name
    return next((" or ".join(choice) for choice in CHOICES if reply in choice), reply)


def test_every_kind_of_request_is_answered_in_gnubgs_form(gnubg_client: ExternalClient, daemon: DaemonProcess) -> None:
    wrong = []
    with ExternalClient("127.0.0.1", daemon.port) as bgd_client:
        for title, line in requests():
            theirs, ours = answer(gnubg_client, line), answer(bgd_client, line)
            pattern, _ = DIFFERENCES.get(title, (None, ""))
            as_meant = form(theirs) == form(ours) if pattern is None else re.fullmatch(pattern, ours)
            if not as_meant or (pattern is not None and theirs == ours):
                wrong.append((title, line, theirs, ours))
    assert wrong == []


def question(state: GameState, rng: random.Random) -> str:
    board = fibs_board.encode(state, names=("one", "two"))
    return f"{board} resignation {rng.randint(1, 3)}" if rng.random() < 0.08 else board


def test_a_thousand_boards_get_decisions_of_the_same_form_and_legal_plays(
    gnubg_server: GnubgServer, daemon: DaemonProcess
) -> None:
    rng = random.Random(76)
    # gnubg 1.07 dies of a cube at 64 in a long match (a segmentation fault).
    states = [state for state in islice(random_states(seed=76), 0, 9_000, 7) if state.cube.value < 64][:1000]
    assert len(states) == 1000
    questions = [question(state, rng) for state in states]
    with gnubg_server.connect() as gnubg_client, ExternalClient("127.0.0.1", daemon.port) as bgd_client:
        theirs = [gnubg_client.ask(line) for line in questions]
        ours = [bgd_client.ask(line) for line in questions]
    wrong = [trio for trio in zip(questions, theirs, ours, strict=True) if form(trio[1]) != form(trio[2])]
    assert wrong == []
    assert {form(reply) for reply in ours} == {"a play", "", *map(" or ".join, CHOICES)}
    for state, line, text in zip(states, questions, ours, strict=True):
        if state.phase is Phase.PLAY and "resignation" not in line:
            assert state.dice is not None
            check_play(state.board, state.dice, plays.decode(text))
