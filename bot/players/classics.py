"""The classic agents as players; plain Python in a thread of its own, one question at a time."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

from bot.client.bot import Bot, Turn
from protocol.player import Choice, Player


class AgentPlayer(Bot):
    """One of the classic agents as a player."""

    def __init__(self, agent: Player) -> None:
        self._agent = agent
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="agent")

    async def choose(self, turn: Turn) -> Choice:
        """Ask the agent; it knows no clock."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._agent.choose, turn.board)

    async def close(self) -> None:
        """Let the thread go."""
        self._thread.shutdown(wait=False, cancel_futures=True)
