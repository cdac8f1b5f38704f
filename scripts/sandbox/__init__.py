"""Programs of others, run with little to hurt: the one room that knows bubblewrap.

A program gets a folder of its own in memory, the files of the toolchains to read, and nothing
else: no network but one port of one server, no processes, files or environment of the host.
`mancala.scripts.sandbox.command` is the whole list, as a pure function.
"""
