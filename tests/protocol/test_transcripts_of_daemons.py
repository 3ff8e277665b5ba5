"""Transcripts that need several things to go on at a time, in memory: an engine that beyond 2 plies only stops when it
is told to, connections over memory streams, the real clock."""

from __future__ import annotations

from typing import Final

import pytest
import trio

from tests.daemon.fakes import Peer
from tests.protocol.slow import SlowDaemon
from tests.protocol.transcript import Step, Transcript, mismatch, transcripts

PATIENCE: Final = 20.0

# Who is let in is the host's business, which needs real sockets: see tests/daemon/test_transcripts.py.
OF_DAEMONS: Final = [each for each in transcripts() if each.name.startswith("daemon") and not each.guests]


async def answer_to(step: Step, peer: Peer) -> str:
    """What comes until it is as expected, or the connection ends, or nothing has come for too long."""
    answer = ""
    with trio.move_on_after(PATIENCE):
        while step.closes or not step.pattern().fullmatch(answer):
            line = await peer.hear_line()
            if not line:
                break
            answer += line
    return answer


async def replay(transcript: Transcript, daemon: SlowDaemon) -> None:
    peer = daemon.connect(transcript.dialect)
    for step in transcript.steps:
        if step.sent:
            await peer.stream.send_all(step.sent)
        if step.leaves:
            peer.connection.shut_down()
        wrong = mismatch(transcript, step, await answer_to(step, peer))
        assert wrong is None, wrong
    if not transcript.steps[-1].closes:
        await peer.stream.send_eof()
        assert await peer.hear_all() == []


@pytest.mark.parametrize("transcript", OF_DAEMONS, ids=lambda transcript: transcript.name)
def test_a_conversation_goes_as_its_transcript_says(transcript: Transcript) -> None:
    async def main() -> None:
        with trio.fail_after(60):
            async with trio.open_nursery() as nursery:
                daemon = await SlowDaemon(nursery, quick_plies=2, **transcript.limits).open()
                try:
                    await replay(transcript, daemon)
                finally:
                    daemon.judge.finish()
                nursery.cancel_scope.cancel()

    trio.run(main)
