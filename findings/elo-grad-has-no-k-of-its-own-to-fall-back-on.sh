#!/usr/bin/env bash
# "If None, the global k-factor for entities is used", and the default cannot be fitted: elo-grad 0.5.1's regressors.
#
# Found with: elo-grad 0.5.1 (PyPI), pandas 3.1.1; a home advantage as an additional regressor, as in its README.
# A good guess: `Regressor(name="home")` learns with the estimator's k-factor, so that it gives what
# `Regressor(name="home", k_factor=20)` gives beside `k_factor=20`.
# What happens: the vector with the global factor filled in is computed when the estimator is made, and not used for
# regressors: each step multiplies by the regressor's own None. The first game raises TypeError ("NoneType" and "float"),
# after the estimator was made without a complaint; with the same number written out it works.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check elo-grad==0.5.1 pandas==3.1.1
cat >see.py <<'PYTHON'
from importlib.metadata import version

import pandas as pd
from elo_grad import EloEstimator, Regressor

games = pd.DataFrame(
    {"t": [1, 2, 3], "home_side": ["x", "z", "y"], "guest": ["y", "x", "z"], "home": [1, 1, 1], "won": [1, 0, 1]}
)


def fitted(**k_factor):
    """Return the rating of playing at home, after three games."""
    estimator = EloEstimator(
        k_factor=20,
        default_init_rating=1200,
        entity_cols=("home_side", "guest"),
        score_col="won",
        date_col="t",
        init_ratings={"home": (None, 0)},
        additional_regressors=[Regressor(name="home", **k_factor)],
    )
    estimator.fit(games)
    return estimator.model.ratings["home"][1]


print("elo-grad", version("elo-grad"), Regressor(name="home"))
print("k_factor=20 beside 20:", round(fitted(k_factor=20), 3))
try:
    print("no k_factor beside 20:", fitted())
except TypeError as error:
    print("no k_factor beside 20: TypeError:", error)
else:
    raise SystemExit("it has changed: the default can be fitted")
PYTHON
env/bin/python see.py
