"""The match server in a simulated world: one thread, virtual time, every fault drawn from a seed.

Sessions, tables, referee, ladders, store and publisher are the server's own. The clock, the bots,
their connections, the moment of each commit and the broker are simulated. So a seed repeats its run
exactly, and hours pass in seconds.
"""
