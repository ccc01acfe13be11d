"""The description of the interface for programs (OpenAPI 3.1), made from the commands and the types of the answers.

`/api/v1/openapi.json` has it for programs, and `/api/v1/docs` shows it to people.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from inspect import cleandoc
from typing import Any

from fastapi import FastAPI, Request
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from starlette.responses import HTMLResponse, JSONResponse

from ledger import systems
from ledger.values import Field
from web.answers import ActionAnswer, Problem
from web.bodies import BODIES, PlayBody
from web.forms import FLAG_PATTERN
from web.fragments import render
from web.guard import root_address
from web.problems import PROBLEM_MEDIA_TYPE
from web.requests import Body, inputs_of, label_of
from web.site import static_address

DOCS_HINT = "See /api/v1/docs."

INTRODUCTION = (
    "Read a campaign, follow it live, and enter commands. Send a token with each request:"
    " `Authorization: Bearer TOKEN`. The GM makes tokens on the GM page, or with `campaign"
    " token add`. If a token is for a player, a program with this token can do and read"
    " exactly what that player may do and read."
)

REASONS_BY_STATUS: Mapping[int | str, str] = {
    401: "The token is missing or unknown, or the GM ended it.",
    403: "The role of the token does not allow this.",
    404: "A name or an entry does not exist.",
    409: "The rules or the campaign do not allow the request. Nothing was written.",
    422: "The request does not match the documentation of this address. Nothing was written.",
    429: "There were too many requests at once. Wait a moment.",
    503: "The campaign is busy or cannot be reached. Send the request again.",
    "default": "The request was refused for another reason.",
}
PROBLEM_RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"description": says, "content": {PROBLEM_MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}}
    for status, says in REASONS_BY_STATUS.items()
}
"""For each HTTP status of a refused request, the description of the answer. Every address may give these answers."""

STREAM_RESPONSE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The events. Each one has an `ActionAnswer` as its data.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}

SCHEMA_REFERENCE = "#/components/schemas/{model}"
JSON_TYPES: Mapping[Any, list[str]] = {int: ["integer"], bool: ["boolean"]}
TYPE_WORDS = {
    "integer": "whole number",
    "number": "number",
    "string": "text",
    "boolean": "true or false",
    "null": "",
    "object": "names with values",
    "array": "list",
}
TOKEN_SCHEME = {"token": {"type": "http", "scheme": "bearer", "description": "A token that the GM made."}}


def describe_command(name: str, body: type[Body]) -> dict[str, Any]:
    """Return the description of a command's route: its purpose from the command's class, and its body."""
    first_line = cleandoc(body.kinds[0].__doc__ or "").partition("\n")[0]
    request = {
        "required": True,
        "content": {"application/json": {"schema": {"$ref": SCHEMA_REFERENCE.format(model=body.__name__)}}},
    }
    return {
        "name": name,
        "operation_id": name,
        "summary": f"{first_line.partition('. ')[0].rstrip('.')}.",
        "openapi_extra": {"requestBody": request},
        "description": "Only the GM may send `dry`, `agreed` or `clock_ok`.",
        "tags": ["commands"],
    }


def describe(api: FastAPI) -> dict[str, Any]:
    """Return the description of the interface. The first call makes it, and later calls return the same object."""
    if api.openapi_schema is None:
        made = get_openapi(
            title=api.title,
            version=api.version,
            openapi_version=api.openapi_version,
            description=api.description,
            routes=api.routes,
            separate_input_output_schemas=False,
        )
        moves = _moves_as_schemas()
        schemas = made["components"]["schemas"] | _models_as_schemas() | moves
        schemas[PlayBody.__name__]["anyOf"] = [_move_body_schema(name, inputs) for name, inputs in moves.items()]
        for operation in (each for methods in made["paths"].values() for each in methods.values()):
            if "tags" not in operation:
                operation["summary"] = operation["description"].partition("\n")[0]
        made["components"] = {"schemas": schemas, "securitySchemes": TOKEN_SCHEME}
        made["security"] = [{"token": []}]
        api.openapi_schema = made
    return api.openapi_schema


def _models_as_schemas() -> dict[str, dict[str, Any]]:
    """Map names of types to their schemas: the bodies of all commands, and the answers that no route names.

    The types that these bodies and answers use are included.
    """
    models: list[type[BaseModel]] = [Problem, ActionAnswer, *BODIES.values()]
    schemas: dict[str, dict[str, Any]] = {}
    for model in models:
        schema = model.model_json_schema(ref_template=SCHEMA_REFERENCE)
        schemas |= {**schema.pop("$defs", {}), model.__name__: schema}
        for field in schema["properties"].values():
            if "description" in field:
                field["description"] = _with_inputs(field["description"])
    return schemas


def _moves_as_schemas() -> dict[str, dict[str, Any]]:
    """Map each move of the installed games, such as `edge.check`, to the description of its inputs."""
    return {
        f"{system.name}.{name}": {
            "description": _with_inputs(cleandoc(move.__doc__ or "").partition("\n")[0]),
            "type": "object",
            "properties": {field.name: _input_schema(field) for field in inputs_of(move)},
            "required": [field.name for field in inputs_of(move) if field.required],
        }
        for system in map(systems.find, systems.names())
        for name, move in system.playable().items()
    }


def _input_schema(field: Field) -> dict[str, Any]:
    """Describe an input of a move. Each value may also be sent as text, as a form does."""
    kinds = ["array"] if field.many else ["object", "array"] if field.keyed else JSON_TYPES.get(field.kind, [])
    if field.choices and not field.many:
        choices = [*field.choices] if field.required else [*field.choices, "", None]
        return {"enum": choices, "description": _with_inputs(field.says or label_of(field.name))}
    described: dict[str, Any] = {
        "type": [*kinds, "string"],
        "items": {"enum": [*field.choices]} if field.choices else {"type": [*JSON_TYPES.get(field.kind, []), "string"]},
        "additionalProperties": {"type": ["integer", "string"]},
        "description": _with_inputs(field.says or label_of(field.name)),
    }
    if not field.required:
        return {**described, "type": [*described["type"], "null"]}
    return {**described, "minLength": 1, "minItems": 1, "minProperties": 1}


def _with_inputs(text: str) -> str:
    """Replace the flags of the terminal in a help text with the names of the inputs."""
    return FLAG_PATTERN.sub(lambda flag: f"`{flag[1].replace('-', '_')}`", text)


def _move_body_schema(name: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema for the part of a body that plays a move such as `edge.check`."""
    game, _, move = name.partition(".")
    fields = {"game": {"const": game}, "move": {"const": move}, "inputs": {"$ref": SCHEMA_REFERENCE.format(model=name)}}
    return {"properties": fields, "required": ["inputs"] if inputs["required"] else []}


def download(request: Request) -> JSONResponse:
    """Answer with the description of the interface. Nobody needs a login to read it."""
    return JSONResponse(describe(request.app) | {"servers": [{"url": f"{root_address(request.scope)}/api/v1"}]})


def documentation(api: FastAPI) -> dict[str, Any]:
    """Return the parts of the description that people read, for a page."""
    described = describe(api)
    operations = [
        _operation_row(method, path, operation)
        for path, methods in described["paths"].items()
        for method, operation in methods.items()
    ]
    return {
        "introduction": described["info"]["description"],
        "of_commands": next(each["parameters"] for each in operations if each["body"]),
        "operations": operations,
        "schemas": described["components"]["schemas"],
        "reasons": REASONS_BY_STATUS,
        "type_text": type_text,
    }


def show(request: Request) -> HTMLResponse:
    """Show the description as a page, to everybody."""
    return HTMLResponse(
        render(
            "interface.html",
            root=root_address(request.scope),
            static_address=static_address,
            title="The interface for programs",
            page="",
            person=None,
            **documentation(request.app),
        )
    )


def _operation_row(method: str, path: str, operation: Mapping[str, Any]) -> dict[str, Any]:
    is_command = "requestBody" in operation
    text = operation["summary"] if is_command else operation["description"]
    return {
        "method": method.upper(),
        "path": path,
        "paragraphs": [" ".join(lines.split()) for lines in re.split(r"\n\n|\n(?=- )", text)],
        "parameters": operation.get("parameters", []),
        "body": BODIES[operation["operationId"]].__name__ if is_command else "",
    }


def type_text(schema: Mapping[str, Any]) -> str:
    """Return the type in a schema in words, such as `whole number or text`."""
    match schema:
        case {"$ref": name}:
            return str(name).rpartition("/")[2]
        case {"anyOf": choices}:
            kinds = [type_text(each) for each in choices if each.get("const") != ""]  # a form sends "" for nothing
            return " or ".join(dict.fromkeys(filter(None, kinds)))
        case {"enum": values}:
            return ", ".join(f'"{value}"' for value in values if value)
        case {"type": "array", "items": items} if items:
            return f"list of {type_text(items)}"
        case {"type": [*kinds]}:
            return " or ".join(filter(None, (TYPE_WORDS[kind] for kind in kinds)))
    return TYPE_WORDS[schema["type"]] if "type" in schema else "value"
