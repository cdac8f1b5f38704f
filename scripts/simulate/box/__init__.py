"""Circle two: the real server and the real client in one process, over websockets in memory.

Everything above the event loop is the product's own: ``Server`` with its listener, connections and
prices, ``bot.client.run`` with its session file, the websockets library, and SQLite. The loop is
ours (:mod:`scripts.simulate.box.loop`).
"""
