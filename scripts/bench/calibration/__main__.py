"""``python -m mancala.scripts.bench.calibration NAME``: measure one figure; see the package."""

from __future__ import annotations

import typer

from mancala.scripts.bench.calibration.busy_levels import busy_levels
from mancala.scripts.bench.calibration.clean_sweeps import clean_sweeps
from mancala.scripts.bench.calibration.joint_fit import joint_fit
from mancala.scripts.bench.calibration.ladder_intervals import ladder_intervals
from mancala.scripts.bench.calibration.loss_intervals import loss_intervals

app = typer.Typer(add_completion=False)
for measurement in (busy_levels, clean_sweeps, joint_fit, ladder_intervals, loss_intervals):
    app.command()(measurement)

if __name__ == "__main__":
    app()
