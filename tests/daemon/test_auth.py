"""Tokens: read from a file that is nobody else's, asked for before all else, and seen by nobody."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bgd.daemon.auth import MIN_TOKEN, Guard, Tokens, check_secret
from bgd.errors import ConfigError, Unauthorized
from bgd.wire.conversation import Conversation
from bgd.wire.messages import MAX_TOKEN, Auth, Best, Done, Hello, Help, Ping, Quit, Request, Stats

TOKEN = "2c26b46b68ffc68ff99b453c1d304134"
OTHER = "fcde2b2edba56bf408601fb721fe9b5c"


def token_file(tmp_path: Path, content: str, mode: int = 0o600) -> Path:
    path = tmp_path / "tokens"
    path.write_text(content)
    path.chmod(mode)
    return path


# The file


def test_a_file_holds_one_token_a_line(tmp_path: Path) -> None:
    tokens = Tokens.read(token_file(tmp_path, f"# the old one\n{OTHER}\n\n  {TOKEN}\n"))
    assert tokens.has(TOKEN)
    assert tokens.has(OTHER)
    assert not tokens.has("# the old one")
    assert not tokens.has("")


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o644, 0o660])
def test_a_file_that_others_can_read_or_write_is_refused(tmp_path: Path, mode: int) -> None:
    path = token_file(tmp_path, TOKEN, mode)
    with pytest.raises(ConfigError) as error:
        Tokens.read(path)
    assert error.value.message == (
        f"Expected `{path}` to be readable by its owner alone, got mode `{mode:04o}`; chmod 600 it"
    )


def test_a_file_of_ours_alone_is_taken(tmp_path: Path) -> None:
    for mode in (0o400, 0o600, 0o700):
        check_secret(token_file(tmp_path, TOKEN, mode))
        (tmp_path / "tokens").chmod(0o600)


def test_a_file_of_somebody_elses_is_refused(tmp_path: Path) -> None:
    path = token_file(tmp_path, TOKEN)
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    os.chown(path, 12345, 0)
    with pytest.raises(ConfigError, match="owned by the user that runs bgd, or by root"):
        Tokens.read(path)


@pytest.mark.parametrize("content", ["", "\n# nothing\n"])
def test_a_file_without_a_token_is_refused(tmp_path: Path, content: str) -> None:
    with pytest.raises(ConfigError, match="openssl rand -hex 32"):
        Tokens.read(token_file(tmp_path, content))


def test_a_token_has_16_to_256_characters(tmp_path: Path) -> None:
    for length in (MIN_TOKEN, MAX_TOKEN):
        assert Tokens.read(token_file(tmp_path, "x" * length)).has("x" * length)
    for length in (MIN_TOKEN - 1, MAX_TOKEN + 1):
        with pytest.raises(ConfigError, match=r"tokens:2: expected a token of 16 to 256"):
            Tokens.read(token_file(tmp_path, f"{TOKEN}\n" + "x" * length))


def test_no_error_shows_a_token(tmp_path: Path) -> None:
    for wrong in (f"{TOKEN} {TOKEN}", f"{TOKEN}é"):
        with pytest.raises(ConfigError) as error:
            Tokens.read(token_file(tmp_path, wrong))
        assert TOKEN not in error.value.message


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        Tokens.read(tmp_path / "none")


# The guard


def guarded(max_bad: int = 3) -> Guard:
    return Guard(Tokens([TOKEN]), max_bad=max_bad)


def test_without_tokens_all_may_be_asked_and_any_token_will_do() -> None:
    guard = Guard()
    assert guard.open
    assert guard.answer(Best(dice="31")) is None
    assert guard.answer(Auth(token="x")) == Done(text="not needed")


@pytest.mark.parametrize("request_", [Hello(), Ping(), Quit()])
def test_who_is_there_is_told_before_the_token(request_: Request) -> None:
    assert guarded().answer(request_) is None


@pytest.mark.parametrize("request_", [Best(dice="31"), Stats(), Help()])
def test_nothing_else_is(request_: Request) -> None:
    assert isinstance(guarded().answer(request_), Unauthorized)


def test_the_token_opens_everything_and_a_wrong_one_afterwards_closes_nothing() -> None:
    guard = guarded()
    assert guard.answer(Auth(token=TOKEN)) == Done(text="authorized")
    assert guard.answer(Best(dice="31")) is None
    assert isinstance(guard.answer(Auth(token=OTHER)), Unauthorized)
    assert guard.answer(Best(dice="31")) is None


def test_the_last_wrong_token_allowed_is_the_last_one() -> None:
    guard = guarded(max_bad=2)
    guard.answer(Auth(token="a"))
    assert not guard.gives_up
    assert "the last try" in str(guard.answer(Auth(token="b")))
    assert guard.gives_up


@given(st.text())
def test_law_only_the_token_is_the_token(token: str) -> None:
    assert Tokens([TOKEN]).has(token) == (token == TOKEN)


# On the wire


@pytest.mark.parametrize("line", [f"auth {TOKEN}", f"AUTH  {TOKEN} ", f'auth "{TOKEN}"', f"auth token={TOKEN}"])
@pytest.mark.parametrize("dialect", [None, "text", "json", "gnubg", "ubgi"])
def test_it_may_come_before_all_else_and_leaves_the_dialect_open(line: str, dialect: None) -> None:
    conversation = Conversation(dialect)
    (incoming,) = conversation.receive_data(f"{line}\r\n".encode())
    assert incoming.content == Auth(token=TOKEN)
    assert conversation.dialect == dialect
    assert conversation.send(incoming, Done(text="authorized")) == b"ok authorized\n"


@pytest.mark.parametrize(
    ("line", "dialect"), [("ubgi", "ubgi"), ("version", "gnubg"), ('{"jsonrpc":"2.0"}', "json"), ("ping", "text")]
)
def test_the_line_after_it_chooses_the_dialect(line: str, dialect: str) -> None:
    conversation = Conversation()
    conversation.receive_data(f"\nauth {TOKEN}\n\nauth {TOKEN}\n{line}\n".encode())
    assert conversation.dialect == dialect


def test_a_token_may_look_like_anything_that_a_token_may_be() -> None:
    for token in ("abc=", "x=y=z", "+/+/+/", "token", "a.b~c_d-e"):
        (incoming,) = Conversation("text").receive_data(f"ping\nauth {token}\n".encode())[1:]
        assert incoming.content == Auth(token=token)


@pytest.mark.parametrize(
    "lines",
    [
        f"auth {'x' * 300}{TOKEN}",
        f"ping\nauth {TOKEN} {'x' * 300}",
        f"ubgi\nauth {TOKEN} {'x' * 300}",
        f'{{"jsonrpc":"2.0","id":1,"method":"auth","params":{{"token":["{TOKEN}"]}}}}',
        f'{{"jsonrpc":"2.0","id":1,"method":"auth","params":["{TOKEN}"]}}',
    ],
)
def test_no_answer_and_no_repr_shows_what_was_given(lines: str) -> None:
    conversation = Conversation()
    for incoming in conversation.receive_data(f"{lines}\n".encode()):
        assert TOKEN not in repr(incoming)
        if isinstance(incoming.content, Exception):
            assert TOKEN.encode() not in conversation.send(incoming, incoming.content)
    assert TOKEN not in repr(Auth(token=TOKEN))
    assert TOKEN not in repr(Tokens([TOKEN]))
