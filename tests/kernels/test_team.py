"""Parts of a work are done once each, by whoever comes first."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

import pytest

from bgd.engine.values import never
from bgd.kernels.notice import FEWEST, MOST, Notice, take, tell_done, what
from bgd.kernels.team import Team, Work, _Processors, cores

MANY = 20 * MOST
HELD_UP = 60.0  # seconds: then the test fails


def by(do: Callable[[int], None]) -> Work:
    """Work that does one part after another in Python."""

    def work(notice: Notice, most: int, looks: int) -> None:
        while most > 0:
            first, last = take(notice, looks)
            if first == last:
                return
            for part in range(first, last):
                do(part)
            tell_done(notice, last - first)
            most -= last - first

    return work


def test_there_is_a_core() -> None:
    assert cores() >= 1


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_each_part_is_done_once(threads: int) -> None:
    done: list[int] = []
    team = Team(threads, by(done.append))
    for parts in (0, 1, FEWEST, MOST, MOST + 1, MANY, 1, MANY):
        done.clear()
        assert team.share(0, parts, never)
        assert sorted(done) == list(range(parts))


def test_who_takes_part_reads_what_the_work_is() -> None:
    seen: list[int] = []

    def work(notice: Notice, most: int, looks: int) -> None:
        first, last = take(notice, looks)
        if first < last:
            seen.append(what(notice))
            tell_done(notice, last - first)

    assert Team(1, work).share(7, FEWEST, never)
    assert seen == [7]


class Meeting:
    """Work whose first part of each thread waits for as many threads."""

    def __init__(self, threads: int) -> None:
        self.who: set[int] = set()
        self._barrier = threading.Barrier(threads, timeout=HELD_UP)

    def __call__(self, _: int) -> None:
        me = threading.get_ident()
        if me not in self.who:
            self.who.add(me)
            self._barrier.wait()


def test_helpers_work_beside_the_one_who_asks_whether_they_slept_or_not() -> None:
    meeting = Meeting(3)
    team = Team(3, by(meeting))
    for _ in range(20):
        meeting.who.clear()
        assert team.share(0, MANY, never)
        assert len(meeting.who) == 3
        assert threading.get_ident() in meeting.who


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="a system that places threads as it likes")
def test_who_is_woken_begins_elsewhere_and_may_go_anywhere_then() -> None:
    places: dict[str, set[int]] = {}
    allowed = os.sched_getaffinity(0)

    class Placed(Meeting):
        def __call__(self, part: int) -> None:
            places[threading.current_thread().name] = os.sched_getaffinity(0)
            super().__call__(part)

    processors = _Processors()
    processors.keep_off(threading.get_native_id())
    kept_to = os.sched_getaffinity(0)
    processors.go_anywhere()
    assert kept_to < allowed or len(allowed) == 1
    meeting = Placed(2)
    team = Team(2, by(meeting))
    for _ in range(20):  # the first time they are new, then some have slept
        meeting.who.clear()
        assert team.share(0, MANY, never)
    assert set(places) == {threading.current_thread().name, "bgd-search"}
    assert all(place == allowed for place in places.values())


def test_nobody_is_woken_for_little() -> None:
    who: set[int] = set()
    assert Team(2, by(lambda _: who.add(threading.get_ident()))).share(0, MOST, never)
    assert who == {threading.get_ident()}


def test_who_asks_while_others_do_works_alone_and_waits_for_nobody() -> None:
    begun, release = threading.Event(), threading.Event()
    done: list[int] = []
    asking = threading.get_ident()

    def do(part: int) -> None:
        if threading.get_ident() == asking:
            done.append(part)
        else:
            begun.set()
            assert release.wait(HELD_UP)

    team = Team(2, by(do))
    other = threading.Thread(target=team.share, args=(0, MANY, never))
    other.start()
    assert begun.wait(HELD_UP)
    assert team.share(0, MANY, never)
    assert sorted(done) == list(range(MANY))
    release.set()
    other.join()


def test_nobody_helps_while_as_many_are_at_work_as_there_are_threads() -> None:
    who: set[int] = set()
    team = Team(2, by(lambda _: who.add(threading.get_ident())))
    begun, release = threading.Event(), threading.Event()

    def play() -> None:
        with team.at_work():
            begun.set()
            assert release.wait(HELD_UP)

    other = threading.Thread(target=play)
    other.start()
    assert begun.wait(HELD_UP)
    with team.at_work():
        assert team.share(0, MANY, never)
    assert who == {threading.get_ident()}
    release.set()
    other.join()
    meeting = Meeting(2)
    team = Team(2, by(meeting))
    with team.at_work():
        assert team.share(0, MANY, never)
    assert len(meeting.who) == 2


@pytest.mark.parametrize("threads", [1, 2])
def test_what_is_stopped_leaves_parts_out_and_nobody_works_on(threads: int) -> None:
    asking, stopped = threading.get_ident(), threading.Event()
    done: list[int] = []

    def do(part: int) -> None:
        done.append(part)
        assert threading.get_ident() == asking or stopped.wait(HELD_UP)

    def stop() -> bool:
        if len(done) >= FEWEST:
            stopped.set()
        return stopped.is_set()

    team = Team(threads, by(do))
    assert not team.share(0, 1000 * MANY, stop)
    parts = len(done)
    assert FEWEST <= parts < 1000 * MANY
    assert not team.share(0, 1000 * MANY, stop)
    assert len(done) == parts
    assert team.share(0, MANY, never)
    assert len(done) == parts + MANY


@pytest.mark.parametrize("threads", [1, 2])
def test_faults_of_the_work_reach_who_asked(threads: int) -> None:
    def do(part: int) -> None:
        if part == 7:
            raise ValueError("seven")

    with pytest.raises(ValueError, match="seven"):
        Team(threads, by(do)).share(0, MANY, never)


def test_helpers_go_with_their_team() -> None:
    meeting = Meeting(2)
    before = set(threading.enumerate())
    team = Team(2, by(meeting))
    assert team.share(0, MANY, never)
    (helper,) = set(threading.enumerate()) - before
    del team
    helper.join(HELD_UP)
    assert not helper.is_alive()
