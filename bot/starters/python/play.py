"""A mancala bot: change `choose`; the package `mancala` speaks the protocol and comes back."""

import asyncio
import os
import sys

from mancala import Turn, run


async def choose(turn: Turn) -> int:
    """Return a pit that moves again, or else the last legal one."""
    turn.offer(turn.legal[0])  # the best so far: played if the time runs out
    again = [pit for pit in turn.legal if turn.board.sow(pit).again]
    return again[-1] if again else turn.legal[-1]


url, name, ladder, games = sys.argv[1:]
token = os.environ.get("MANCALA_TOKEN")
bot = run(url, choose, name=name, ladder=ladder, games=int(games), token=token)
for result in asyncio.run(bot):
    print(result.opponent, result.stores, result.reason)
