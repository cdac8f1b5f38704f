"""The public names of a package, each loaded from its module when it is first used."""

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module

from mancala.extras import extra_for, missing
from mancala.links import explained


def homes_of(modules: Mapping[str, str]) -> dict[str, str]:
    """Return the module that defines each name, of modules with their names in one text."""
    return {name: module for module, names in modules.items() for name in names.split()}


def lazy_names(
    package: str, homes: Mapping[str, str], public: Sequence[str]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package that hands names on."""

    def load(name: str) -> object:
        """Return a public name from the module that defines it.

        Raises:
            AttributeError: when there is no such name.
            MissingLinksError: when the checkout lacks its links.
            MissingExtraError: when the name needs an extra that is not installed.
        """
        module = homes.get(name)
        if module is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        try:
            value: object = getattr(import_module(module), name)
        except ModuleNotFoundError as error:
            if extra_for(error) is None:
                raise explained(error) from error
            raise missing(error) from error
        setattr(sys.modules[package], name, value)
        return value

    return load, lambda: [*public]
