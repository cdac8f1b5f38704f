"""A contract of import-linter: relative imports inside a room, ``mancala.<room>`` across rooms."""

import re
from collections.abc import Iterable
from typing import cast

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output
from importlinter.domain.helpers import module_expressions_to_modules
from importlinter.domain.imports import Module, ModuleExpression

ABSOLUTE = re.compile(r"\s*(from|import) mancala\b")


class ImportForm(Contract):
    """Each import is written in the form of its place: a reader sees which ones leave the room.

    Attributes:
        rooms: the packages inside of which imports are relative.
        alone: modules that run without their package, and name it whole.
    """

    type_name = "import_form"

    rooms = fields.SetField(subfield=fields.ModuleField())
    alone = fields.SetField(subfield=fields.ModuleExpressionField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:  # noqa: ARG002, FBT001  # import-linter's signature
        """Return the imports of the graph that are written in the other form."""
        alone = module_expressions_to_modules(graph, cast("Iterable[ModuleExpression]", self.alone))
        exempt = {module.name for module in alone}
        faults = [
            f"{line['importer']}:{line['line_number']}: {line['line_contents'].strip()}"
            for room in sorted(room.name for room in cast("Iterable[Module]", self.rooms))
            for importer in sorted(graph.find_descendants(room) | {room})
            for imported in sorted(graph.find_modules_directly_imported_by(importer))
            for line in graph.get_import_details(importer=importer, imported=imported)
            if importer not in exempt and imported.startswith("mancala.")
            if bool(ABSOLUTE.match(line["line_contents"])) == imported.startswith(f"{room}.")
        ]
        return ContractCheck(kept=not faults, metadata={"faults": faults})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print each import that is written in the other form."""
        for fault in check.metadata["faults"]:
            output.print_error(fault, bold=False)
