"""What `help` says."""

from __future__ import annotations

import pytest

from bgd.errors import BadArgument
from bgd.wire.help import help_lines
from bgd.wire.messages import REQUESTS, Request
from tests.wire.replies import Peer


def test_help_lists_every_verb() -> None:
    assert {line.split()[0] for line in help_lines() if line} >= set(REQUESTS)


@pytest.mark.parametrize("verb", REQUESTS)
def test_every_verb_has_its_usage_fields_and_an_example_that_is_a_request(verb: str) -> None:
    usage, *_, example = help_lines(verb)
    assert usage.split()[0] == verb
    request = Peer("text").request(example.removeprefix("  Example: "))
    assert isinstance(request, Request)
    assert request.verb == verb


def test_help_fits_a_terminal() -> None:
    assert max(len(line) for verb in [None, *REQUESTS] for line in help_lines(verb)) <= 118


def test_a_topic_that_is_no_verb_gets_a_hint() -> None:
    with pytest.raises(BadArgument, match="did you mean `moves`"):
        help_lines("move")
