"""What Prometheus finds, read by Prometheus's own parser."""

from __future__ import annotations

import socket
import sys
import urllib.request
from collections.abc import Iterator

import pytest
from prometheus_client.parser import text_string_to_metric_families

from bgd.config import Config
from bgd.daemon.metrics import exported
from bgd.daemon.tally import BOUNDS, Histogram
from bgd.errors import ConfigError
from tests.conftest import DaemonProcess

from .test_server import a_host


@pytest.fixture(scope="module")
def watched() -> Iterator[DaemonProcess]:
    with DaemonProcess.start("--host", "127.0.0.1", "--port", "0", "--metrics-port", "0") as process:
        yield process
        assert process.stop() == 0


def samples(daemon: DaemonProcess) -> dict[str, float]:
    """By name and labels: `bgd_errors_total code=busy`."""
    address = daemon.wait_for_log(r"metrics on (http://127\.0\.0\.1:\d+/metrics)$")[1]
    with urllib.request.urlopen(address, timeout=60) as answer:
        text = answer.read().decode()
    return {
        " ".join([sample.name, *(f"{label}={value}" for label, value in sorted(sample.labels.items()))]): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_requests_errors_latencies_and_states_are_told(watched: DaemonProcess) -> None:
    before = samples(watched)
    with watched.connect() as client, watched.connect() as ubgi:
        client.send("ping", "ping", "moves 77 position=start", "best 31 position=start plies=1", "flurb")
        for _ in range(5):
            client.receive_final()
        ubgi.send("ubgi", "isready")
        while ubgi.receive() != "readyok":
            pass
        after = samples(watched)

        def grown(name: str) -> float:
            return after[name] - before.get(name, 0)

        assert grown("bgd_requests_total dialect=text verb=ping") == 2
        assert grown("bgd_requests_total dialect=text verb=best") == 1
        assert grown("bgd_requests_total dialect=ubgi verb=hello") == 1
        assert grown("bgd_errors_total code=bad-dice") == 1
        assert grown("bgd_request_seconds_count verb=best") == 1
        assert grown("bgd_request_seconds_bucket le=+Inf verb=ping") == 3  # isready is one
        assert grown("bgd_request_seconds_sum verb=best") > 0
        assert grown("bgd_connections_total") == 2
        assert after["bgd_connections_open"] == 2
        assert after["bgd_engine state=ready"] == 1
        assert after["bgd_engine state=loading"] == 0
        assert after["bgd_jobs_queued"] == 0
        assert after["bgd_jobs_running"] == 0
        assert after["bgd_info version=0.1.0"] == 1
        assert after["process_open_fds"] > 0


def test_a_port_in_use_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        with DaemonProcess.start("--host", "127.0.0.1", "--port", "0", "--metrics-port", port) as process:
            assert process.process.wait(60) == 1
            process.wait_for_log(rf"bgd: Can't serve metrics on 127\.0\.0\.1:{port}: address already in use")


def test_without_the_library_it_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    with pytest.raises(ConfigError, match=r"install bgd\[metrics\]"), exported(a_host(Config()), 0):
        pass


def test_a_histogram_counts_what_took_up_to_its_bounds() -> None:
    histogram = Histogram()
    for seconds in (0.0, BOUNDS[0], BOUNDS[0] * 1.01, BOUNDS[-1], BOUNDS[-1] + 1):
        histogram.add(seconds)
    assert histogram.buckets[:2] == [2, 1]
    assert histogram.buckets[-2:] == [1, 1]
    assert sum(histogram.buckets) == 5
