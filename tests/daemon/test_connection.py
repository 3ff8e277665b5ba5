"""One peer: every request gets one final reply, in the right order, whatever happens meanwhile."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import trio
import trio.testing
from hypothesis import given, settings
from hypothesis import strategies as st

from bgd.daemon.scheduler import Task
from bgd.errors import WeightsError
from bgd.wire.messages import SearchProgress

from .fakes import House, StreamTransport

Scenario = Callable[[House], Awaitable[None]]


def in_house(**options: Any) -> Callable[[Scenario], Callable[[], None]]:
    """Run a scenario in a house of its own."""

    def decorate(scenario: Scenario) -> Callable[[], None]:
        @functools.wraps(scenario)
        def test() -> None:
            async def main() -> None:
                with trio.fail_after(20):
                    async with trio.open_nursery() as nursery:
                        house = House(nursery, **options)
                        await house.open(ready=options.get("loaded", True))
                        await scenario(house)
                        nursery.cancel_scope.cancel()

            trio.run(main)

        del test.__wrapped__  # type: ignore[attr-defined]  # pytest would take its parameter for a fixture
        return test

    return decorate


@in_house()
async def test_a_request_is_answered(house: House) -> None:
    peer = house.connect()
    await peer.say("ping")
    assert await peer.hear() == "ok pong"


@in_house()
async def test_pipelined_requests_are_all_answered_in_the_order_sent(house: House) -> None:
    peer = house.connect()
    await peer.say("ping", "bad", "job cheap", "bytes", "flurb")
    assert [await peer.hear() for _ in range(5)] == [
        "ok pong",
        "error bad-argument",
        "ok cheap",
        "as it is",
        "error unknown-command",
    ]


@in_house()
async def test_blank_lines_are_answered_with_silence(house: House) -> None:
    peer = house.connect()
    await peer.say("", "", "ping")
    assert await peer.hear() == "ok pong"


@in_house()
async def test_an_untagged_request_waits_for_the_one_before_it(house: House) -> None:
    peer = house.connect()
    await peer.say("job slow", "ping", "bytes", "job cheap")
    await house.jobs.wait_begun()
    house.jobs.finish("slow")
    assert [await peer.hear() for _ in range(4)] == ["ok slow", "ok pong", "as it is", "ok cheap"]


@in_house()
async def test_tagged_requests_are_answered_as_they_finish(house: House) -> None:
    peer = house.connect()
    await peer.say("#1 job slow", "#2 ping", "ping")
    assert await peer.hear() == "#2 ok pong"
    assert await peer.hear() == "ok pong"
    house.jobs.finish("slow")
    assert await peer.hear() == "#1 ok slow"


@in_house()
async def test_reading_goes_on_while_a_job_runs(house: House) -> None:
    peer = house.connect()
    await peer.say("#1 job slow")
    await house.jobs.wait_begun()
    await peer.say("ping")
    assert await peer.hear() == "ok pong"


@in_house()
async def test_a_cancelled_request_is_answered_once_with_cancelled(house: House) -> None:
    peer = house.connect()
    await peer.say("#1 job slow")
    await house.jobs.wait_begun()
    await peer.say("cancel 1")
    assert await peer.hear() == "#1 error cancelled"
    assert await peer.hear() == "ok 1 cancelled"
    await peer.say("#1 job cheap")
    assert await peer.hear() == "#1 ok cheap"
    assert house.jobs.stopped in ([], ["slow"])


@in_house()
async def test_a_request_still_queued_can_be_cancelled(house: House) -> None:
    peer = house.connect()
    await peer.say("#1 job slow", "#2 job other", "cancel 2", "#3 ping")
    assert await peer.hear() == "#2 error cancelled"
    assert await peer.hear() == "ok 1 cancelled"
    assert await peer.hear() == "#3 ok pong"
    house.jobs.finish("slow")
    assert await peer.hear() == "#1 ok slow"
    assert house.jobs.order == ["slow"]


@in_house()
async def test_cancel_without_a_tag_cancels_all(house: House) -> None:
    peer = house.connect()
    await peer.say("#1 job a", "job b", "cancel")
    heard = {await peer.hear(), await peer.hear()}
    assert heard == {"#1 error cancelled", "error cancelled"}
    assert await peer.hear() == "ok 2 cancelled"


@in_house()
async def test_stop_gives_the_best_answer_so_far(house: House) -> None:
    peer = house.connect()
    await peer.say("job slow")
    await house.jobs.wait_begun()
    await peer.say("stop")
    assert await peer.hear() == "ok slow so far"
    assert await peer.hear() == "ok 1 cancelled"


@in_house()
async def test_cancelling_what_is_answered_already_is_no_error(house: House) -> None:
    peer = house.connect()
    await peer.say("cancel 7")
    assert await peer.hear() == "ok 0 cancelled"


@in_house()
async def test_a_move_time_yields_the_best_answer_so_far(house: House) -> None:
    peer = house.connect()
    await peer.say("job slow@5")
    assert await peer.hear() == "ok slow so far"


@in_house()
async def test_a_tag_in_use_is_refused(house: House) -> None:
    peer = house.connect()
    await peer.say("#1 job slow", "#1 ping")
    assert await peer.hear() == "#1 error bad-argument"
    house.jobs.finish("slow")
    assert await peer.hear() == "#1 ok slow"


@in_house()
async def test_a_bug_is_answered_as_internal_and_the_connection_lives(house: House) -> None:
    peer = house.connect()
    await peer.say("bug", "job bug", "ping")
    assert [await peer.hear() for _ in range(3)] == ["error internal", "error internal", "ok pong"]


@in_house()
async def test_a_job_that_refuses_is_answered_with_its_error(house: House) -> None:
    peer = house.connect()
    await peer.say("job refused")
    assert await peer.hear() == "error bad-argument"


@in_house()
async def test_end_of_input_answers_what_was_asked_and_closes(house: House) -> None:
    peer = house.connect()
    await peer.say("job slow", "ping")
    await peer.stream.send_all(b"job cheap")
    await peer.stream.send_eof()
    await house.jobs.wait_begun()
    house.jobs.finish("slow")
    assert await peer.hear_all() == ["ok slow", "ok pong", "ok cheap"]
    await peer.closed.wait()


@in_house()
async def test_quit_answers_what_was_asked_before_it_and_closes(house: House) -> None:
    peer = house.connect()
    await peer.say("job slow", "quit", "ping")
    await house.jobs.wait_begun()
    house.jobs.finish("slow")
    assert await peer.hear_all() == ["ok slow", "ok ", "error cancelled"]


@in_house()
async def test_a_line_over_the_limit_is_answered_and_closes(house: House) -> None:
    peer = house.connect()
    await peer.stream.send_all(b"ping\n" + b"x" * 1000)
    assert await peer.hear_all() == ["ok pong", "error line-too-long"]


@in_house()
async def test_a_peer_that_leaves_stops_its_jobs_and_nobody_elses(house: House) -> None:
    leaver, stayer = house.connect(), house.connect()
    await leaver.say("#1 job left", "#2 job queued")
    await house.jobs.wait_begun()
    await stayer.say("job stays")
    await leaver.stream.send_eof()
    leaver.transport.gone.set()
    await leaver.closed.wait()
    await house.jobs.wait_begun()
    assert house.jobs.stopped == ["left"]
    house.jobs.finish("stays")
    assert await stayer.hear() == "ok stays"
    assert house.jobs.order == ["left", "stays"]


@in_house(max_pending=3)
async def test_with_too_many_pending_reading_waits_and_nothing_is_lost(house: House) -> None:
    peer = house.connect()
    await peer.say(*[f"#{n} job {n}" for n in range(10)])
    await house.jobs.wait_begun()
    await trio.testing.wait_all_tasks_blocked()
    assert house.scheduler.queued == 2
    house.jobs.finish(*map(str, range(10)))
    assert [await peer.hear() for _ in range(10)] == [f"#{n} ok {n}" for n in range(10)]


@in_house()
async def test_connections_take_turns(house: House) -> None:
    greedy, modest = house.connect(), house.connect()
    await greedy.say("job a1", "job a2", "job a3")
    await house.jobs.wait_begun()
    await modest.say("job b1")
    await trio.testing.wait_all_tasks_blocked()
    house.jobs.finish("a1", "a2", "a3", "b1")
    assert await modest.hear() == "ok b1"
    assert [await greedy.hear() for _ in range(3)] == ["ok a1", "ok a2", "ok a3"]
    assert house.jobs.order.index("b1") == 2


@in_house()
async def test_a_connection_s_own_priorities_come_before_the_order_asked_and_disturb_no_other(house: House) -> None:
    greedy, modest = house.connect(), house.connect()
    await greedy.say("#1 job a1")
    await house.jobs.wait_begun()
    await greedy.say("#2 job a2", "#3 job a3", "#4 job a4^7", "#5 job a5", "#6 job a6^-1", "#7 job a7^7")
    await modest.say("#1 job b1", "#2 job b2")
    await trio.testing.wait_all_tasks_blocked()
    house.jobs.finish("a1", "a2", "a3", "a4", "a5", "a6", "a7", "b1", "b2")
    assert [await greedy.hear() for _ in range(7)] == [f"#{n} ok a{n}" for n in (1, 4, 7, 2, 3, 5, 6)]
    assert house.jobs.order == ["a1", "a4", "b1", "a7", "b2", "a2", "a3", "a5", "a6"]


@in_house()
async def test_what_is_short_does_not_wait_for_what_is_long(house: House) -> None:
    analyst, player = house.connect(), house.connect()
    await analyst.say("#1 long a", "#2 long b", "#3 job c")
    await house.jobs.wait_begun()
    await house.jobs.wait_begun()
    assert sorted(house.jobs.order) == ["a", "c"]
    await player.say("job d", "ping")
    house.jobs.finish("c", "d")
    assert await analyst.hear() == "#3 ok c"
    assert [await player.hear(), await player.hear()] == ["ok d", "ok pong"]
    house.jobs.finish("a", "b")
    assert [await analyst.hear(), await analyst.hear()] == ["#1 ok a", "#2 ok b"]


@in_house()
async def test_what_is_long_of_one_does_not_wait_for_what_is_long_of_another(house: House) -> None:
    analyst, other, third = house.connect(), house.connect(), house.connect()
    await analyst.say("#1 long a1", "#2 long a2")
    await house.jobs.wait_begun()
    await trio.testing.wait_all_tasks_blocked()
    assert house.jobs.order == ["a1"]  # the thread that is left is for others
    await other.say("#1 long b1", "#2 long b2")
    await house.jobs.wait_begun()
    assert house.jobs.order == ["a1", "b1"]
    await third.say("#1 long c1")
    await trio.testing.wait_all_tasks_blocked()
    house.jobs.finish("b1")
    await house.jobs.wait_begun()
    assert house.jobs.order[2] in ("b2", "c1")  # not a2: of that connection one is at work
    house.jobs.finish("a1", "a2", "b2", "c1")
    assert [await analyst.hear() for _ in range(2)] == ["#1 ok a1", "#2 ok a2"]
    assert [await other.hear() for _ in range(2)] == ["#1 ok b1", "#2 ok b2"]
    assert await third.hear() == "#1 ok c1"


@in_house()
async def test_a_thread_for_others_is_there_again_once_their_work_is_done(house: House) -> None:
    analyst, other = house.connect(), house.connect()
    await analyst.say("#1 long a1", "#2 long a2")
    await house.jobs.wait_begun()
    for name in ("b1", "b2", "b3"):
        await other.say(f"long {name}")
        await house.jobs.wait_begun()
        house.jobs.finish(name)
        assert await other.hear() == f"ok {name}"
    assert house.jobs.order == ["a1", "b1", "b2", "b3"]
    house.jobs.finish("a1", "a2")
    assert [await analyst.hear() for _ in range(2)] == ["#1 ok a1", "#2 ok a2"]


@in_house()
async def test_what_is_told_to_finish_is_answered_though_no_thread_is_free_for_it(house: House) -> None:
    peer = house.connect()
    await peer.say("#1 long a", "#2 long b")
    await house.jobs.wait_begun()
    await peer.say("stop 2")
    assert await peer.hear() == "ok 1 cancelled"
    assert await peer.hear() == "#2 ok b so far"
    house.jobs.finish("a")
    assert await peer.hear() == "#1 ok a"


@in_house()
async def test_what_has_no_time_left_is_answered_though_no_thread_is_free_for_it(house: House) -> None:
    peer = house.connect()
    await peer.say("#1 long a", "#2 long b@60000", "#3 long c@20", "#4 long d@1", "#5 long e@30000")
    assert sorted([await peer.hear(), await peer.hear()]) == ["#3 ok c so far", "#4 ok d so far"]
    assert house.jobs.order[0] == "a"
    house.jobs.finish("a", "b", "e")
    assert [await peer.hear() for _ in range(3)] == ["#1 ok a", "#2 ok b", "#5 ok e"]


@in_house()
async def test_what_is_in_a_hurry_comes_before_the_rest_of_its_connection(house: House) -> None:
    peer = house.connect()
    await peer.say("#1 job a")
    await house.jobs.wait_begun()
    await peer.say("#2 job b^100", "#3 job c", "#4 long d", "stop 3")
    await house.jobs.wait_begun()  # d
    house.jobs.finish("a", "b", "d")
    answers = [await peer.hear() for _ in range(5)]
    assert sorted(answers) == ["#1 ok a", "#2 ok b", "#3 ok c so far", "#4 ok d", "ok 1 cancelled"]
    assert answers.index("#3 ok c so far") < answers.index("#2 ok b")


@in_house(max_pending=1000)
async def test_a_thousand_jobs_of_one_keep_no_other_waiting(house: House) -> None:
    greedy, modest = house.connect(), house.connect()
    await greedy.say(*[f"#{n} job {n}" for n in range(1000)])
    await house.jobs.wait_begun()
    while house.scheduler.queued < 999:
        await trio.testing.wait_all_tasks_blocked()
    await modest.say("job cheap", "job modest")
    assert await modest.hear() == "ok cheap"
    house.jobs.finish("0", "1", "modest")
    assert await modest.hear() == "ok modest"
    assert house.jobs.order[:4] == ["0", "cheap", "1", "modest"]


@in_house(max_queued=2)
async def test_beyond_the_queue_s_limit_a_connection_is_busy_but_for_one_job(house: House) -> None:
    greedy, modest = house.connect(), house.connect()
    await greedy.say("#1 job 1")
    await house.jobs.wait_begun()
    await greedy.say("#2 job 2", "#3 job 3", "#4 job 4", "#5 long 5", "#6 job cheap")
    assert [await greedy.hear() for _ in range(3)] == ["#4 error busy", "#5 error busy", "#6 ok cheap"]
    await modest.say("#1 job a", "#2 job b")
    assert await modest.hear() == "#2 error busy"
    assert house.scheduler.queued == 3
    await greedy.say("cancel 2", "cancel 3")
    assert [await greedy.hear() for _ in range(4)] == [
        "#2 error cancelled",
        "ok 1 cancelled",
        "#3 error cancelled",
        "ok 1 cancelled",
    ]
    await modest.say("#2 job b")
    house.jobs.finish("1", "a", "b")
    assert [await modest.hear(), await modest.hear()] == ["#1 ok a", "#2 ok b"]
    assert await greedy.hear() == "#1 ok 1"


@in_house(loaded=False)
async def test_while_the_engine_loads_other_requests_are_answered(house: House) -> None:
    peer = house.connect()
    await peer.say("#1 job cheap", "ping")
    assert await peer.hear() == "ok pong"
    house.load_gate.set()
    assert await peer.hear() == "#1 ok cheap"


@in_house(loaded=False, complete=False)
async def test_what_is_cheap_waits_for_the_first_stage_of_loading_and_the_rest_for_the_last(house: House) -> None:
    peer = house.connect()
    await peer.say("#1 job refused", "#2 long refused", "#3 job cheap", "ping")
    assert await peer.hear() == "ok pong"
    house.load_gate.set()
    assert await peer.hear() == "#3 ok cheap"
    assert house.engines.state == "ready"
    assert house.engines.at_work
    await peer.say("#4 job cheap", "#5 job refused", "ping")
    assert [await peer.hear() for _ in range(2)] == ["#4 ok cheap", "ok pong"]
    house.finish_gate.set()
    assert {await peer.hear() for _ in range(3)} == {f"#{n} error bad-argument" for n in (1, 2, 5)}
    assert not house.engines.at_work


@in_house(complete=False)
async def test_a_fault_in_the_last_stage_of_loading_leaves_nobody_waiting(house: House) -> None:
    house.unfinished = ZeroDivisionError("a bug in the engine")
    peer = house.connect()
    await peer.say("job refused")
    house.finish_gate.set()
    assert await peer.hear() == "error bad-argument"


@in_house(loaded=False)
async def test_an_engine_that_cannot_be_loaded_is_told_to_those_who_need_it(house: House) -> None:
    house.failure = WeightsError("damaged")
    peer = house.connect()
    await peer.say("job a", "ping")
    house.load_gate.set()
    assert [await peer.hear() for _ in range(2)] == ["error bad-weights", "ok pong"]
    await peer.say("job cheap")
    assert await peer.hear() == "error bad-weights"


@in_house()
async def test_shutting_down_answers_what_was_asked_and_closes(house: House) -> None:
    peer = house.connect()
    await peer.say("job slow", "ping")
    await house.jobs.wait_begun()
    peer.connection.shut_down()
    house.jobs.finish("slow")
    assert await peer.hear_all() == ["ok slow", "ok pong"]


@in_house(grace=0.0)
async def test_what_is_not_done_in_the_grace_time_is_answered_with_shutting_down(house: House) -> None:
    peer = house.connect()
    await peer.say("job slow", "#1 job other", "ping")
    await house.jobs.wait_begun()
    peer.connection.shut_down()
    assert sorted(await peer.hear_all()) == ["#1 error shutting-down", "error shutting-down", "ok pong"]


@in_house(min_progress=0.0)
async def test_who_asked_for_it_is_told_of_progress_and_then_of_the_end(house: House) -> None:
    peer = house.connect()
    await peer.say("#1 job slow%1")
    await house.jobs.wait_begun()
    for plies in (1, 2):
        house.jobs.report("slow", plies)
        assert await peer.hear() == f"#1 progress {plies}"
    house.jobs.finish("slow")
    assert await peer.hear() == "#1 ok slow"
    house.jobs.report("slow", 3)
    await peer.say("#1 job other%1", "ping")
    assert await peer.hear() == "ok pong"
    house.jobs.finish("other")
    assert await peer.hear() == "#1 ok other"


@in_house(min_progress=0.0)
async def test_nobody_else_is_told_of_progress(house: House) -> None:
    peer = house.connect()
    await peer.say("#1 job slow")
    await house.jobs.wait_begun()
    house.jobs.report("slow", 1)
    house.jobs.finish("slow")
    assert await peer.hear() == "#1 ok slow"


@in_house(min_progress=0.0, workers=2)
async def test_an_untagged_request_tells_of_its_progress_once_those_before_it_are_answered(house: House) -> None:
    peer = house.connect()
    await peer.say("job first%1", "job second%1", "#1 job tagged%1")
    await house.jobs.wait_begun()
    await house.jobs.wait_begun()
    house.jobs.report("second", 2)
    house.jobs.report("first", 1)
    assert await peer.hear() == "progress 1"
    house.jobs.finish("first")
    assert [await peer.hear() for _ in range(2)] == ["ok first", "progress 2"]
    house.jobs.finish("second", "tagged")
    assert sorted([await peer.hear() for _ in range(2)]) == ["#1 ok tagged", "ok second"]


def test_progress_is_told_no_more_often_than_the_limit_and_only_the_newest(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async def main() -> None:
        async with trio.open_nursery() as nursery:
            house = House(nursery, min_progress=4.6)
            tasks: list[Task] = []
            house.scheduler.submit = tasks.append  # type: ignore[method-assign]  # no thread takes part in this clock
            peer = house.connect()
            await peer.say("job slow%1000")
            await trio.testing.wait_all_tasks_blocked()
            (task,) = tasks
            for second in range(12):
                task.limit.report(SearchProgress(plies=second, equity=0.0))
                await trio.sleep(1)
            assert [await peer.hear() for _ in range(2)] == ["progress 4", "progress 9"]
            nursery.cancel_scope.cancel()

    trio.run(main, clock=autojump_clock)


@in_house()
async def test_stats_count_requests(house: House) -> None:
    peer = house.connect()
    await peer.say("ping", "bad", "stats")
    assert [await peer.hear() for _ in range(3)][2] == "ok requests=3"


def test_a_peer_that_takes_no_replies_is_dropped(autojump_clock: trio.testing.MockClock) -> None:
    async def main() -> None:
        async with trio.open_nursery() as nursery:
            house = House(nursery, send_timeout=60.0)
            ours, theirs = trio.testing.lockstep_stream_pair()
            peer = house.connect_over(StreamTransport(theirs), ours)
            await peer.say("ping")
            await peer.closed.wait()
            assert trio.current_time() == pytest.approx(60, abs=1)

    trio.run(main, clock=autojump_clock)


def test_a_daemon_that_leaves_does_not_wait_for_a_peer_that_takes_no_replies(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async def main() -> None:
        async with trio.open_nursery() as nursery:
            house = House(nursery, send_timeout=3600.0, grace=5.0, linger=1.0)
            ours, theirs = trio.testing.lockstep_stream_pair()
            peer = house.connect_over(StreamTransport(theirs), ours)
            await peer.say("ping")
            await trio.testing.wait_all_tasks_blocked()
            peer.connection.shut_down()
            await peer.closed.wait()
            assert trio.current_time() == pytest.approx(6, abs=1)

    trio.run(main, clock=autojump_clock)


def test_a_peer_may_think_for_days(autojump_clock: trio.testing.MockClock) -> None:
    async def main() -> None:
        async with trio.open_nursery() as nursery:
            peer = House(nursery).connect()
            await peer.stream.send_all(b"pi")
            await trio.sleep(3 * 24 * 3600)
            await peer.say("ng")
            assert await peer.hear() == "ok pong"
            nursery.cancel_scope.cancel()

    trio.run(main, clock=autojump_clock)


VERBS = ["ping", "bad", "bytes", "flurb", "bug", "job cheap", "job refused", "job bug", "job big", "cancel", "stats"]


@settings(max_examples=60, deadline=None)
@given(
    requests=st.lists(st.tuples(st.sampled_from(["", "#1 ", "#2 "]), st.sampled_from(VERBS)), max_size=30),
    cuts=st.lists(st.integers(1, 40), max_size=10),
    max_pending=st.integers(1, 5),
)
def test_law_each_request_has_one_final_reply_however_it_is_cut_and_tagged(
    requests: list[tuple[str, str]], cuts: list[int], max_pending: int
) -> None:
    data = "".join(f"{tag}{verb}\n" for tag, verb in requests).encode()
    heard: list[str] = []

    @in_house(max_pending=max_pending)
    async def scenario(house: House) -> None:
        peer = house.connect()
        rest = data
        for cut in cuts:
            await peer.stream.send_all(rest[:cut])
            rest = rest[cut:]
        await peer.stream.send_all(rest)
        await peer.stream.send_eof()
        heard.extend(await peer.hear_all())

    scenario()
    untagged_asked = [tag for tag, verb in requests if not tag or verb == "bytes"]
    assert len(heard) == len(requests)
    assert len([line for line in heard if not line.startswith("#")]) == len(untagged_asked)
