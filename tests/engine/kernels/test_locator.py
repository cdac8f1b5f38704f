"""numba asks for the place of kernels, and of no other functions."""

from mancala.engine.kernels import locator


def test_functions_elsewhere_keep_numbas_own_locators() -> None:
    """The stamp of the package is no business of code outside it."""
    assert (
        locator.PackageLocator.from_function(
            test_functions_elsewhere_keep_numbas_own_locators, __file__
        )
        is None
    )
