"""Cheats: a forger who has the key writes entries anew in an evening, all tables right; somebody finds each of them.

An operation is either one that no command of ours comes to (`HIDDEN`): `verify` or `audit` alone must find it, with no
head kept. Or commands could have come to the result as well (`OPEN`; each names its rows of docs/threats.md): then a
head that was kept must find it, a witness must refuse to sign on, and the stand-alone verifier must say so.
"""

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from copy import deepcopy
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from engine import connection_of
from forging import Body, Forged, read
from ledger.archive import standalone
from ledger.audit import remembered
from ledger.audit.remembered import CHECKED_FOLDER, Memory
from ledger.audit.report import audit
from ledger.errors import Broken, Contradiction, LedgerError, Unproven
from ledger.events.canonical import canonical_json, parse_json, substitute, walk
from ledger.events.subjects import CAMPAIGN, KEY
from ledger.journal.book import Book, open_book
from ledger.tlog.checkpoint import checkpoint_text, rotation_text
from ledger.tlog.note import COSIGNATURE, Skey, Vkey, make_skey, parse_vkey, sign_note, signature_line
from ledger.tlog.policy import agreement_text, parse_policy, policy_text
from ledger.trust.compare import compare_head
from ledger.trust.home import Home
from ledger.trust.keyfile import read_key
from ledger.trust.witnessing import cosign
from torture.evenings import played
from torture.runs import Run, Trial, inside
from typed_evenings import OPENING, Table

SHOWN = 0.1
"""The share of the forged files that are shown to others."""

TODAY, NOW = "2026-11-22", 1_795_300_000
FILE = "road.campaign"
EACH = 2
"""How often each operation is done to one evening."""

FREE = (
    *("inputs", "present", "player", "good", "until", "unseen", "count", "named", "faces", "cascade", "to", "choice"),
    *("claimed", "source", "values", "why", "policy"),
)
"""The fields in which the program might have been told something else."""

Operation = Callable[[Forged, Random], str]
"""Changes something, and says what; "" if there was nothing to change."""


def whole(forged: Forged, random: Random) -> list[Body]:
    """An action, with nothing after it in half of all cases, so that nothing else can give it away."""
    action = random.choice(forged.actions())
    if random.random() < 0.6:
        forged.cut(action[-1]["seq"])
    return action


def several(forged: Forged, random: Random) -> list[Body]:
    """An action of more than one entry; none if there is none."""
    actions = [action for action in forged.actions() if len(action) > 1]
    action = random.choice(actions)
    if random.random() < 0.6:
        forged.cut(action[-1]["seq"])
    return action


def _put(forged: Forged, at: int, bodies: list[Body]) -> None:
    forged.bodies[at - 1 : at - 1] = bodies
    forged.number()


def _into(forged: Forged, random: Random, at: int, action: list[Body]) -> str:
    """Put a copy of another entry into an action."""
    (donor,) = forged.copied([random.choice(forged.bodies)])
    since = donor["seq"] if random.random() < 0.7 else random.choice(action)["since"]
    cause = random.choice([None, None, *(body["seq"] for body in action if body["seq"] < at)])
    like = {name: action[0][name] for name in ("act", "at", "by")}
    donor |= {**like, "once": None, "since": since, "cause": cause}
    _put(forged, at, [donor])
    return f"a {donor['type']} in the action of {action[0]['type']}"


def append(forged: Forged, random: Random) -> str:
    """Append an entry to an action."""
    action = whole(forged, random)
    return _into(forged, random, action[-1]["seq"] + 1, action)


def insert(forged: Forged, random: Random) -> str:
    """Put an entry into an action, after its first."""
    action = several(forged, random)
    return _into(forged, random, random.choice(action[1:])["seq"], action)


def drop(forged: Forged, random: Random) -> str:
    """Take an entry out of an action."""
    action = several(forged, random)
    gone = random.choice(action[1:])
    forged.bodies.remove(gone)
    forged.number()
    return f"{gone['type']} of {action[0]['type']}"


def swap(forged: Forged, random: Random) -> str:
    """Exchange two entries of an action."""
    action = several(forged, random)
    one, other = sorted(random.sample(range(len(action)), 2))
    at = action[0]["seq"] - 1
    bodies = forged.bodies
    bodies[at + one], bodies[at + other] = bodies[at + other], bodies[at + one]
    for body in action:
        body["act"] = bodies[at]["seq"]
    if _alike(bodies[at + one], bodies[at + other]):
        return ""
    said = f"{bodies[at + one]['type']} and {bodies[at + other]['type']} of {action[0]['type']}"
    forged.number()
    return said


def _alike(one: Body, other: Body) -> bool:
    return {**one, "seq": 0, "since": 0} == {**other, "seq": 0, "since": 0}


def double(forged: Forged, random: Random) -> str:
    """Write an entry of an action twice."""
    action = whole(forged, random)
    body = random.choice(action)
    (copy,) = forged.copied([body])
    copy |= {"act": body["act"], "once": None}
    _put(forged, body["seq"] + 1, [copy])
    return f"{body['type']} of {action[0]['type']}"


def merge(forged: Forged, random: Random) -> str:
    """Make one action of two."""
    actions = forged.actions()
    if len(actions) < 2:
        return ""
    place = random.randrange(1, len(actions))
    one, other = actions[place - 1], actions[place]
    if random.random() < 0.6:
        forged.cut(other[-1]["seq"])
    like = {name: one[0][name] for name in ("act", "at", "by")} | {"once": None}
    for body in other:
        body.update(like)
    return f"{one[0]['type']} and {other[0]['type']}"


def split(forged: Forged, random: Random) -> str:
    """Make two actions of one."""
    action = several(forged, random)
    place = random.randrange(1, len(action))
    for body in action[place:]:
        body["act"] = action[place]["seq"]
        if body["cause"] is not None and body["cause"] < body["act"]:
            body["cause"] = None
    return f"{action[place]['type']} of {action[0]['type']}"


def mark(forged: Forged, random: Random) -> str:
    """Give a mark too many or too few, or one of another entry."""
    body = random.choice(whole(forged, random))
    kind = random.choice(["drop", "add", "add", "value", "name"])
    marks, others = body["marks"], [mark for other in forged.bodies for mark in other["marks"]]
    if kind == "add":
        added = dict(random.choice(others))
        if type(added["value"]) is int and random.random() < 0.7:
            added["value"] = body["seq"]
        if added in marks:
            return ""
        marks.append(added)
        return f"{kind} {added['who']} {added['name']} to {body['type']}"
    if not marks:
        return ""
    changed = random.choice(marks)
    if kind == "drop":
        marks.remove(changed)
    else:
        field = {"value": "value", "name": random.choice(["who", "name"])}[kind]
        other = _other(changed[field], [mark[field] for mark in others], random)
        if other == changed[field] and type(other) is type(changed[field]):
            return ""
        changed[field] = other
    return f"{kind} {changed['who']} {changed['name']} of {body['type']}"


def posting(forged: Forged, random: Random) -> str:
    """Move a score that an entry does not speak of, or by another amount."""
    body = random.choice(whole(forged, random))
    others = [posting for other in forged.bodies for posting in other["postings"]]
    kind = random.choice(["drop", "add", "amount", "who"] if others else [""])
    postings = body["postings"]
    if kind == "add":
        postings.append(dict(random.choice(others)))
        return f"{kind} to {body['type']}"
    if not postings:
        return ""
    changed = random.choice(postings)
    if kind == "drop":
        postings.remove(changed)
        if not changed["amount"]:
            return ""
    else:
        field = {"amount": "amount", "who": random.choice(["who", "score"])}[kind]
        other = _other(changed[field], [posting[field] for posting in others], random)
        if other == changed[field]:
            return ""
        changed[field] = other
    return f"{kind} of {body['type']}"


def _other(said: Any, others: list[Any], random: Random) -> Any:
    """Another value in the place of one, mostly of its kind."""
    if random.random() < 0.4:
        return deepcopy(random.choice(others))
    match said:
        case bool():
            others = [not said]
        case int():
            others = [said + 1, said - 1, -said, 0, said + 10]
        case None:
            others = [1, True, "x"]
        case str():
            others = [f"{said}x", said[:-1] or "x"]
        case list():
            others = [said[1:], said[:-1], [*said, *said[:1]], said[::-1]]
        case _:
            others = [dict(list(said.items())[1:]), [1], {"a": 1}]
    return random.choice(others)


def edit(forged: Forged, random: Random) -> str:
    """Say one thing in an entry otherwise."""
    body = random.choice(whole(forged, random))
    paths = [
        (path, value)
        for path, value in walk(body)
        if path and path.partition(".")[0] not in {"marks", "postings", "seq", "at", "by", "once", "edition", *FREE}
    ]
    return _edited(forged, random, body, *random.choice(paths))


def otherwise(forged: Forged, random: Random) -> str:
    """Say something in an entry otherwise that comes to the same, or that nobody else knows."""
    body = random.choice(whole(forged, random))
    paths = [(path, value) for path, value in walk(body) if path.partition(".")[0] in FREE]
    return _edited(forged, random, body, *random.choice(paths)) if paths else ""


def _edited(forged: Forged, random: Random, body: Body, path: str, value: Any) -> str:
    name = path.partition(".")[0]
    others = [other[name] for other in forged.bodies if name in other]
    if name == path and random.random() < 0.5:
        changed = deepcopy(random.choice(others))
    elif name in {"since", "act", "cause", "about", "strikes", "named", "to", "question", "answers"}:
        changed = random.choice([body["seq"] for body in forged.bodies])
    else:
        changed = _other(value, [value], random)
    if _same(changed, value):
        return ""
    edited: Body = substitute(body, {path: changed})
    forged.bodies[body["seq"] - 1] = edited
    return f"{path} of {body['type']}: {value!r} -> {changed!r}"


def secret(forged: Forged, random: Random) -> str:
    """Say something that is kept secret otherwise."""
    kept = [
        (body, field)
        for body in forged.bodies
        for field, value in walk(body)
        if isinstance(value, dict) and value.keys() == {"secret"} and value["secret"] in forged.words
    ]
    if not kept:
        return ""
    body, field = random.choice(kept)
    salt, text = forged.words[_at(body, field)["secret"]]
    value = parse_json(text)
    path, old = random.choice(list(walk(value)))
    if field.startswith("inputs") or path.startswith("inputs") or path.rpartition(".")[2] in {"edition", "source"}:
        return ""
    changed = _other(old, [old], random)
    if _same(changed, old):
        return ""
    new = canonical_json(substitute(value, {path: changed}))
    forged.bodies[body["seq"] - 1] = forged.reworded(body, field, new.decode(), salt)
    return f"{field} {path} of {body['type']}: {old!r} -> {changed!r}"


def _same(one: Any, other: Any) -> bool:
    """Whether two values are the same, or both words."""
    words = all(isinstance(value, dict) and value.keys() == {"word"} for value in (one, other))
    return words or (one == other and type(one) is type(other))


def _at(value: Any, path: str) -> Any:
    return next(found for where, found in walk(value) if where == path)


def word(forged: Forged, random: Random) -> str:
    """Exchange words, and the commitment to them."""
    kept = [
        (body, field)
        for body in forged.bodies
        for field, value in walk(body)
        if isinstance(value, dict) and value.keys() == {"word"} and value["word"] in forged.words
    ]
    body, field = random.choice(kept)
    salt, text = forged.words[_at(body, field)["word"]]
    forged.bodies[body["seq"] - 1] = forged.reworded(body, field, text + " or so", salt)
    return f"{field} of {body['type']}"


def part(forged: Forged, random: Random) -> str:
    """Give an entry another time, hand or id than its action has."""
    action = several(forged, random)
    body = random.choice(action[1:])
    name = random.choice(["at", "by", "once"])
    body[name] = {"at": "2026-11-21T01:00:00Z", "by": "p2" if body["by"] == "p1" else "p1", "once": "x"}[name]
    return f"{name} of {body['type']} in {action[0]['type']}"


def alone(forged: Forged, random: Random) -> str:
    """Write a copy of an entry as an action of its own."""
    action = whole(forged, random)
    (donor,) = forged.copied([random.choice(forged.bodies)])
    donor |= {name: action[0][name] for name in ("at", "by")}
    donor |= {"once": None, "cause": None, "act": donor["seq"], "since": donor["seq"]}
    _put(forged, action[-1]["seq"] + 1, [donor])
    return str(donor["type"])


def note(forged: Forged, random: Random) -> str:
    """Write a note in between, as an action of its own."""
    notes = [body for body in forged.bodies if body["type"] == "note-written"]
    if not notes:
        return ""
    action = whole(forged, random)
    (donor,) = forged.copied([random.choice(notes)])
    donor |= {name: action[0][name] for name in ("at", "by")}
    donor |= {"once": None, "cause": None, "act": donor["seq"], "since": donor["seq"]}
    _put(forged, action[-1]["seq"] + 1, [donor])
    return f"after {action[0]['type']}"


def drop_action(forged: Forged, random: Random) -> str:
    """Take an action out."""
    action = random.choice(forged.actions()[1:])
    forged.bodies = [body for body in forged.bodies if body not in action]
    forged.number()
    return str(action[0]["type"])


def double_action(forged: Forged, random: Random) -> str:
    """Write an action twice."""
    action = whole(forged, random)
    copies = forged.copied(action)
    copies[0]["once"] = None
    _put(forged, action[-1]["seq"] + 1, copies)
    return str(action[0]["type"])


def swap_actions(forged: Forged, random: Random) -> str:
    """Exchange two actions that follow each other."""
    actions = forged.actions()
    if len(actions) < 3:
        return ""
    place = random.randrange(1, len(actions) - 1)
    one, other = actions[place], actions[place + 1]
    if random.random() < 0.6:
        forged.cut(other[-1]["seq"])
    one_at, other_at = one[0]["at"], other[0]["at"]
    for action, at in ((one, other_at), (other, one_at)):
        for body in action:
            body["at"] = at
    place = one[0]["seq"] - 1
    forged.bodies[place : place + len(one) + len(other)] = [*other, *one]
    forged.number()
    return f"{one[0]['type']} and {other[0]['type']}"


def custody(forged: Forged, random: Random) -> str:
    """Write an entry about the book itself that no command would."""
    kind = random.choice(["junk key", "junk note", "other policy", "same policy", "part", "too much", "nothing"])
    policies = [body for body in forged.bodies if body["type"] == "policy-set"]
    if kind in {"other policy", "same policy"} and not policies:
        return ""
    entry: Body = {"postings": [], "marks": [], "once": None, "cause": None}
    if kind.startswith("junk"):
        made = make_skey(forged.bodies[0]["key"].partition("+")[0], random.randbytes(32))
        key = "none" if kind == "junk key" else str(made.vkey)
        note = sign_note("something else\n", made).decode()
        entry |= {"type": "key-rotated", "key": key, "why": None, "note": note}
        entry["marks"] = [{"who": "campaign", "name": "key", "value": key}]
    elif kind.endswith("policy"):
        policy = policies[-1]["policy"]
        if kind == "other policy":
            policy = re.sub("^log .*", f"log {make_skey('campaign/other', random.randbytes(32)).vkey}", policy)
        entry |= {"type": "policy-set", "policy": policy, "marks": [{"who": "campaign", "name": "policy", "value": 1}]}
    else:
        spoken = random.choice(forged.bodies)
        fields = [field for field, value in walk(spoken) if isinstance(value, dict) and value.keys() == {"word"}]
        named = fields[1:] if kind == "part" else [*fields, "more"] if kind == "too much" else []
        if kind == "part" and len(fields) < 2:
            return ""
        for field in named:
            forged.words.pop(_at(spoken, field)["word"], None) if field in fields else None
        entry |= {"type": "words-erased", "erased": {str(spoken["seq"]): sorted(named)} if kind != "nothing" else {}}
    seq = len(forged.bodies) + 1
    entry |= {"seq": seq, "since": seq, "act": seq, "at": forged.bodies[-1]["at"], "by": "p1"}
    for mark in entry["marks"]:
        mark["value"] = seq if mark["name"] == "policy" else mark["value"]
    forged.bodies.append(entry)
    return kind


def witnesses(forged: Forged, random: Random) -> str:
    """Give the witnesses' names to the GM's own keys, and perhaps let one of these keys agree."""
    policies = [body for body in forged.bodies if body["type"] == "policy-set"]
    if not policies:
        return ""
    policy = parse_policy(policies[-1]["policy"])
    own = {name: make_skey(name, random.randbytes(32), COSIGNATURE) for name in policy.witnesses}
    text = policy_text(str(policy.logs[0]), {name: str(key.vkey) for name, key in own.items()}, None)
    seq = _write(forged, {"type": "policy-set", "policy": text})
    forged.bodies[-1]["marks"] = [{"who": "campaign", "name": "policy", "value": seq}]
    if random.random() < 0.5:
        return "keys of one's own"
    said = agreement_text(policy.logs[0].name, seq, parse_policy(text), policy)
    line = signature_line(said, random.choice([*own.values()]), NOW)
    _write(forged, {"type": "policy-agreed", "policy": seq, "note": f"{said}\n{line}"})
    return "keys of one's own, which agree to themselves"


def origin(forged: Forged, random: Random) -> str:
    """Let a key with another name sign from here on, introduced by itself."""
    made = make_skey(f"campaign/{random.randbytes(8).hex()}", random.randbytes(32))
    with forged.book() as book:
        text = rotation_text(made.name, book.head(), book.root(book.head()), str(made.vkey))
    _write(forged, {"type": "key-rotated", "key": str(made.vkey), "why": None, "note": sign_note(text, made).decode()})
    forged.bodies[-1]["marks"] = [{"who": "campaign", "name": "key", "value": str(made.vkey)}]
    return made.name


def _write(forged: Forged, facts: Body) -> int:
    """Append an entry about the book itself."""
    seq = len(forged.bodies) + 1
    place = {"seq": seq, "since": seq, "act": seq, "at": forged.bodies[-1]["at"], "by": "p1"}
    forged.bodies.append({"postings": [], "marks": [], "once": None, "cause": None, **place, **facts})
    return seq


def nobody(forged: Forged, random: Random) -> str:
    """Put a character whom nobody knows in the place of another, throughout an action."""
    action = whole(forged, random)
    who = next((body["who"] for body in action if "who" in body), None)
    if who is None or action[0]["type"] == "character-joined":
        return ""
    text = json.dumps(action).replace(f'"{who}"', '"zed"').replace(f'"{who}:', '"zed:')
    at = action[0]["seq"] - 1
    forged.bodies[at : at + len(action)] = json.loads(text)
    return str(action[0]["type"])


HIDDEN: Mapping[str, Operation] = {
    "entries appended to an action": append,
    "entries put into an action": insert,
    "entries taken out of an action": drop,
    "entries exchanged": swap,
    "entries doubled": double,
    "actions made one": merge,
    "actions made two": split,
    "facts edited": edit,
    "secrets edited": secret,
    "marks forged": mark,
    "postings forged": posting,
    "times, hands and ids of a part": part,
    "keys, policies and erasures": custody,
    "characters whom nobody knows": nobody,
    "witnesses replaced": witnesses,
    "a key with another name": origin,
}
"""What no command comes to."""

OPEN: Mapping[str, Operation] = {
    "notes put in between": note,  # U5, U6
    "entries written again": alone,  # U5, U6, U17
    "words exchanged": word,  # U5, U6
    "actions taken out": drop_action,  # U5, U6, U16
    "actions doubled": double_action,  # U1, U2, U5, U6
    "actions exchanged": swap_actions,  # U5, U6, U16
    "facts that come to the same": otherwise,  # U1, U2, U9, U10, U14, U17
}
"""What commands may come to as well, with the rows of docs/threats.md that say so."""


def remembered_at(home: Home) -> Memory:
    """The memory of the audit of the honest file. Take back what later audits left in the home."""
    kept = Path(home.folder, CHECKED_FOLDER)
    for file in kept.glob("*.audit"):
        honest = file.with_suffix(".honest")
        (file if honest.exists() else honest).write_bytes((honest if honest.exists() else file).read_bytes())
    return Memory(home.folder, "audit", TODAY)


def found(book: Book, before: Counter[str], home: Home) -> str:
    """What verify or audit says of a book, "" if nothing; the remarks in `before` do not count.

    At a home that remembers the honest file, they must say the same.
    """
    says, remembering = (_found(book, before, memory) for memory in (None, remembered_at(home)))
    assert remembering == says, f"{remembering!r} with an earlier check, but {says!r} without"
    return says


def _found(book: Book, before: Counter[str], memory: Memory | None) -> str:
    try:
        report = audit(book, TODAY, memory=memory)
    except Broken as bug:
        raise AssertionError(bug.sentence) from bug
    except LedgerError as refused:
        return refused.sentence
    more = Counter(remark.says for remark in report.remarks) - before
    return next((finding.says for finding in report.findings), next(iter(more), ""))


def run(run: Run) -> None:
    for trial in run.trials():
        with inside(trial.folder), patch.object(remembered, "LEAST_ENTRIES", 1):
            _evening(run, trial)


def _evening(run: Run, trial: Trial) -> None:
    random, table = trial.random, Table(trial.random)
    for words in (*OPENING.strip().splitlines(), "witness init ana"):
        table.type(words)
    table.type(f"policy --witness ana={table.printed[-1].splitlines()[1]}")
    played(table, random)
    table.type("checkpoint")
    head = table.printed[-1].partition("\n")[2].rpartition("(exit")[0]
    Path("checkpoint.txt").write_text(head, encoding="utf-8")
    home = Home(os.environ["CAMPAIGN_HOME"])
    with open_book(FILE) as book:
        honest, vkey = read(book), parse_vkey(book.mark(CAMPAIGN, KEY))
        before = Counter(remark.says for remark in audit(book, TODAY, memory=remembered_at(home)).remarks)
    key = read_key(home.key_file(str(vkey)))
    assert key is not None
    cosign(home, NOW, head, str(vkey))
    for name, operation in [*HIDDEN.items(), *OPEN.items()] * EACH:
        forged = Forged(honest.bodies, honest.words)
        what = operation(forged, random)
        if not what or forged.bodies == honest.bodies:
            continue
        run.count(name)
        with forged.book() as book:
            try:
                says = found(book, before, home)
                if name in HIDDEN and not says:
                    run.weakness(f"{name}, and nothing shows it: {what}")
            except Exception as bug:
                run.weakness(f"{name}, and the audit fails: {what}: {bug!r}")
            if forged.bodies[: len(honest.bodies)] == honest.bodies:
                continue  # it goes on from the head
            if not _is_shown_by(head, book, vkey):
                run.weakness(f"{name}, and a checkpoint that was kept does not show it: {what}")
            if random.random() < SHOWN:
                _shown_to_others(run, book, key, home)


def _is_shown_by(head: str, book: Book, vkey: Vkey) -> bool:
    """Whether a head that was kept shows that a book does not go on from it."""
    try:
        return compare_head(book, head, [vkey]).finding not in {"same", "shorter"}
    except LedgerError:
        return True


def _shown_to_others(run: Run, book: Book, key: Skey, home: Home) -> None:
    """Show a forged file, signed anew with the true key, to a witness and to the stand-alone verifier."""
    run.count("forged files shown to others")
    signed = sign_note(checkpoint_text(key.name, book.head(), book.root(book.head())), key).decode()
    book.journal.keep_checkpoint(book.head(), signed)
    Path("forged.campaign").write_bytes(connection_of(book).serialize())
    try:
        cosign(home, NOW, signed)
    except (Unproven, Contradiction):
        pass
    else:
        run.weakness("a witness signs on another history than hers")
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        code = standalone.main(["forged.campaign", "--checkpoint", "checkpoint.txt", "--key", str(key.vkey)])
    if code != standalone.FAILED:
        run.weakness(f"the stand-alone verifier says {code} of another history than the checkpoint that was kept")
