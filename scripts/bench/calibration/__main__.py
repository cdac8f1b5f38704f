"""``python -m mancala.scripts.bench.calibration NAME``: measure one figure; see the package."""

from __future__ import annotations

import typer

from mancala.scripts.bench.calibration.busy_levels import busy_levels
from mancala.scripts.bench.calibration.clean_sweeps import clean_sweeps
from mancala.scripts.bench.calibration.joint_fit import joint_fit
from mancala.scripts.bench.calibration.ladder_intervals import ladder_intervals
from mancala.scripts.bench.calibration.loss_intervals import loss_intervals
from mancala.scripts.bench.calibration.misfit import misfit

app = typer.Typer(add_completion=False)
_MEASUREMENTS = (
    *(busy_levels, clean_sweeps, joint_fit),
    *(ladder_intervals, loss_intervals, misfit),
)
for measurement in _MEASUREMENTS:
    app.command()(measurement)

if __name__ == "__main__":
    app()
