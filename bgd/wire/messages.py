"""Requests and replies: what all dialects decode to and encode from.

A request is what somebody wants to know or set; its class carries the verb (`Best.verb == "best"`). Positions, plays
and dice travel as text in any notation: what they mean is the service's business. Every request gets exactly one
reply, or an error.

Points of view: equities and probabilities are the side on roll's, equities normalised to the cube (a single win of
the current cube is 1); `mwc` fields are match winning chances, 0..1, of the side on roll. A reply's `play` is written
from the mover's side; its `result` is the Position ID after the play, seen by the player then on roll.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from bgd.errors import BgdError

MAX_PLIES: Final = 4
MAX_TOP: Final = 4096
MAX_TEXT: Final = 2048
MAX_TRIALS: Final = 100_000
MAX_CANDIDATES: Final = 16
MAX_TOKEN: Final = 256
MAX_PRIORITY: Final = 100

PositionText = Annotated[str, Meta(min_length=1, max_length=MAX_TEXT)]
"""XGID, GNU Position ID with or without a Match ID, FIBS board, OGID or `start`."""

DiceText = Annotated[
    str, Meta(max_length=8, pattern=r"^ *[1-6][ ,-]*[1-6] *$", description="two dice, `31`; in JSON also `[3, 1]`")
]
PlayText = Annotated[str, Meta(max_length=128, description="a play in any spelling")]
Word = Annotated[str, Meta(min_length=1, max_length=64)]
Plies = Annotated[int, Meta(ge=0, le=MAX_PLIES, description="as GNU Backgammon counts: 0 is the static evaluation")]
Movetime = Annotated[int, Meta(ge=1, le=3_600_000, description="ms")]
Interval = Annotated[int, Meta(ge=0, le=3_600_000, description="ms between two reports of progress; 0: none")]
Resigned = Annotated[int, Meta(ge=1, le=3, description="1 single, 2 gammon, 3 backgammon")]
Priority = Annotated[
    int, Meta(ge=-MAX_PRIORITY, le=MAX_PRIORITY, description="higher first, among what a connection has waiting")
]


class Request(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of all requests. `verb` is its name on the wire."""

    verb: ClassVar[str]


class Hello(Request, frozen=True, kw_only=True):
    """Who are you: name, version, protocol, capabilities, limits."""

    verb = "hello"


class Ping(Request, frozen=True, kw_only=True):
    verb = "ping"


class Auth(Request, frozen=True, kw_only=True):
    """The token that a server may ask for before it answers. It is in no repr, so that no log shows it."""

    verb = "auth"
    token: Annotated[str, Meta(min_length=1, max_length=MAX_TOKEN)]

    def __repr__(self) -> str:
        return "Auth(token=...)"


class Help(Request, frozen=True, kw_only=True):
    verb = "help"
    topic: Word | None = None


class Quit(Request, frozen=True, kw_only=True):
    verb = "quit"


class SetPosition(Request, frozen=True, kw_only=True):
    """Make this the session's position (and, when the notation carries them, its cube, dice, score and rules).

    `reading`: whose score is whose in a FIBS board, as GNU Backgammon reads it or by FIBS's own definition."""

    verb = "position"
    position: PositionText
    reading: Literal["gnubg", "fibs"] | None = None


class NewGame(Request, frozen=True, kw_only=True):
    """Forget the session's position, dice and cube; `session` forgets match, score and all other settings too."""

    verb = "newgame"
    session: bool = False


class Set(Request, frozen=True, kw_only=True):
    """Change settings of the session by name; nothing is changed when one of them is wrong. Values are text.

    The names and their values, in every dialect:

    match     length of the match in points; 0 is money play
    score     `2-4`: points of bottom, then of top. Bottom is the side on roll unless `turn` says otherwise
    cube      its value: 1, 2, 4, ...
    owner     centre, bottom or top
    crawford  on or off: this is the Crawford game
    jacoby    on or off (money play)
    beavers   on or off (money play)
    dice      `31`, or `none`
    turn      bottom or top: who is on roll. A Position ID is seen by the side on roll, whoever that is
    plies     level of answers that name none, as GNU Backgammon counts
    variant   backgammon
    reading   gnubg or fibs: whose score is whose in a FIBS board

    UBGI's p0 is bottom and its p1 is top."""

    verb = "set"
    values: dict[Word, Annotated[str, Meta(max_length=MAX_TEXT)]]


class Get(Request, frozen=True, kw_only=True):
    """Settings of the session; all of them when no name is given."""

    verb = "get"
    names: tuple[Word, ...] = ()


class Options(Request, frozen=True, kw_only=True):
    """Every setting: name, type, domain, default, meaning."""

    verb = "options"


class Moves(Request, frozen=True, kw_only=True):
    """All legal plays, distinct by resulting position."""

    verb = "moves"
    dice: DiceText | None = None
    position: PositionText | None = None


class Check(Request, frozen=True, kw_only=True):
    """Is this play legal, and if not, which rule does it break."""

    verb = "check"
    play: PlayText
    dice: DiceText | None = None
    position: PositionText | None = None


class Best(Request, frozen=True, kw_only=True):
    """The best play. `top`: how many candidates to list, best first (0: none, the answer alone)."""

    verb = "best"
    dice: DiceText | None = None
    position: PositionText | None = None
    plies: Plies | None = None
    top: Annotated[int, Meta(ge=0, le=MAX_TOP)] = 1
    movetime: Movetime | None = None
    progress: Interval = 0
    priority: Priority = 0


class Eval(Request, frozen=True, kw_only=True):
    """What the position is worth, before the roll. `jacoby`, `crawford`, `beavers` override the position's rules.

    `noise` is the standard deviation of a deterministic noise added to the equity, as GNU Backgammon's option."""

    verb = "eval"
    position: PositionText | None = None
    plies: Plies | None = None
    jacoby: bool | None = None
    crawford: bool | None = None
    beavers: bool | None = None
    noise: Annotated[float, Meta(ge=0, le=1)] = 0.0
    movetime: Movetime | None = None
    progress: Interval = 0
    priority: Priority = 0


class Cube(Request, frozen=True, kw_only=True):
    """Three equities, the label, proper double and proper response."""

    verb = "cube"
    position: PositionText | None = None
    plies: Plies | None = None
    jacoby: bool | None = None
    beavers: bool | None = None
    movetime: Movetime | None = None
    progress: Interval = 0
    priority: Priority = 0


class Rollout(Request, frozen=True, kw_only=True):
    """Play out many games: of some plays, or of the position before the roll, with the cube turned too where it may be.

    With dice the `plays` named, or the best `candidates` at 0 plies; without, the position. `trials` games of each,
    rounded up to a multiple of 36, at `plies` (`firstplies` in the first `firstturns` turns), with the `cube` in play.
    Games end where the bear-off is known (`bearoff`), or after `truncate` turns (0: never), by the network's word.
    `reduction`: the luck of the dice is taken away. `before`: the position before the roll, whatever dice it has. It
    ends earlier when every standard error is at most `error`, and a play that is more than `apart` standard errors
    behind the best is played no further; that of a cube decision ends when its actions are as far apart. The same
    `seed` gives the same answer."""

    verb = "rollout"
    dice: DiceText | None = None
    position: PositionText | None = None
    plays: Annotated[tuple[PlayText, ...], Meta(max_length=MAX_CANDIDATES)] = ()
    candidates: Annotated[int, Meta(ge=1, le=MAX_CANDIDATES)] = 3
    trials: Annotated[int, Meta(ge=1, le=MAX_TRIALS)] = 1296
    seed: Annotated[int, Meta(ge=0, le=2**53 - 1)] = 1
    plies: Plies = 0
    firstplies: Plies | None = None
    firstturns: Annotated[int, Meta(ge=0, le=1000)] = 0
    truncate: Annotated[int, Meta(ge=0, le=1000)] = 0
    cube: bool = True
    bearoff: bool = True
    reduction: bool = True
    before: bool = False
    error: Annotated[float, Meta(ge=0, le=1)] | None = None
    apart: Annotated[float, Meta(ge=0, le=100)] | None = None
    movetime: Movetime | None = None
    progress: Interval = 0
    priority: Priority = 0


class Luck(Request, frozen=True, kw_only=True):
    """How lucky a roll is: its best play's equity less the mean over the best plays of all rolls. `opening`: it begins
    the game, and so is no double."""

    verb = "luck"
    dice: DiceText | None = None
    position: PositionText | None = None
    opening: bool = False
    priority: Priority = 0


class Resign(Request, frozen=True, kw_only=True):
    """Should the side on roll offer to resign? With `offered`, or when the position says that an offer was made:
    should it be accepted? `offered` is the other side's offer to the side on roll."""

    verb = "resign"
    offered: Resigned | None = None
    position: PositionText | None = None
    plies: Plies | None = None
    movetime: Movetime | None = None
    priority: Priority = 0


class Turn(Request, frozen=True, kw_only=True):
    """A whole turn for the side on roll: double or roll; with dice, the play."""

    verb = "turn"
    dice: DiceText | None = None
    position: PositionText | None = None
    plies: Plies | None = None
    movetime: Movetime | None = None
    priority: Priority = 0


class Decide(Request, frozen=True, kw_only=True):
    """Whatever is to be decided in a position that says what that is (a FIBS board): a play, double or roll, take,
    drop, beaver or raccoon, accept or reject a resignation. Answered with one word or play, as GNU Backgammon words
    it."""

    verb = "decide"
    position: PositionText
    jacoby: bool | None = None
    crawford: bool | None = None
    beavers: bool | None = None
    resignation: Resigned | None = None
    plies: Plies | None = None
    priority: Priority = 0


class Convert(Request, frozen=True, kw_only=True):
    """The position in another notation; what that cannot carry is named."""

    verb = "convert"
    to: Literal["id", "xgid", "fibs", "ogid"]
    position: PositionText | None = None


class Show(Request, frozen=True, kw_only=True):
    """The board drawn, as lines of text or as SVG."""

    verb = "show"
    position: PositionText | None = None
    form: Literal["text", "svg"] = "text"


class Cancel(Request, frozen=True, kw_only=True):
    """Stop one request of this connection by its tag, or all of them. They are answered with the error `cancelled`;
    with `finish` (UBGI's `stop`) with the best answer so far, as if their time were up."""

    verb = "cancel"
    target: Word | None = None
    finish: bool = False


class Stats(Request, frozen=True, kw_only=True):
    """How the server fares: time up, connections, requests, errors, what waits and runs, how long answers took."""

    verb = "stats"


REQUESTS: Final[dict[str, type[Request]]] = {
    kind.verb: kind
    for kind in (
        Hello, Ping, Auth, Help, Quit, SetPosition, NewGame, Set, Get, Options, Moves, Check, Best, Eval, Cube, Rollout,
        Luck, Resign, Turn, Decide, Convert, Show, Cancel, Stats,
    )
}  # fmt: skip
"""Every request by its verb. The dialects text and json have them all."""


class Reply(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Base of all replies."""


class Done(Reply, frozen=True, kw_only=True):
    """Nothing to say but that it was done."""

    text: str = ""


class Option(Struct, frozen=True, kw_only=True):
    """One setting: `type` is bool, int, enum or string; `domain` its words (`centre|bottom|top`) or bounds (`0..4`),
    `*` when it has neither; all values are text."""

    name: str
    type: str
    domain: str
    default: str
    meaning: str


class HelloReply(Reply, frozen=True, kw_only=True):
    """`options` are all settings, as `options` lists them: UBGI's handshake tells them."""

    name: str
    version: str
    protocol: str
    author: str
    engine: Literal["ready", "loading", "failed"]
    capabilities: tuple[str, ...]
    limits: dict[str, int]
    options: tuple[Option, ...] = ()


class HelpReply(Reply, frozen=True, kw_only=True):
    lines: tuple[str, ...]


class Values(Reply, frozen=True, kw_only=True):
    """Settings as name and value, in a stable order."""

    values: dict[str, str]


class OptionsReply(Reply, frozen=True, kw_only=True):
    options: tuple[Option, ...]


class PositionReply(Reply, frozen=True, kw_only=True):
    """The position now in force. `id` is `PositionID:MatchID`; `text` it in the notation asked for; `lost` names what
    that notation cannot carry."""

    id: str
    text: str
    lost: tuple[str, ...] = ()


class Move(Struct, frozen=True, array_like=True):
    """One checker: from, to (25 bar, 0 off), whether it hits."""

    source: int
    destination: int
    hit: bool


class Candidate(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One play. Without evaluation (a list of legal plays) only `play`, `moves` and `result` are there."""

    play: str
    moves: tuple[Move, ...]
    result: str
    rank: int | UnsetType = UNSET
    equity: float | UnsetType = UNSET
    loss: float | UnsetType = UNSET
    plies: int | UnsetType = UNSET
    win: float | UnsetType = UNSET
    wingammon: float | UnsetType = UNSET
    winbackgammon: float | UnsetType = UNSET
    losegammon: float | UnsetType = UNSET
    losebackgammon: float | UnsetType = UNSET
    mwc: float | UnsetType = UNSET


class MovesReply(Reply, frozen=True, kw_only=True):
    """All legal plays; `plays` is empty when there is none."""

    plays: tuple[Candidate, ...]


class CheckReply(Reply, frozen=True, kw_only=True):
    """The play is legal: its canonical spelling, empty when there is none, and result. `nohit`: points on which a hit
    was marked, and nothing is hit (0: off)."""

    play: str
    result: str
    nohit: tuple[int, ...] = ()


class BestReply(Reply, frozen=True, kw_only=True):
    """`play` is the best play, empty when there is no legal play; `plays` the candidates asked for, best first."""

    play: str
    plays: tuple[Candidate, ...]
    plies: int


class EvalReply(Reply, frozen=True, kw_only=True):
    """`equity` is cubeless, `cubeful` with the cube where it is and turned now if that is proper; both normalised to
    the cube."""

    win: float
    wingammon: float
    winbackgammon: float
    losegammon: float
    losebackgammon: float
    equity: float
    cubeful: float
    plies: int
    mwc: float | UnsetType = UNSET
    mwccubeful: float | UnsetType = UNSET


class CubeReply(Reply, frozen=True, kw_only=True):
    """Equities of the side that may double if it does not, if it doubles and is taken, if it doubles and is passed.

    `label` is one of the cube labels of the protocol; `reason` says why a double is not allowed. `double` is the
    proper action, `response` the proper answer to a double: take, pass or beaver. How close the two decisions are:
    `gain` is what a double, answered so, gains over rolling, `takegain` what a take gains the other side over a pass;
    negative, what it costs."""

    nodouble: float
    doubletake: float
    doublepass: float
    label: str
    double: bool
    response: str
    gain: float
    takegain: float
    plies: int
    allowed: bool = True
    reason: str = ""
    mwcnodouble: float | UnsetType = UNSET
    mwcdoubletake: float | UnsetType = UNSET
    mwcdoublepass: float | UnsetType = UNSET


class Rolled(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was found of one play, or of rolling (`no double`) or doubling (`double/take`), over `trials` games, in the
    view of the side whose decision it is. Each `...error` is a standard error. `equity` is cubeless; `loss` how much
    less than the best it is worth, cubeful if there was a cube, a double with the proper answer."""

    action: Literal["play", "no double", "double/take"]
    trials: int
    equity: float
    equityerror: float
    loss: float
    losserror: float
    win: float
    winerror: float
    wingammon: float
    wingammonerror: float
    winbackgammon: float
    winbackgammonerror: float
    losegammon: float
    losegammonerror: float
    losebackgammon: float
    losebackgammonerror: float
    cubeful: float | UnsetType = UNSET
    cubefulerror: float | UnsetType = UNSET
    mwc: float | UnsetType = UNSET
    mwcerror: float | UnsetType = UNSET
    play: str = ""
    result: str = ""


class RolloutReply(Reply, frozen=True, kw_only=True):
    """`rolled`: the plays, best first, or the sides of the cube decision. `ended` says why it did: all `trials` were
    played, the `error` was small enough, the others fell too far `apart`, or `time` was up. `cube` is the decision that
    follows, where both sides of it were rolled out; `play` the best play, where plays were. When there was no time for
    two games of each, `rolled` is empty and the decision that of 0 plies."""

    rolled: tuple[Rolled, ...]
    ended: Literal["trials", "error", "apart", "time"]
    seed: int
    play: str = ""
    cube: CubeReply | None = None


class LuckReply(Reply, frozen=True, kw_only=True):
    """`luck` is `equity`, that of the roll's best play, less `mean`, that of rolls on average: the mover's, normalised,
    the cube in play. `mwc` is the same difference in match winning chances."""

    luck: float
    equity: float
    mean: float
    mwc: float | UnsetType = UNSET


class ResignReply(Reply, frozen=True, kw_only=True):
    """`answer` is `play on` or `offer` to the question whether to resign, `accept` or `reject` to an offer. `outcome`
    is what is to be offered, or was: 1 single, 2 gammon, 3 backgammon; 0 when nothing is.

    `equity` is the side on roll's when it is played on, after the roll if dice are on the table; `worth` what it has
    when the game ends by the offer. The `mwc` fields say the same in a match."""

    answer: Literal["play on", "offer", "accept", "reject"]
    equity: float
    plies: int
    outcome: int = 0
    worth: float | UnsetType = UNSET
    mwc: float | UnsetType = UNSET
    mwcworth: float | UnsetType = UNSET


class TurnReply(Reply, frozen=True, kw_only=True):
    """`cube` is roll or double, `play` the best play when dice were given, empty when there is none legal; `plies` the
    level of both."""

    cube: Literal["roll", "double"]
    play: str | None = None
    plies: int


class DecisionReply(Reply, frozen=True, kw_only=True):
    """`answer` in GNU Backgammon's words: a play spelled out in numbers (empty: no legal play), roll, double, take,
    drop, beaver, raccoon, accept or reject."""

    answer: str


class ShowReply(Reply, frozen=True, kw_only=True):
    lines: tuple[str, ...]


class StatsReply(Reply, frozen=True, kw_only=True):
    values: dict[str, int | float | str]


REPLIES: Final[dict[str, type[Reply]]] = {
    **dict.fromkeys(("ping", "auth", "quit", "newgame", "set", "cancel"), Done),
    **dict.fromkeys(("position", "convert"), PositionReply),
    "hello": HelloReply,
    "help": HelpReply,
    "get": Values,
    "options": OptionsReply,
    "moves": MovesReply,
    "check": CheckReply,
    "best": BestReply,
    "eval": EvalReply,
    "cube": CubeReply,
    "rollout": RolloutReply,
    "luck": LuckReply,
    "resign": ResignReply,
    "turn": TurnReply,
    "decide": DecisionReply,
    "show": ShowReply,
    "stats": StatsReply,
}
"""What each verb is answered with, unless it is an error."""


class Progress(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Base of what is told of a request before its reply, if that was asked for. It is no reply."""


class SearchProgress(Progress, frozen=True, kw_only=True):
    """A level of `plies` is complete. `equity` is that of the position or, where a play is looked for, of the best one,
    which is `play`."""

    plies: int
    equity: float
    play: str = ""


class RolloutProgress(Progress, frozen=True, kw_only=True):
    """The mean so far of the best contender, which is `play` where plays are rolled out, over its `trials` games;
    `error` is its standard error."""

    trials: int
    equity: float
    error: float
    play: str = ""


class Incoming(Struct, frozen=True):
    """One line decoded. `tag` is the asker's own name for the request (None: answered in the order sent).

    `content` is a request; or an error, answered as such; or bytes, a dialect's own fixed answer to a line that asks
    nothing of the service; or None for a line that wants no answer (blank). `style` is the codec's own memory of how
    the request was put, handed back to it with the reply."""

    content: Request | BgdError | bytes | None
    tag: str | None = None
    style: str = ""
