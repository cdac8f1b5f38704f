"""The full stack: the real server and the real client in one process, over websockets in memory.

Everything above the event loop is the product's own: ``Server`` with its listener, connections and
prices, ``mancala.bot.client.run`` with its session file, the websockets library, and SQLite. The
loop is ours (:mod:`tests.simulate.full_stack.loop`).
"""
