"""The page `verify.html`: it gives the same answers about an export as `verify.py`, and reads what the program writes."""

import json
import shutil
import subprocess
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from hashlib import sha256
from importlib.resources import files
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from examples import some
from exported import AROUND, KEY, TAMPERING, notes_bent_once
from forgeable import FORGEABLE, vkey_of
from ledger.archive import standalone as alone
from ledger.archive.verify_page import PAGE_SCRIPTS, verify_page
from ledger.events.canonical import canonical_json
from ledger.tlog.note import make_skey
from ledger.tlog.tree import completed_nodes, leaf_hash, node_hash, prove_consistency, prove_inclusion, root_hash
from paths import TESTS
from torture.damaged import OF_EXPORTS, exchanged
from torture.runs import inside
from typed_evenings import OPENING, Table

BROWSER = Path(str(files("ledger.archive").joinpath("browser")))
OTHER = str(make_skey("campaign/test", b"o" * 32).vkey)
ORDER = 2**252 + 27742317777372353535851937790883648493
SAME_WORDS = {
    "because no --key was given": "because you gave no key",
    "Add --key KEY or --checkpoint FILE.": "To prove more, add one of them.",
}
"""The sentences of `verify.py` that name its flags, and what the page says instead."""

Ask = Callable[..., list[Any]]
Answer = tuple[int, list[str]]


@pytest.fixture(scope="module")
def ask() -> Ask:
    """Ask the scripts of the page several questions at once, and return their answers."""
    if shutil.which("node") is None:
        pytest.skip("Node.js is not installed. `make programs` installs it.")

    def ask(*questions: tuple[Any, ...]) -> list[Any]:
        scripts = [str(BROWSER / name) for name in PAGE_SCRIPTS if name != "verify.js"]
        done = subprocess.run(
            ["node", TESTS / "support" / "in_a_browser.js", *scripts],
            input="".join(json.dumps(question) + "\n" for question in questions),
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        return [json.loads(line) for line in done.stdout.split("\n")[:-1]]

    return ask


def by_verify_py(folder: Path, keys: list[str], notes: list[str]) -> Answer:
    """Return the answer of `verify.py`, in the words of the page."""
    kept = [folder.parent / f"{at}.txt" for at in range(len(notes))]
    for path, note in zip(kept, notes, strict=True):
        path.write_text(note, encoding="utf-8")
    words = [str(folder), *(f"--key={key}" for key in keys), *(f"--checkpoint={path}" for path in kept)]
    with redirect_stdout(StringIO()) as said, redirect_stderr(said):
        code = alone.main(words)
    text = said.getvalue()
    for theirs, ours in SAME_WORDS.items():
        text = text.replace(theirs, ours)
    return code, [] if code == alone.NOT_CHECKED else text.splitlines()


def plain(answer: dict[str, Any]) -> Answer:
    """An answer of the page, in ASCII. A sentence about wrong input is left out, because it may name a file."""
    lines = [] if answer["code"] == alone.NOT_CHECKED else answer["lines"]
    return answer["code"], [line.encode("unicode_escape").decode() for line in lines]


@pytest.mark.parametrize("what", some([*TAMPERING]))
def test_an_altered_export_gets_the_same_answer(ask: Ask, out: Path, what: str) -> None:
    TAMPERING[what][0](out)
    assert [plain(answer) for answer in ask(("folder", str(out), [], []))] == [by_verify_py(out, [], [])]


@pytest.mark.parametrize("version", [alone.SCHEMA, alone.SCHEMA + 1])
def test_the_page_reads_up_to_the_same_version_as_verify_py(ask: Ask, out: Path, version: int) -> None:
    (out / "schema").write_text(f"{version}\n")
    assert [plain(answer) for answer in ask(("folder", str(out), [], []))] == [by_verify_py(out, [], [])]


def rewritten(folder: Path, random: Random) -> str:
    """Change a number in an entry, and make everything new that follows from it, apart from the signatures."""
    whole = [json.loads(line) for line in (folder / "journal.jsonl").read_bytes().splitlines()]
    entry = random.choice(whole)
    entry["at" if random.random() < 0.5 else "about"] = random.choice(["2026-01-01T00:00:00Z", None, 3])
    entries = [canonical_json(each) for each in whole]
    (folder / "journal.jsonl").write_bytes(b"".join(each + b"\n" for each in entries))
    shutil.rmtree(folder / "tile")
    tree = alone.Tree([sha256(b"\0" + each).digest() for each in entries])
    if random.random() < 0.3:
        for name in ("checkpoint", "checkpoints.jsonl"):
            (folder / name).write_bytes(b"")
    sizes = {
        tree.size,
        *(json.loads(line)["size"] for line in (folder / "checkpoints.jsonl").read_bytes().splitlines()[-1:]),
    }
    for name, content in tree.tiles(sizes, entries).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return f"entry {entry['seq']} and all hashes"


def changed(folder: Path, random: Random) -> str:
    """Change an export in one of many ways, or not at all."""
    kind = random.choice(["bytes", "bytes", "bytes", "rewritten", "whole"])
    if kind == "rewritten":
        return rewritten(folder, random)
    if kind == "whole":
        return "nothing"
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix not in {".py", ".html"})
    return random.choice([each for each in OF_EXPORTS if each is not exchanged])(random.choice(paths), random)


def given(random: Random, key: str, notes: list[str]) -> tuple[list[str], list[str]]:
    """Keys and checkpoints that somebody may give."""
    keys = [key, OTHER, "no+key+here", vkey_of(bytes.fromhex(FORGEABLE[0]))]
    note = random.choice(notes)
    if random.random() < 0.3:
        at = random.randrange(len(note))
        note = note[:at] + random.choice("x9=\n ") + note[at + 1 :]
    return random.choice([[], keys[:1], keys[:1], keys[:2], [random.choice(keys)]]), random.choice([[], [], [note]])


@pytest.mark.slow
def test_a_thousand_changed_exports_get_the_same_answers(ask: Ask, tmp_path: Path) -> None:
    asked, expected = list[Any](), list[Any]()
    for number in range(10):
        random, home = Random(number), tmp_path / str(number)  # noqa: S311  on purpose
        home.mkdir()
        with inside(home):
            table = Table(random)
            for words in OPENING.strip().splitlines():
                table.type(words)
            table.drawn(10)
            table.type("checkpoint")
            table.type("note 'the road is wet'")
            table.type("export whole")
            table.type("key")
        key = table.answer.strip()
        notes = [json.loads(line)["note"] for line in (home / "whole" / "checkpoints.jsonl").read_bytes().splitlines()]
        for trial in range(100):
            folder = home / str(trial) / "out"
            shutil.copytree(home / "whole", folder)
            what, (keys, kept) = changed(folder, random), given(random, key, notes)
            asked.append(("folder", str(folder), keys, kept))
            expected.append((what, keys, kept, by_verify_py(folder, keys, kept)))
    answers = [plain(answer) for answer in ask(*asked)]
    assert [(answer, one) for answer, one in zip(answers, expected, strict=True) if answer != one[-1]] == []
    assert {code for *_, (code, _) in expected} == {0, 2, 6, 7}


def test_an_export_in_a_zip_file_gets_the_same_answer(ask: Ask, out: Path) -> None:
    shutil.make_archive(str(out.parent / "packed"), "zip", out.parent, "out")
    (answer,) = ask(("zip", str(out.parent / "packed.zip"), [str(KEY.vkey)], []))
    assert plain(answer) == by_verify_py(out, [str(KEY.vkey)], [])


def test_a_damaged_zip_file_is_refused_or_gets_an_answer(ask: Ask, out: Path) -> None:
    shutil.make_archive(str(out.parent / "packed"), "zip", out.parent, "out")
    whole, random, asked = (out.parent / "packed.zip").read_bytes(), Random(1), list[Any]()  # noqa: S311  always the same changes
    for trial in range(200):
        damaged = bytearray(whole)
        damaged[random.randrange(len(whole))] ^= random.randrange(1, 256)
        (out.parent / f"{trial}.zip").write_bytes(damaged[: random.choice([len(whole), random.randrange(len(whole))])])
        asked.append(("zip", str(out.parent / f"{trial}.zip"), [], []))
    answers = ask(*asked)
    assert {answer if isinstance(answer, str) else answer["code"] for answer in answers} <= {"UsageError", 0, 2, 6}


def test_a_checkpoint_is_read_or_refused_as_by_verify_py(ask: Ask, out: Path) -> None:
    notes = list(notes_bent_once((out / "checkpoint").read_text()))
    assert ask(*(("head", note) for note in notes)) == [read_by_verify_py(note) for note in notes]


def read_by_verify_py(note: str) -> list[Any] | str:
    try:
        head = alone.head_of(note, LookupError())
    except LookupError:
        return "CheckFailed"
    return [head.origin, str(head.size), head.root.hex()]


@pytest.mark.parametrize("what", AROUND)
def test_a_checkpoint_is_found_in_a_chat(ask: Ask, out: Path, what: str) -> None:
    text = (out / "checkpoint").read_text()
    expected = read_by_verify_py(text)
    wrapped = text[:-30] + "\n" + text[-30:]
    texts = [
        AROUND[what].format(each)
        for each in (text, wrapped, text.replace("\u2014", "&mdash;"), text.replace("\u2014", "-"))
    ]
    assert ask(*(("found", each) for each in texts)) == [expected] * len(texts)


@pytest.mark.parametrize("key", FORGEABLE)
def test_a_key_under_which_anybody_can_sign_is_refused(ask: Ask, key: str) -> None:
    good = make_skey("campaign/test", bytes(32)).vkey
    assert ask(("key", vkey_of(bytes.fromhex(key))), ("key", str(good))) == ["UsageError", good.key.hex()]


def test_a_signature_is_valid_if_the_program_accepts_it(ask: Ask) -> None:
    random, asked, expected = Random(3), list[Any](), list[bool]()  # noqa: S311  always the same changes
    for trial in range(60):
        private = Ed25519PrivateKey.from_private_bytes(random.randbytes(32))
        public, message = private.public_key().public_bytes_raw(), random.randbytes(trial)
        signature = private.sign(message)
        s = int.from_bytes(signature[32:], "little")
        beyond = signature[:32] + (s + ORDER).to_bytes(32, "little")
        flipped = bytearray(signature)
        flipped[random.randrange(64)] ^= 1 << random.randrange(8)
        for each in (signature, beyond, bytes(flipped), signature[:63], bytes(64)):
            asked.append(("signed", public.hex(), each.hex(), message.hex()))
            expected.append(is_accepted(public, each, message))
    assert ask(*asked) == expected
    assert set(expected) == {True, False}


def is_accepted(public: bytes, signature: bytes, message: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except InvalidSignature:
        return False
    return True


def tree(size: int) -> dict[tuple[int, int], bytes]:
    """The hashes of a tree with `size` leaves."""
    nodes = dict[tuple[int, int], bytes]()
    for place in range(size):
        nodes[0, place] = leaf_hash(str(place).encode())
        for level, at in completed_nodes(place):
            if level:
                nodes[level, at] = node_hash(nodes[level - 1, 2 * at], nodes[level - 1, 2 * at + 1])
    return nodes


SIZES = range(1, 22)


def test_proofs_of_the_program_prove_entries_and_histories(ask: Ask) -> None:
    nodes = tree(max(SIZES))

    def lookup(level: int, place: int) -> bytes:
        return nodes[level, place]

    roots = {size: root_hash(lookup, size).hex() for size in SIZES}
    inclusions = [(place, size) for size in SIZES for place in range(size)]
    asked = [
        ("inclusion", place, size, nodes[0, place].hex(), [each.hex() for each in prove_inclusion(lookup, place, size)])
        for place, size in inclusions
    ]
    assert ask(*asked) == [roots[size] for _, size in inclusions]
    histories = [(old, new) for new in SIZES for old in range(1, new + 1)]
    proofs = {pair: [each.hex() for each in prove_consistency(lookup, *pair)] for pair in histories}
    good = [("consistency", *pair, roots[pair[0]], roots[pair[1]], proofs[pair]) for pair in histories]
    assert ask(*good) == [True] * len(good)
    bad = [
        question
        for old, new in histories
        if (proof := proofs[old, new])
        for question in (
            ("consistency", old, new, "00" * 32, roots[new], proof),
            ("consistency", old, new, roots[old], "00" * 32, proof),
            ("consistency", old, new, roots[old], roots[new], proof[:-1]),
            ("consistency", old, new, roots[old], roots[new], [*proof, proof[0]]),
            ("consistency", new, old, roots[new], roots[old], proof),
        )
    ]
    assert ask(*bad) == ["CheckFailed"] * len(bad)


def test_the_page_is_one_file_that_asks_no_network(out: Path) -> None:
    page = verify_page().decode()
    assert [name for name in PAGE_SCRIPTS if (BROWSER / name).read_text("utf-8") not in page] == []
    assert "default-src 'none'" in page
    assert [word for word in (" src=", "href=", "fetch(", "XMLHttpRequest", "import(") if word in page] == []
    assert (BROWSER / "noble-LICENSE.txt").read_text("utf-8") in page


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "vendored"), [("noble", BROWSER), ("qr", TESTS.parent / "web" / "static" / "vendor")]
)
def test_a_vendored_script_is_what_the_published_packages_make(script: str, vendored: Path) -> None:
    """`make programs` installs the packages."""
    made = subprocess.run(
        ["npm", "run", "--silent", script], cwd=TESTS / "support" / "bundles", stdout=subprocess.PIPE, check=True
    )
    assert made.stdout in [file.read_bytes() for file in vendored.glob("*.js")]
