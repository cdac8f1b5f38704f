"""The server seen from outside: the JSON API, metrics, health and the page, all of it read-only.

The only room that knows Starlette and uvicorn. It looks through two windows: an
:class:`~mancala.server.web.feed.live_state.LiveState` at what happens now, and the store's archive
at what was.
"""
