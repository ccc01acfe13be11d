"""The reference of the interface for programs, as tables, made from its description (OpenAPI)."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from web.api import build_api
from web.interface import documentation

HEAD = """# Interface reference

This page lists all addresses of the [interface for programs](../interface.md), with their fields and answers. Your own server has the same
list at `/api/v1/docs`, and for programs at `/api/v1/openapi.json` (OpenAPI 3.1).
"""


def page() -> str:
    """The whole page."""
    known = documentation(build_api())
    schemas: Mapping[str, Any] = known["schemas"]
    type_text = known["type_text"]

    def fields(schema: Mapping[str, Any]) -> Iterator[str]:
        required = schema.get("required", ())
        return table(
            (name, type_text(field), name in required, field.get("description", ""))
            for name, field in schema["properties"].items()
        )

    def parameters(listed: Iterable[Mapping[str, Any]]) -> Iterator[str]:
        return table(
            (each["name"], type_text(each["schema"]), each.get("required", False), each["description"])
            for each in listed
        )

    lines = [HEAD, f"{known['introduction']}\n", "## Parameters of every command\n", *parameters(known["of_commands"])]
    lines.append("## Addresses\n")
    for each in known["operations"]:
        lines += [f"### `{each['method']} /api/v1{each['path']}`\n", *(f"{text}\n" for text in each["paragraphs"])]
        lines += fields(schemas[each["body"]]) if each["body"] else parameters(each["parameters"])
    lines.append("## The inputs of each move\n")
    lines.append("Send them as `inputs` of `/api/v1/say/play`.\n")
    for name, schema in schemas.items():
        if "." in name:
            lines += [f"### `{name}`\n", f"{schema['description']}\n", *fields(schema)]
    lines.append("## Answers\n")
    for name, schema in schemas.items():
        if "properties" in schema and "." not in name and not name.endswith("Body"):
            lines += [f"### `{name}`\n", f"{schema.get('description', '')}\n", *fields(schema)]
    lines += ["## Problems\n", "| status | meaning |", "|---|---|"]
    lines += [f"| {status} | {says} |" for status, says in known["reasons"].items()]
    return "\n".join(lines) + "\n"


def table(rows: Iterable[tuple[str, str, bool, str]]) -> Iterator[str]:
    """A table of names; nothing if there is none. Each row has a name, its type, whether it is required, and its meaning."""
    cells = [
        (f"`{name}`", kind, "yes" if required else "", " ".join(says.split())) for name, kind, required, says in rows
    ]
    if cells:
        yield from ("| name | type | required | meaning |", "|---|---|---|---|")
        yield from ("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in cells)
        yield ""
