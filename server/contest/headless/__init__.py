"""Matches and events without a server: the same referee, a plan, a journal and the tables.

Nothing here knows how a player thinks or where it runs. `game` plays one game between two players;
`event` says which games there are, and which come next; `journal` keeps what was played; `executor`
hands chunks of games to any executor; `score` and `standings` say what came of it.
"""
