"""Whatever is refused wrote nothing, anywhere: not into the campaign, the keys, the home, or the folder."""

import os
import shlex
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import click
import pytest
from click.testing import CliRunner, Result

from cli.context import Invocation
from cli.main import campaign
from examples import some
from laid import nobody
from ledger import systems
from ledger.trust.home import Head, Home
from own_key import key_at_home
from table import EVENING, seeded_dice, seeded_salts
from torture.runs import SHM
from typed_evenings import OPENING

FILE = "road.campaign"
USED = "used"
"""An id of `--once` that another command used."""

BEGINNING = (
    *OPENING.strip().splitlines(),
    f"note first --once {USED}",  # 15
    "edge check mara --skill 3 --target 20 --faces 7,6",  # 16 17
    "key > campaign.vkey",
    "ana: witness init ana > ana.vkey",
    "policy --witness ana=ana.vkey",  # 18
    "checkpoint > checkpoint.txt",
    "adjust mara edge=-1 --why x",  # 19
)

CHALLENGED = (
    "syscards mode deal",  # 19 20
    "syscards rate mara 30 --why fog",
    "syscards rate brak 30 --why fog",
    "syscards challenge mara --against brak --faces 20,60",
)
ROWS: Mapping[str, Sequence[str]] = {
    "edge check": ["edge check mara --skill 3 --target 20 --faces 7,6"],
    "edge grant": ["edge grant mara advantage --why map"],
    "edge damage": ["edge damage brak --weapon 4 --melee"],
    "edge soak": ["edge soak brak --damage 5"],
    "edge attack": ["set mara weapon.knife=1d6+2 --why x", "edge attack mara knife brak --skill 0 --target 40"],
    "edge wear": ["set mara armor.vest=15/30 --why x", "edge wear mara vest"],
    "edge heal": ["edge soak mara --damage 9", "edge heal mara physical --amount 4 --why rest"],
    "edge degrade": ["edge degrade brak --threshold 1 --why x"],
    "edge injure": ["edge injure mara serious --why x"],
    "edge lessen": ["edge lessen mara serious"],
    "edge rest": ["edge rest mara long"],
    "edge award": ["edge award mara --amount 1 --why courage"],
    "edge burn": ["edge burn mara --against fall"],
    "syscards card": ["syscards card mara --rejects"],
    "syscards mode": ["syscards mode deal"],
    "syscards rate": ["syscards rate mara 30 --why fog"],
    "syscards throw": ["syscards rate mara 30 --why fog", "syscards throw mara --faces 20"],
    "syscards act": ["syscards act mara 30 --why fog"],
    "syscards means": ["syscards rate mara 60 --why fog", "syscards throw mara --faces 12", "syscards means mara --words slips"],
    "syscards challenge": CHALLENGED,
    "syscards clash": [*CHALLENGED[:3], "syscards challenge mara --against brak --wait", "syscards clash mara --against brak"],
    "syscards cancel": [*CHALLENGED, "syscards cancel brak mara --why x"],
    "syscards round": ["syscards mode deal", "syscards round begin"],
    "syscards reject": ["syscards mode deal", "syscards card mara --rejects", "syscards round begin", "syscards reject mara 30 --why x"],
    "syscards outright": ["syscards mode deal", "syscards outright mara --against brak --why x"],
    "syscards deny": ["syscards mode deal", "syscards deny brak --against mara --why x"],
    "syscards price": ["syscards price efficiency 2"],
    "syscards buy": ["syscards mode deal", "syscards price efficiency 2", "syscards buy mara efficiency"],
    "byzantine connect": ["byzantine connect mara tower --output 4"],
    "byzantine withhold": ["byzantine withhold mara workshop --why x"],
    "byzantine restore": ["byzantine withhold mara workshop --why x", "byzantine restore mara workshop"],
    "byzantine lend": ["byzantine lend mara soup --output 2 --why x"],
    "byzantine reclaim": ["byzantine lend mara soup --output 2 --why x", "byzantine reclaim mara soup"],
    "byzantine alter": ["byzantine alter brak flying output --energy 4"],
    "byzantine night": ["byzantine night mara little"],
    "byzantine dawn": ["day next", "join sam byzantine output.stall=3", "byzantine dawn sam"],
    "byzantine invest": ["byzantine invest mara 5 --project climb"],
    "byzantine cancel": ["byzantine cancel mara climb"],
    "byzantine task": ["byzantine task wall --costs 5"],
    "byzantine attempt": ["byzantine task wall --costs 5", "byzantine attempt mara wall --energy 6"],
    "byzantine know": ["byzantine task wall --costs 5", "byzantine know mara wall --energy 4"],
    "byzantine map": ["byzantine map market --level streets --district harbor"],
    "byzantine go": ["byzantine go mara market --energy 2 --base 4"],
    "byzantine found": ["byzantine go mara market --energy 1 --base 6", "byzantine found mara --why x"],
    "byzantine harm": ["byzantine harm mara 3 --why 'a falling roof'"],
    "byzantine contest": ["byzantine contest duel --acting mara --against brak --kind attack"],
    "byzantine commit": ["byzantine contest duel --acting mara --against brak", "byzantine commit mara duel --energy 3"],
    "byzantine resolve": ["byzantine contest duel --acting mara --against brak", "byzantine commit mara duel --energy 3", "byzantine commit brak duel --energy 1", "byzantine resolve duel"],
    "byzantine attack": ["byzantine attack mara brak --energy 3 --answer 2"],
    "byzantine kill": ["adjust mara energy=+50 --why x", "byzantine go brak market --energy 22 --base 4 --overdraft", "byzantine kill mara brak --energy 45 --manner stabs"],
    "rollunder skill": ["rollunder skill mara deception --on cunning,presence --faces 4"],
    "rollunder plain": ["rollunder plain mara cunning --factor 1.5 --faces 4"],
    "multicheck test": ["multicheck test mara cunning --difficulty 30 --faces 90"],
    "multicheck throw": ["multicheck test mara cunning --difficulty 30 --faces 45", "multicheck throw mara 6 --faces 4"],
    "multicheck save": ["multicheck save mara toughness --condition flying --charges 3 --faces 4"],
    "multicheck afflict": ["multicheck afflict mara flying --charges 2 --why x"],
    "multicheck turn": ["multicheck afflict mara flying --charges 2 --why x", "multicheck turn mara"],
    "roll": ["roll mara 2d6 --faces 3,4"],
    "choose": ["edge check mara --skill 11 --edge", "choose 21 --drop 3"],
    "play": ["play"],
    "serve": ["serve --port 0"],
    "player": ["player Cleo --plays sam"],
    "join": ["join sam edge maximum=3"],
    "npc": ["npc bandit-1..2"],
    "leave": ["leave brak"],
    "turns": ["turns add mara 4", "turns"],
    "turns roll": ["turns roll mara d20 --faces 3"],
    "turns add": ["turns add mara 4"],
    "turns next": ["turns add mara 4", "turns next"],
    "turns skip": ["turns add mara 4", "turns skip"],
    "turns delay": ["turns add mara 4", "turns add brak 3", "turns next", "turns delay mara"],
    "turns back": ["turns add mara 4", "turns next", "turns back"],
    "turns end": ["turns add mara 4", "turns end"],
    "status": ["status"],
    "players": ["players"],
    "adjust": ["adjust mara edge=-1 --why x"],
    "give": ["join mara free gold=50", "join brak free gold=5", "give mara brak gold=20"],
    "rename": ["rename mara 'Mara Quist'"],
    "free check": ["join mara free dex=3", "free check mara d20+dex --vs 15 --faces 12"],
    "free rest": ["join mara free hp=3/9", "set mara refill=hp --why x", "free rest mara"],
    "set": ["set mara edge/care=yes --why x"],
    "note": ["note second"],
    "session close": ["session close"],
    "session present": ["player Dan", "session present Dan"],
    "session open": ["session close", "session open 'Another evening' --present Ana"],
    "scene": ["scene 'At the gate'"],
    "day next": ["day next"],
    "day to": ["day to 2"],
    "settings": ["settings rollunder levels=fifths"],
    "undo": ["undo"],
    "redo": ["undo", "redo"],
    "void": ["void 17 --why x --yes"],
    "amend": ["amend 17 --skill 4 --why x --yes"],
    "rewind": ["rewind --to 15 --yes"],
    "dispute": ["dispute 17 --claim 'it was dark' --player Ana"],
    "decide": ["dispute 17 --claim 'it was dark' --player Ana", "decide 20 void --why x --yes"],
    "override": ["override 17 success --good --why rope --yes"],
    "assert": ["assert mara edge=2"],
    "sheets": ["sheets mara --at 10"],
    "register": ["register mara edge"],
    "why": ["why mara edge"],
    "log": ["log -n 3 --find first --who mara --session 1"],
    "search": ["search first --secrets"],
    "show": ["show 17"],
    "diff": ["diff 10 17"],
    "replay": ["replay --from 10 --to 17"],
    "chronicle": ["chronicle --session 1"],
    "recap": ["recap --session 1"],
    "luck": ["roll mara 2d6 --faces 3,4", "luck mara --die d6"],
    "odds edge check": ["odds edge check mara --skill 3 --target 20"],
    "odds edge damage": ["odds edge damage brak --weapon 4 --melee"],
    "odds edge attack": ["set mara weapon.knife=1d6+2 --why x", "odds edge attack mara knife brak --skill 0 --target 40"],
    "odds syscards rate": ["odds syscards rate mara 60 --why fog --throw"],
    "odds syscards throw": ["syscards rate mara 60 --why fog", "odds syscards throw mara"],
    "odds syscards challenge": [CHALLENGED[0], "odds syscards challenge mara --against brak"],
    "odds syscards clash": [CHALLENGED[0], "syscards challenge mara --against brak --wait", "odds syscards clash mara --against brak"],
    "odds rollunder skill": ["odds rollunder skill mara deception --on cunning,presence"],
    "odds rollunder plain": ["odds rollunder plain mara cunning --factor 1.5"],
    "odds multicheck test": ["odds multicheck test mara cunning --difficulty 30"],
    "odds multicheck throw": ["multicheck test mara cunning --difficulty 30 --faces 45", "odds multicheck throw mara 6"],
    "odds coin flip": ["join mara coin coins=3", "odds coin flip mara --stake 2"],
    "odds coin draw": ["join mara coin coins=3", "odds coin draw mara --number 30"],
    "odds free check": ["join mara free dex=3", "odds free check mara d20+dex --vs 15"],
    "odds multicheck save": ["odds multicheck save mara toughness --condition flying --charges 3"],
    "questions": ["questions"],
    "systems": ["systems edge"],
    "try": ["try byzantine.repay_debt debt=2 available=5"],
    "init": ["-f other.campaign init Other --gm Tom"],
    "verify": ["verify --checkpoint checkpoint.txt --key campaign.vkey"],
    "audit": ["audit --key campaign.vkey"],
    "checkpoint": ["checkpoint --since 10"],
    "prove": ["prove 17"],
    "witness init": ["ben: witness init ben"],
    "witness sign": ["ana: witness sign checkpoint.txt --key campaign.vkey"],
    "witness add": ["ana: witness sign checkpoint.txt --key campaign.vkey > ana.txt", "witness add ana.txt"],
    "token": ["token"],
    "token add": ["token add dice-bot --player Ana"],
    "token end": ["token add dice-bot", "token end dice-bot"],
    "restore": ["backup stick.backup", "restore stick.backup --yes"],
    "policy": ["policy --witness ana=ana.vkey --quorum 1"],
    "compare": ["compare checkpoint.txt road.campaign"],
    "key": ["key"],
    "key rotate": ["key rotate --why lost"],
    "key export": ["key export stick.txt"],
    "key import": ["key export stick.txt", "key import stick.txt"],
    "reveal": ["edge check brak --skill 3 --seal", "reveal 20"],
    "erase": ["erase 15 --yes"],
    "backup": ["backup copy.backup"],
    "export": ["export out"],
    "import": ["export out", "-f copy.campaign import out --yes"],
    "move": ["move road.campaign new.campaign"],
    "tables": ["tables"],
    "rebuild": ["rebuild"],
    "completion": ["completion bash"],
}  # fmt: skip
"""For each command the lines that make it possible, and one that it takes. `ana:` types it in a home of hers."""

IN_A_DATABASE = {"host", "host create", "host end", "host export", "host invite", "host limit", "host move"}
"""The commands that use no file. `test_hosting.py` types them."""

Files = Mapping[str, bytes | None]
"""What is in a folder: files with their bytes, folders with none."""


def names_of_commands(command: click.Command, ctx: click.Context, name: str = "") -> Iterator[str]:
    if name and (not isinstance(command, click.Group) or command.invoke_without_command):
        yield name
    if isinstance(command, click.Group):
        for below in command.list_commands(ctx):
            inner = command.get_command(ctx, below)
            assert inner is not None
            yield from names_of_commands(inner, click.Context(inner, parent=ctx), f"{name} {below}".strip())


def test_every_command_has_a_row_here() -> None:
    names = {*names_of_commands(campaign, click.Context(campaign))} - IN_A_DATABASE
    assert sorted(names) == sorted(ROWS)


class Table:
    """A folder in which lines are typed, with the homes in it; it can be put back as it was."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def type(self, line: str, *more: str) -> Result:
        line, _, output = line.partition(" > ")
        home, colon, words = line.partition(": ")
        home, words = (home, words) if colon and home.isalpha() else ("home", line)
        os.environ["CAMPAIGN_HOME"] = str(self.folder / home)
        invocation = Invocation(clock=lambda: EVENING, chance=seeded_dice(), salts=seeded_salts())
        done = CliRunner().invoke(campaign, [*shlex.split(words), *more], obj=invocation, prog_name="campaign")
        if output:
            Path(output).write_text(done.stdout)
        return done

    def files(self) -> Files:
        paths = sorted(self.folder.rglob("*"))
        return {str(path.relative_to(self.folder)): None if path.is_dir() else path.read_bytes() for path in paths}

    def put(self, files: Files) -> None:
        """Put everything back."""
        there = self.files()
        for name in sorted(there, reverse=True):
            path = self.folder / name
            if name not in files or path.is_dir() != (files[name] is None):
                path.rmdir() if path.is_dir() else path.unlink()
        for name, stored in files.items():
            if stored is None:
                (self.folder / name).mkdir(exist_ok=True)
            elif there.get(name) != stored:
                (self.folder / name).write_bytes(stored)


@pytest.fixture
def at_table(monkeypatch: pytest.MonkeyPatch) -> Iterator[Table]:
    with TemporaryDirectory(dir=SHM) as folder:
        Path(folder).chmod(0o755)
        monkeypatch.chdir(folder)
        monkeypatch.setenv("CAMPAIGN_HOME", folder)
        monkeypatch.setattr("web.serve.Server.run", lambda server, sockets: None)  # the page would wait for Ctrl-C
        yield Table(Path(folder))


@cache
def begun() -> Files:
    with TemporaryDirectory(dir=SHM) as folder, pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("CAMPAIGN_HOME", folder)
        table = Table(Path(folder))
        for line in BEGINNING:
            done = table.type(line)
            assert done.exit_code == 0, (line, done.output)
        return table.files()


# What may be wrong


def change(sql: str) -> Callable[[Table], None]:
    def changed(table: Table) -> None:
        connection = sqlite3.connect(table.folder / FILE)
        connection.executescript(sql)
        connection.close()

    return changed


def longer_history(table: Table) -> None:
    origin = (table.folder / "campaign.vkey").read_text().partition("+")[0]
    head = Head(origin=origin, size=999, root=b"\1" * 32, note="")
    Home(str(table.folder / "home")).store_known(head, lambda known: True)


def bytes_lost(table: Table) -> None:
    stored = bytearray((table.folder / FILE).read_bytes())
    for page in range(1, len(stored) // 4096):
        stored[page * 4096 : page * 4096 + 8] = b"\xee" * 8
    (table.folder / FILE).write_bytes(stored)


def damaged_homes(table: Table) -> None:
    for home in ("home", "ana", "ben"):
        (table.folder / home).mkdir(exist_ok=True)
        (table.folder / home / "heads.db").write_bytes(b"no checkpoints" * 999)
        (table.folder / home / "witness.key").write_text("no key")


def no_homes(table: Table) -> None:
    table.put({name: stored for name, stored in table.files().items() if name.partition("/")[0] not in {"home", "ana"}})
    for home in ("home", "ana", "ben"):
        (table.folder / home).write_text("a file")


def text_in(name: str) -> Callable[[Table], None]:
    def written(table: Table) -> None:
        (table.folder / name).write_text("text" * 99)

    return written


def two_lines(table: Table) -> None:
    """A line of a stranger comes with that of the witness."""
    if (table.folder / "ana.txt").exists():
        line = (table.folder / "ana.txt").read_text()
        (table.folder / "ana.txt").write_text(line + line.replace("ana", "eve"))


def begun_only(table: Table) -> None:
    table.put({})
    table.type(OPENING.strip().splitlines()[0])


def wrong_key(table: Table) -> None:
    table.type("-f third.campaign init Third")
    key_at_home("third.campaign", "home").replace(key_at_home(home="home"))
    (table.folder / "third.campaign").unlink()


def unreadable_key(table: Table) -> None:
    text_in(str(key_at_home(home="home")))(table)


SITUATIONS: Mapping[str, Callable[[Table], None]] = {
    "a longer history is known": longer_history,
    "the homes are damaged": damaged_homes,
    "the homes are files": no_homes,
    "the file lost bytes": bytes_lost,
    "an entry was altered": change(
        "DROP TRIGGER entries_stay; UPDATE entries SET body = replace(body, '20', '21') WHERE seq = 17"
    ),
    "its tables differ": change("UPDATE postings SET amount = amount + 1; DELETE FROM nodes WHERE level = 1"),
    "its tables hold too much": change(
        "INSERT INTO nodes VALUES (1, 500, zeroblob(32)); DELETE FROM marks WHERE seq > 9"
    ),
    "its words are gone": change("DELETE FROM words"),
    "a newer program wrote it": change("PRAGMA user_version = 99"),
    "it is no campaign": text_in(FILE),
    "there is no key": lambda table: key_at_home(home=table.folder / "home").unlink(),
    "the key is of another campaign": wrong_key,
    "the key cannot be read": unreadable_key,
    "nothing was played": begun_only,
    "a stranger signed too": two_lines,
}


def must_stay(table: Table, before: Files, done: Result, what: object) -> bool:
    """A refused line, and a dry run, leave everything as it was; return whether it was refused.

    Words that were erased before are scrubbed from the file once more, as a reader may have kept it from that.
    """
    refused = done.exit_code != 0
    after = table.files()
    if refused:
        changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
        assert changed <= ({FILE} if "already erased" in done.stderr else set()), (what, done.output)
        assert done.exit_code != 1, (what, done.output)
    elif after != before:
        table.put(before)
    return refused


@pytest.mark.parametrize("command", some([*ROWS]))
def test_a_refused_command_writes_nothing_anywhere(command: str, at_table: Table) -> None:
    *before, line = ROWS[command]
    at_table.put(begun())
    for words in before:
        assert at_table.type(words).exit_code == 0, words
    files = at_table.files()
    done = at_table.type(line)
    assert done.exit_code == 0, done.output
    made = [name for name in at_table.files() if name not in files and "/" not in name]
    at_table.put(files)
    refused = [
        words for words in some(list(spoiled(command, line))) if must_stay(at_table, files, at_table.type(words), words)
    ]
    assert refused
    for more in (["--dry-run"], ["--once", USED], ["--once", "other", "--fork", "--dry-run"]):
        done = at_table.type(line, *more)
        assert "--dry-run" not in more or at_table.files() == files, (more, done.output)
        must_stay(at_table, files, done, more)
    for name in made:
        (at_table.folder / name).write_text("mine")
        must_stay(at_table, at_table.files(), at_table.type(line), f"{name} is there")
        at_table.put(files)
    for what in some(list(SITUATIONS)) if command.partition(" ")[0] in systems.BUILT_IN_GAMES else SITUATIONS:
        SITUATIONS[what](at_table)
        must_stay(at_table, at_table.files(), at_table.type(line), what)
        at_table.put(files)
    if command != "compare":  # it reads a file in a process of its own, and nobody may not run the superuser's Python
        with nobody():
            done = at_table.type(line)
        must_stay(at_table, files, done, "nothing can be written")


def spoiled(command: str, line: str) -> Iterator[str]:
    """Yield the line with something that makes it wrong."""
    yield f"{line} --nonsense"
    yield f"-f nowhere.campaign {line}"
    yield f"--by ghost {line}"
    home, colon, words = line.rpartition(": ")
    before, _, rest = words.partition(command)
    yield f"{home}{colon}{before}{command}"
    split = shlex.split(rest)
    for place, word in enumerate(split):
        wrong = Random(f"{command} {place}").sample(["ghost", "999", "", "0", "-1"], 2)  # noqa: S311  seeded on purpose
        for other in [*wrong, "x=y"] if word[0] != "-" else [f"--no{word}"]:
            yield f"{home}{colon}{before}{command} {shlex.join([*split[:place], other, *split[place + 1 :]])}"
        yield f"{home}{colon}{before}{command} {shlex.join([*split[:place], *split[place + 1 :]])}"
