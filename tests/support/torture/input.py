"""Any input: bytes that are changed again and again for every parser, likely words for the command line, damaged exports."""

import json
import shlex
import shutil
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from random import Random

import click
from click.testing import CliRunner, Result

from cli import pasted
from cli.main import campaign
from guided import SECONDS, Guided, Slow, changed, limited
from kept_heads import WithHeads
from ledger.errors import LedgerError
from ledger.events.canonical import canonical_json, parse_json
from ledger.events.commitments import CommittedText
from ledger.events.decode import decode, decode_sealed
from ledger.journal.book import open_book
from ledger.reading.typed_values import pairs, whole_number
from ledger.rules.notation import read_notation
from ledger.tlog.checkpoint import parse_checkpoint, parse_tlog_proof
from ledger.tlog.note import COSIGNATURE, make_skey, open_note, parse_signature, parse_skey, parse_vkey, read_note
from ledger.tlog.policy import parse_policy
from torture.runs import Run, Trial, inside
from typed_evenings import CORRECT, LOOK, OPENING, PLAY, Table

INPUTS, LINES, EXPORTS = 150, 60, 3
"""How many of each a trial tries."""

MORE = """
checkpoint --since 3
prove 4 -o -
witness sign checkpoint.txt --key KEY
witness add checkpoint.txt
compare checkpoint.txt checkpoint.txt
verify --checkpoint checkpoint.txt --key KEY
verify --proof proof.txt --key KEY
policy --witness ana=KEY --quorum 1
roll mara 3d6kh2+1
try edge.check dice=9,9 bonus=10
try --cases cases.json
day to 4
chronicle --markdown
log --json -n 3
key
systems
assert mara edge=3
import whole --yes
show 4 --json
settings edge injuries=a,b
"""

AT_PROMPT = (
    *(";", "; the toll", "'", '"', "'a b'", '"a; b"', "= 7 3", "=73", "=", "d20=3", "edge = 2", "edge+1", "-1edge"),
    *("-1", "@jonas", "@brak", "all", "gob-1..3", "--", "--why", "--adv", "--sec", "again", "note", "it's", "  ", "−1"),
)
"""Characters typed in odd places at a prompt."""

CODES = {0, 2, 3, 4, 5, 6, 7}
"""How any command may end: as the guide's table has it, 1 being a bug of ours."""


def run(run: Run) -> None:
    for trial in run.trials():
        with inside(trial.folder):
            laid(trial)
            _parsers(run, trial)
            _words(run, trial)
            _prompt(run, trial)
            _exports(run, trial)


def laid(trial: Trial) -> None:
    """An evening with heads, proofs, an export and cases beside it."""
    table = Table(trial.random)
    for words in OPENING.strip().splitlines():
        table.type(words)
    for words in PLAY.strip().splitlines()[:12]:
        table.type(table.said(words))
    for name, words in (("checkpoint.txt", "checkpoint"), ("proof.txt", "prove 4 -o -"), ("key.txt", "key")):
        done = CliRunner().invoke(campaign, ["-f", "road.campaign", *shlex.split(words)], obj=table.invocation)
        Path(name).write_text(done.stdout, encoding="utf-8")
    Path("cases.json").write_text('[{"rule": "edge.check", "dice": [9, 9], "bonus": 10}]')
    table.type("-f road.campaign export whole")


# Parsers


def _parsers(run: Run, trial: Trial) -> None:
    """Every parser takes what is written, and refuses all else with a sentence."""
    for name, (function, seeds) in _targets().items():
        guided = Guided(function, seeds, Random(f"{trial.random.random()}{name}"))  # noqa: S311  on purpose
        for data, raised in guided.tried(INPUTS):
            run.count("inputs")
            if raised is not None and not isinstance(raised, LedgerError):
                run.weakness(f"{name} answers {data[:300]!r} with {raised!r}")
        run.count("inputs kept", len(guided.kept) - len(seeds))


def _targets() -> dict[str, tuple[Callable[[bytes], object], list[bytes]]]:
    head, proof, key = (Path(name).read_bytes() for name in ("checkpoint.txt", "proof.txt", "key.txt"))
    vkey = key.decode().splitlines()[0]
    origin, journal = vkey.partition("+")[0], Path("whole/journal.jsonl").read_bytes().splitlines()
    notes = [head[head.index(origin.encode()) :], head]
    signature = next(line for line in head.splitlines() if line.startswith("\u2014".encode()))
    skey = next(Path("home/keys").iterdir()).read_bytes().strip()
    policy = f"log {vkey}\nwitness ana {vkey}\nwitness ben {vkey}\ngroup all 2 ana ben\nquorum all\n".encode()
    own = make_skey("ana", bytes(32), COSIGNATURE)
    witness = WithHeads({origin: [parse_vkey(vkey)]}, own, lambda: 0)

    def of_text(function: Callable[[str], object]) -> Callable[[bytes], object]:
        return lambda data: function(data.decode(errors="surrogateescape"))

    targets: dict[str, tuple[Callable[[bytes], object], list[bytes]]] = {
        "read_note": (read_note, notes),
        "open_note": (lambda data: open_note(data, [vkey]), notes),
        "parse_checkpoint": (parse_checkpoint, [notes[0].split(b"\n\n")[0] + b"\n"]),
        "parse_tlog_proof": (parse_tlog_proof, [proof, b"\n".join(proof.split(b"\n")[1:])]),
        "parse_vkey": (of_text(parse_vkey), [vkey.encode()]),
        "parse_skey": (of_text(parse_skey), [skey]),
        "parse_signature": (of_text(parse_signature), [signature]),
        "parse_policy": (parse_policy, [policy]),
        "add_checkpoint": (
            witness.add_checkpoint,
            [b"old 0\n\n" + notes[0], b"old 4\n" + b64encode(bytes(32)) + b"\n\n" + notes[0]],
        ),
        "parse_json": (_json, [*journal[:4], b'{"a":[1,-2,"\\u00e9",null,true]}']),
        "decode": (_decoded, journal),
        "notation": (of_text(read_notation), [b"3d6+2", b"4d6kh3", b"2d20kl1-1", b"d%", b"2d6dh1 + 1d4"]),
        "whole": (of_text(whole_number), [b"+12", b"-3"]),
        "pairs": (of_text(lambda text: pairs(text.split(" "), "a score")), [b"edge=3 maximum=4"]),
        "pasted": (of_text(_pasted), [b"> " + head, proof, b"old 3\n" + b64encode(bytes(32)) + b"\n\n" + notes[0]]),
    }
    return targets


def _json(data: bytes) -> None:
    value = parse_json(data)
    assert parse_json(canonical_json(value)) == value


def _decoded(data: bytes) -> None:
    body = parse_json(data)
    if isinstance(body, dict) and isinstance(body.get("type"), str):
        decode(1, body["type"], body, {}, with_secrets=False, has_words=True)
    decode_sealed(1, body, with_secrets=True)


def _pasted(text: str) -> None:
    for function in (pasted.head_with_proofs_in, pasted.signatures_in, pasted.head_in, pasted.proofs_in):
        try:
            function(text)
        except LedgerError:
            continue


# The command line


def typed(table: Table, random: Random) -> Iterator[tuple[list[str], bytes]]:
    """Yield likely words, one or two of them changed, and a paste that may be anything."""
    templates = [line for text in (PLAY, CORRECT, LOOK, MORE) for line in text.strip().splitlines()]
    key = Path("key.txt").read_text().split()[0]
    pastes = [Path(name).read_bytes() for name in ("checkpoint.txt", "proof.txt", "key.txt")]
    while True:
        said = table.said(random.choice(templates)).replace("KEY", key)
        words = list(_changed_words(shlex.split(said), random))
        paste = changed(random.choice(pastes), random, pastes)
        Path("changed.txt").write_bytes(paste)
        yield (
            [
                random.choice(("changed.txt", "-")) if word.endswith(".txt") and random.random() < 0.7 else word
                for word in words
            ],
            paste,
        )


def _words(run: Run, trial: Trial) -> None:
    table = Table(trial.random)
    for words, paste in islice(typed(table, trial.random), LINES):
        run.count("command lines")
        try:
            with limited(30):
                done = CliRunner().invoke(campaign, ["-f", "road.campaign", *words], obj=table.invocation, input=paste)
        except Slow:
            run.weakness(f"{shlex.join(words)} takes more than 30 seconds, pasted {paste[:300]!r}")
            continue
        run.count(f"ended with {done.exit_code}")
        if done.exit_code not in CODES or _is_broken(done):
            run.weakness(
                f"{words} ends with {done.exit_code}: {done.stderr[-600:]} {done.exception!r}, pasted {paste[:300]!r}"
            )


def _prompt(run: Run, trial: Trial) -> None:
    """Type likely lines with quotes, semicolons, dice and spaces in odd places; check that notes stay as typed."""
    table, random = Table(trial.random), trial.random
    words = typed(table, random)
    lines = ["with mara edge"]
    for said, _ in islice(words, LINES):
        pieces = [piece.replace("\n", " ") for piece in said]
        for _ in range(random.randrange(3)):
            pieces.insert(random.randrange(len(pieces) + 1), random.choice(AT_PROMPT))
        lines.append(" ".join(pieces))
    text = (
        "".join(random.choice("ab  ;'\"=-7,@#é") for _ in range(random.randrange(1, 30)))
        .replace("--", "-")
        .strip(" -'\"")
    )
    lines.append(f"note x{text} --clock-ok")
    lines = [line for line in lines if line.strip() not in {"exit", "quit", "q"}]
    run.count("prompt lines", len(lines))
    try:
        with limited(60):
            typed_in = "\n".join(lines).encode(errors="surrogateescape")
            done = CliRunner().invoke(campaign, ["-f", "road.campaign", "play"], obj=table.invocation, input=typed_in)
    except Slow:
        run.weakness(f"{lines} take more than a minute at the prompt")
        return
    if done.exit_code or _is_broken(done) or "unforeseen" in done.stderr:
        run.weakness(f"{lines} at the prompt end with {done.exit_code}: {done.stderr[-600:]} {done.exception!r}")
    with open_book("road.campaign") as book:
        if f"x{text}" not in {
            said.text for said in vars(book.entry(book.head()).event).values() if isinstance(said, CommittedText)
        }:
            run.weakness(f"the note {lines[-1]!r} is not kept as it was typed: {done.output[-300:]}")


def _is_broken(done: Result) -> bool:
    return "Traceback" in done.stderr or not isinstance(done.exception, SystemExit | None)


def _changed_words(words: list[str], random: Random) -> Iterator[str]:
    """Words of a command line, some of them other ones."""
    flags = _flags(words)
    odd = (
        "",
        "-1",
        "0",
        "99999999999999999999",
        "é",
        "\udcff",
        "a\nb",
        "=",
        "x=",
        "=3",
        "edge=+1",
        "--",
        "1,2,,",
        "#4",
        "session:9",
        "day:x",
        "9" * 5000,
    )
    for word in words:
        drawn = random.random()
        if drawn < 0.06:
            continue
        yield random.choice(odd) if drawn < 0.14 else word
        if drawn > 0.92 and flags:
            yield random.choice(flags)


def _flags(words: list[str]) -> list[str]:
    """The flags of a command, without those that show tracebacks."""
    command: click.Command | None = campaign
    for word in words:
        if not isinstance(command, click.Group):
            break
        command = command.get_command(click.Context(command), word)
    known = [flag for param in getattr(command, "params", ()) for flag in param.opts if flag.startswith("--")]
    return [flag for flag in [*known, "--json", "--dry-run"] if flag not in {"--verbose", "--output"}]


# Exports


def _exports(run: Run, trial: Trial) -> None:
    """A file of an export is changed; import and the stand-alone verifier refuse it, or take what is as good."""
    random = trial.random
    files = sorted(file for file in Path("whole").rglob("*") if file.is_file() and file.suffix != ".py")
    for number in range(EXPORTS):
        shutil.copytree("whole", f"changed-{number}")
        file = Path(f"changed-{number}", *random.choice(files).parts[1:])
        data = file.read_bytes()
        file.write_bytes(_changed_line(data, random) if random.random() < 0.5 else changed(data, random, [data]))
        run.count("exports")
        words = ["-f", f"in-{number}.campaign", "import", f"changed-{number}", "--yes"]
        try:
            with limited(30):
                done = CliRunner().invoke(campaign, words)
        except Slow:
            run.weakness(f"the import of a changed {file} takes more than 30 seconds")
            continue
        if done.exit_code not in CODES or _is_broken(done):
            run.weakness(
                f"the import of a changed {file} ends with {done.exit_code}: {done.stderr[-600:]} {done.exception!r}"
            )
        alone = [sys.executable, f"changed-{number}/verify.py", f"changed-{number}"]
        ended = subprocess.run(alone, capture_output=True, timeout=12 * SECONDS, check=False)
        if b"Traceback" in ended.stderr or ended.returncode < 0:
            run.weakness(f"verify.py of a changed {file} ends with {ended.returncode}: {ended.stderr[-600:]!r}")


def _changed_line(data: bytes, random: Random) -> bytes:
    """One line of JSON with one value changed, still JSON."""
    lines = data.split(b"\n")
    place = random.randrange(len(lines))
    try:
        value = json.loads(lines[place])
        name = random.choice(sorted(value))
        value[name] = random.choice((None, True, -1, 2**60, "x", [], {}, [value[name]], {"word": "x"}, 1.5))
    except (ValueError, TypeError, IndexError):
        return changed(data, random, [data])
    lines[place] = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()
    return b"\n".join(lines)
