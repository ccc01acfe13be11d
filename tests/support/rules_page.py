"""The page of rules, made from the code: each rule of each game, its meaning, and its moves and tests.

`python tests/support/rules_page.py` writes docs/rules.md; a test compares it.
"""

import re
from collections.abc import Iterator

from ledger import systems
from ledger.rules.system import System
from paths import ROOT, TESTS

PAGE = ROOT / "docs" / "rules.md"

HEAD = """# Rules

This page lists the rules of each game. For each rule you see:

- what the rule says, in one line
- the functions that compute it (`campaign try` runs them)
- the moves that use it
- the consequences that it adds to the journal
- the tests that check it

The page is made from the code with `make pages`, and a test compares the two.
"""

TEST = re.compile(r"^def (test_\w+)\(", re.MULTILINE)
NAMED = re.compile(r"_([a-z]{3})_([0-9]{2})(?:_to_([0-9]{2}))?(?=_)")


def named_by_rule() -> dict[str, list[str]]:
    """The tests whose names begin with the ids of rules (`test_edg_06_edg_07_…`, `test_edg_01_to_07_…`)."""
    found: dict[str, list[str]] = {}
    for path in sorted(TESTS.rglob("test_*.py"), key=lambda path: path.name):
        for name in TEST.findall(path.read_text(encoding="utf-8")):
            for rule in rules_named(name):
                found.setdefault(rule, []).append(name)
    return found


def rules_named(test: str) -> Iterator[str]:
    """The ids at the beginning of a test's name."""
    place = len("test")
    while named := NAMED.match(test, place):
        first, last = int(named[2]), int(named[3] or named[2])
        yield from (f"{named[1].upper()}-{number:02}" for number in range(first, last + 1))
        place = named.end()


def page() -> str:
    """The whole page."""
    tests = named_by_rule()
    return "\n".join(
        [HEAD, *(_game(game, tests) for game in map(systems.find, systems.BUILT_IN_GAMES) if game.rulebook().page)]
    )


def _game(system: System, tests: dict[str, list[str]]) -> str:
    rulebook = system.rulebook()
    rows = [
        "| rule | meaning | computed by | moves | consequences | tests |",
        "|---|---|---|---|---|---|",
    ]
    for rule, meaning in rulebook.page.items():
        cells = (
            [each.name for each in rulebook.rules if rule in each.ids],
            [move.name() for move in rulebook.moves if rule in move.ids],
            [kind.name for kind in rulebook.kinds if kind.rule == rule],
            tests.get(rule, []),
        )
        listed = " | ".join("<br>".join(f"`{name}`" for name in names) for names in cells)
        rows.append(f"| {rule} | {meaning} | {listed} |")
    return f"## {system.title}\n\n" + "\n".join(rows) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
