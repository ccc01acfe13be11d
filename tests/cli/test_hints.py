"""Hints: each command in a message works as printed, with its placeholders filled in."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import connection_of
from ledger.errors import Run
from ledger.journal.book import open_book
from messages import as_data
from paths import ROOT
from tampering import fitted, rewritten
from terminal import Type, head, rows

GAPS = {
    "WHO": "mara",
    "TEXT": "x",
    "TITLE": "One",
    "N": "3",
    "NUMBER": "3",
    "ENTRY": "7",
    "FILE": "spare.backup",
    "GAME": "rollunder",
    "SCORE=N": "skill.riding=3",
    "DICE": "d6",
    "WEAPON": "knife",
    "WHOM": "brak",
    "VERDICT": "success",
    "WHO,WHO": "mara,brak",
    "A,B": "cunning,presence",
    "NAME=WORD": "care=no",
    "NAME": "Ana",
    "ARMOR": "vest",
    "PLACE": "docks",
    "LEVEL": "streets",
    "DISTRICT": "harbor",
    "CONTEST": "gate",
    "TASK": "gate",
}
"""Values for the placeholders of hints, as somebody at the table would type them."""

FILLED = {
    "who": "mara", "self.who": "mara", "waits[0]": "mara", "name": "knife", "self.name": "gate", "self.task": "gate",
    "self.contest": "gate", "self.cost_name": "gate",
    "contests[0]": "gate", "connection": "mill", "skill": "stealth", "self.skill": "stealth", "self.ranks": "stealth",
    "typed": "hp", "self._system": "edge", "self.item": "rope", "self.rate": "50", "shell": "bash", "signed.name": "ana",
    "score.name": "edge", "score.most": "maximum", "most": "4", "view_form": "csv",
    "score": "hp=3", "joined": "gray-wolf", "full": '"Gray wolf"', "short": "mara", "gone": "mara", "former": "mara", "shown": "Mara", "mark": "care=no",
    "front": "mara", "back": "brak", "empty": "mara", "character": "mara", "others": "mara", "self.to": "mara", "self.target": "mara", "self.number": "hp",
    "form": "obsidian", "party[0]": "mara", "games[0]": "free", "open_to[0]": "free", "scores[0]": "hp", "*low": "lowest-input=-6", "*high": "highest-output=6",
}  # fmt: skip
"""Values that the program fills in; every other placeholder is the number of an entry."""

DEPENDS = {
    "amend {part.root} {flag} …": "the flags of the entry",
    "npc {*hurt} --fresh": "the characters",
    "void {seq} --why TEXT": "the entry",
    "erase {part.root}": "the note",
    "choose ENTRY --{early}": "the choices of the question",
    "decide {question.seq} keep --why TEXT": "the question",
    "decide {asked.seq} {choices_of(asked.type)[0]} --why TEXT": "the question",
    "byzantine restore {' '.join(words)}": "the words that were typed",
    "verify --proof {name} --key KEY": "the proof that was written",
    "odds {with_dice[0].name} {next(iter(_moves(with_dice[0])))} {who}": "the inputs of the move",
    "policy --witness {signed.name}=KEY": "a key",
    "policy --witness NAME=KEY": "a key",
    "witness sign --key KEY": "a key",
    "key import FILE": "a key",
    "{event.system} {event.move} {event.who} --help": "the game and the move",
    "key import {file}": "a key",
    "compare {fewer} FILE.campaign": "two checkpoints",
    "import {place} --mapping {proposal}": "the file that was typed",
    "import {place} --mapping {mapping_file or 'FILE'} --remap": "the file that was typed",
    "restore BACKUP": "a backup",
    "restore road.backup": "a backup",
    "-f road.campaign restore BACKUP": "a backup",
    "serve --lan --tls": "a server that stays open",
    "restore BACKUP --dry-run": "a backup",
    "-f {quote(file)} restore {quote(backup)}": "the files that were typed",
    "-f {to} log": "the new address",
    "move FROM {to}": "the new address",
    "-f {quote(target)} status": "the new address",
    "host create NAME TITLE": "a database",
    "host invite NAME --at {port.gm_address}": "a database",
    "host move NAME TO": "a database",
    "move FROM TO": "the addresses that were typed",
    "{waits.words}": "the attack",
    "{game.name} {move} {own} {*numbers} {having[0]}": "the skill",
    "{question.then}": "the question",
    "{task.then}": "the question",
    "{game} {name}": "the next move",
    "{command} {who} {full} {*words} {*flags} {*_dice_words(ctx)}": "the line that was typed",
}
"""Commands that other tests type in their own place."""

MENTIONED = {"backup", "key export", "serve", "witness add", "witness sign"}
"""Commands that a message speaks about, without asking anybody to type them as they are there."""

STATE = {0, 3, 4, 5, 7}
"""Exit codes of a line that was understood: it depends on the campaign whether it is refused."""


def _nodes(*rooms: str) -> Iterator[ast.AST]:
    for room in rooms:
        for path in sorted((ROOT / room).rglob("*.py")):
            yield from ast.walk(ast.parse(path.read_text(encoding="utf-8")))


def _named() -> Iterator[str]:
    for data in map(as_data, _nodes("cli", "ledger", "projections", "web")):
        if isinstance(data, Run):
            yield " ".join(data.words)


HINTS = [*dict.fromkeys(_named())]


def _as_typed(hint: str) -> str:
    filled = re.sub(r"\{([^}]*)\}", lambda gap: FILLED.get(gap[1], "7"), hint.replace("…", ""))
    words = ((word, *word.partition("=")) for word in filled.split())
    return " ".join(
        GAPS.get(word) or f"{GAPS.get(name, name)}{equals}{_value(value)}" for word, name, equals, value in words
    )


def _value(gap: str) -> str:
    sign = "+" if gap.startswith("+") else ""
    return f"{sign}{GAPS.get(gap.removeprefix('+'), gap.removeprefix('+'))}" if gap else ""


@pytest.mark.parametrize("hint", [hint for hint in HINTS if hint not in {*DEPENDS, *MENTIONED}])
def test_a_command_in_a_message_works_as_printed(evening: Type, hint: str) -> None:
    asks = hint.startswith(("amend", "void", "override"))
    done = evening(f"{_as_typed(hint)}{' --dry-run' * asks}")
    assert done.exit_code in STATE, f"campaign {_as_typed(hint)}: {done.output}"


COMMAND, FLAG = re.compile("'campaign |: campaign [a-z]"), re.compile("(^|[ (])--[a-z]")


@pytest.mark.parametrize("room", ["ledger", "projections", "web", "cli"])
def test_messages_have_commands_and_flags_only_as_data(room: str) -> None:
    texts = [
        each.value
        for node in _nodes(room)
        if isinstance(node, ast.Raise)
        or (isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in {"hint", "says", "sentence"})
        or (isinstance(node, ast.Call) and ast.unparse(node.func) in {"aside", "terminal.aside", "say", "terminal.say"})
        for each in ast.walk(node)
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    ]
    named = [text for text in texts if COMMAND.search(text) or (FLAG.search(text) and room != "cli")]
    assert named == [], "use Run(…) and Flag(…), which the page can show as its own buttons and fields"


def test_the_commands_that_depend_on_their_place_are_still_named() -> None:
    assert {*DEPENDS, *MENTIONED} <= set(HINTS)


ASKING = [
    ("void 7 --why x", "--yes"),
    ("amend 10 --skill 12 --why x", "--yes"),
    ("rewind --to 7", "--yes"),
    ("override 10 success --why x", "--yes"),
    ("erase --player Ana", "--yes"),
    ("import export", "--yes"),
    ("restore spare.backup", "--yes"),
    ("--by Ana undo", "--yes"),
    ("choose 27", "--drop N"),
]


@pytest.mark.parametrize(("words", "flag"), ASKING, ids=[words for words, _ in ASKING])
def test_a_command_that_asks_names_the_flag_if_there_is_no_terminal(evening: Type, words: str, flag: str) -> None:
    for before in ("backup spare.backup", "--by Ana note mine", "edge check mara --skill 11 --edge --faces 7,3,7"):
        evening(before)
    if words.startswith("import"):
        evening("export export")
        words = f"-f other.campaign {words}"
    head = evening("log -n 1 --json").stdout
    refused = evening(words)
    assert (refused.exit_code in {2, 3}, refused.stdout) == (True, ""), refused.output
    assert flag in refused.stderr.partition("Hint: ")[2]
    assert evening("log -n 1 --json").stdout == head


@pytest.mark.parametrize(
    ("words", "missing"),
    [
        ("decide 24 --why x", "CHOICE is missing. Type keep, amend or void."),
        ("decide 24", "CHOICE is missing. Type keep, amend or void."),
        ("decide 25 --why x", "CHOICE is missing. Type keep or adjust."),
        ("decide --why x 24 keep", "2 questions are open."),
        ("amend --skill 12 10 --why x", "Missing argument 'ENTRY'."),
        ("decide 24 keep", "Missing option '--why'."),
    ],
)
def test_an_error_lists_only_the_missing_inputs(evening: Type, words: str, missing: str) -> None:
    for before in ("dispute 10 --claim x", "assert mara edge=2"):
        evening(before)
    refused = evening(words)
    assert (refused.exit_code, missing in refused.stderr) == (2, True), refused.stderr


def test_the_only_open_question_is_decided_without_its_number(evening: Type) -> None:
    evening("dispute 10 --claim x")
    assert "question #24 about #10" in evening("decide keep --why fair").stdout
    refused = evening("decide keep --why fair")
    assert (refused.exit_code, refused.stderr) == (
        3,
        "Error: No question is open.\nHint: See what is open with 'campaign questions'.\n",
    )


@pytest.mark.usefixtures("folder")
def test_the_only_open_choice_or_offer_is_taken_without_its_number(type_in: Type) -> None:
    type_in("edge check mara --skill 11 --edge")
    asked = rows(type_in("questions --json").stdout)[0]
    assert f"To choose, type: campaign choose {asked['seq']} --drop N" in type_in("choose").stderr
    assert type_in(f"choose --drop {asked['dice'][0]}").exit_code == 0
    for before in (
        "set mara weapon.knife=1d6+2 --why s",
        "join jonas edge maximum=3",
        "edge attack mara knife jonas --skill 19 --target 10 --faces 7,6,1,1,1",
    ):
        assert type_in(before).exit_code == 0, before
    assert type_in("choose --boost 1").exit_code == 0


@pytest.mark.parametrize("words", ["decide keep --why x", "decide", "decide --by Ana keep --why x"])
def test_without_a_number_an_error_names_each_open_question_with_the_command_to_type(evening: Type, words: str) -> None:
    for before in ("dispute 10 --claim x", "assert mara edge=2", "edge check mara --skill 11 --edge"):
        evening(before)
    refused = evening(words)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert re.findall(": (campaign .*)", refused.stderr) == [
        "campaign decide 24 keep|amend|void --why TEXT",
        "campaign decide 25 keep|adjust --why TEXT",
    ]
    assert "Error: 2 questions are open.\n" in refused.stderr


@pytest.mark.usefixtures("folder")
def test_of_an_offer_and_a_choice_the_flag_says_which_is_meant(type_in: Type) -> None:
    for before in (
        "set mara weapon.knife=1d6+2 --why s",
        "join jonas edge maximum=3",
        "edge attack mara knife jonas --skill 19 --target 10 --faces 7,6,1,1,1",
        "edge check jonas --skill 11 --edge --faces 7,3,7",
    ):
        assert type_in(before).exit_code == 0, before
    assert "2 choices are open." in type_in("choose").stderr
    assert type_in("choose --drop 3").exit_code == 0


def test_an_offer_of_a_game_that_is_not_installed_leaves_other_choices_open(folder: Path, type_in: Type) -> None:
    sheet = "ps=2 pk=2 attribute.cunning=60 attribute.luck=20"
    for before in (
        f"join sam multicheck {sheet}",
        "multicheck test sam cunning --faces 73",
        "edge check mara --skill 11 --edge --faces 7,3,7",
    ):
        assert type_in(before).exit_code == 0, before
    with open_book(str(folder / "road.campaign")) as book:
        for seq in range(1, book.head() + 1):
            rewritten(seq, lambda body: body.replace("multicheck", "unknown"))(connection_of(book))
        fitted(book)
    assert "--drop N" in type_in("choose").stderr


def test_an_unknown_move_is_answered_with_the_moves_of_the_game(type_in: Type) -> None:
    assert "Error: No such command 'check'. The moves: skill, plain.\n" in type_in("rollunder check mara").stderr


@pytest.mark.usefixtures("folder")
def test_a_choice_without_a_number_is_refused_if_several_are_open(type_in: Type) -> None:
    type_in("join zed edge maximum=3")
    for who in ("mara", "zed"):
        type_in(f"edge check {who} --skill 11 --edge")
    refused = type_in("choose --drop 3")
    assert (refused.exit_code, "Error: 2 choices are open.\n" in refused.stderr) == (2, True)
    assert len(re.findall("campaign choose [0-9]+ --drop N\n", refused.stderr)) == 2


def test_a_reveal_never_guesses_and_names_the_sealed_rolls(type_in: Type, folder: Path) -> None:
    type_in("edge check mara --skill 11 --target 20 --seal")
    before, refused = head(folder), type_in("reveal")
    sealed = rows(type_in("questions --json").stdout)[0]["seq"]
    assert (refused.exit_code, f": campaign reveal {sealed}\n" in refused.stderr) == (2, True)
    assert head(folder) == before


def test_a_question_that_waits_for_a_choice_after_the_dice_is_not_decided(evening: Type) -> None:
    evening("edge check mara --skill 11 --edge --faces 7,3,7")
    refused = evening("decide 25 --why x")
    assert (refused.exit_code, "campaign choose 25" in refused.stderr) == (3, True), refused.stderr


@pytest.mark.parametrize("flag", ["--boost 1", "--drop-instead 3"])
def test_a_flag_of_an_expired_offer_says_that_it_expired(type_in: Type, folder: Path, flag: str) -> None:
    for before in (
        "set mara weapon.knife=1d6+2 --why s",
        "join jonas edge maximum=3",
        "edge attack mara knife jonas --skill 19 --target 10",
        "edge attack mara --go-on",
    ):
        assert type_in(before).exit_code == 0
    refused = type_in(f"choose {head(folder)} {flag}")
    assert "has no question" in refused.stderr
    rolled = next(row["seq"] for row in rows(type_in("log -n all --json").stdout) if row.get("move") == "attack")
    refused = type_in(f"choose {rolled} {flag}")
    assert (refused.exit_code, "has expired." in refused.stderr) == (3, True), refused.stderr


def test_a_choice_takes_up_the_offer_of_one_roll_at_a_time(type_in: Type, folder: Path) -> None:
    for before in (
        "set mara weapon.knife=1d6+2 --why s",
        "join jonas edge maximum=3",
        "edge attack mara knife jonas --skill 19 --target 10 --faces 7,6,1,1,1",
    ):
        assert type_in(before).exit_code == 0, before
    rolled = next(row["seq"] for row in rows(type_in("log -n all --json").stdout) if row.get("move") == "attack")
    refused = type_in(f"choose {rolled} --boost 1 --drop-instead 7")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "--drop-instead and --boost belong to different rolls." in refused.stderr
    assert "Type one command for each roll: campaign choose" in refused.stderr


@pytest.mark.parametrize(
    ("words", "likely"),
    [
        ("multicheck test mara mell", "Did you mean melee?"),
        ("multicheck test mara bdy", "Did you mean body?"),
        ("multicheck test mara meele", "mara has skill.melee, so meele looks like a typo."),
        ("edge check mara rdng", "Did you mean riding?"),
        ("edge check mara riding --attributes cnning,presence", "cunning"),
        ("multicheck test mara mell --attribute body", "Did you mean melee?"),
    ],
)
def test_a_typo_in_a_name_on_the_sheet_gets_the_likely_name(
    type_in: Type, folder: Path, words: str, likely: str
) -> None:
    type_in("join mara multicheck attribute.body=40 skill.melee=3")
    type_in("adjust mara edge/skill.riding=3 --why x")
    refused = type_in(words)
    assert (refused.exit_code, likely in refused.stderr) == (3, True), refused.stderr


def test_a_name_that_is_on_the_sheet_is_not_called_a_typo(type_in: Type, folder: Path) -> None:
    type_in("adjust mara skill.riding=3 skill.hiding=2 --why x")
    refused = type_in("edge check mara riding --faces 7,6")
    assert "The sheet of mara does not say which attributes riding uses." in refused.stderr
    assert "Did you mean" not in refused.stderr
