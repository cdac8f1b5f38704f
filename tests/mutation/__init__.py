"""How many small changes of the source the tests notice: the changes are Cosmic Ray's.

Cosmic Ray itself starts Python and pytest for every change, which takes seconds; mutmut leaves
decorated functions, constants and enumerations alone. So the changes are run here, some tens a
second: the tests of a module are collected once; for each change a forked process exchanges the
code of the changed function, and runs the tests that reach the changed statement. A change outside
of functions has its tests imported anew.
"""
