"""How many small changes of the source the tests notice: the mutations are Cosmic Ray's.

Each is made in a copy of the source tree, and the tests of its module run in a forked process that
has pytest loaded already; that is five times as fast as a process of its own for each.
"""
