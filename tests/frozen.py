"""Which classes can be changed once they are made: of those that are handed about, none."""

from dataclasses import is_dataclass
from types import ModuleType

from msgspec import Struct


def changeable(*modules: ModuleType) -> list[str]:
    """Return the structs and dataclasses of modules that are not frozen."""
    own = [
        each
        for module in modules
        for each in vars(module).values()
        if isinstance(each, type) and each.__module__ == module.__name__
    ]
    return [each.__qualname__ for each in own if not _is_frozen(each)]


def _is_frozen(kind: type) -> bool:
    if issubclass(kind, Struct):
        return kind is Struct or kind.__struct_config__.frozen
    return not is_dataclass(kind) or kind.__setattr__ is not object.__setattr__
