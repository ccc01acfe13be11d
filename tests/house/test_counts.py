"""The words after a number agree with it: no message says "1 entries"."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

import pytest

from ledger.errors import count_of, entry_count
from messages import ROOMS
from paths import ROOT

ADJECTIVES = "checked|condition|core|different|earlier|extra|later|more|open|other|possible|score|sealed|secret"
NOUNS = (
    "actions|actors|answers|bytes|causes|changes|characters|charges|conditions|days|dice|entries|events|faces|files|hashes|hours"
    "|injuries|lines|minutes|notes|numbers|players|points|problems|questions|ranks|results|rolls|rows|rulings|seconds|secrets"
    "|scores|sessions|sheets|steps|texts|titles|transactions|values|verdicts|witnesses|words"
)
SEVERAL = re.compile(rf" (?:(?:{ADJECTIVES}) )?(?:{NOUNS})\b")
IN_A_TEMPLATE = re.compile(rf"\}}\}}{SEVERAL.pattern}")
OTHER_PLURALS = frozenset(
    {
        "are",
        "follow",
        "succeed",
        "acts",
        "new rolls have",
        "more moves",
        "messages",
        "campaigns",
        "more records",
        "private rolls",
        "rolls do",
        "records",
        "scores",
        "transactions",
        "writes",
    }
)
LIMIT = re.compile(r"[A-Z_]+|longest")
"""The name of a number that is always larger than 1."""

ALWAYS_SEVERAL = frozenset({
    "{len(action.further)} more results",  # only if there are too many to name
    "{capitalized(number(len(canceled)))} events of ",  # only if there are too many to tell
    "{test.least} rolls of a d",  # 30 or more
    "{throws} possible results. The program computes odds for at most ",  # only if there are too many
    "{self._dice} dice.",  # likewise
    "{count} dice. The limit is ",  # likewise
    "{times} rolls of ",  # a notation such as 2x(d6)
    "{notation.times} rolls, but only one roll fits here.",
    "{days} days after the previous entry.",  # a pause of weeks
    "{days} days earlier: ",
    "{seconds} seconds. Nothing was written.",  # how long the program waits
    "{head.size} entries is not signed with the campaign's own key; ",  # each campaign starts with two entries
    "{head.size} entries, but the record ends earlier or has a different history",
    "{head.size} entries",
})  # fmt: skip
STORED = frozenset({"{cost} core points"})
"""Old words that entries store. The screen shows better ones."""
NO_NUMBER = frozenset(
    {
        "{dice} rolls",
        "{who} rolls ",
        "{move.name()} rolls no dice in this situation.",
        "{first.type} entries cannot be amended.",
    }
)


@pytest.mark.parametrize(("number", "says"), [(0, "0 texts"), (1, "1 text"), (2, "2 texts"), (12345, "12,345 texts")])
def test_the_words_after_a_number_are_of_one_thing_or_of_several(number: int, says: str) -> None:
    assert count_of(number, "text") == says


def test_words_with_another_plural_name_both() -> None:
    assert [count_of(number, "secret is", "secrets are") for number in (1, 2)] == ["1 secret is", "2 secrets are"]
    assert [entry_count(number) for number in (1, 2)] == ["1 entry", "2 entries"]


def test_no_message_puts_a_number_before_a_plural_without_asking_if_it_is_1() -> None:
    found = {text for tree in _code() for text in _plurals(tree)}
    assert found - ALWAYS_SEVERAL - STORED - NO_NUMBER == set(), "use count_of; if it is never 1, add it to the list"


def test_the_words_for_one_thing_are_singular_and_those_for_several_are_plural() -> None:
    calls = {words for tree in _code() for words in _counted(tree)}
    assert ("sealed roll was", "sealed rolls were") in calls
    wrong = [pair for pair in calls if SEVERAL.match(f" {pair[0]}") or not SEVERAL.match(f" {pair[1]}")]
    assert {many for _, many in wrong} <= OTHER_PLURALS


def test_no_page_puts_a_number_before_a_plural_without_asking_if_it_is_1() -> None:
    pages = sorted((ROOT / "web" / "templates").glob("*.html"))
    assert [page.name for page in pages if IN_A_TEMPLATE.search(page.read_text(encoding="utf-8"))] == []


def _plurals(node: ast.AST) -> Iterator[str]:
    """Find the parts of f-strings with a plural after a number. Leave out those that are only for other numbers than 1."""
    if isinstance(node, ast.IfExp) and ast.unparse(node.test).endswith(" == 1"):
        return
    for number, words in pairwise(node.values) if isinstance(node, ast.JoinedStr) else ():
        if isinstance(number, ast.FormattedValue) and isinstance(words, ast.Constant):
            name = ast.unparse(number.value)
            if SEVERAL.match(str(words.value)) and not LIMIT.fullmatch(name.rpartition(".")[2]):
                yield f"{{{name}}}{words.value!s}"
    for child in ast.iter_child_nodes(node):
        yield from _plurals(child)


def _code() -> Iterator[ast.AST]:
    for room in ROOMS:
        yield from (ast.parse(path.read_text(encoding="utf-8")) for path in sorted((ROOT / room).rglob("*.py")))


def _counted(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """The words that each call of `count_of` has for one thing and for several."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Name(id="count_of") | ast.Attribute(attr="count_of"),
                args=[_, ast.Constant(value=str(one)), *more],
            ):
                yield one, ast.literal_eval(more[0]) if more else f"{one}s"
