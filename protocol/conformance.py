#!/usr/bin/env python3
"""Checks a server against protocol/: every transcript and every vector. One file, standard library only.

    python3 protocol/conformance.py                              bgd's own port on this machine
    python3 protocol/conformance.py --host HOST --port PORT      another one
    python3 protocol/conformance.py --unix PATH                  a Unix socket
    python3 protocol/conformance.py -- COMMAND [ARGUMENT ...]    a process that speaks on stdin and stdout

Each transcript has a connection, or a process, of its own. A line is printed for each, `ok`, `FAIL` with what was
expected and what came, or `skip` with the reason. The exit status is 0 when nothing failed, 1 when something did, 2
when the server could not be reached.

Transcripts that need a dialect pinned are skipped, unless `--pinned` says that the command understands `--dialect
NAME` at its end; those that need a token or a limit, unless `--prepared` says that the server has what those chosen by
`--only` need. transcripts/README.md describes the transcripts, vectors/README.md the vectors.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import queue
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol

HERE: Final = Path(__file__).resolve().parent

PLACEHOLDERS: Final = {
    "number": r"[+-]?\d+(?:\.\d+)?",
    "count": r"\d+",
    "equity": r"[+-]\d+\.\d{4}",
    "probability": r"[01]\.\d{4}",
    "float6": r"-?\d+\.\d{6}",
    "play": r"(?:(?:bar|\d{1,2})(?:/(?:off|\d{1,2})\*?)+(?:\([2-4]\))? ?)+",
    "id": r"[A-Za-z0-9+/]{14}",
    "matchid": r"[A-Za-z0-9+/]{12}",
    "version": r"\d+\.\d+\.\d+\S*",
    "double": r"roll|double",
    "cube": r"double|nodouble",
    "take": r"take|pass|drop|beaver",
    "accept": r"accept|reject",
    "yesno": r"yes|no",
    "word": r"\S+",
    "text": r".*",
}
"""What `{name}` in a server's line stands for."""

_PLACEHOLDER: Final = re.compile(r"\{(" + "|".join(PLACEHOLDERS) + r")\}")
_ESCAPE: Final = re.compile(r"\\(n|r|0|\\|x[0-9a-f]{2})")
_PLAIN: Final = {"n": b"\n", "r": b"\r", "0": b"\0", "\\": b"\\"}


class Failure(Exception):
    """The server does not do as it should. The message says where, what was expected and what came."""


# Transcripts


@dataclass
class Step:
    """What the client sends in one go, and what the server answers to it. `line` is where it stands in the file."""

    line: int
    sent: bytes = b""
    ends: bool = False
    leaves: bool = False
    """The server is told to leave, as by SIGTERM, once all that was sent."""
    expected: list[str] = field(default_factory=list)
    closes: bool = False

    def pattern(self) -> re.Pattern[str]:
        """Matches the server's answer as a whole."""
        return re.compile("".join(map(_line_pattern, self.expected)))


@dataclass
class Transcript:
    """`dialect`, `token` and `limits` are those that its server is started with; `guests`: so many other connections
    have had an answer when this one comes."""

    name: str
    dialect: str | None
    steps: list[Step]
    token: str | None = None
    limits: dict[str, str] = field(default_factory=dict)
    guests: int = 0

    @property
    def plain(self) -> bool:
        """Whether any server will do, whatever its token and limits, and whoever else is there."""
        return self.token is None and not self.limits and not self.guests

    @property
    def leaves(self) -> bool:
        """Whether its server is told to leave."""
        return any(step.leaves for step in self.steps)


def _line_pattern(line: str) -> str:
    if line == "{lines}":
        return r"(?:[^\n]*\n)*?"
    at, pattern = 0, ""
    for found in _PLACEHOLDER.finditer(line):
        pattern += re.escape(line[at : found.start()]) + f"(?:{PLACEHOLDERS[found[1]]})"
        at = found.end()
    return pattern + re.escape(line[at:]) + r"\n"


def _bytes(text: str) -> bytes:
    out, at = b"", 0
    for found in _ESCAPE.finditer(text):
        out += text[at : found.start()].encode()
        out += _PLAIN.get(found[1]) or bytes.fromhex(found[1][1:])
        at = found.end()
    return out + text[at:].encode()


def parse(name: str, text: str) -> Transcript:
    """Raises ValueError where `text` is no transcript."""
    transcript = Transcript(name, None, [])
    answering = True  # a line of the client now opens a step
    for number, line in enumerate(text.splitlines(), 1):
        kind, _, rest = line.partition(" ")
        if not line or line.startswith("#"):
            continue
        if kind == "@dialect":
            transcript.dialect = rest
        elif kind == "@token":
            transcript.token = rest
        elif kind == "@limit":
            limit, _, value = rest.partition("=")
            transcript.limits[limit] = value
        elif kind == "@guests":
            transcript.guests = int(rest)
        elif kind in ("C:", "B:", "@ends", "@leaves"):
            if answering:
                transcript.steps.append(Step(number))
                answering = False
            step = transcript.steps[-1]
            if kind == "@ends":
                step.ends = True
            elif kind == "@leaves":
                step.leaves = True
            else:
                step.sent += rest.encode() + b"\n" if kind == "C:" else _bytes(rest)
        elif kind in ("S:", "@closes") and transcript.steps:
            answering = True
            if kind == "S:":
                transcript.steps[-1].expected.append(rest)
            else:
                transcript.steps[-1].closes = True
        else:
            raise ValueError(f"{name}:{number}: not a line of a transcript: {line!r}")
    return transcript


def transcripts() -> list[Transcript]:
    """All of them, in the order of their names."""
    paths = sorted((HERE / "transcripts").glob("*.txt"))
    return [parse(path.stem, path.read_text(encoding="utf-8")) for path in paths]


def mismatch(transcript: Transcript, step: Step, answer: str) -> str | None:
    """What is wrong with `answer`, for people; None when it is as written."""
    if step.pattern().fullmatch(answer):
        return None
    expected = "".join(f"  {line}\n" for line in step.expected) or "  (nothing)\n"
    got = "".join(f"  {line}\n" for line in answer.splitlines()) or "  (nothing)\n"
    return f"{transcript.name}:{step.line}: sent {step.sent!r}; expected\n{expected}got\n{got}"


# Ways to reach a server


class Peer:
    """One connection. What comes is collected by a thread, so that it can be waited for on any system."""

    def __init__(self, read: Callable[[], bytes], timeout: float) -> None:
        self._timeout = timeout
        self._chunks: queue.Queue[bytes] = queue.Queue()
        threading.Thread(target=self._collect, args=(read,), daemon=True).start()
        self.ended = False

    def _collect(self, read: Callable[[], bytes]) -> None:
        data = b"more"
        while data:
            try:
                data = read()
            except (OSError, ValueError):  # it was reset, or closed by us
                data = b""
            self._chunks.put(data)

    def receive_until(self, enough: Callable[[bytes], bool]) -> bytes:
        """What comes until it is enough, or the connection ends, or nothing has come for too long."""
        data = b""
        while not self.ended and not enough(data):
            try:
                chunk = self._chunks.get(timeout=self._timeout)
            except queue.Empty:
                break
            self.ended = not chunk
            data += chunk
        return data

    def send(self, data: bytes) -> None:
        raise NotImplementedError

    def end_input(self) -> None:
        raise NotImplementedError

    def close(self) -> None:
        """Raises Failure when the server does not end as it should."""
        raise NotImplementedError


class SocketPeer(Peer):
    def __init__(self, sock: socket.socket, timeout: float) -> None:
        self._socket = sock
        super().__init__(lambda: sock.recv(65_536), timeout)

    def send(self, data: bytes) -> None:
        self._socket.sendall(data)

    def end_input(self) -> None:
        self._socket.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        self._socket.close()


class ProcessPeer(Peer):
    def __init__(self, command: Sequence[str], timeout: float) -> None:
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, output = self._process.stdin, self._process.stdout
        super().__init__(lambda: output.read(65_536), timeout)

    def send(self, data: bytes) -> None:
        self._input.write(data)

    def end_input(self) -> None:
        self._input.close()

    def close(self) -> None:
        self._input.close()
        try:
            status = self._process.wait(self._timeout)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise Failure(f"the process has not ended {self._timeout:g} s after its input") from None
        if status != 0:
            raise Failure(f"the process ended with exit status {status}, expected 0")


class Door(Protocol):
    """Opens connections. Raises OSError."""

    def __call__(self, dialect: str | None = None) -> Peer: ...


# Checks


def replay(transcript: Transcript, door: Door) -> None:
    """Raises Failure at the first thing that is not as written."""
    guests = [_guest(door) for _ in range(transcript.guests)]
    peer = door(transcript.dialect)
    try:
        for step in transcript.steps:
            peer.send(step.sent)
            if step.ends:
                peer.end_input()
            answer = peer.receive_until(_nothing_is_enough if step.closes else _matches(step.pattern()))
            wrong = mismatch(transcript, step, _text(answer))
            if wrong is not None:
                raise Failure(wrong)
            if step.closes:
                if not peer.ended:
                    raise Failure(f"{transcript.name}.txt:{step.line}: the server should have closed the connection")
                return
        peer.end_input()
        more = peer.receive_until(_nothing_is_enough)
        if more:
            raise Failure(f"{transcript.name}.txt: more was answered than is written: {_text(more)!r}")
        if not peer.ended:
            raise Failure(f"{transcript.name}.txt: the server did not close after the end of input")
    except OSError as error:
        raise Failure(f"{transcript.name}.txt: the connection was lost: {error}") from error
    finally:
        for each in (peer, *guests):
            each.close()


def _guest(door: Door) -> Peer:
    """Somebody else who is there, and has been let in for certain."""
    peer = door()
    peer.send(b"ping\n")
    peer.receive_until(lambda data: data.endswith(b"\n"))
    return peer


def _nothing_is_enough(data: bytes) -> bool:
    return False


def _matches(pattern: re.Pattern[str]) -> Callable[[bytes], bool]:
    return lambda data: pattern.fullmatch(_text(data)) is not None


def _text(data: bytes) -> str:
    return data.decode(errors="replace")


class Asker:
    """Asks one thing after the other in JSON-RPC."""

    def __init__(self, peer: Peer) -> None:
        self._peer = peer
        self._count = 0

    def ask(self, method: str, **params: Any) -> tuple[dict[str, Any], str | None]:
        """The result, and the code of the error or None."""
        result, error = self.ask_all(method, **params)
        return result, error.get("code")

    def ask_all(self, method: str, **params: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The result, and what is told of the error: nothing where there is none."""
        self._count += 1
        request = {"jsonrpc": "2.0", "id": self._count, "method": method, "params": params}
        self._peer.send(json.dumps(request).encode() + b"\n")
        line = self._peer.receive_until(lambda data: data.endswith(b"\n"))
        try:
            reply = json.loads(line)
            error = reply.get("error")
            return reply.get("result", {}), {"code": error["data"]["code"], **error["data"]} if error else {}
        except (ValueError, KeyError, AttributeError, TypeError):
            raise Failure(f"asked {json.dumps(request)}; that is no reply: {_text(line)!r}") from None


def _expect(asked: str, expected: object, got: object) -> None:
    if got != expected:
        raise Failure(f"{asked}: expected {expected!r}, got {got!r}")


_TARGETS: Final = {
    "xgid": ("xgid", "id", "fibs", "ogid"),
    "id": ("id", "ogid"),
    "fibs": ("fibs", "ogid"),
    "ogid": ("ogid",),
}
"""What a notation says enough for, and in which order of the dice (vectors/README.md): an OGID has only one."""


def check_ids(vector: dict[str, Any], asker: Asker) -> None:
    for source, targets in _TARGETS.items():
        for target in targets:
            if source in vector and target in vector:
                result, code = asker.ask("convert", position=vector[source], to=target)
                _expect(f"convert {vector[source]} to={target}", vector[target], code or result.get("text"))


def check_refused(vector: dict[str, Any], asker: Asker) -> None:
    result, code = asker.ask("convert", position=vector["text"], to="id")
    _expect(f"convert {vector['text']} to=id", vector["code"], code or result)


def check_spelling(vector: dict[str, Any], asker: Asker) -> None:
    """Whether the text is a play at all; which one it is, the legal plays show."""
    _, code = asker.ask("check", position="start", dice="31", play=vector["text"])
    _expect(f"check 31 {vector['text']}: bad-play", vector.get("code") == "bad-play", code == "bad-play")


def check_plays(vector: dict[str, Any], asker: Asker) -> None:
    """All legal plays by the position that they lead to, and each one by its spelling."""
    position, dice = vector["position"], vector["dice"]
    asked = f"moves {dice} position={position}"
    result, code = asker.ask("moves", position=position, dice=dice)
    if code is not None:
        raise Failure(f"{asked}: got the error {code}")
    _expect(asked, sorted(vector["plays"].values()), sorted(play["result"] for play in result["plays"]))
    for play, expected in vector["plays"].items():
        result, code = asker.ask("check", position=position, dice=dice, play=play)
        _expect(f"check {dice} {play} position={position}", expected, code or result.get("result"))


def check_checked(vector: dict[str, Any], asker: Asker) -> None:
    """A play: what it means and where it leads, or the rule that it breaks."""
    position, dice, text = vector["position"], vector["dice"], vector["text"]
    result, error = asker.ask_all("check", position=position, dice=dice, play=text)
    asked = f"check {dice} {text!r} position={position}"
    for name in ("code", "rule"):
        _expect(f"{asked}: {name}", vector.get(name), error.get(name))
    for name in () if error else ("result", "nohit"):
        _expect(f"{asked}: {name}", vector.get(name, []), result.get(name, []))


def check_equity(vector: dict[str, Any], asker: Asker) -> None:
    """Numbers within what they may be off, words and truths as they are. A false `double` may be left out."""
    asked = f"{vector['method']} position={vector['position']}"
    result, code = asker.ask(vector["method"], position=vector["position"])
    if code is not None:
        raise Failure(f"{asked}: got the error {code}")
    for name, expected in vector["result"].items():
        got = result.get(name, False if expected is False else 0)
        if isinstance(expected, bool | str) or not isinstance(got, int | float):
            _expect(f"{asked}: {name}", expected, got)
        elif abs(got - expected) > vector["within"]:
            raise Failure(f"{asked}: {name}: expected {expected} within {vector['within']}, got {got}")


VECTORS: Final[dict[str, Callable[[dict[str, Any], Asker], None]]] = {
    "ids.jsonl": check_ids,
    "refused_positions.jsonl": check_refused,
    "play_spellings.jsonl": check_spelling,
    "legal_plays.jsonl": check_plays,
    "checked_plays.jsonl": check_checked,
    "equities.jsonl": check_equity,
}


def check_vectors(path: Path, door: Door) -> None:
    """Raises Failure that tells of every line that failed."""
    peer = door()
    asker = Asker(peer)
    failures = []
    try:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            try:
                VECTORS[path.name](json.loads(line), asker)
            except Failure as failure:
                failures.append(f"{path.name}:{number}: {failure}")
    except OSError as error:
        failures.append(f"{path.name}: the connection was lost: {error}")
    finally:
        peer.close()
    if failures:
        raise Failure("\n".join(failures))


def checks(*, pinned: bool, prepared: bool) -> Iterator[tuple[str, Callable[[Door], None] | None, str]]:
    """Name and check of each; or None and why there is none."""
    for transcript in transcripts():
        if transcript.dialect is not None and not pinned:
            yield transcript.name, None, f"needs a server with the dialect {transcript.dialect} pinned"
        elif transcript.leaves:
            yield transcript.name, None, "needs a server that is told to leave"
        elif not transcript.plain and not prepared:
            needs = [f"token {transcript.token}"] if transcript.token else []
            needs += [f"limit {name}={value}" for name, value in transcript.limits.items()]
            needs += [f"{transcript.guests} other clients"] if transcript.guests else []
            yield transcript.name, None, f"needs a server with the {', the '.join(needs)}"
        else:
            yield transcript.name, partial(replay, transcript), ""
    for name in VECTORS:
        yield name, partial(check_vectors, HERE / "vectors" / name), ""


def _door(options: argparse.Namespace) -> Door:
    def open_process(dialect: str | None = None) -> Peer:
        return ProcessPeer([*options.command, *(["--dialect", dialect] if dialect else [])], options.timeout)

    def open_unix(dialect: str | None = None) -> Peer:
        sock = socket.socket(socket.AF_UNIX)
        sock.connect(options.unix)
        return SocketPeer(sock, options.timeout)

    def open_tcp(dialect: str | None = None) -> Peer:
        return SocketPeer(socket.create_connection((options.host, options.port)), options.timeout)

    return open_process if options.command else open_unix if options.unix else open_tcp


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Check a server against the transcripts and vectors of the protocol.")
    parser.add_argument("--host", default="127.0.0.1", help="TCP host (%(default)s)")
    parser.add_argument("--port", type=int, default=4321, help="TCP port (%(default)s)")
    parser.add_argument("--unix", metavar="PATH", help="a Unix socket")
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds an answer may take (%(default)g)")
    parser.add_argument("--only", metavar="PATTERN", default="*", help="names to check, as in `text_*`")
    parser.add_argument("--pinned", action="store_true", help="the command understands --dialect NAME at its end")
    parser.add_argument(
        "--prepared", action="store_true", help="the server has the token and limits of these transcripts"
    )
    parser.add_argument("command", nargs="*", help="a server on stdin and stdout")
    options = parser.parse_args(arguments)
    door = _door(options)
    count = {"ok": 0, "FAIL": 0, "skip": 0}
    began = time.monotonic()
    for name, check, reason in checks(pinned=options.pinned and bool(options.command), prepared=options.prepared):
        if not fnmatch.fnmatch(name, options.only):
            continue
        word, told = ("skip", f" ({reason})") if check is None else ("ok", "")
        try:
            if check is not None:
                check(door)
        except Failure as failure:
            word, told = "FAIL", "\n" + "".join(f"     {line}\n" for line in str(failure).splitlines())
        except OSError as error:
            print(f"the server can't be reached: {error}", file=sys.stderr)
            return 2
        count[word] += 1
        print(f"{word:4} {name}{told}".rstrip(), flush=True)
    seconds = time.monotonic() - began
    print(f"{count['ok']} ok, {count['FAIL']} failed, {count['skip']} skipped in {seconds:.1f} s")
    return 1 if count["FAIL"] or not count["ok"] else 0


if __name__ == "__main__":
    sys.exit(main())
