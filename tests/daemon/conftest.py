import pytest
import trio.testing


@pytest.fixture
def autojump_clock() -> trio.testing.MockClock:
    """A clock that jumps to the next thing to happen, instead of waiting for it."""
    return trio.testing.MockClock(autojump_threshold=0)
