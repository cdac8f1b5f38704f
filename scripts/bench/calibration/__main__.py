"""``python -m mancala.scripts.bench.calibration NAME``: measure one figure; see the package."""

import typer

from .joint_fit import joint_fit
from .ladder_intervals import ladder_intervals
from .loss_intervals import loss_intervals
from .misfit import misfit

app = typer.Typer(add_completion=False)
for measurement in (joint_fit, ladder_intervals, loss_intervals, misfit):
    app.command()(measurement)

if __name__ == "__main__":
    app()
