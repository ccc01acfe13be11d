"""The commands for keys, checkpoints, proofs, policies and checks, so that nobody has to trust the GM's computer."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import click

from cli import evidence
from cli.command_types import CommandGroup, pass_invocation, verb
from cli.context import Flags, Invocation
from cli.evidence import KEY_ELSEWHERE, public_key, sign_head, signing_key
from cli.options import add_writing_options, json_option
from cli.param_types import WholeNumber
from cli.pasted import head_in, key_text, proofs_in, read_pasted, vkeys
from cli.render import proofs, terminal
from cli.run import write
from ledger.errors import BadInput, Findings, Refused, Run, Unproven, Unsettled, count_of, entry_count, quoted
from ledger.reading.typed_values import pairs
from ledger.values import MAX_STORED_NUMBER, Within

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import ExitStack

    from ledger.journal.book import Book
    from ledger.tlog.checkpoint import Checkpoint
    from ledger.tlog.note import Vkey
    from ledger.trust.home import Head, Home

HEAD_SIZE = WholeNumber(Within(0, MAX_STORED_NUMBER))


@click.group(
    cls=CommandGroup,
    invoke_without_command=True,
    example="key",
    another="key rotate",
    similar="checkpoint, policy, verify",
)
@pass_invocation
@click.pass_context
def key(ctx: click.Context, invocation: Invocation) -> None:
    """Show or replace the campaign's key: a line that players copy to their character sheets."""
    if ctx.invoked_subcommand is not None:
        return
    from os.path import isfile

    from ledger.trust.keyfile import keys_beside

    with invocation.snapshot() as book:
        line = public_key(book)
        terminal.say(line)
        terminal.aside("Copy this line to every character sheet. With it, players can check the campaign's signature.")
        private = invocation.home().key_file(line)
        if invocation.key(book) is None:
            terminal.aside(KEY_ELSEWHERE)
        elif invocation.key_program() is not None:
            terminal.aside("The program in CAMPAIGN_KEYS signs the campaign.")
        elif isfile(private):
            terminal.aside(f"The private key is in {private}. Keep that file to yourself.")
        elif any(map(isfile, keys_beside(invocation.path()))):
            terminal.aside(
                f"The private key is in the campaign's folder. Move it to your home folder: {Run('key import')}"
            )


@verb('key rotate --why "the laptop was lost"', "key rotate --dry-run", "policy, backup", group=key)
@click.option(
    "--lost",
    is_flag=True,
    help="Replace a lost key. The record will show that the old key did not sign this change.",
)
@click.option("--why", metavar="TEXT", help="The reason. It is saved with the entry.")
@add_writing_options
def rotate(invocation: Invocation, lost: bool, why: str | None, flags: Flags) -> None:
    """Replace the key that signs the campaign. The old key and the new key both sign this change."""
    from os import unlink

    from ledger.commands.custody import RotateKey
    from ledger.events.subjects import CAMPAIGN, KEY, POLICY

    with invocation.book() as read:
        book = read.current  # the present, even for a repeated --once: each run makes a new key
        old = invocation.key(book)
        if old is None and book.mark(CAMPAIGN, KEY) is not None and not lost:
            raise Refused(
                KEY_ELSEWHERE,
                "If you lost the key, add --lost. The record will show that the old key did not sign this change.",
            )
        new = invocation.make_key(book.origin() or invocation.new_origin(), dry=flags.dry)
        home = invocation.home()
        command, line = RotateKey(new=new, old=old, why=why), str(new.vkey)
        if flags.dry:
            write(invocation, book, command, flags)
            return
        invocation.keep_key(new)
        unsettled = False
        try:
            write(invocation, book, command, flags)
        except Unsettled:
            unsettled = True  # the new key may already be in the record
            raise
        finally:
            is_current = book.mark(CAMPAIGN, KEY) == line
            if not (is_current or unsettled):
                with suppress(OSError):  # an unused key does no harm
                    unlink(home.key_file(line))
        if not is_current:
            return
        if invocation.key_program() is None:
            terminal.aside("The new key is on this computer. Copy this line to every character sheet:")
        else:
            terminal.aside("The program in CAMPAIGN_KEYS has the new key. Copy this line to every character sheet:")
        terminal.say(line)
        if book.mark(CAMPAIGN, POLICY) is not None:
            terminal.aside(f"The witness policy still names the old key. Set the policy again with {Run('policy')}.")


@verb("key export ../road.key", "key export ../tom.txt", "key import", group=key)
@click.argument("file")
def key_export(invocation: Invocation, file: str) -> None:
    """Write the campaign's private key to a new file, so that another computer can sign too."""
    from ledger.tlog.note import Skey
    from ledger.trust.keyfile import keep_key

    with invocation.snapshot() as book:
        private = signing_key(invocation, book)
    if not isinstance(private, Skey):
        raise Refused("The program in CAMPAIGN_KEYS keeps the key, so the key cannot be exported.")
    keep_key(file, private)
    invocation.home().remember_export(str(private.vkey))
    with terminal.done_even_if_unprinted(f"{file} was created"):
        terminal.say(f"{file} contains the campaign's private key. With it, anybody can sign in your name.")
    terminal.aside(
        f"Keep this file to yourself. On the other computer, type {Run('key import', file)}. Then delete the file."
    )


@verb("key import road.key", "key import", "key export, checkpoint", group=key)
@click.argument("file", metavar="[FILE]", required=False)
@click.option("--dry-run", "dry", is_flag=True, help="Check the key. Change nothing.")
def key_import(invocation: Invocation, file: str | None, dry: bool) -> None:
    """Take the campaign's private key from FILE, so that this computer can sign.

    Without FILE, the command looks for the key in the campaign's folder, where older versions of the program kept it.
    It moves that key to your home folder.
    """
    from os import unlink
    from os.path import basename, lexists, realpath

    from ledger.trust.keyfile import find_key, keys_beside, read_key

    if file is not None and not lexists(file):
        raise BadInput(f"There is no key file at {quoted(file)}.", f"Name the file that {Run('key export')} made.")
    home, beside = invocation.home(), keys_beside(invocation.path())
    with invocation.snapshot() as book:
        line = public_key(book)
        signed, head = max(book.journal.checkpoints(), default=0), book.head()
    is_in_campaign_folder = file is None or realpath(file) in map(realpath, beside)
    private = find_key(line, [home.key_file(line), *beside] if is_in_campaign_folder else [str(file)])
    if private is None:
        folder_or_file = "The campaign's folder" if file is None else file
        raise Refused(f"{folder_or_file} does not contain this campaign's current key.")
    if dry:
        terminal.aside("Dry run: this key signs for the campaign. Nothing was written.")
        return
    home.keep_key(private)
    terminal.say("This computer has the key now, and can sign for the campaign.")
    if signed < head:
        says = f"The entries after #{signed} are not signed yet." if signed else "The entries are not signed yet."
        terminal.aside(says)
        terminal.aside(f"To sign all entries: {Run('checkpoint')}")
    if not is_in_campaign_folder:
        home.remember_export(line)
        terminal.aside(f"Delete {file} now. Anybody who has it can sign in your name.")
        return
    for name in beside:  # also move the keys that it replaced
        with suppress(Refused):
            earlier = read_key(name)
            if earlier is None or earlier.name != private.name:
                continue
            home.keep_key(earlier)
            try:
                unlink(name)
            except OSError as error:
                terminal.aside(f"{basename(name)} could not be removed: {error.strerror}. Delete it yourself.")
            else:
                terminal.aside(f"{basename(name)} was moved out of the campaign's folder.")


@verb("checkpoint", "checkpoint --json", "witness, verify, session close")
@click.option(
    "--since",
    type=HEAD_SIZE,
    metavar="N",
    help=("Also print the proof that a witness needs. When the witness last signed, the campaign had N entries."),
)
@json_option
def checkpoint(invocation: Invocation, since: int | None, json_: bool) -> None:
    """Sign the history so far, and print the checkpoint for the players.

    A checkpoint is a few signed lines. Players save it, and can later check that no entry was changed or removed.
    """
    from ledger.trust.agreements import policies_to_send

    with invocation.book() as book:
        if since is not None and since > book.head():
            raise Refused(f"The campaign has only {entry_count(book.head())}, not {since}.")
        proof: list[bytes] = []
        policies = [] if since is None else policies_to_send(book)

        def prove_since(head: Head) -> None:
            proof.extend(book.journal.consistency_proof(since, head.size) if since else ())

        head = sign_head(invocation, book, prove_since)
        with terminal.done_even_if_unprinted(
            f"The history of {entry_count(head.size)} was signed", f"See it with {Run('checkpoint')}."
        ):
            if json_:
                proofs.show_head_json(head, proof)
            else:
                proofs.show_request(head, {} if since is None else {since: proof}, policies)


@verb("prove 17", "prove 17 -o roll.proof", "verify, show, checkpoint")
@click.argument("entry")
@click.option(
    "-o", "--output", metavar="FILE", help="The file to write. Type - to print the proof. [default: entry-N.tlog-proof]"
)
def prove(invocation: Invocation, entry: str, output: str | None) -> None:
    """Write a proof that an entry is in the history. Anyone can check the proof without the campaign."""
    from ledger.journal.new_files import atomic_file, folder_lock, write_synced
    from ledger.tlog.checkpoint import format_tlog_proof

    proof: list[str] = []
    with invocation.book() as book:
        seq = invocation.names(book).entry(entry)
        name, struck = output or f"entry-{seq}.tlog-proof", proofs.cancellation_sentence(book, seq)

        def keep_proof(head: Head) -> None:
            hashes = book.journal.inclusion_proof(seq - 1, head.size)
            proof.append(format_tlog_proof(seq - 1, hashes, head.note, book.journal.entry(seq).stored))

        def write_proof(head: Head) -> None:
            keep_proof(head)
            write_synced(part, proof[0].encode())

        if output == "-":
            sign_head(invocation, book, keep_proof)
        else:
            hint = "Choose a different file name with -o FILE."
            with folder_lock(name), atomic_file(name, hint=hint, beside=True) as part:
                sign_head(invocation, book, write_proof)
    if struck:
        terminal.aside(struck)
    if output == "-":
        terminal.print_exactly(proof[0])
    else:
        terminal.aside(f"The proof of #{seq} is in {name}. To check it: {Run('verify', proof=name, key='KEY')}")


@verb("policy --witness ana=KEY --witness ben=KEY --quorum 2", "policy", "witness, verify, audit")
@click.argument("file", metavar="[FILE]", required=False)
@click.option(
    "--witness",
    "witnesses",
    metavar="NAME=KEY",
    multiple=True,
    help="The name and key of a witness, instead of a file.",
)
@click.option("--quorum", type=WholeNumber(Within(1, 100)), help="How many witnesses must sign. [default: all]")
@add_writing_options
def policy(
    invocation: Invocation, file: str | None, witnesses: tuple[str, ...], quorum: int | None, flags: Flags
) -> None:
    """Show or set the witnesses of the campaign, and how many of them must sign."""
    from ledger.commands.custody import SetPolicy
    from ledger.events.subjects import CAMPAIGN, POLICY
    from ledger.events.types import PolicySet
    from ledger.tlog.policy import policy_text

    if file is not None and (witnesses or quorum):
        raise BadInput("Name a file or witnesses, not both.")
    if quorum and quorum > len(witnesses):
        needed = count_of(quorum, "witness", "witnesses")
        raise BadInput(f"--quorum {quorum} needs at least {needed}. Name each one with --witness NAME=KEY.")
    text = None if file is None else read_pasted(file)
    witness_keys = {name: key_text(typed) for name, typed in pairs(witnesses, "NAME=KEY").items()}
    with invocation.book() as book:
        if text is None and not witness_keys:
            seq = book.mark(CAMPAIGN, POLICY)
            if seq is None:
                raise Refused("This campaign has no witnesses.", f"To name one: {Run('policy', witness='NAME=KEY')}")
            in_force = book.journal.entry(seq).event
            assert isinstance(in_force, PolicySet)  # noqa: S101  only such entries set that mark
            terminal.print_exactly(in_force.policy)
            return
        body = text or policy_text(public_key(book), witness_keys, quorum)
        write(invocation, book, SetPolicy(policy=body), flags)


@verb("compare ana.txt ben.txt", "compare ana.txt road.campaign", "verify, witness, audit")
@click.argument("one", metavar="A")
@click.argument("other", metavar="B")
@click.option("--key", "key_texts", metavar="KEY", multiple=True, help="The campaign's key, from your character sheet.")
@json_option
def compare(invocation: Invocation, one: str, other: str, key_texts: tuple[str, ...], json_: bool) -> None:
    """Compare two checkpoints, or a campaign with a checkpoint.

    Both are also compared with what this computer has saved about the campaign.
    """
    from contextlib import ExitStack

    from ledger.trust.compare import compare as compare_heads
    from ledger.trust.compare import restore_error_between, trusted_keys_of
    from ledger.trust.heads import check_signed

    sides = [(name, _text_of(name)) for name in (one, other)]
    with ExitStack() as stack:
        (first, note, proven), (second, another, further) = (_open_side(stack, *side) for side in sides)
        origins = [origin for origin in map(_origin, (first, second)) if origin is not None]
        if len(set(origins)) > 1:
            raise Refused(f"These are from two different campaigns: {' and '.join(origins)}.")
        trusted = (
            vkeys(key_texts) or _trusted_at_home(invocation.home(), origins) or [*_keys_of(first), *_keys_of(second)]
        )
        believed = [vkey for vkey in dict.fromkeys(trusted) if vkey.name in origins]
        if trusted and not believed:
            raise Unproven(f"The key belongs to {trusted[0].name}, not to {next(iter(origins), 'this campaign')}.")
        for side in (first, second):
            believed = trusted_keys_of(side, believed)
        for name, text in ((one, note), (other, another)):
            if text and believed:
                check_signed(text, believed, name)
        results = [compare_heads(first, second, proof) for proof in ([], *proven, *further)]
        result = next((comparison for comparison in results if comparison.finding != "unproved"), results[0])
        if result.finding != "fork":
            for side, text in ((first, note), (second, another)):
                evidence.check_against_home(invocation.home(), side, text, signed=bool(believed))
        proofs.show_comparison(result, (one, other), signed=bool(believed), json=json_)
        notes = [text for text in (note, another) if text]
        if result.finding == "fork":
            raise restore_error_between(first, second) or proofs.show_fork(
                notes, result.split or min(result.sizes), _first_key_warning((first, second), notes)
            )
    if result.finding == "unproved":
        fewer = one if result.sizes[0] < result.sizes[1] else other
        raise Unproven(
            "These checkpoints cover different numbers of entries. To compare them, you need a campaign file.",
            "One of the two checkpoints has more entries. Get the campaign file from the person who made that"
            f" checkpoint. Then type: {Run('compare', fewer, 'FILE.campaign')}",
        )


def _first_key_warning(sides: Sequence[Book | Checkpoint], notes: Sequence[str]) -> str:
    """Compare each campaign in `sides` with each of `notes`. Return the first `key_warning`, or "" if there is none."""
    from ledger.journal.book import Book

    doubts = (evidence.key_warning(side, note) for side in sides if isinstance(side, Book) for note in notes)
    return next(filter(None, doubts), "")


def _origin(side: Book | Checkpoint) -> str | None:
    return side.origin() if callable(side.origin) else side.origin


def _trusted_at_home(home: Home, origins: Sequence[str]) -> list[Vkey]:
    """Return the public keys that the user trusts for the campaigns with these origins."""
    from ledger.tlog.note import parse_vkey

    return [parse_vkey(text) for origin in dict.fromkeys(origins) for text in home.trusted(origin)]


def _keys_of(side: Book | Checkpoint) -> list[Vkey]:
    from ledger.journal.book import Book
    from ledger.trust.heads import campaign_keys

    return [vkey for _, vkey in campaign_keys(side)] if isinstance(side, Book) else []


def _open_side(stack: ExitStack, name: str, text: str | None) -> tuple[Book | Checkpoint, str, list[list[bytes]]]:
    """Return a campaign or head, its signed note ("" if none), and the proofs sent with it.

    If `text` is `None`, open and verify the campaign file `name`.
    """
    from ledger.audit.verify import verify as verify_file
    from ledger.journal.book import open_book

    if text is None:
        book = stack.enter_context(open_book(name))
        with terminal.progress(book.head()) as count:
            verify_file(book, count)  # otherwise its tree may not match its entries
        return book, next(reversed(book.journal.checkpoints().values()), ""), []
    return *head_in(text), proofs_in(text)


def _text_of(name: str) -> str | None:
    """Return the text of a file, or `None` if the file looks like a campaign."""
    from ledger.journal.store import engine_for

    return None if engine_for(name).looks_like_campaign() else read_pasted(name)


all_option = click.option("--all", "all_", is_flag=True, help="Check all entries again.")


@verb("audit", "audit --json", "verify, questions, compare")
@click.option("--key", "key_texts", metavar="KEY", multiple=True, help="The campaign's key, from your character sheet.")
@all_option
@json_option
def audit(invocation: Invocation, key_texts: tuple[str, ...], all_: bool, json_: bool) -> None:
    """Check every ruling, and report how far the record can be trusted.

    The report also lists what a record cannot prove.
    """
    from ledger.audit.report import PASSES
    from ledger.audit.report import audit as check

    trusted = vkeys(key_texts)
    checked = invocation.memory_of_checks("audit", recalls=not all_)
    with invocation.snapshot_with_home() as (book, memory):
        with terminal.progress(PASSES * book.journal.head()) as count:
            report = check(book, invocation.today(), count, checked)
        evidence.check_not_contradicted(memory, book, trusted)
        if json_:
            proofs.show_audit_json(report, invocation.warning())
        else:
            proofs.show_audit(report, checked, invocation.warning())
    if report.findings:
        raise Findings(f"The audit found {count_of(len(report.findings), 'problem')}.")


@verb("verify --checkpoint ana.txt", "verify", "audit, compare, backup")
@click.option("--checkpoint", "heads", metavar="FILE", multiple=True, help="A checkpoint that a player saved.")
@click.option("--policy", "file", metavar="FILE", help="The witness policy that you saved.")
@click.option("--proof", metavar="FILE", help="Check the proof of one entry, without the campaign.")
@click.option("--key", "key_texts", metavar="KEY", multiple=True, help="The campaign's key, from your character sheet.")
@all_option
@json_option
def verify(
    invocation: Invocation,
    heads: tuple[str, ...],
    file: str | None,
    proof: str | None,
    key_texts: tuple[str, ...],
    all_: bool,
    json_: bool,
) -> None:
    """Check that nothing in the file is missing or altered.

    Add --checkpoint to compare the file with a checkpoint that a player saved.
    """
    trusted = vkeys(key_texts)
    text = None if file is None else read_pasted(file)
    if proof is not None:
        if heads:
            raise BadInput("--proof cannot be combined with --checkpoint.")
        evidence.check_proof(read_pasted(proof), invocation.home(), trusted, text, json=json_)
        return
    named_notes = [(name, head_in(read_pasted(name))[1]) for name in heads]
    checked = invocation.memory_of_checks("verify", recalls=not all_)
    with invocation.snapshot_with_home() as (book, memory):
        evidence.check_file(invocation, book, memory, named_notes, trusted, text, checked, json=json_)
