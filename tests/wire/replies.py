"""What tests of the wire share: a reply of every kind, and a peer that asks and is answered."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from bgd.errors import BgdError
from bgd.wire.conversation import Conversation
from bgd.wire.detect import Dialect
from bgd.wire.messages import (
    BestReply,
    Candidate,
    CheckReply,
    CubeReply,
    DecisionReply,
    Done,
    EvalReply,
    HelloReply,
    HelpReply,
    Incoming,
    LuckReply,
    Move,
    MovesReply,
    Option,
    OptionsReply,
    PositionReply,
    Reply,
    Request,
    ResignReply,
    Rolled,
    RolloutReply,
    ShowReply,
    StatsReply,
    TurnReply,
    Values,
)

START: Final = "4HPwATDgc/ABMA"
BOARD: Final = (
    "board:A:B:0:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0"
    ":1:3:1:3:1:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1"
)

EIGHT_FIVE: Final = Candidate(
    play="8/5 6/5",
    moves=(Move(8, 5, False), Move(6, 5, False)),
    result="sGfwATDgc/ABMA",
    rank=1,
    equity=0.15944,
    loss=0.0,
    plies=0,
    win=0.55113,
    wingammon=0.17122,
    winbackgammon=0.00781,
    losegammon=0.1117,
    losebackgammon=0.0044,
)
EVALUATION: Final = EvalReply(
    win=0.521483,
    wingammon=0.153909,
    winbackgammon=0.007563,
    losegammon=0.129867,
    losebackgammon=0.007548,
    equity=0.067024,
    cubeful=0.084256,
    plies=0,
)
OPTIONS: Final = (
    Option(name="match", type="int", domain="0..64", default="0", meaning="match length, 0 for money"),
    Option(name="jacoby", type="bool", domain="on|off", default="on", meaning="the Jacoby rule"),
    Option(name="owner", type="enum", domain="centre|bottom|top", default="centre", meaning="who owns the cube"),
    Option(name="plies", type="int", domain="0..0", default="0", meaning="level of answers"),
    Option(name="dice", type="string", domain="*", default="none", meaning="the roll"),
)
HELLO: Final = HelloReply(
    name="bgd",
    version="0.1.0",
    protocol="1",
    author="the bgd authors",
    engine="ready",
    capabilities=("best", "cube"),
    limits={"line": 8192},
    options=OPTIONS,
)
CUBE: Final = CubeReply(
    nodouble=0.0712,
    doubletake=-0.3105,
    doublepass=1.0,
    label="no double/take",
    double=False,
    response="take",
    gain=-0.3817,
    takegain=1.3105,
    plies=0,
)
ROLLED: Final = Rolled(
    action="play",
    trials=1296,
    equity=0.1512,
    equityerror=0.0031,
    loss=0.0,
    losserror=0.0,
    win=0.55113,
    winerror=0.0012,
    wingammon=0.17122,
    wingammonerror=0.0011,
    winbackgammon=0.00781,
    winbackgammonerror=0.0002,
    losegammon=0.1117,
    losegammonerror=0.0011,
    losebackgammon=0.0044,
    losebackgammonerror=0.0001,
    cubeful=0.2012,
    cubefulerror=0.0081,
    play="8/5 6/5",
    result="sGfwATDgc/ABMA",
)
REPLIES: Final[tuple[Reply, ...]] = (
    Done(),
    Done(text="pong"),
    HELLO,
    HelpReply(lines=("best [dice]", "", "  the best play")),
    Values(values={"match": "7", "score": "2-4"}),
    OptionsReply(options=OPTIONS),
    PositionReply(id=f"{START}:cAkAAAAAAAAE", text=f"{START}:cAkAAAAAAAAE", lost=("the cube limit",)),
    MovesReply(plays=(EIGHT_FIVE,)),
    MovesReply(plays=()),
    CheckReply(play="8/5 6/5", result="sGfwATDgc/ABMA"),
    CheckReply(play="", result="4HPwAVDgc/ABMA", nohit=(0, 5, 24)),
    BestReply(play="8/5 6/5", plays=(EIGHT_FIVE,), plies=0),
    BestReply(play="", plays=(), plies=0),
    EVALUATION,
    CUBE,
    ResignReply(answer="play on", equity=0.0712, plies=0),
    ResignReply(answer="reject", equity=1.25, plies=0, outcome=1, worth=1.0, mwc=0.75, mwcworth=0.5),
    RolloutReply(rolled=(ROLLED, replace(ROLLED, loss=0.012)), ended="apart", seed=7, play="8/5 6/5"),
    RolloutReply(
        rolled=(replace(ROLLED, action="no double", play="", result="", mwc=0.5123, mwcerror=0.0012),),
        ended="trials",
        seed=1,
        cube=CUBE,
    ),
    LuckReply(luck=-0.25, equity=0.1, mean=0.35),
    LuckReply(luck=0.25, equity=0.1, mean=-0.15, mwc=0.0321),
    TurnReply(cube="roll", play="8/5 6/5", plies=2),
    DecisionReply(answer="8/5 6/5 "),
    ShowReply(lines=(" +13-14-15", " |")),
    StatsReply(values={"requests": 3}),
)


class Peer:
    """Sends lines; each is answered with `answer`, errors with themselves."""

    def __init__(self, dialect: Dialect | None = None) -> None:
        self.conversation = Conversation(dialect)

    def asks(self, line: str) -> Incoming:
        (incoming,) = self.conversation.receive_data(line.encode() + b"\n")
        return incoming

    def request(self, line: str) -> Request:
        content = self.asks(line).content
        assert isinstance(content, Request), content
        return content

    def hears(self, line: str, answer: Reply | BgdError | None = None) -> str:
        """What comes back for `line` when the service says `answer`."""
        incoming = self.asks(line)
        content = incoming.content
        if isinstance(content, Request):
            assert answer is not None, f"{line!r} asks {content!r}"
            return self.conversation.send(incoming, answer).decode()
        return self.conversation.send(incoming, content).decode()
