"""Universal Backgammon Interface, drafts 0.1 and 0.2 together, and the bare boards of draft 0.01.

Words are read as they are written (small letters). Commands that succeed and have nothing to tell are silent. UBGI's
p0 is bottom, the side on roll unless `setturn` says otherwise. Draft 0.2 counts plies from 1: its `engine.ply` 1 and
a `depth` of 1 are what GNU Backgammon, and the rest of bgd, call 0 plies.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import ClassVar, Final

from msgspec import UNSET

from bgd.errors import BadArgument, BadDice, BadValue, BgdError, InputError, UnknownCommand, Unsupported, hint
from bgd.wire.build import shown, told
from bgd.wire.messages import (
    MAX_PLIES,
    MAX_TEXT,
    MAX_TOKEN,
    MAX_TRIALS,
    Auth,
    Best,
    BestReply,
    Cancel,
    Candidate,
    Cube,
    CubeReply,
    Decide,
    DecisionReply,
    Done,
    Eval,
    EvalReply,
    Get,
    Hello,
    HelloReply,
    Incoming,
    NewGame,
    Option,
    Options,
    OptionsReply,
    Ping,
    PositionReply,
    Progress,
    Quit,
    Reply,
    Request,
    Rolled,
    Rollout,
    RolloutProgress,
    RolloutReply,
    SearchProgress,
    Set,
    SetPosition,
    Turn,
    TurnReply,
    Values,
)

READY_TAG: Final = "isready"
"""`isready` is answered at once, also while a search runs: it does not wait its turn."""

_MAX_MOVETIME: Final = 3_600_000
_MAX_NUMBER: Final = 10
"""Digits of a number that is worth reading."""

_SIDES: Final = {"p0": "bottom", "p1": "top"}
_OWNERS: Final = {**_SIDES, "center": "centre", "centre": "centre"}
_SIDE_WORDS: Final = {"bottom": "p0", "top": "p1", "centre": "center"}
"""The drafts' words, in place of the settings'."""

_SETTING_OF_KEY: Final = {
    "game.variant": "variant",
    "game.length": "match",
    "game.score": "score",
    "game.cube": "cube",
    "game.owner": "owner",
    "game.turn": "turn",
    "game.crawford": "crawford",
    "game.jacoby": "jacoby",
    "game.beavers": "beavers",
    "engine.ply": "plies",
}
"""Draft 0.2's keys, and the settings of the session that they are."""

_OF_SIDES: Final = ("owner", "turn")
"""Settings whose values are sides."""

_KEY_OF_SETTING: Final = {setting: key for key, setting in _SETTING_OF_KEY.items()}
_SETTING_OF_OPTION: Final = {
    "variant": "variant",
    "plies": "plies",
    "ply": "plies",
    "evalplies": "plies",
    "jacoby": "jacoby",
    "beavers": "beavers",
}
"""Draft 0.1's options by their names in small letters. Plies are here as GNU Backgammon counts them."""

_CODES: Final = {
    "unknown-command": "unknown_command",
    "missing-context": "missing_context",
    "unsupported": "unsupported_feature",
    "busy": "search_in_progress",
    "cancelled": "cancelled",
    "unauthorized": "unauthorized",
    "timeout": "timeout",
    "shutting-down": "shutting_down",
    "bad-weights": "internal",
    "bad-config": "internal",
    "internal": "internal",
}
"""The drafts' error words; every fault of the asker's that is not here is a bad_argument."""


class UbgiCodec:
    """See the module. `Incoming.style` is the command that was asked, and for `go` whether `info` is wanted."""

    name: ClassVar[str] = "ubgi"

    def decode(self, line: str) -> Incoming:
        words = line.split()
        if not words:
            return Incoming(None)
        command, arguments = words[0], words[1:]
        try:
            if command.startswith(("board:", "XGID=")):
                return _bare_board(line.strip())
            read = _COMMANDS.get(command)
            if read is None:
                raise UnknownCommand(f"`{shown(command)}`{hint(command, _COMMANDS)}")
            return read(arguments)
        except InputError as error:
            return Incoming(error)

    def encode(self, incoming: Incoming, answer: Reply | BgdError) -> bytes:
        lines = [_error(answer)] if isinstance(answer, BgdError) else _lines(incoming, answer)
        return "".join(f"{line}\n" for line in lines).encode(errors="replace")

    def report(self, incoming: Incoming, progress: Progress) -> bytes:
        return f"{_progress(incoming, progress)}\n".encode()

    def refuse(self, error: BgdError) -> bytes:
        return f"{_error(error)}\n".encode(errors="replace")


def _error(error: BgdError) -> str:
    code = _CODES.get(error.code, "bad_argument" if isinstance(error, InputError) else "internal")
    return f"error {code} {told(error)}"


# Commands


def _bare_board(text: str) -> Incoming:
    """Draft 0.01: a FIBS board or an XGID asks for the best action. It knows no beavers."""
    _at_most(text)
    return Incoming(Decide(position=text, beavers=False), style="board")


def _plain(request: Request, style: str = "", tag: str | None = None) -> Callable[[list[str]], Incoming]:
    """A command without arguments."""

    def read(arguments: list[str]) -> Incoming:
        if arguments:
            raise BadArgument(f"Expected nothing more, got `{shown(arguments[0])}`")
        return Incoming(request, tag, style)

    return read


def _auth(arguments: list[str]) -> Incoming:
    token = " ".join(arguments)
    if not 0 < len(token) <= MAX_TOKEN:
        raise BadArgument(f"Expected auth <token>, of at most {MAX_TOKEN} characters")
    return Incoming(Auth(token=token))


def _position(arguments: list[str]) -> Incoming:
    if not arguments:
        raise BadArgument("Expected position gnubgid <id> or position xgid <xgid>")
    form, text = arguments[0], " ".join(arguments[1:])
    if form not in ("gnubgid", "xgid"):
        raise Unsupported(f"position {shown(form)}; known are gnubgid and xgid")
    if not text:
        raise BadArgument(f"Expected position {form} <id>")
    _at_most(text)
    if form == "xgid" and not text.upper().startswith("XGID="):
        text = f"XGID={text}"
    return Incoming(SetPosition(position=text))


def _dice(arguments: list[str]) -> Incoming:
    if len(arguments) == 1 and len(arguments[0]) == 2:
        arguments = list(arguments[0])
    if len(arguments) != 2 or not all(re.fullmatch("[1-6]", die) for die in arguments):
        raise BadDice(f"Expected dice <1..6> <1..6>, got `{shown(' '.join(arguments))}`")
    return Incoming(Set(values={"dice": "".join(arguments)}))


def _newsession(arguments: list[str]) -> Incoming:
    """`newsession type money|match [length N] [jacoby on|off] [crawford on|off]`: stakes and rules anew, and these."""
    given = _pairs(arguments, "type", "length", "jacoby", "crawford")
    kind = given.get("type", "match" if "length" in given else "money")
    if kind not in ("money", "match"):
        raise BadArgument(f"Expected type money or match, got `{shown(kind)}`")
    if kind == "money" and "length" in given:
        raise BadArgument("Expected no length in a money session")
    values = {
        "match": str(_number("length", given.get("length", "1"), 1, 9999)) if kind == "match" else "0",
        "score": "0-0",
        "cube": "1",
        "owner": "centre",
        "turn": "bottom",
        "crawford": "off",
        "jacoby": "on",
        "beavers": "on",
        "dice": "none",
    }
    values |= {name: _on_or_off(name, given[name]) for name in ("jacoby", "crawford") if name in given}
    return Incoming(Set(values=values))


def _setscore(arguments: list[str]) -> Incoming:
    if len(arguments) != 2:
        raise BadArgument("Expected setscore <p0> <p1>")
    p0, p1 = (_number("a score", word, 0, 9999) for word in arguments)
    return Incoming(Set(values={"score": f"{p0}-{p1}"}))


def _setcube(arguments: list[str]) -> Incoming:
    given = _pairs(arguments, "value", "owner")
    if len(given) != 2:
        raise BadArgument("Expected setcube value <n> owner <center|p0|p1>")
    value = _number("value", given["value"], 1, 2**15)
    return Incoming(Set(values={"cube": str(value), "owner": _word("owner", given["owner"], _OWNERS)}))


def _setturn(arguments: list[str]) -> Incoming:
    return Incoming(Set(values={"turn": _word("setturn", " ".join(arguments), _SIDES)}))


def _setoption(arguments: list[str]) -> Incoming:
    """`setoption name X value Y`. Options that change nothing here (Threads 1, Seed, Deterministic) are taken
    quietly: no answer depends on chance."""
    if len(arguments) < 4 or arguments[0] != "name" or "value" not in arguments[2:]:
        raise BadArgument("Expected setoption name <name> value <value>")
    at = arguments.index("value", 2)
    name, value = " ".join(arguments[1:at]), " ".join(arguments[at + 1 :])
    match name.lower():
        case "threads":
            _number("Threads", value, 1, 1)
            return Incoming(b"")
        case "seed":
            if not re.fullmatch(r"-?\d+", value):
                raise BadValue(f"Expected Seed to be a number, got `{shown(value)}`")
            return Incoming(b"")
        case "deterministic":
            _on_or_off("Deterministic", value)
            return Incoming(b"")
    setting = _SETTING_OF_OPTION.get(name.lower())
    if setting is None:
        raise Unsupported(f"option {shown(name)}{hint(name, _SETTING_OF_OPTION)}")
    return Incoming(Set(values={setting: value.lower()}))


def _set(arguments: list[str]) -> Incoming:
    if len(arguments) < 2:
        raise BadArgument("Expected set <key> <value>")
    key, value = arguments[0], " ".join(arguments[1:])
    setting = _setting(key)
    if key == "engine.ply":
        value = str(_number(key, value, 1, MAX_PLIES + 1) - 1)
    elif setting in _OF_SIDES:
        value = _OWNERS.get(value, value)
    return Incoming(Set(values={setting: value}))


def _get(arguments: list[str]) -> Incoming:
    if len(arguments) != 1:
        raise BadArgument("Expected get <key>")
    return Incoming(Get(names=(_setting(arguments[0]),)), style=arguments[0])


def _setting(key: str) -> str:
    setting = _SETTING_OF_KEY.get(key)
    if setting is None:
        raise Unsupported(f"key {shown(key)}{hint(key, _SETTING_OF_KEY)}")
    return setting


def _go(arguments: list[str]) -> Incoming:
    """`go [[role] chequer|cube|turn] [movetime ms] [depth n] [trials n]`, the words after the role in any order.

    With trials it is a rollout, played at that depth; plays without a cube, as all that this dialect asks of plays."""
    role = "chequer"
    rest = list(arguments)
    if rest and rest[0] in _ROLES:
        role = rest.pop(0)
    elif "role" in rest[:-1]:
        at = rest.index("role")
        role = _word("role", rest[at + 1], {name: name for name in _ROLES})
        del rest[at : at + 2]
    given = _pairs(rest, "movetime", "depth", "nodes", "trials")
    if "nodes" in given:
        raise Unsupported("go nodes; known are movetime, depth and trials")
    plies = _number("depth", given["depth"], 1, MAX_PLIES + 1) - 1 if "depth" in given else None
    movetime = _number("movetime", given["movetime"], 1, _MAX_MOVETIME) if "movetime" in given else None
    progress = _INFO_EVERY if given else 0  # who just says `go` gets one line and no more: some programs read no other
    if "trials" not in given:
        return Incoming(_ROLES[role](plies, movetime, progress), style="info" if given else "")
    if role == "turn":
        raise Unsupported("go role turn trials; ask for role cube and for role chequer")
    cube = role == "cube"
    rollout = Rollout(
        trials=_number("trials", given["trials"], 1, MAX_TRIALS),
        plies=plies or 0,
        cube=cube,
        before=cube,
        movetime=movetime,
        progress=progress,
    )
    return Incoming(rollout, style="info")


_INFO_EVERY: Final = 500
"""ms between `info` lines while a search runs."""

_ROLES: Final[dict[str, Callable[[int | None, int | None, int], Request]]] = {
    "chequer": lambda plies, movetime, progress: Best(plies=plies, movetime=movetime, progress=progress),
    "cube": lambda plies, movetime, progress: Cube(plies=plies, movetime=movetime, progress=progress),
    "turn": lambda plies, movetime, _: Turn(plies=plies, movetime=movetime),
}

_COMMANDS: Final[dict[str, Callable[[list[str]], Incoming]]] = {
    "ubgi": _plain(Hello()),
    "isready": _plain(Ping(), tag=READY_TAG),
    "auth": _auth,
    "newgame": _plain(NewGame()),
    "newsession": _newsession,
    "setoption": _setoption,
    "set": _set,
    "get": _get,
    "keys": _plain(Options()),
    "position": _position,
    "dice": _dice,
    "setscore": _setscore,
    "setcube": _setcube,
    "setturn": _setturn,
    "go": _go,
    "eval": _plain(Eval()),
    "stop": _plain(Cancel(finish=True)),
    "quit": _plain(Quit()),
}


def _pairs(words: list[str], *known: str) -> dict[str, str]:
    """`name value name value`, each name once."""
    given: dict[str, str] = {}
    for name, value in zip(words[::2], [*words[1::2], None], strict=False):
        if name not in known:
            raise BadArgument(f"Expected {', '.join(known)}, got `{shown(name)}`{hint(name, known)}")
        if value is None:
            raise BadArgument(f"Expected a value after {name}")
        if name in given:
            raise BadArgument(f"{name} is given twice")
        given[name] = value
    return given


def _number(name: str, text: str, least: int, most: int) -> int:
    value = int(text) if len(text) <= _MAX_NUMBER and re.fullmatch(r"-?[0-9]+", text) else least - 1
    if not least <= value <= most:
        raise BadValue(f"Expected {name} from {least} to {most}, got `{shown(text)}`")
    return value


def _word(name: str, text: str, known: dict[str, str]) -> str:
    if text not in known:
        raise BadValue(f"Expected {name} to be {' or '.join(known)}, got `{shown(text)}`")
    return known[text]


def _on_or_off(name: str, text: str) -> str:
    words = {"on": "on", "true": "on", "1": "on", "off": "off", "false": "off", "0": "off"}
    return _word(name, text.lower(), words)


def _at_most(text: str) -> None:
    if len(text) > MAX_TEXT:
        raise BadArgument(f"Expected a position of at most {MAX_TEXT} characters, got {len(text)}")


# Replies


def _lines(incoming: Incoming, answer: Reply) -> list[str]:
    match answer:
        case BestReply():
            info = _play_info(answer) if incoming.style == "info" else []
            return [*info, f"bestmove {_spelled(answer)}"]
        case RolloutReply():
            return _rollout(incoming, answer)
        case CubeReply():
            return [*_cube_info(answer), f"bestcube {'double' if answer.double else 'nodouble'}"]
        case TurnReply():
            cube = "double" if answer.cube == "double" else "nodouble"
            move = "" if answer.play is None else f" move={_in_words(answer.play)}"
            return [f"bestturn cube={cube}{move}"]
        case DecisionReply():
            return [answer.answer.replace("*", "").rstrip()]
        case EvalReply():
            return [_evaluation(answer)]
        case HelloReply():
            return _handshake(answer)
        case OptionsReply():
            return [_key_line(option) for option in answer.options if option.name in _KEY_OF_SETTING]
        case Values():
            return [f"value {incoming.style} {_shown_value(*item)}" for item in answer.values.items()]
        case Done():
            return ["readyok"] if isinstance(incoming.content, Ping) else []
        case PositionReply():
            return []
    raise TypeError(f"no answer of this dialect: {answer!r}")


def _point(number: int) -> str:
    return {25: "bar", 0: "off"}.get(number, str(number))


def _spelled(reply: BestReply) -> str:
    """The play with every part spelled out, without marks for hits: all drafts can read that."""
    if not reply.play:
        return "pass"
    if not reply.plays:
        return _in_words(reply.play)
    return " ".join(f"{_point(move.source)}/{_point(move.destination)}" for move in reply.plays[0].moves)


def _in_words(play: str) -> str:
    """A play in bgd's spelling likewise: `8/5*(2) 24/22*/20` is `8/5 8/5 24/22 22/20`."""
    parts = []
    for part in play.replace("*", "").split():
        chain, _, times = part.rstrip(")").partition("(")
        points = chain.split("/")
        parts += [f"{source}/{target}" for source, target in pairwise(points)] * int(times or 1)
    return " ".join(parts) or "pass"


def _progress(incoming: Incoming, progress: Progress) -> str:
    words = ["info"]
    for role, kind in (("chequer", Best), ("cube", Cube), ("turn", Turn)):
        if isinstance(incoming.content, kind):
            words.append(f"role {role}")
    if isinstance(incoming.content, Rollout):
        words.append(f"role {'cube' if incoming.content.before else 'chequer'}")
    match progress:
        case SearchProgress():
            words.append(f"depth {progress.plies + 1} eq {progress.equity:.4f}")
        case RolloutProgress():
            words.append(f"trials {progress.trials} eq {progress.equity:.4f} stderr {progress.error:.4f}")
        case _:
            raise TypeError(f"no progress of this dialect: {progress!r}")
    if progress.play:
        words.append(f"pv {_in_words(progress.play)}")
    return " ".join(words)


def _rollout(incoming: Incoming, reply: RolloutReply) -> list[str]:
    """A line for each play or side of the cube decision, and the best of them."""
    cube = isinstance(incoming.content, Rollout) and incoming.content.before
    lines = [
        f"info role {'cube' if cube else 'chequer'} trials {rolled.trials} eq {_worth(rolled)}"
        + "".join(f" {word}" for word in _probabilities(rolled))
        + (f" action {rolled.action.replace(' ', '')}" if cube else f" pv {_in_words(rolled.play)}")
        for rolled in reply.rolled
    ]
    if not cube:
        return [*lines, f"bestmove {_in_words(reply.play)}"]
    if reply.cube is None:
        return [*lines, "bestcube nodouble"]
    return [*lines, *_cube_info(reply.cube), f"bestcube {'double' if reply.cube.double else 'nodouble'}"]


def _worth(rolled: Rolled) -> str:
    if rolled.cubeful is UNSET or rolled.cubefulerror is UNSET:
        return f"{rolled.equity:.4f} stderr {rolled.equityerror:.4f}"
    return f"{rolled.cubeful:.4f} stderr {rolled.cubefulerror:.4f}"


def _play_info(reply: BestReply) -> list[str]:
    candidate = reply.plays[0] if reply.plays else None
    if candidate is None or candidate.equity is UNSET:
        return []
    words = [f"info role chequer depth {reply.plies + 1} eq {candidate.equity:.4f}", *_probabilities(candidate)]
    return [" ".join([*words, f"pv {_spelled(reply)}"])]


def _probabilities(reply: Candidate | EvalReply | Rolled) -> list[str]:
    named = (("mwc", reply.mwc), ("pwin", reply.win), ("pgammon", reply.wingammon), ("pbg", reply.winbackgammon))
    return [f"{name} {value:.4f}" for name, value in named if value is not UNSET]


def _cube_info(reply: CubeReply) -> list[str]:
    if not reply.allowed:
        return [f"info role cube depth {reply.plies + 1} notallowed {reply.reason}"]
    return [
        f"info role cube depth {reply.plies + 1} nodouble {reply.nodouble:.4f} doubletake {reply.doubletake:.4f}"
        f" doublepass {reply.doublepass:.4f} response {reply.response}"
    ]


def _evaluation(reply: EvalReply) -> str:
    return " ".join([f"eval eq {reply.cubeful:.4f}", *_probabilities(reply)])


def _handshake(reply: HelloReply) -> list[str]:
    options = {option.name: option for option in reply.options}
    keys = [_key_line(option) for option in reply.options if option.name in _KEY_OF_SETTING]
    lines = [f"id name {reply.name}", f"id author {reply.author}", f"id version {reply.version}", "proto 0.2", *keys]
    lines.append("option name Variant type combo default backgammon var backgammon")
    if plies := options.get("plies"):
        least, _, most = plies.domain.partition("..")
        lines.append(f"option name Plies type spin default {plies.default} min {least} max {most}")
    for name in ("jacoby", "beavers"):
        if option := options.get(name):
            default = "true" if option.default == "on" else "false"
            lines.append(f"option name {name.capitalize()} type check default {default}")
    lines += [
        "option name Threads type spin default 1 min 1 max 1",
        "option name Seed type spin default 0 min 0 max 4294967295",
        "option name Deterministic type check default true",
        "ubgiok",
    ]
    return lines


def _key_line(option: Option) -> str:
    """`key <name> <type> <domain> <default> [description]`; a bool has no domain."""
    key = _KEY_OF_SETTING[option.name]
    domain, meaning = option.domain, option.meaning
    if option.name == "plies":
        least, _, most = domain.partition("..")
        domain, meaning = f"{int(least) + 1}..{int(most) + 1}", "one more than GNU Backgammon's plies"
    if option.name in _OF_SIDES:
        domain = "|".join(_SIDE_WORDS[word] for word in domain.split("|"))
    domain = {"bool": ""}.get(option.type, f"{domain} ")
    return f"key {key} {option.type} {domain}{_shown_value(option.name, option.default)} {meaning}".rstrip()


def _shown_value(setting: str, value: str) -> str:
    """A setting's value as the drafts write it: plies from 1, sides p0 and p1, bools true or false."""
    if setting == "plies":
        return str(int(value) + 1)
    if setting in _OF_SIDES:
        return _SIDE_WORDS[value]
    return {"on": "true", "off": "false"}.get(value, value)
