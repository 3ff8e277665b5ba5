"""The reference client: verbs as methods, replies as the Structs of bgd.wire.messages, errors as those of bgd.errors.

    with Client.connect() as bgd:  # blocking
        print(bgd.best(dice="31", position="start").play)
        asked = [bgd.submit(Moves(position="start", dice=dice), MovesReply) for dice in ("31", "66")]  # pipelined
        print([len(reply.result().plays) for reply in asked])

    async with AsyncClient.connect() as bgd:  # trio: any number of tasks may ask at once
        with trio.move_on_after(1):  # a request that is left is cancelled in the daemon too
            print(await bgd.cube(position="start", plies=2))

A method takes the fields of its request by name. What a client promises:

- A connection that is lost is opened again, for `patience` seconds, and what was asked is asked there again: questions
  change nothing. But `position`, `set` and `newgame` make a session, which is lost with its connection: then all that
  was asked raises Disconnected, and the next request opens a new session. So nobody's settings vanish untold.
- A request that was lost three times raises Disconnected.
- An error that answers no request, `busy` for a full house, is raised by all that was asked.

Errors of the connection are OSErrors: Disconnected, BadReply (no bgd listens there), or what opening it gave.
"""

from bgd.client.asynchronous import AsyncClient
from bgd.client.blocking import DEFAULT_PORT, Client, Pending
from bgd.client.calls import BadReply, Disconnected

__all__ = ["DEFAULT_PORT", "AsyncClient", "BadReply", "Client", "Disconnected", "Pending"]
