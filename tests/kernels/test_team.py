"""Parts of a work are done once each, by whoever comes first."""

from __future__ import annotations

import threading

import pytest

from bgd.engine.values import never
from bgd.kernels.team import Team, cores


def test_there_is_a_core() -> None:
    assert cores() >= 1


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("parts", [0, 1, 3, 200])
def test_each_part_is_done_once(threads: int, parts: int) -> None:
    done: list[int] = []
    assert Team(threads).share(done.append, parts, never)
    assert sorted(done) == list(range(parts))


def test_helpers_work_beside_the_one_who_asks() -> None:
    """Two parts that wait for each other need two threads."""
    meeting = threading.Barrier(2, timeout=60.0)
    who: set[int] = set()

    def work(_: int) -> None:
        who.add(threading.get_ident())
        meeting.wait()

    assert Team(2).share(work, 2, never)
    assert len(who) == 2
    assert threading.get_ident() in who


def test_who_asks_does_not_wait_for_helpers_that_are_busy_elsewhere() -> None:
    team = Team(2)
    begun, release = threading.Event(), threading.Event()

    def occupied(_: int) -> None:
        begun.set()
        assert release.wait(60.0)

    other = threading.Thread(target=team.share, args=(occupied, 2, never))
    other.start()
    assert begun.wait(60.0)
    done: list[int] = []
    assert team.share(done.append, 20, never)
    assert sorted(done) == list(range(20))
    release.set()
    other.join()


def test_what_is_stopped_leaves_parts_out() -> None:
    done: list[int] = []
    assert not Team(2).share(done.append, 100, lambda: len(done) >= 3)
    assert 3 <= len(done) <= 5
    assert not Team(1).share(done.append, 1, lambda: True)


@pytest.mark.parametrize("threads", [1, 2])
def test_faults_of_the_work_reach_who_asked(threads: int) -> None:
    def work(part: int) -> None:
        if part == 7:
            raise ValueError("seven")

    with pytest.raises(ValueError, match="seven"):
        Team(threads).share(work, 20, never)
