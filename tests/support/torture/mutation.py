"""The smallest wrong changes of a source, one at a time; docstrings, annotations, protocols and sentences stay."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

OPPOSITES: dict[type[ast.AST], type[ast.AST]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
    ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}  # fmt: skip

TYPING = {"assert_never", "cast", "Literal", "TypeVar", "TYPE_CHECKING", "__slots__", "__all__"}
"""Names of what only a type checker reads, and of what a class is laid out by."""


@dataclass(frozen=True)
class Mutant:
    """One wrong change: its lines, what stood there, what stands there now, and the whole source with it."""

    first: int
    last: int
    before: str
    after: str
    source: str


def mutants(source: str) -> Iterator[Mutant]:
    """Yield every mutant of a source that still compiles."""
    stored = source.encode()
    lines = [0, *accumulate(len(line) for line in stored.splitlines(keepends=True))]
    for node, text in _changes(ast.parse(source)):
        start = lines[node.lineno - 1] + node.col_offset
        end = lines[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        changed = (stored[:start] + text.encode() + stored[end:]).decode()
        try:
            compile(changed, "mutant", "exec")
        except SyntaxError:
            continue
        yield Mutant(node.lineno, node.end_lineno or 0, stored[start:end].decode(), text, changed)


def _changes(node: ast.AST) -> Iterator[tuple[ast.stmt | ast.expr, str]]:
    """Yield what may be changed in a node and below it, and what stands there then."""
    if isinstance(node, ast.stmt):
        yield from ((node, text) for text in _statements(node))
    if isinstance(node, ast.expr):
        yield from ((node, text if isinstance(node, ast.Slice) else f"({text})") for text in _expressions(node))
    tests = [node.test] if isinstance(node, ast.If | ast.While | ast.IfExp) else getattr(node, "ifs", [])
    yield from ((test, f"(not ({ast.unparse(test)}))") for test in tests if not _is_typing(test))
    for name, value in ast.iter_fields(node):
        if name not in {"annotation", "returns", "decorator_list", "type_params", "bases"}:
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST) and not _stays(child):
                    yield from _changes(child)


def _stays(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value=ast.Constant()) | ast.JoinedStr() | ast.Assert() | ast.Import() | ast.ImportFrom():
            return True
        case ast.ClassDef(bases=bases) if any(isinstance(base, ast.Name) and base.id == "Protocol" for base in bases):
            return True
        case ast.If(test=test) | ast.Call(func=test) | ast.Subscript(value=test) | ast.Assign(targets=[test]):
            return _is_typing(test)
    return False


def _is_typing(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id in TYPING


def _statements(node: ast.stmt) -> Iterator[str]:
    match node:
        case ast.Return(value=ast.expr() as value) if not _says_no(value):
            yield "return None"
        case ast.Return(value=None) | ast.Raise() | ast.AugAssign() | ast.Expr():
            yield "pass"
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield "pass"
        case ast.Continue():
            yield "break"
        case ast.Break():
            yield "continue"


def _says_no(node: ast.expr) -> bool:
    """Whether it is None, or False, in whose place None says the same."""
    return isinstance(node, ast.Constant) and (node.value is None or node.value is False)


def _expressions(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Constant(value=value):
            yield from _constants(value)
        case ast.Compare(ops=ops):
            for place, op in enumerate(ops):
                yield _with(node, ops=[*ops[:place], OPPOSITES[type(op)](), *ops[place + 1 :]])
        case ast.BoolOp(op=both) if type(both) in OPPOSITES:
            yield _with(node, op=OPPOSITES[type(both)]())
        case ast.BinOp(op=operator) if type(operator) in OPPOSITES:
            yield _with(node, op=OPPOSITES[type(operator)]())
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield ast.unparse(operand)
        case ast.Slice():
            yield from (_with(node, **{end: None}) for end in ("lower", "upper") if getattr(node, end) is not None)


def _with(node: ast.expr, **fields: object) -> str:
    """A node with other fields."""
    return ast.unparse(type(node)(**{**dict(ast.iter_fields(node)), **fields}))


def _constants(value: object) -> Iterator[str]:
    match value:
        case bool():
            yield str(not value)
        case int():
            yield str(value + 1)
        case str() if " " not in value:
            yield repr(f"XX{value}")
        case bytes() if b" " not in value:
            yield repr(b"XX" + value)
