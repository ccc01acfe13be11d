"""The house: who imports whom, where the clock and chance come in, and what a command may load."""

import ast
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

import click
import pytest

import coin
from cli.sections import SECTIONS
from ledger import systems
from ledger.commands.decider import Command, class_and_subclasses
from ledger.events.facts import Header
from ledger.events.types import EVENTS, Consequence, Event
from ledger.rules import Kind
from ledger.rules.system import System
from ledger.systems import edge
from paths import ROOT, TESTS
from table import opened_book

MODULES = [path for room in ("ledger", "projections", "cli") for path in sorted((ROOT / room).rglob("*.py"))]
WEB = sorted((ROOT / "web").rglob("*.py"))
SYSTEMS = [systems.find(name) for name in systems.names()]


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def names_used(path: Path) -> Iterator[str]:
    """Yield dotted names and imported names of a module."""
    for node in nodes_of(path):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield f"{node.value.id}.{node.attr}"
        elif isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"from {node.module} import {name.name}" for name in node.names)
        elif isinstance(node, ast.Import):
            yield from (f"import {name.name}" for name in node.names)


def test_imports_go_downwards_only() -> None:
    program = "from importlinter.cli import lint_imports; raise SystemExit(lint_imports(no_cache=True))"
    # a process of its own, as it turns off the logs of others
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("words", "rooms"),
    [
        ({"datetime.now", "time.time", "time.localtime"}, {"ledger/scribe.py", "cli/context.py"}),
        (
            {"import secrets", "from secrets import randbelow", "import random", "from os import urandom"},
            {"ledger/rules/dice.py", "ledger/events/commitments.py"},
        ),
        ({"print"}, set()),
    ],
    ids=["the clock", "chance", "print"],
)
def test_what_comes_in_from_outside_comes_in_at_its_own_door(words: set[str], rooms: set[str]) -> None:
    found = {str(path.relative_to(ROOT)) for path in MODULES if words & set(names_used(path))}
    assert found <= rooms


OPENS = {
    ("cli/render/terminal.py", "redirect_to_null"): "the null device",
    ("cli/pasted.py", "read_pasted"): "a text that somebody brought, before the campaign is opened",
    ("cli/shells.py", "_text_of_file"): "a completion script, or what a shell reads when it starts",
    ("cli/shells.py", "_write"): "the same",
    ("cli/commands/views.py", "_read"): "cases to try; no campaign is open",
    ("ledger/hints.py", "install_hint"): "where the program was installed from",
    ("cli/version.py", "commit"): "the commit that a build stored",
    ("cli/prompt.py", "KeptHistory"): "the lines typed at the prompt; no campaign is open",
    ("projections/row_formats.py", "table_lines"): "a temporary file without a name",
    ("cli/history.py", "forget_lines"): "the same, to take erased words out",
    ("ledger/archive/export.py", "_write_export"): "new files of an export",
    ("ledger/archive/verify_page.py", "verify_page"): "the parts of the page, which the program brings",
    ("ledger/archive/format.py", "lines_in"): "a file of an export",
    ("ledger/archive/vault_folder.py", "_content"): "a note of a vault, or its manifest; only a file with such a name",
    ("ledger/archive/vault_folder.py", "_write"): "the folder of new notes that got their names, to remove the folder",
    ("ledger/archive/format.py", "has_exact_content"): "a file of an export",
    ("ledger/imports/sources.py", "Source"): "a log of another program; campaigns are refused by name",
    ("ledger/imports/sources.py", "FolderSource"): "the same",
    ("ledger/imports/sources.py", "_FolderOnDisk"): "the same",
    ("ledger/imports/sources.py", "_open_member"): "a file in a zip file",
    ("ledger/imports/plan.py", "plan_import"): "the same",
    ("ledger/imports/sheets.py", "_read_actors"): "the same, for its characters",
    ("ledger/imports/mapping.py", "read_mapping"): "a mapping file",
    ("ledger/journal/book.py", "open_book"): "a campaign, by its engine",
    ("ledger/journal/postgres_club.py", "PostgresClub"): "a campaign, by its engine",
    ("ledger/journal/files.py", "FileEngine"): "a campaign, by SQLite",
    ("ledger/journal/sqlite.py", "SQLite"): "a copy of a campaign, by SQLite",
    ("ledger/journal/replacing.py", "_is_kept"): "a campaign and what was kept of it, by SQLite",
    ("ledger/journal/upgrading.py", "_is_copy"): "the backup of an older campaign, by SQLite",
    ("ledger/journal/sqlite.py", "_new_file"): "a campaign's file, before SQLite knows it",
    ("ledger/audit/remembered.py", "_read"): "what a check found, in the home",
    ("ledger/audit/remembered.py", "_write"): "what a check found, in the home",
    ("ledger/audit/program.py", "_contents_below"): "the program's own source",
    ("ledger/trust/keyfile.py", "read_key"): "a key",
    ("ledger/journal/replacing.py", "_move_in"): "the folder of a new file that got its name, to remove the folder",
    ("ledger/trust/written.py", "LastWritten"): "what this computer wrote last, in its home",
    (
        "ledger/journal/new_files.py",
        "_open_for_lock",
    ): "a folder, or on Windows its lock file, to be the only one there",
    ("ledger/journal/new_files.py", "folder_lock"): "the folder of what a killed command left",
    ("ledger/journal/new_files.py", "atomic_file"): "the folder of what did not become whole",
    (
        "ledger/journal/new_files.py",
        "synced_file",
    ): "a new file that is no campaign: a key, a proof, a part of an export",
    ("ledger/journal/new_files.py", "sync_names"): "a folder, to sync it",
    ("projections/exports/tables.py", "_check_replaceable"): "a file that is not the open campaign",
    ("projections/exports/tables.py", "make_tables"): "the new file of tables, to sync it",
}
"""What may open a file, and what file; whoever opens a campaign's beside SQLite gives up SQLite's locks on it."""

OPENING = re.compile(
    r"open|(os|io|tokenize)\.(open|fdopen|FileIO|open_code)|(shutil|tempfile)\.\w+"
    r"|(?!formatter\.).*\.(open|read_bytes|read_text|write_bytes|write_text|touch)",
    re.DOTALL,
)
"""The calls that open a file, by their whole names."""

STANDALONE = ROOT / "ledger" / "archive" / "standalone.py"
"""A program of its own, which nobody imports."""


def calls(path: Path) -> Iterator[tuple[str, str]]:
    """Yield what a module calls, by the whole name of what was imported, with the outermost function that does."""
    names = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in nodes_of(path)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        where = getattr(statement, "name", "")
        for node in ast.walk(statement):
            if isinstance(node, ast.Call):
                first, dot, rest = ast.unparse(node.func).partition(".")
                yield where, names.get(first, first) + dot + rest


def test_no_campaign_is_opened_beside_sqlite() -> None:
    """`conftest.py` watches in every test that nothing of ours opens the file that SQLite holds open."""
    found = {
        (str(path.relative_to(ROOT)), where)
        for path in MODULES
        if path != STANDALONE
        for where, call in calls(path)
        if OPENING.fullmatch(call)
    }
    assert found == OPENS.keys()


PROCESSES = (STANDALONE, ROOT / "ledger/audit/parts.py")
"""The modules that run as processes of their own: one for players, one that sends what it found through a pipe."""


def test_nothing_below_the_command_line_asks_or_prints() -> None:
    streams, asking = {"sys.stdin", "sys.stdout", "sys.stderr"}, {"input", "breakpoint", "print"}
    for path in MODULES:
        if path.relative_to(ROOT).parts[0] != "cli" and path not in PROCESSES:
            assert not streams & set(names_used(path)), path
            assert not asking & {call for _, call in calls(path)}, path


def test_all_that_goes_out_passes_one_place() -> None:
    writes = {
        "click.echo",
        "click.secho",
        "click.echo_via_pager",
        "click.style",
        "sys.stdout.write",
        "sys.stderr.write",
    }
    found = {
        (str(path.relative_to(ROOT)), where, call)
        for path in MODULES
        if path not in PROCESSES
        for where, call in calls(path)
        if call in writes
    }
    own_help = ("cli/command_types.py", "EntryCommand", "click.echo")
    assert own_help in found
    assert {path for path, *_ in found - {own_help}} == {"cli/render/terminal.py"}


FILES = ("sheet", "consequences", "rules", "moves", "audit")


@pytest.mark.parametrize("name", systems.BUILT_IN_GAMES)
def test_a_game_has_the_same_files_or_only_a_sheet_if_it_has_no_rules(name: str) -> None:
    folder = ROOT / "ledger" / "systems" / name
    there = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    needed = FILES if systems.find(name).rulebook().page else ("sheet",)
    assert set(needed) <= there
    more = there - {*FILES, "wording"}
    assert all(stem.startswith("moves_") for stem in more)
    for stem in more:
        imported = {each.rpartition(".")[2] for each in names_used(folder / f"{stem}.py") if each.startswith("from")}
        known = {word.rpartition(" ")[2] for word in imported}
        assert not known & {"moves", "audit"}, (name, stem)


def test_no_system_is_known_by_name_outside_its_own_module() -> None:
    for path in MODULES:
        inside = path.relative_to(ROOT).parts[:2] == ("ledger", "systems")
        strings = {node.value for node in nodes_of(path) if isinstance(node, ast.Constant)}
        assert inside or not strings & set(systems.names()), path


def test_every_file_reads_in_one_sitting() -> None:
    lengths = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    longest = {
        "ledger/journal/sqlite.py": 600,
        "ledger/archive/standalone.py": 500,
    }  # an engine is one file, a third of it SQL; `verify.py` is one file too
    assert {name: length for name, length in lengths.items() if length > longest.get(name, 500)} == {}


def test_the_fields_of_an_event_never_hide_its_place() -> None:
    events: list[type[Event]] = [*EVENTS.values(), Consequence]
    for event in events:
        assert not {*Header._fields, "type", "leaf"} & set(event._fields)


def test_the_help_says_of_each_command_what_the_command_says_of_itself() -> None:
    for section in SECTIONS.values():
        for name, (where, line) in section.items():
            module, _, attribute = where.partition(":")
            command: object = getattr(import_module(f"cli.commands.{module}"), attribute)
            assert isinstance(command, click.Command)
            assert command.name == name
            own = (command.help or "").split("\n")[0]
            assert own.startswith(line.rstrip(".").split(",")[0].split(":")[0]), (line, own)


def test_every_command_is_in_the_help_or_in_a_group() -> None:
    modules = [import_module(f"cli.commands.{path.stem}") for path in (ROOT / "cli" / "commands").glob("[!_]*.py")]
    commands = [value for module in modules for value in vars(module).values() if isinstance(value, click.Command)]
    listed = {name for section in SECTIONS.values() for name in section}
    below = {id(each) for group in commands if isinstance(group, click.Group) for each in group.commands.values()}
    shown = {command.name for command in commands if id(command) not in below and not command.hidden}
    assert shown == listed


def test_every_command_of_the_ledger_can_be_typed() -> None:
    for path in [*(ROOT / "ledger" / "commands").glob("[!_]*.py"), *(ROOT / "ledger" / "corrections").glob("[!_]*.py")]:
        import_module(f"ledger.{path.parent.name}.{path.stem}")  # a class is known once its module is imported
    kinds = {kind.__name__ for kind in class_and_subclasses(Command) if kind.__module__.startswith("ledger.")}
    named = {
        name for path in (ROOT / "cli").rglob("*.py") for name in re.findall(r"\w+", path.read_text(encoding="utf-8"))
    }
    assert kinds - named == {
        *("RecordForks", "Sealed", "BeginTurn", "BeginDay"),
        "AcceptOffer",  # `choose` gets it from `choice_from`
        *("ImportLog", "ImportRolls", "ImportSheet"),  # `import` gets them from the plan
    }


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_a_system_declares_all_that_it_refers_to(system: System) -> None:
    scores, marks = [score.name for score in system.scores], [mark.name for mark in system.marks]
    named = [*scores, *(mark.name for mark in system.marks if not mark.is_open)]
    assert len(set(named)) == len(named), "only the group's own words and numbers share a pattern"
    assert len(set(marks)) == len(marks)
    for score in system.scores:
        single = score.for_name(score.name.replace("*", "name"))
        for other in (single.most, single.starts):
            assert isinstance(other, int) or system.score(other) is not None
    settings = [setting.name for setting in system.settings]
    assert not {"word", "secret"} & {*named, *settings}, "an entry would take these for commitments"
    play = system.rulebook()
    assert play.moves
    kinds = [kind.name for kind in play.kinds]
    assert len(set(kinds)) == len(kinds)
    assert not set(kinds) & set(EVENTS)
    for move in play.moves:
        assert move.may_roll() is ("--faces" in move.example), move.name()
    assert all(rule.name.startswith(f"{system.name}.") and rule.ids for rule in play.rules)
    assert all(move.ids for move in play.moves)
    ids = [each.ids for each in play.moves] + [each.ids for each in play.rules]
    assert {rule for each in ids for rule in each} | {kind.rule for kind in play.kinds} <= set(play.page)
    parts = [value for move in play.moves for value in vars(sys.modules[move.__module__]).values()]
    assert {kind.name for kind in parts if isinstance(kind, Kind)} <= set(kinds)


@pytest.mark.parametrize(
    ("words", "not_loaded"),
    [
        (["--help"], ["sqlite3", "json", "ledger.rules", "ledger.events"]),
        (
            ["sheets", "mara"],
            [
                "ledger.events.types",
                "ledger.commands.at_table",
                "ledger.systems.edge.moves",
                "ledger.rules.notation",
                "hashlib",
            ],
        ),
        (["register", "mara", "edge"], ["ledger.commands.at_table", "ledger.systems.edge.moves"]),
        (["edge", "check", "mara", "--skill", "11"], ["difflib", "ledger.tlog.note"]),
        (["edge", "check", "mara", "--skill", "11", "--faces", "7,6"], ["random", "secrets"]),
    ],
    ids=" ".join,
)
def test_a_command_loads_only_what_it_uses(tmp_path: Path, words: list[str], not_loaded: list[str]) -> None:
    file = str(tmp_path / "a.campaign")
    opened_book(file, games=("edge",)).close()
    program = (
        "import sys, json\nfrom cli.main import campaign\n"
        f"try: campaign({['-f', file, *words]!r})\nexcept SystemExit as end: assert not end.code\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    loaded = set(json.loads(done.stdout.splitlines()[-1]))
    heavy = {"pydantic", "sqlite_utils", "structlog", "annotated_types", "importlib.metadata", "dataclasses", "asyncio"}
    assert not loaded & {*heavy, *not_loaded} - {"json"}


def test_a_game_of_ours_is_never_replaced_by_another_package() -> None:
    assert [entry.name for entry in entry_points(group=systems.ENTRY_POINT_GROUP)] == ["coin", "edge"]
    assert systems.find("edge") is edge.SYSTEM
    assert systems.names() == (*systems.BUILT_IN_GAMES, "coin")


def test_a_game_of_another_package_needs_one_door_of_ours() -> None:
    imported = {name for name in names_used(Path(coin.__file__)) if name.startswith(("from ledger", "import ledger"))}
    assert imported
    assert all(name.startswith("from ledger.rules import ") for name in imported)


def test_no_two_modules_of_tests_have_the_same_name() -> None:
    """Otherwise, pytest collects only one of them, but only a run of all tests shows it."""
    names = Counter(path.name for path in TESTS.rglob("test_*.py") if "node_modules" not in path.parts)
    assert [name for name, times in names.items() if times > 1] == []


def test_a_class_name_means_one_thing() -> None:
    classes = [
        (node.name, path.name) for path in (*MODULES, *WEB) for node in nodes_of(path) if isinstance(node, ast.ClassDef)
    ]
    assert {
        name: [where for named, where in classes if named == name]
        for name, times in Counter(name for name, _ in classes).items()
        if times > 1
    } == {}


CLASSES = {node.name: node for path in (*MODULES, *WEB) for node in nodes_of(path) if isinstance(node, ast.ClassDef)}
PORTS = [node for node in CLASSES.values() if "Protocol" in map(ast.unparse, node.bases)]


def with_bases(node: ast.ClassDef) -> Iterator[ast.ClassDef]:
    yield node
    for base in node.bases:
        if (name := ast.unparse(base).partition("[")[0]) in CLASSES:
            yield from with_bases(CLASSES[name])


def methods(node: ast.ClassDef) -> dict[str, bool]:
    """The methods of a class itself: whether each says what it does."""
    return {each.name: bool(ast.get_docstring(each)) for each in node.body if isinstance(each, ast.FunctionDef)}


@cache
def offered(node: ast.ClassDef) -> set[str]:
    """The names of the methods and attributes that a class has."""
    parts = [part for each in with_bases(node) for part in ast.walk(each)]
    attributes = {part.attr for part in parts if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store)}
    names = {part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    return attributes | names | {part.name for part in parts if isinstance(part, ast.FunctionDef)}


def test_a_method_says_what_it_does_unless_its_base_class_or_its_port_says_it() -> None:
    undocumented = []
    for node in CLASSES.values():
        ports = [port for port in PORTS if offered(port) <= offered(node)]
        described = {
            name
            for each in (*with_bases(node), *(base for port in ports for base in with_bases(port)))
            for name, is_described in methods(each).items()
            if is_described
        }
        public = [] if node.name.startswith("_") else [name for name in methods(node) if not name.startswith("_")]
        undocumented += [f"{node.name}.{name}" for name in public if name not in described]
    assert undocumented == []


def test_two_modules_of_the_ledger_share_no_name_except_in_games() -> None:
    modules = [
        path.stem for path in (ROOT / "ledger").rglob("*.py") if "systems" not in path.parts and path.stem != "__init__"
    ]
    assert [name for name, times in Counter(modules).items() if times > 1] == []
