"""What `help` says: a line a verb, and a paragraph and an example for each, in the words of the text dialect."""

from __future__ import annotations

from typing import Final, NamedTuple

from bgd.errors import BadArgument, hint
from bgd.wire.build import shown


class _Topic(NamedTuple):
    usage: str
    paragraph: tuple[str, ...]
    """Its first line says it all in short."""
    example: str


_TOPICS: Final = {
    "position": _Topic(
        "position <XGID | GNU Position ID[:Match ID] | FIBS board | OGID | start> [reading=gnubg|fibs]",
        (
            "Make this the position that requests are about.",
            "Notations that carry dice, cube, score or rules set these too; a bare Position ID keeps them. `reading`",
            "says whose score is whose in a FIBS board: as GNU Backgammon reads it, or by FIBS's own definition.",
        ),
        "position XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:4:0:7:10",
    ),
    "set": _Topic(
        "set <name>=<value> ...",
        (
            "Change settings: all of those named, or none when one is wrong.",
            "`options` lists them. score=2-4 are the points of bottom, then of top; bottom is on roll unless turn=top.",
        ),
        "set match=7 score=2-4 cube=2 owner=bottom",
    ),
    "get": _Topic("get [<name> ...]", ("Tell settings; all of them when none is named.",), "get match score"),
    "options": _Topic("options", ("List all settings: name, type, possible values, default, meaning.",), "options"),
    "moves": _Topic(
        "moves [<dice>] [position=...]",
        (
            "List all legal plays of a roll.",
            "Two plays that lead to the same position are one. `result` is the Position ID after the play, seen by",
            "the player then on roll.",
        ),
        "moves 31 position=start",
    ),
    "check": _Topic(
        "check [<dice>] <play> [position=...]",
        (
            "Is this play legal, and if not, which rule does it break?",
            "Any usual spelling will do: 8/5 6/5, 13/7(2), bar/22*, 6/off, 24/18/14. A * where nothing is hit is told.",
        ),
        "check 66 24/18 13/7 position=start",
    ),
    "best": _Topic(
        "best [<dice>] [plies=0] [top=1] [movetime=ms] [progress=ms] [position=...]",
        (
            "Find the best play, and list the `top` best ones.",
            "Equities are the mover's, normalised to the cube; `loss` is what a play costs against the best. Plies",
            "are counted as GNU Backgammon does: 0 looks at the positions after the play and no further. With movetime",
            "and no plies it looks as deep as there is time for; with progress it tells meanwhile what it has found.",
        ),
        "best 31 top=3 position=start",
    ),
    "eval": _Topic(
        "eval [plies=0] [jacoby=on] [crawford=on] [beavers=on] [noise=0] [movetime=ms] [progress=ms] [position=...]",
        (
            "What is the position worth to the side on roll, before it rolls?",
            "Probabilities from 0 to 1: `win` includes gammons, `wingammon` backgammons. `equity` is without the",
            "cube, `cubeful` with it where it is; in a match `mwc` are the chances to win the match.",
        ),
        "eval position=start",
    ),
    "cube": _Topic(
        "cube [plies=0] [jacoby=on] [beavers=on] [movetime=ms] [progress=ms] [position=...]",
        (
            "Should the side on roll double, and the other take?",
            "Three equities of the side on roll: without a double, doubled and taken, doubled and passed; the label",
            "of the decision; the proper action and the proper response.",
        ),
        "cube position=start",
    ),
    "rollout": _Topic(
        "rollout [<dice> [<play> ...]] [candidates=3] [trials=1296] [seed=1] [plies=0] [truncate=0] ... [position=...]",
        (
            "Play out many games, of plays side by side or of the position before the roll.",
            "Each play is one argument, in quotes if it has blanks; without any the best `candidates` are taken. With",
            "no dice both sides of the cube decision are played out. Each number has its standard error. More fields:",
            "firstplies=, firstturns=, cube=off, bearoff=off, reduction=off, before=on, error=, apart=, movetime=ms,",
            "progress=ms, priority=.",
        ),
        'rollout 31 "8/5 6/5" "24/23 13/10" trials=36 truncate=4 position=start',
    ),
    "luck": _Topic(
        "luck [<dice>] [opening=off] [position=...]",
        (
            "How lucky is a roll?",
            "The equity of its best play less the mean over the best plays of all rolls, at 0 plies.",
        ),
        "luck 66 position=start",
    ),
    "resign": _Topic(
        "resign [<offered>] [plies=0] [movetime=ms] [position=...]",
        (
            "Should the side on roll offer to resign, or, when it was offered 1, 2 or 3, accept?",
            "1 is a single game, 2 a gammon, 3 a backgammon. Nothing is offered that might still be saved; an offer is",
            "accepted when it is worth no less than playing on, after the roll if dice are on the table.",
        ),
        "resign 1 position=start",
    ),
    "turn": _Topic(
        "turn [<dice>] [plies=0] [movetime=ms] [position=...]",
        ("A whole turn: double or roll and, when dice are given, the best play of them.",),
        "turn 31 position=start",
    ),
    "decide": _Topic(
        "decide <position> [resignation=1|2|3] [plies=0] [jacoby=on] [crawford=on] [beavers=on]",
        (
            "Decide whatever the position asks: a play, double or roll, take or pass, accept or reject.",
            "With a FIBS board the answer is what GNU Backgammon's external interface would say.",
        ),
        "decide XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10",
    ),
    "convert": _Topic(
        "convert <id|xgid|fibs|ogid> [position=...]",
        ("Write the position in another notation; what that cannot carry is named.",),
        "convert xgid position=start",
    ),
    "show": _Topic("show [as=text|svg] [position=...]", ("Draw the board.",), "show position=start"),
    "newgame": _Topic(
        "newgame [session=off]",
        ("Forget the position, the dice and the cube; with session=on match, score and rules too.",),
        "newgame",
    ),
    "cancel": _Topic(
        "cancel [#<tag>] [finish=off]",
        (
            "Stop a request of this connection by its tag, or all of them.",
            "It is answered with the error `cancelled`; with finish=on, with its best answer so far.",
        ),
        "cancel #a",
    ),
    "hello": _Topic(
        "hello", ("Who is this: name, version, protocol, whether the engine is ready, verbs, limits.",), "hello"
    ),
    "ping": _Topic("ping", ("Say pong.",), "ping"),
    "auth": _Topic(
        "auth <token>",
        (
            "Give the token that this server may ask for.",
            "It comes before all else, in every dialect: as the first line of a connection; the next line then chooses",
            "the dialect. A server that asks for none takes any.",
        ),
        "auth 2c26b46b68ffc68ff99b453c1d304134",
    ),
    "stats": _Topic(
        "stats",
        ("How the server fares: time up, connections, requests, errors, what waits and runs, how long answers took.",),
        "stats",
    ),
    "help": _Topic("help [<verb>]", ("List the verbs, or explain one.",), "help best"),
    "quit": _Topic("quit", ("Close the connection, once all that was asked is answered.",), "quit"),
}

_FORM: Final = (
    "",
    "A request is a line: [#tag] verb arguments. Values with blanks are in double quotes.",
    "Of what a client has waiting for the engine, the highest priority= (-100 to 100, else 0) is done first.",
    "A reply ends with a line that begins with `ok` or `error`. `help <verb>` tells more.",
)


def help_lines(topic: str | None = None) -> tuple[str, ...]:
    """The lines of `help`, or of `help <topic>`. Raises BadArgument for a topic that is no verb."""
    if topic is None:
        return (*(f"{verb:9} {about.paragraph[0]}" for verb, about in _TOPICS.items()), *_FORM)
    about = _TOPICS.get(topic.lower())
    if about is None:
        raise BadArgument(f"Expected a verb, got `{shown(topic)}`{hint(topic, _TOPICS)}; `help` lists them")
    return (about.usage, *(f"  {line}" for line in about.paragraph), f"  Example: {about.example}")
