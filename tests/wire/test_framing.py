"""Bytes to lines."""

from __future__ import annotations

import itertools

from hypothesis import example, given
from hypothesis import strategies as st

from bgd.errors import BadArgument, BgdError, LineTooLong
from bgd.wire.framing import LineBuffer


def lines_of(*packets: bytes, limit: int = 8192) -> list[object]:
    """What comes out, errors as their class and message so that they compare."""
    buffer = LineBuffer(limit)
    found = [line for packet in (*packets, b"") for line in buffer.receive_data(packet)]
    return [(type(line), line.message) if isinstance(line, BgdError) else line for line in found]


def cut(data: bytes, places: list[int]) -> list[bytes]:
    bounds = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[a:b] for a, b in itertools.pairwise(bounds) if a < b]


peculiar_bytes = st.lists(
    st.sampled_from([b"a", b"board", b"\n", b"\r", b"\0", b"\r\n", b"\xff", "é".encode(), b" "]), max_size=40
).map(b"".join)


@given(peculiar_bytes | st.binary(max_size=60), st.lists(st.integers(0, 100), max_size=6), st.integers(1, 12))
@example(b"abc\r\n", [4], 3)
@example(b"abc\rd\n", [4], 3)
def test_how_the_bytes_were_cut_into_packets_never_shows(data: bytes, places: list[int], limit: int) -> None:
    assert lines_of(*cut(data, places), limit=limit) == lines_of(data, limit=limit)


def test_a_line_ends_at_lf_and_a_cr_before_it_is_dropped() -> None:
    assert lines_of(b"version\r\nhelp\n") == ["version", "help"]


def test_a_cr_within_a_line_stays() -> None:
    assert lines_of(b"a\rb\n") == ["a\rb"]


def test_two_commands_in_one_packet_are_two_lines() -> None:  # pitfall 14
    assert lines_of(b"version\nversion\n") == ["version", "version"]


def test_the_nul_that_gnubg_sends_after_each_line_is_dropped() -> None:  # pitfall 15
    assert lines_of(b"board:a\n\0", b"board:b\n\0") == ["board:a", "board:b"]


def test_a_packet_of_nothing_but_nul_is_not_the_end_of_input() -> None:
    assert lines_of(b"\0", b"help\n") == ["help"]


def test_a_last_line_without_lf_counts_at_the_end_of_input() -> None:
    assert lines_of(b"ping\nquit") == ["ping", "quit"]


def test_blank_lines_come_out_as_blank() -> None:
    assert lines_of(b"\n\r\n  \n") == ["", "", "  "]


def test_a_line_at_the_limit_passes_however_it_ends() -> None:
    assert lines_of(b"abcd\n", b"efgh\r\n", b"ijkl", limit=4) == ["abcd", "efgh", "ijkl"]


def test_a_line_over_the_limit_is_refused_once_and_nothing_after_it_is_read() -> None:  # pitfall 18
    (before, (kind, message)) = lines_of(b"ping\nabcde", b"f" * 100, b"\nping\n", limit=4)
    assert before == "ping"
    assert kind is LineTooLong
    assert "4 bytes" in message


def test_a_line_of_gnubg_s_own_limit_and_more_is_no_trouble() -> None:  # 255 bytes abort the original
    assert lines_of(b"x" * 300 + b"\n") == ["x" * 300]


def test_bytes_that_are_no_utf8_are_an_error_that_says_where() -> None:
    assert lines_of(b"ab\xffc\nping\n") == [
        (BadArgument, "Expected UTF-8, got byte `0xff` at column 3"),
        "ping",
    ]
