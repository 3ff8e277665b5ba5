"""bgd's own dialect, for people and scripts.

    request = [ "#" tag SP ] verb *( SP argument )      argument = word | key "=" value
    reply   = *( [ "#" tag SP ] data LF ) [ "#" tag SP ] ( "ok" [ SP text ] | "error" SP code SP text ) LF

A value with blanks is in double quotes; within them a backslash makes the next character plain. A data line is a
keyword and `key=value` pairs, or `| ` and a line to be shown as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Final, NamedTuple

from msgspec import UNSET

from bgd.errors import BadArgument, BgdError
from bgd.wire.build import FIELDS, build, request_kind, shown, told
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
    MovesReply,
    OptionsReply,
    PositionReply,
    Progress,
    Reply,
    Request,
    ResignReply,
    Rolled,
    RolloutProgress,
    RolloutReply,
    SearchProgress,
    ShowReply,
    StatsReply,
    TurnReply,
    Values,
)

_MAX_TAG: Final = 64
_TOKEN: Final = re.compile(r'(?:"(?:[^"\\]|\\.)*"|[^\s"])+')
_QUOTED: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')
_KEY: Final = re.compile(r"([A-Za-z][A-Za-z_-]*)=(.*)", re.DOTALL)
_PLAIN: Final = re.compile(r'[^\s"=\\]+')
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_DICE: Final = re.compile(r"\d\d")
_CHANCES: Final = ("win", "wingammon", "winbackgammon", "losegammon", "losebackgammon")
_KEY_OF_FIELD: Final = {"form": "as"}
_FIELD_OF_KEY: Final = {"as": "form"}


class _Argument(NamedTuple):
    key: str
    """Empty for a positional argument."""
    value: str
    raw: str
    """As it was written, quotes and all."""


class TextCodec:
    """See the module."""

    name: ClassVar[str] = "text"

    def decode(self, line: str) -> Incoming:
        words = line.split(None, 1)
        if not words:
            return Incoming(None)
        tag = None
        if words[0].startswith("#"):
            tag = words[0][1:]
            if not 0 < len(tag) <= _MAX_TAG or _CONTROL.search(tag):  # which no reply could give back
                return Incoming(
                    BadArgument(f"Expected a tag of 1 to {_MAX_TAG} visible characters, got `{shown(words[0])}`")
                )
            words = words[1].split(None, 1) if len(words) > 1 else []
            if not words:
                return Incoming(BadArgument("Expected a verb after the tag"), tag)
        try:
            return Incoming(_request(words[0].lower(), words[1] if len(words) > 1 else ""), tag)
        except BgdError as error:
            return Incoming(error, tag)

    def encode(self, incoming: Incoming, answer: Reply | BgdError) -> bytes:
        lines = [_error(answer)] if isinstance(answer, BgdError) else _WRITERS[type(answer)](answer)
        return _written(incoming, lines)

    def report(self, incoming: Incoming, progress: Progress) -> bytes:
        return _written(incoming, [_progress(progress)])

    def refuse(self, error: BgdError) -> bytes:
        return f"{_error(error)}\n".encode()


def _written(incoming: Incoming, lines: list[str]) -> bytes:
    if incoming.tag is not None:
        lines = [f"#{incoming.tag} {line}" for line in lines]
    lines = [line if line.isprintable() else _CONTROL.sub("?", line) for line in lines]
    return ("\n".join(lines) + "\n").encode()


def _error(error: BgdError) -> str:
    return f"error {error.code} {told(error)}"


# Requests


def _request(verb: str, text: str) -> Request:
    request_kind(verb)
    if verb == "auth":
        return build(verb, _token(text), strict=False)
    arguments = list(_arguments(text))
    if verb == "set":
        return build(verb, {"values": _settings(arguments)}, strict=False)
    fields: dict[str, object] = {}
    positional: list[_Argument] = []
    for argument in arguments:
        key = _FIELD_OF_KEY.get(argument.key, argument.key)
        if not key:
            positional.append(argument)
        elif key in fields:
            raise BadArgument(f"`{shown(argument.key)}` is given twice")
        else:
            fields[key] = argument.value.split(",") if key == "plays" else argument.value
    for name, value in _POSITIONAL[verb](positional).items():
        if name in fields:
            raise BadArgument(f"`{_KEY_OF_FIELD.get(name, name)}` is given twice")
        fields[name] = value
    return build(verb, fields, strict=False, keys=_KEY_OF_FIELD)


def _arguments(text: str) -> Iterator[_Argument]:
    at = 0
    for token in _TOKEN.finditer(text):
        if text[at : token.start()].strip():
            break
        at = token.end()
        raw = token[0]
        keyed = _KEY.fullmatch(raw)
        key, value = keyed.groups() if keyed else ("", raw)
        if key.upper() in ("XGID", "OGID"):  # the beginning of a position, and no key
            key, value = "", raw
        quoted = _QUOTED.fullmatch(value)
        yield _Argument(key.lower(), re.sub(r"\\(.)", r"\1", quoted[1]) if quoted else value, raw)
    if text[at:].strip():
        raise BadArgument(f"Expected a second double quote after `{shown(text[at:].strip())}`")


def _settings(arguments: list[_Argument]) -> dict[str, str]:
    values: dict[str, str] = {}
    for argument in arguments:
        if not argument.key:
            raise BadArgument(f"Expected settings as name=value, got `{shown(argument.raw)}`")
        if argument.key in values:
            raise BadArgument(f"`{argument.key}` is given twice")
        values[argument.key] = argument.value
    if not values:
        raise BadArgument("`set` needs settings as name=value, for instance `set match=7 score=2-4`")
    return values


def _nothing(arguments: list[_Argument]) -> dict[str, object]:
    if arguments:
        raise BadArgument(f"Expected fields as key=value, got `{shown(arguments[0].raw)}`")
    return {}


def _one(field: str) -> Callable[[list[_Argument]], dict[str, object]]:
    """One argument, which is `field`."""

    def read(arguments: list[_Argument]) -> dict[str, object]:
        _nothing(arguments[1:])
        return {field: arguments[0].value.removeprefix("#")} if arguments else {}

    return read


def _position(arguments: list[_Argument]) -> dict[str, object]:
    """All that stands there is the position: IDs in two words, names in quotes."""
    if len(arguments) == 1:
        return {"position": arguments[0].value}
    return {"position": " ".join(argument.raw for argument in arguments)} if arguments else {}


def _dice(arguments: list[_Argument]) -> dict[str, object]:
    """`31` or `3 1`."""
    if len(arguments) == 2 and all(len(argument.value) == 1 for argument in arguments):
        return {"dice": arguments[0].value + arguments[1].value}
    return _one("dice")(arguments)


def _dice_and_play(arguments: list[_Argument]) -> dict[str, object]:
    """`31 8/5 6/5`, or one of them alone."""
    fields: dict[str, object] = {}
    if arguments and _DICE.fullmatch(arguments[0].raw):
        fields["dice"] = arguments[0].value
        arguments = arguments[1:]
    if arguments:
        fields["play"] = " ".join(argument.value for argument in arguments)
    return fields


def _token(text: str) -> dict[str, object]:
    """All that stands there. No error shows any of it: it may be the token, misspelled."""
    token = text.strip().removeprefix("token=")
    quoted = _QUOTED.fullmatch(token)
    token = quoted[1] if quoted else token
    return {"token": token} if token else {}


def _dice_and_plays(arguments: list[_Argument]) -> dict[str, object]:
    """`31 "8/5 6/5" "24/21 6/5"`: dice, or none, and each play as one argument; with a key, commas between plays."""
    fields: dict[str, object] = {}
    if arguments and _DICE.fullmatch(arguments[0].raw):
        fields["dice"] = arguments[0].value
        arguments = arguments[1:]
    if arguments:
        fields["plays"] = [argument.value for argument in arguments]
    return fields


def _names(arguments: list[_Argument]) -> dict[str, object]:
    return {"names": [argument.value.lower() for argument in arguments]} if arguments else {}


_POSITIONAL: Final[dict[str, Callable[[list[_Argument]], dict[str, object]]]] = {
    **dict.fromkeys(FIELDS, _nothing),
    "help": _one("topic"),
    "position": _position,
    "decide": _position,
    "get": _names,
    "moves": _dice,
    "best": _dice,
    "turn": _dice,
    "resign": _one("offered"),
    "check": _dice_and_play,
    "luck": _dice,
    "rollout": _dice_and_plays,
    "convert": _one("to"),
    "show": _one("form"),
    "cancel": _one("target"),
}
"""How each verb reads arguments that have no key."""


# Replies


def _value(value: object) -> str:
    """As a value is written: plain when it can be, else in double quotes."""
    text = str(value)
    if _PLAIN.fullmatch(text):
        return text
    return '"' + " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _quoted(text: str) -> str:
    return f'"{text}"'


def _equity(value: float) -> str:
    return f"{round(value, 4) + 0.0:+.4f}"  # never -0.0000


def _hello(reply: HelloReply) -> list[str]:
    lines = [
        f"hello name={_value(reply.name)} version={_value(reply.version)} protocol={_value(reply.protocol)}"
        f" engine={reply.engine} author={_value(reply.author)}"
    ]
    lines += [f"capability {_value(capability)}" for capability in reply.capabilities]
    lines += [f"limit {name}={limit}" for name, limit in reply.limits.items()]
    return [*lines, "ok"]


def _shown(reply: HelpReply | ShowReply) -> list[str]:
    return [*(f"| {line}".rstrip() for line in reply.lines), "ok"]


def _values(reply: Values) -> list[str]:
    return [*(f"value {name}={_value(value)}" for name, value in reply.values.items()), "ok"]


def _options(reply: OptionsReply) -> list[str]:
    lines = [
        f"option name={_value(option.name)} type={option.type} domain={_value(option.domain)}"
        f" default={_value(option.default)} meaning={_value(option.meaning)}"
        for option in reply.options
    ]
    return [*lines, "ok"]


def _stats(reply: StatsReply) -> list[str]:
    return [*(f"stat {name}={_value(value)}" for name, value in reply.values.items()), "ok"]


def _placed(reply: PositionReply) -> list[str]:
    return [*(f"lost {_quoted(what)}" for what in reply.lost), f"ok {reply.text}"]


def _candidate(candidate: Candidate) -> str:
    words = [f"play {_quoted(candidate.play)}"]
    if candidate.rank is not UNSET:
        words.append(f"rank={candidate.rank}")
    for name, value in (("equity", candidate.equity), ("loss", candidate.loss)):
        if value is not UNSET:
            words.append(f"{name}={_equity(value)}" if name == "equity" else f"{name}={value:.4f}")
    if candidate.plies is not UNSET:
        words.append(f"plies={candidate.plies}")
    for name in ("win", "wingammon", "winbackgammon", "losegammon", "losebackgammon", "mwc"):
        value = getattr(candidate, name)
        if value is not UNSET:
            words.append(f"{name}={value:.4f}")
    words.append(f"result={candidate.result}")
    return " ".join(words)


def _moves(reply: MovesReply) -> list[str]:
    count = len(reply.plays)
    told = {0: "no legal play", 1: "1 play"}.get(count, f"{count} plays")
    return [*map(_candidate, reply.plays), f"ok {told}"]


def _check(reply: CheckReply) -> list[str]:
    words = [f"play {_quoted(reply.play or 'no legal play')} result={reply.result}"]
    if reply.nohit:
        words.append("nohit=" + ",".join(str(point) if point else "off" for point in reply.nohit))
    return [" ".join(words), "ok legal"]


def _best(reply: BestReply) -> list[str]:
    return [*map(_candidate, reply.plays), f"ok {reply.play or 'no legal play'}"]


def _eval(reply: EvalReply) -> list[str]:
    words = [
        f"eval win={reply.win:.4f} wingammon={reply.wingammon:.4f} winbackgammon={reply.winbackgammon:.4f}"
        f" losegammon={reply.losegammon:.4f} losebackgammon={reply.losebackgammon:.4f}"
        f" equity={_equity(reply.equity)} cubeful={_equity(reply.cubeful)} plies={reply.plies}"
    ]
    words += [
        f"{name}={value:.4f}"
        for name, value in (("mwc", reply.mwc), ("mwccubeful", reply.mwccubeful))
        if value is not UNSET
    ]
    return [" ".join(words), "ok"]


def _cube(reply: CubeReply) -> list[str]:
    words = [
        f"cube nodouble={_equity(reply.nodouble)} doubletake={_equity(reply.doubletake)}"
        f" doublepass={_equity(reply.doublepass)} label={_quoted(reply.label)}"
        f" double={'yes' if reply.double else 'no'} response={_value(reply.response)}"
        f" gain={_equity(reply.gain)} takegain={_equity(reply.takegain)} plies={reply.plies}"
    ]
    words += [
        f"{name}={value:.4f}"
        for name in ("mwcnodouble", "mwcdoubletake", "mwcdoublepass")
        if (value := getattr(reply, name)) is not UNSET
    ]
    if not reply.allowed:
        words.append(f"allowed=no reason={_quoted(reply.reason)}")
    return [" ".join(words), f"ok {'double' if reply.double else 'roll'}"]


def _resign(reply: ResignReply) -> list[str]:
    words = [f"resign answer={_value(reply.answer)} outcome={reply.outcome} equity={_equity(reply.equity)}"]
    if reply.worth is not UNSET:
        words.append(f"worth={_equity(reply.worth)}")
    words.append(f"plies={reply.plies}")
    words += [f"{name}={value:.4f}" for name in ("mwc", "mwcworth") if (value := getattr(reply, name)) is not UNSET]
    told = f"offer {reply.outcome}" if reply.answer == "offer" else reply.answer
    return [" ".join(words), f"ok {told}"]


def _rolled(rolled: Rolled) -> str:
    what = rolled.action if rolled.action != "play" else rolled.play or "no legal play"
    words = ["rolled", _quoted(what), f"trials={rolled.trials}"]
    for name in ("equity", "cubeful", "loss", "mwc", *_CHANCES):
        value = getattr(rolled, name)
        if value is not UNSET:
            words.append(f"{name}={_equity(value) if name in ('equity', 'cubeful') else f'{value:.4f}'}")
            words.append(f"{name}error={getattr(rolled, name + 'error'):.4f}")
    if rolled.result:
        words.append(f"result={rolled.result}")
    return " ".join(words)


def _rollout(reply: RolloutReply) -> list[str]:
    lines = [_rolled(rolled) for rolled in reply.rolled]
    if reply.cube is not None:
        *more, last = _cube(reply.cube)
        return [*lines, *more, f"{last} ended={reply.ended} seed={reply.seed}"]
    best = f"{reply.play} " if reply.play else ""
    return [*lines, f"ok {best}ended={reply.ended} seed={reply.seed}"]


def _luck(reply: LuckReply) -> list[str]:
    words = [f"luck luck={_equity(reply.luck)} equity={_equity(reply.equity)} mean={_equity(reply.mean)}"]
    if reply.mwc is not UNSET:
        words.append(f"mwc={reply.mwc:+.4f}")
    return [" ".join(words), f"ok {_equity(reply.luck)}"]


def _turn(reply: TurnReply) -> list[str]:
    if reply.play is None:
        return [f"turn cube={reply.cube} plies={reply.plies}", f"ok {reply.cube}"]
    line = f"turn cube={reply.cube} play={_quoted(reply.play)} plies={reply.plies}"
    return [line, f"ok {reply.play or 'no legal play'}"]


def _decision(reply: DecisionReply) -> list[str]:
    return [f"ok {reply.answer.strip() or 'no legal play'}"]


def _done(reply: Done) -> list[str]:
    return [f"ok {reply.text}" if reply.text else "ok"]


def _progress(progress: Progress) -> str:
    match progress:
        case SearchProgress():
            words = [f"progress plies={progress.plies} equity={_equity(progress.equity)}"]
        case RolloutProgress():
            words = [f"progress trials={progress.trials} equity={_equity(progress.equity)} error={progress.error:.4f}"]
        case _:
            raise TypeError(f"no progress of this dialect: {progress!r}")
    if progress.play:
        words.append(f"play={_quoted(progress.play)}")
    return " ".join(words)


_WRITERS: Final[dict[type[Reply], Callable[[Any], list[str]]]] = {
    Done: _done,
    HelloReply: _hello,
    HelpReply: _shown,
    Values: _values,
    OptionsReply: _options,
    PositionReply: _placed,
    MovesReply: _moves,
    CheckReply: _check,
    BestReply: _best,
    EvalReply: _eval,
    CubeReply: _cube,
    ResignReply: _resign,
    RolloutReply: _rollout,
    LuckReply: _luck,
    TurnReply: _turn,
    DecisionReply: _decision,
    ShowReply: _shown,
    StatsReply: _stats,
}
