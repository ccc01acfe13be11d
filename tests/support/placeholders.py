"""Words for what a message fills in: `{entry_count(head.size)}` becomes `{number} entries`."""

import ast
import re

BRACES = re.compile(r"\{(?:[^{}]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})*\}")
"""A pair of braces with up to three pairs inside it."""

MARKS = frozenset({"INDENT", "GOOD", "BAD"})
"""Spaces and signs at the start of a line."""

TEXT_METHODS = frozenset({"replace", "capitalize", "removeprefix", "splitlines", "partition", "rpartition", "split"})
"""Methods that return a part of a text, or the text in another form."""


def in_words(text: str) -> str:
    """Return a message with words in its braces instead of code."""
    return " ".join(BRACES.sub(lambda found: _word_for(found[0][1:-1]), text).split())


def _word_for(code: str) -> str:
    if code in {"", "{}"}:  # filled in by `format`: the numbers of a step
        return "{number}"
    try:
        node = ast.parse(code.lstrip("*"), mode="eval").body
    except SyntaxError:
        return f"{{{code}}}"
    return "{…}" if isinstance(node, ast.Constant) else _Words().visit(node)


class _Words(ast.NodeVisitor):
    """The words for a value. Of two texts, the longer one: the plural, or the text that is sometimes left out."""

    def visit(self, node: ast.AST) -> str:
        words: str = super().visit(node)
        return words

    def generic_visit(self, node: ast.AST) -> str:
        return "{…}"

    def visit_Constant(self, node: ast.Constant) -> str:
        return node.value if isinstance(node.value, str) else "{…}"

    def visit_JoinedStr(self, node: ast.JoinedStr) -> str:
        return "".join(map(self.visit, node.values))

    def visit_IfExp(self, node: ast.IfExp) -> str:
        return max(self.visit(node.body), self.visit(node.orelse), key=len)

    def visit_BoolOp(self, node: ast.BoolOp) -> str:
        return self.visit(node.values[-1 if isinstance(node.op, ast.And) else 0])

    def visit_BinOp(self, node: ast.BinOp) -> str:
        return self.visit(node.right if isinstance(node.left, ast.Constant) else node.left)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> str:
        return self.visit(node.operand)

    def visit_Name(self, node: ast.Name) -> str:
        return "" if node.id in MARKS else _placeholder(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> str:
        return _placeholder(node.attr)

    def visit_Subscript(self, node: ast.Subscript) -> str:
        match node.slice:
            case ast.Constant(value=str(key)):
                return _placeholder(key)
            case ast.Constant() | ast.Slice():
                return self.visit(node.value)
        return self.visit(node.slice)

    def visit_List(self, node: ast.List) -> str:
        return self.visit(node.elts[0])

    def visit_Starred(self, node: ast.Starred) -> str:
        return self.visit(node.value)

    def visit_Call(self, node: ast.Call) -> str:
        filled = [argument for argument in node.args if not isinstance(argument, ast.Constant)]
        match node.func:
            case ast.Name(id="len"):
                return "{number}"
            case ast.Name(id="entry_count"):
                return "{number} entries"
            case ast.Name(id="count_of"):
                _, one, *many = map(self.visit, node.args)
                return f"{{number}} {many[0] if many else f'{one}s'}"
            case ast.Attribute(value=text, attr=name) if name in TEXT_METHODS and not filled:
                return self.visit(text)
        return self.visit(filled[-1] if filled else node.func)

    def visit_FormattedValue(self, node: ast.FormattedValue) -> str:
        return self.visit(node.value)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> str:
        return self.visit(node.elt)


def _placeholder(name: str) -> str:
    return f"{{{name.strip('_').replace('_', ' ').lower()}}}"
