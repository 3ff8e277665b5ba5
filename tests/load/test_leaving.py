"""A daemon that is told to leave while it has much to do."""

from __future__ import annotations

import json

from tests.load.leaving import leave


def test_all_of_twenty_requests_in_four_dialects_have_their_final_reply_when_the_daemon_leaves() -> None:
    summary = leave()
    print(json.dumps(summary))
    assert summary["leaving"] == "ok", json.dumps(summary, indent=1)
    assert set(summary["final_replies"].values()) == {5}
    assert summary["unanswered_at_the_signal"] >= 9  # the rollouts
    assert sum(summary["of_them_shutting_down"].values()) >= 9
