"""What Prometheus is told of a daemon, on a port of its own of this machine alone. Needs the extra `metrics`.

Prometheus's own server runs in a thread; the numbers are read in the loop's, between two turns of it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import accumulate
from typing import TYPE_CHECKING

import trio

from bgd import __version__
from bgd.config import LOOPBACK
from bgd.daemon.tally import BOUNDS, Tally
from bgd.errors import ConfigError

if TYPE_CHECKING:
    from prometheus_client.core import Metric

    from bgd.daemon.host import Host

log = logging.getLogger(__name__)

_ENGINE_STATES = ("loading", "ready", "failed")


@contextmanager
def exported(host: Host, port: int) -> Iterator[int]:
    """Serve /metrics on `port` of the loopback address, 0 for a free one; gives the port. Raises ConfigError.

    To be used within trio. The end may hold the loop up for half a second."""
    try:
        from prometheus_client import CollectorRegistry, PlatformCollector, ProcessCollector, start_http_server
    except ImportError:
        raise ConfigError("Expected prometheus_client for the metrics port; install bgd[metrics]") from None
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    registry.register(_Collector(host, trio.lowlevel.current_trio_token()))
    try:
        server, thread = start_http_server(port, LOOPBACK[0], registry)
    except OSError as error:
        raise ConfigError(f"Can't serve metrics on {LOOPBACK[0]}:{port}: {(error.strerror or '').lower()}") from None
    log.info("metrics on http://%s:%d/metrics", LOOPBACK[0], server.server_port)
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Collector:
    """Makes the metrics of what is counted, when asked."""

    def __init__(self, host: Host, loop: trio.lowlevel.TrioToken) -> None:
        self._host, self._loop = host, loop

    def collect(self) -> Iterable[Metric]:
        """Called in a thread of Prometheus's."""
        try:
            return trio.from_thread.run_sync(self._collect, trio_token=self._loop)
        except trio.RunFinishedError:  # the daemon has left meanwhile
            return ()

    def _collect(self) -> list[Metric]:
        return list(self._metrics())

    def _metrics(self) -> Iterator[Metric]:
        from prometheus_client.core import GaugeMetricFamily, InfoMetricFamily

        told = self._host.statistics()
        yield InfoMetricFamily("bgd", "The daemon", value={"version": __version__})
        gauges = {
            "connections_open": ("open", "Connections now"),
            "jobs_queued": ("queued", "Requests that wait for a thread"),
            "jobs_running": ("running", "Requests that a thread works on"),
        }
        for name, (key, meaning) in gauges.items():
            yield GaugeMetricFamily(f"bgd_{name}", meaning, value=float(told[key]))
        engine = GaugeMetricFamily("bgd_engine", "1 for the state that the engine is in", labels=["state"])
        for state in _ENGINE_STATES:
            engine.add_metric([state], float(told["engine"] == state))
        yield engine
        yield from _counters(self._host.tally, int(told["connections"]))


def _counters(tally: Tally, connections: int) -> Iterator[Metric]:
    from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily

    yield CounterMetricFamily("bgd_connections", "Connections served", value=connections)
    refused = CounterMetricFamily("bgd_connections_refused", "Connections not served", labels=["reason"])
    for reason, count in tally.refused.items():
        refused.add_metric([reason], count)
    yield refused
    requests = CounterMetricFamily("bgd_requests", "Requests read", labels=["dialect", "verb"])
    for labels, count in tally.requests.items():
        requests.add_metric(labels, count)
    yield requests
    errors = CounterMetricFamily("bgd_errors", "Errors answered", labels=["code"])
    for code, count in tally.errors.items():
        errors.add_metric([code], count)
    yield errors
    seconds = HistogramMetricFamily("bgd_request_seconds", "From reading a request to its reply", labels=["verb"])
    bounds = [*map(str, BOUNDS), "+Inf"]
    for verb, histogram in tally.latencies.items():
        buckets = zip(bounds, accumulate(histogram.buckets), strict=True)
        seconds.add_metric([verb], list(buckets), histogram.total)
    yield seconds
