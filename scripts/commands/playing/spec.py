"""``mancala spec``: the protocol's documents for programs."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from ...console import output as console
from ...console.options import JsonOption


class DocumentKind(StrEnum):
    ASYNCAPI = "asyncapi"
    OPENAPI = "openapi"
    SCHEMAS = "schemas"


def command(
    kind: Annotated[
        DocumentKind,
        typer.Argument(help="Websocket and MQTT, the HTTP API, or a JSON Schema a message."),
    ],
    *,
    folder: Annotated[
        Path | None, typer.Option("--dir", help="Write the document, or the files, here.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Print a document of the protocol for programs, or write it into a folder.

    Schemas are printed as one object, by file name.
    """
    from mancala.protocol import codec

    documents = _documents(kind)
    if folder is None:
        printed = documents if kind is DocumentKind.SCHEMAS else documents[f"{kind}.json"]
        console.show(printed, codec.to_json(printed, indent=True).decode(), json=json)
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, document in documents.items():
            (folder / name).write_bytes(codec.to_json(document, indent=True) + b"\n")
    except OSError as error:
        console.fail(f"{folder}: {error.strerror}")
    files = [str(folder / name) for name in documents]
    console.show({"files": files}, "\n".join(files), json=json)


def _documents(kind: DocumentKind) -> dict[str, Any]:
    if kind is DocumentKind.SCHEMAS:
        from mancala.protocol.documents import schema_files

        return schema_files()
    if kind is DocumentKind.ASYNCAPI:
        from mancala.protocol import asyncapi

        return {"asyncapi.json": asyncapi.document()}
    from mancala.server.web.api import openapi

    return {"openapi.json": openapi.document()}
