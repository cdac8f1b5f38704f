"""What packages add by entry points; ours adds some of its own the same way.

An entry of the group ``mancala.players`` names a kind of player, and so on; ``docs/plugins.md`` has
the groups, and says what each one's object is. Nothing of an entry is imported before its
name is asked for. One that can't be used is named in one sentence and stops nothing else. Of two
entries with one name ours is used, else that of the package whose name comes first.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from functools import cache, cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeVar

from mancala.extras import DISTRIBUTION, MissingExtraError, install_words, modules_of

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint

STALE: Final = (
    "mancala-arena is not installed, or was before its sources changed, and lacks what it finds by "
    "entry points; bash scripts/setup.sh installs it"
)

T = TypeVar("T")


class PluginGroup(StrEnum):
    """What entries add; the names of their groups have ``mancala.`` before it."""

    PLAYERS = "players"
    COMMANDS = "commands"
    PAGES = "pages"
    GATEWAYS = "gateways"
    FORMATS = "formats"
    RULES = "rules"


class PluginError(ImportError):
    """A plug-in can't be used; the message says which one and why."""


class Plugin:
    """An entry of a package.

    Attributes:
        name: the name of what it adds.
        group: such as ``players``.
        package: the name of its package.
        module: the module of its object.
    """

    def __init__(self, entry: EntryPoint, package: str, installed: Distribution) -> None:
        self.name = entry.name
        self.group = entry.group.partition(".")[2]
        self.package = package
        self.module = entry.module
        self._entry = entry
        self._installed = installed

    @property
    def missing(self) -> str | None:
        """The command that installs the extra that it lacks; None if it lacks none."""
        extras = self._entry.extras
        lacking = (extra for extra in extras if _is_missing(extra, self._installed))
        return next((install_words(extra, self.package) for extra in lacking), None)

    @property
    def sentence(self) -> str:
        """The first line of its module's docstring, which is read without importing anything."""
        from ast import get_docstring, parse  # noqa: PLC0415  # for help only
        from importlib.machinery import PathFinder  # noqa: PLC0415  # for help only
        from pathlib import Path  # noqa: PLC0415  # for help only

        name, places, file = "", None, None
        for part in self.module.split("."):
            name = f"{name}.{part}".lstrip(".")
            if (found := PathFinder.find_spec(name, places)) is None:
                return ""
            places, file = found.submodule_search_locations, found.origin
        text = get_docstring(parse(Path(file or "").read_bytes()))
        return (text or "").partition("\n")[0]

    def load(self) -> object:
        """Import its object.

        Raises:
            MissingExtraError: when it lacks an extra.
            PluginError: when its module raises, or has no such object.
        """
        try:
            found: object = self._entry.load()
        except (Exception, SystemExit) as error:
            raise self.failure(error) from error
        return found

    def failure(self, error: BaseException) -> ImportError:
        """Return what its code raised as the sentence that names it, or what it lacks."""
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        if isinstance(error, ModuleNotFoundError) and self.missing is not None:
            return MissingExtraError(f"{error.name} is not installed; {self.missing}")
        return PluginError(f"{self} fails: {type(error).__name__}: {error}")

    def __str__(self) -> str:
        """Return it as a phrase."""
        return f"{self.name!r} of the package {self.package} (mancala.{self.group})"


class Plugged(Mapping[str, T]):
    """Things by name: our own, and after them those of a group's entries.

    Looking up an entry loads it, and raises what `Plugin.load` raises.

    Args:
        group: of which entries.
        kind: the type of each thing.
        own: those that need no entry.
    """

    def __init__(
        self, group: PluginGroup, kind: type[T], own: Mapping[str, T] = MappingProxyType({})
    ) -> None:
        self._group = group
        self._kind = kind
        self._own = own

    @cached_property
    def plugins(self) -> Mapping[str, Plugin]:
        """The entries by name; one whose name is taken is left out, and named on stderr."""
        found: dict[str, Plugin] = {}
        for plugin in entries():
            if plugin.group != self._group:
                continue
            if plugin.name in self._own or plugin.name in found:
                tell(_left_out(plugin, found.get(plugin.name)))
            else:
                found[plugin.name] = plugin
        return found

    def check(self, plugin: Plugin) -> None:
        """Load an entry of the group, as a look-up of its name does.

        Raises:
            ImportError: as `Plugin.load` does, and where another one has its name.
        """
        if (used := self.plugins.get(plugin.name)) is not plugin:
            raise PluginError(_left_out(plugin, used))
        self[plugin.name]

    @contextmanager
    def guarded(self, name: str, *expected: type[Exception]) -> Iterator[None]:
        """Raise a `PluginError` for what code of a package that is not ours raises unexpectedly."""
        known: tuple[type[Exception], ...] = (PluginError, MissingExtraError, *expected)
        try:
            yield
        except known:
            raise
        except (Exception, SystemExit) as error:
            plugin = self.plugins.get(name)
            if plugin is None or plugin.package == DISTRIBUTION:
                raise
            raise plugin.failure(error) from error

    def loaded(self) -> Iterator[T]:
        """Yield everything that can be loaded; name the rest on stderr."""
        for name in self:
            try:
                yield self[name]
            except ImportError as error:
                tell(str(error))

    def __getitem__(self, name: str) -> T:
        """Return a thing."""
        if name in self._own:
            return self._own[name]
        plugin = self.plugins[name]
        found = plugin.load()
        if not isinstance(found, self._kind):
            raise PluginError(f"{plugin} fails: it is no {self._kind.__name__}")
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._own or name in self.plugins

    def __iter__(self) -> Iterator[str]:
        yield from self._own
        yield from self.plugins

    def __len__(self) -> int:
        return len(self._own) + len(self.plugins)


@cache
def entries() -> tuple[Plugin, ...]:
    """Return the entries of all installed packages, ours first."""
    from importlib.metadata import distributions  # noqa: PLC0415  # most programs ask for none

    found: dict[tuple[str, str, str], Plugin] = {}
    for installed in distributions():
        entries = [each for each in installed.entry_points if each.group.startswith("mancala.")]
        package = installed.metadata["Name"] if entries else ""
        for entry in entries:
            key = (package, entry.group, entry.name)  # a package may be found twice
            found.setdefault(key, Plugin(entry, package, installed))
    if not any(each.package == DISTRIBUTION for each in found.values()):
        tell(STALE)
    return tuple(sorted(found.values(), key=lambda it: (it.package != DISTRIBUTION, it.package)))


@cache
def tell(sentence: str) -> None:
    """Write a sentence to stderr, once."""
    sys.stderr.write(f"mancala: {sentence}\n")


def _left_out(plugin: Plugin, used: Plugin | None) -> str:
    return f"{plugin} is left out: {used or 'one of ours'} has its name"


def explained(error: ModuleNotFoundError) -> ImportError:
    """Return the error that says which extra a plug-in lacks, for what it raised; or that error."""
    raising = {module.partition(".")[0] for module in modules_of(error)} - {"mancala"}
    for plugin in entries():
        if plugin.module.partition(".")[0] in raising and plugin.missing is not None:
            return MissingExtraError(f"{error.name} is not installed; {plugin.missing}")
    return error


def _is_missing(extra: str, package: Distribution) -> bool:
    """Return whether a package that an extra of another one requires is not installed."""
    from importlib.metadata import PackageNotFoundError, distribution  # noqa: PLC0415  # as above

    for requirement in package.requires or ():
        name, _, marker = requirement.partition(";")
        if re.search(rf"""extra == ['"]{extra}['"]""", marker):
            try:
                distribution(re.split(r"[^\w.-]", name)[0])
            except PackageNotFoundError:
                return True
    return False
