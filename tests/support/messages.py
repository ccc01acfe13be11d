"""The page of messages: every sentence that the program can print, collected from the code.

`python tests/support/messages.py` writes docs/messages.md; a test compares it.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cli.render import proofs
from ledger import systems
from ledger.hints import EMBEDDED_KINDS, TYPE_OR_USE, EmbeddedWords, hint_text
from paths import ROOT
from placeholders import BRACES, in_words

PAGE = ROOT / "docs" / "messages.md"

HEAD = """# Messages

This page lists every sentence that the program can print: messages, errors, hints, labels and help texts. The sections follow the
files of the code. The program replaces the words in braces with a name, a number or another text. Two kinds of texts are left out:
examples of commands, and texts that the screen shows in better words (stored sentences, and the names of outcomes in JSON).

The page is made from the code with `make pages`, and a test compares the two. Read it from top to bottom to check the language. If you
have to read a sentence twice, rewrite it. The [glossary](glossary.md) shows which words to use, and which to avoid.
"""

ROOMS = ("cli", "projections", "ledger", "web")
NO_SENTENCE = re.compile(
    r"\(?(SELECT|WHERE|INSERT|CREATE|UPDATE|DELETE|PRAGMA|DROP|EXISTS|ATTACH|WITH|BEGIN|ALTER|ANALYZE|UNIQUE)\b|\(\?|noqa"
    r"|\{(ENTRY|POSTING|MARK)\}|import sys|if \[|body (\{|->>)|<[a-z!]|no such (table|column)|\w+ = \?|campaign = |seq IN |seq > |origin, |size, |seq, |\\[0-9]|\{__name__\}|public, max-age|no-store|default-src|event: |\{stored\}|Could not decode|malformed|integer overflow"
    r"|ORDER BY|who, |level, |module \{|\{type\(self\)|attachment; |any maskable|(session|day|turns) (open|close|next|add|delay)$|table \(|input should be|(greater|less) than or |group players|quorum players"
)
WORDS = re.compile(r"[A-Za-z]{2,}[,;:.]? +\S*[A-Za-z]{2,}")
FILLED_IN = re.compile(r"\{[^{}]*\}")
EXAMPLES = frozenset({"example", "another", "similar", "main_with_number"})
"""The names of what only help shows: a command, a second one, and the names of similar commands; and the main move."""

WORDS_FIRST = {"command": 0, "verb": 0, "view": 0, "plain_command": 0, "write_only_command": 2, "count_of": 1}
"""For functions that take examples, or one word for 1 and another for many: how many arguments come before these."""

NOT_SHOWN = frozenset({"compile", "fullmatch", "match", "search", "sub", "execute", "TypeError", "log", "_log"})
"""Calls whose texts nobody reads: patterns, statements, and the technical log."""

WRITES_CODE = ROOT / "ledger" / "events" / "compiled.py"
"""Its texts are functions, which nobody is shown."""


VERB = re.compile(r"(?!its |entries |has: )(is|has|can|cannot|could|must|also|[a-z]+s)\b")
SUBJECTS = (
    (
        r"ledger/(archive/(import_|standalone)|audit/\w+|corrections/seals|events/(commitments|decode)|journal/store)\.py",
        "Entry {seq}",
    ),
    (r"ledger/commands/calendar\.py", "Line {line} of the calendar"),
    (r"ledger/reading/validation\.py", "{input}"),
    (r"ledger/rules/(cursor|notation)\.py", "{part}"),
)
"""The subject of each text that starts with a verb, by file. The program prints both in one sentence."""


def page() -> str:
    """The whole page."""
    files = (path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py")) if path != WRITES_CODE)
    found = ((path.relative_to(ROOT), _read(path)) for path in files)
    sections = (f"## {name}\n\n" + "\n".join(f"- “{text}”" for text in texts) + "\n" for name, texts in found if texts)
    return "\n".join([HEAD, *sections])


def _read(path: Path) -> list[str]:
    """The messages of a file as the page has them, without the parts that another one shows in their place."""
    said = map(in_words, (text for text in messages(path) if not _is_stored(path, text)))
    name = path.relative_to(ROOT).as_posix()
    subject = next((f"{words} " for files, words in SUBJECTS if re.fullmatch(files, name)), "")
    whole = (f"{subject}{text}" if subject and VERB.match(text) else text for text in said)
    whole = (re.sub(r"(?<=[\w}])\{why\}", ": {reason}", text) for text in whole)
    texts = [text for text in dict.fromkeys(whole) if WORDS.search(FILLED_IN.sub("x", text))]
    return [text for text in texts if _ends(text) or not any(text in other for other in texts if other != text)]


def _ends(text: str) -> bool:
    """Return True for a whole sentence."""
    return text[0].isupper() and text[-1] in ".:?!"


def _is_stored(path: Path, text: str) -> bool:
    """Return True if the screen shows better words for a text: for a part of a stored sentence, and for a name in JSON."""
    game = systems.installed(path.parent.name) if "systems" in path.parts else None
    if game is None:
        return text in proofs.OUTCOME_PHRASES
    keys = {
        *game.sentences,
        *game.outcomes,
        *game.tasks,
        *(key for words in game.wordings.values() for key in words.story),
    }
    if path.name.startswith("moves"):
        stored = re.compile(".*".join(map(re.escape, BRACES.split(text))))
        return any(map(stored.search, game.sentences))
    is_key = text in keys or (path.name == "wording.py" and text.endswith(("dead", "*")))
    return is_key or (path.name == "sheet.py" and text.startswith(f"{game.name} "))  # a command for a task


def messages(path: Path) -> Iterator[str]:
    """The sentences of a file in the order in which they stand there."""
    yield from _texts(ast.parse(path.read_text(encoding="utf-8")))


def _texts(node: ast.AST) -> Iterator[str]:
    if _is_left_out(node):
        return
    match node:
        case ast.FunctionDef() | ast.ClassDef() if _is_help(node):
            yield from _shown(ast.get_docstring(node) or "")
        case ast.Call() if text := _sentence_of(node):
            yield from _shown(text)
            return
        case ast.Call(func=ast.Name(id=name)) if name in WORDS_FIRST:
            node = ast.Call(node.func, node.args[: WORDS_FIRST[name]], node.keywords)
        case ast.JoinedStr():
            yield from _shown(_filled(node))
            node = ast.Tuple([part.value for part in node.values if isinstance(part, ast.FormattedValue)])
            node.elts = [value for value in node.elts if not as_data(value)]
        case ast.Constant(value=str(text)):
            yield from _shown(text)
    for name, value in ast.iter_fields(node):
        for child in (value if isinstance(value, list) else [value]) if name != "returns" else ():
            if isinstance(child, ast.AST):
                yield from _texts(child)


def _sentence_of(call: ast.Call) -> str:
    """Return the text of a call: a command, or the error `NotOneself`, which makes a sentence of its verb."""
    match call:
        case ast.Call(
            func=ast.Name(id="NotOneself") | ast.Attribute(attr="NotOneself"), args=[who, ast.Constant(value=verb)]
        ):
            return f"{_plain(who)} cannot {verb!s} themselves."
    return hint_text(as_data(call) or "")


def _is_left_out(node: ast.AST) -> bool:
    """Return True for what nobody reads on the screen, and for examples."""
    match node:
        case ast.Expr(value=ast.Constant()) | ast.Assert() | ast.arguments():
            return True
        case ast.keyword(arg=name) | ast.AnnAssign(target=ast.Name(id=name)):
            return name in EXAMPLES
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in NOT_SHOWN
    return False


def _is_help(node: ast.FunctionDef | ast.ClassDef) -> bool:
    """Return True if a docstring is printed as help: of a command, or of a move, which has an example."""
    if isinstance(node, ast.ClassDef):
        return any(ast.unparse(part).startswith("example: ClassVar[str] = ") for part in node.body)
    words = {word for each in node.decorator_list for word in re.findall(r"\w+", ast.unparse(each))}
    return not words.isdisjoint({"group", *WORDS_FIRST})


def _filled(text: ast.JoinedStr) -> str:
    """A formatted text with the names of what is filled in."""
    parts = (part.value if isinstance(part, ast.FormattedValue) else part for part in text.values)
    filled = (as_data(part) or str(_plain(part)) for part in parts)
    return hint_text("".join(filled))


def as_data(node: ast.AST) -> EmbeddedWords | None:
    """A command or a flag that the code names, with the names of what is filled in."""
    match node:
        case ast.Name(id="TYPE_OR_USE"):
            return TYPE_OR_USE
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in EMBEDDED_KINDS:
            return EMBEDDED_KINDS[name](*map(_plain, node.args), **dict(map(_flag, node.keywords)))
    return None


def _flag(given: ast.keyword) -> tuple[str, Any]:
    if isinstance(given.value, ast.Dict) and given.value.keys[0]:  # **{name: value}
        return _plain(given.value.keys[0]), _plain(given.value.values[0])
    return str(given.arg), _plain(given.value)


def _plain(node: ast.AST) -> Any:
    """A value in the code; one that is filled in is its name in braces."""
    match node:
        case ast.Constant():
            return node.value
        case ast.JoinedStr():
            return _filled(node)
    return f"{{{ast.unparse(node)}}}"


def _shown(text: str) -> Iterator[str]:
    """A text, in one line, if it is a sentence or part of one."""
    line = " ".join(text.split())
    plain = re.sub(r"\{[^{}]*\}", "x", line)
    if WORDS.search(plain) and not NO_SENTENCE.match(line):
        yield line


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
