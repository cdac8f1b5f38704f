"""Whether the figures that are published are true, measured where the truth is known.

``python -m mancala.scripts.bench.calibration NAME`` measures one of them and prints a JSON object;
``docs/ratings.md`` and ``docs/rating.md`` have what was found. The test suite has a
short form of each.
"""
