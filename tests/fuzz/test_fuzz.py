"""A short turn of fuzzing; the long ones are run by hand (tests/fuzz/__main__.py)."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from bgd.errors import BgdError, hint
from bgd.wire.messages import REQUESTS, Incoming, Reply
from bgd.wire.text import TextCodec
from tests.fuzz.mutate import CORPUS, conversations, keep, kept, seeds
from tests.fuzz.targets import KIND, TARGETS
from tests.fuzz.ways import new_ways, ways


def test_every_request_is_answered_with_a_reply_of_its_kind() -> None:
    assert set(REQUESTS) - {kind.verb for kind in KIND} == {"auth", "cancel", "newgame", "ping", "quit", "set"}


@pytest.mark.parametrize("target", TARGETS)
def test_what_the_transcripts_say_and_the_corpus_keeps_breaks_nothing(target: str) -> None:
    assert seeds(target)
    for data in seeds(target):
        TARGETS[target](data)


@pytest.mark.parametrize("target", TARGETS)
def test_bent_conversations_break_nothing(target: str) -> None:
    for data in itertools.islice(conversations(target, seed=7), 100):
        TARGETS[target](data)


def test_the_same_seed_bends_the_same_way() -> None:
    first, again, other = (list(itertools.islice(conversations("text", seed), 20)) for seed in (1, 1, 2))
    assert first == again != other


@pytest.mark.parametrize("target", ["text", "any", "session"])
def test_an_answer_given_twice_would_be_noticed(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    encode = TextCodec.encode

    def encode_twice(codec: TextCodec, incoming: Incoming, answer: Reply | BgdError) -> bytes:
        return encode(codec, incoming, answer) * 2

    monkeypatch.setattr(TextCodec, "encode", encode_twice)
    with pytest.raises(AssertionError):
        TARGETS[target](b"ping\n")


def test_the_corpus_keeps_any_bytes_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.fuzz.mutate.CORPUS", tmp_path)
    found = [b"ping\r\n\0", bytes(range(256)), "é\\n\u2028".encode(), b""]
    keep("text", found)
    keep("text", found[:1])
    assert sorted(kept("text")) == sorted(found[:3])


def test_only_what_goes_a_new_way_through_the_code_is_worth_keeping(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.fuzz.ways.seeds", lambda target: [b"ping\n"])
    assert new_ways("text", [b"glurb\n", b"flurb\n", b"ping\n"]) == [b"glurb\n"]


def test_what_is_thrown_away_meanwhile_goes_no_way(monkeypatch: pytest.MonkeyPatch) -> None:
    def litter(data: bytes) -> None:
        for _ in range(3000):  # rings that nobody holds, which only a collector finds; each says farewell in bgd's code
            ring: list[object] = [Farewell()]
            ring.append(ring)

    class Farewell:
        def __del__(self) -> None:
            hint("farewell", ())

    monkeypatch.setitem(TARGETS, "litter", litter)
    assert ways("litter", b"") == set()


def test_the_corpus_belongs_to_targets() -> None:
    assert {path.stem for path in CORPUS.iterdir()} <= set(TARGETS)
