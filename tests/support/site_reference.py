"""The reference of the Python names that a game, a storage engine or a view uses, made from the docstrings."""

import ast
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from inspect import cleandoc
from itertools import pairwise
from pathlib import Path

from paths import ROOT

HEAD = """# Python reference

This page lists the public names of the program's packages, for developers of a game, a storage engine or a view. The changelog names every
change to one of these names. All other names can change at any time. The page is made from the docstrings.
"""

ALL: Collection[str] = ()
"""Marks a module of which every name is public."""

PUBLIC: Mapping[str, tuple[str, Mapping[str, Collection[str]]]] = {
    "For a game": ("A game imports everything from `ledger.rules`, and nothing else from the ledger.", {"ledger.rules": ALL}),
    "For a storage engine": (
        "An engine implements these protocols, and returns these records.",
        {"ledger.journal.storage": ALL, "ledger.journal.records": ALL},
    ),
    "For a view": (
        "A view takes an open campaign (`Book`) and a point of its history (`AsOf`), and returns values.",
        {
            "ledger.journal.book": ("Book", "open_book"),
            "ledger.journal.accounts": ("AsOf", "NOW"),
            "projections.sheets": ("sheet", "sheets", "Sheet", "ScoreLine"),
            "projections.register": ALL,
            "projections.why": ("why", "why_mark", "Why", "WhyMark", "Reason", "CanceledEntry"),
            "projections.log": ("lines", "each_line", "Line", "ScoreMovement", "ShownVerdict", "FollowingMove"),
            "projections.search": ("find_lines", "Query", "SearchedLine"),
            "projections.diff": ALL,
            "projections.status": ("status", "Status", "Moment", "SeatedPlayer", "TurnOrder"),
            "projections.questions": ("questions", "open_offers", "OpenQuestion"),
            "projections.replay": ("replay_frame", "corrected_actions", "Frame"),
            "projections.chronicle": ("chronicle", "Chapter", "Scene"),
            "projections.recap": ALL,
            "projections.luck": ("luck", "DieLuck", "DieRolls", "DieTest", "PartRolls"),
            "projections.dice_odds": ALL,
            "projections.as_json": ALL,
        },
    ),
}  # fmt: skip
"""The sections of the page: an introduction, and the public names of each module."""

Definition = tuple[ast.stmt | ast.Module, str]
"""A statement that defines a name, and the text after it, which describes a constant or a field. A module is also a definition."""


def page() -> str:
    """The whole page."""
    lines = [HEAD]
    for title, (introduction, modules) in PUBLIC.items():
        lines += [f"## {title}\n", f"{introduction}\n"]
        for module, names in modules.items():
            lines += _module(module, names)
    return "\n".join(lines)


def public_names(module: str) -> dict[str, Definition]:
    """Map each public name of a module to its definition. The names of a package are those that it imports from its modules."""
    if _path(module).stem != "__init__":
        return {
            name: each for each in _definitions(_tree(module)) for name in _defined(each[0]) if not name.startswith("_")
        }
    room = module.partition(".")[0]
    return {
        alias.asname or alias.name: _definition(str(node.module), alias.name)
        for node, _ in _definitions(_tree(module))
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith(f"{room}.")
        for alias in node.names
    }


def _module(module: str, names: Collection[str]) -> Iterator[str]:
    yield f"### `{module}`\n"
    yield f"{ast.get_docstring(_tree(module)) or ''}\n"
    found = public_names(module)
    for name in names or found:
        yield f"#### `{name}`\n"
        yield from _described(*found[name])


def _definition(module: str, name: str) -> Definition:
    """Return the definition of a name in a module, or in the module from which this one imports it."""
    if _path(f"{module}.{name}").exists():
        return _tree(f"{module}.{name}"), ""
    for node, text in _definitions(_tree(module)):
        if name in _defined(node):
            return node, text
        if isinstance(node, ast.ImportFrom) and any(name in {each.asname, each.name} for each in node.names):
            return _definition(str(node.module), name)
    raise LookupError(f"{module}.{name}")


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse(_path(module).read_text(encoding="utf-8"))


def _path(module: str) -> Path:
    path = ROOT.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _definitions(node: ast.Module | ast.ClassDef) -> Iterator[tuple[ast.stmt, str]]:
    """The statements of a module or class, and those for type checkers, each with the text after it."""
    body = [part for each in node.body for part in (each.body if isinstance(each, ast.If) else [each])]
    for part, after in pairwise([*body, ast.Pass()]):
        match after:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield part, cleandoc(text)
            case _:
                yield part, ""


def _defined(node: ast.stmt | ast.Module) -> list[str]:
    match node:
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case ast.Assign(targets=targets):
            return [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]
    return []


def _first_paragraph(tree: ast.Module) -> str:
    return (ast.get_docstring(tree) or "").partition("\n\n")[0]


def _described(node: ast.stmt | ast.Module, text: str) -> Iterator[str]:
    """The definition and its text. A class also has its fields and its public methods."""
    if isinstance(node, ast.Module):
        yield f"A module: {_first_paragraph(node)}\n"
        return
    docstring = ast.get_docstring(node) if isinstance(node, ast.ClassDef | ast.FunctionDef) else text
    yield f"```python\n{_code(node)}\n```\n"
    yield f"{docstring or ''}\n"
    for part, after in _public_parts(node):
        if after or isinstance(part, ast.FunctionDef):
            yield from _described(part, after)


def _public_parts(node: ast.stmt) -> list[tuple[ast.stmt, str]]:
    """The public fields and methods of a class, each with the text after it."""
    parts = _definitions(node) if isinstance(node, ast.ClassDef) else ()
    return [part for part in parts if any(not name.startswith("_") for name in _defined(part[0]))]


def _code(node: ast.stmt) -> str:
    """The first line of a class or function, with its decorators, or a whole statement. A class has its fields, too."""
    match node:
        case ast.ClassDef(name=name, bases=bases):
            first = f"class {name}({', '.join(map(ast.unparse, bases))})".removesuffix("()")
            parts = [part for part, after in _public_parts(node) if not after and not isinstance(part, ast.FunctionDef)]
            return "\n    ".join([f"{first}:" if parts else first, *map(ast.unparse, parts)])
        case ast.FunctionDef(name=name, args=args, returns=returns):
            decorators = "".join(f"@{ast.unparse(each)}\n" for each in node.decorator_list)
            return f"{decorators}def {name}({ast.unparse(args)})" + (f" -> {ast.unparse(returns)}" if returns else "")
    return ast.unparse(node)
