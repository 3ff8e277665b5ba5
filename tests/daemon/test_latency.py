"""Percentiles of how long answers took."""

from __future__ import annotations

from bgd.daemon.latency import REMEMBERED, Latencies


def test_without_answers_there_is_nothing_to_tell() -> None:
    assert Latencies().milliseconds(0.5) == 0


def test_half_of_the_answers_took_at_most_the_median() -> None:
    latencies = Latencies()
    for milliseconds in range(100):
        latencies.add(milliseconds / 1000)
    assert latencies.milliseconds(0.50) == 50
    assert latencies.milliseconds(0.99) == 99
    assert latencies.milliseconds(1.0) == 99


def test_old_answers_are_forgotten() -> None:
    latencies = Latencies()
    latencies.add(10.0)
    for _ in range(REMEMBERED):
        latencies.add(0.001)
    assert latencies.milliseconds(1.0) == 1
