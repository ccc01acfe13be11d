"""The commands to sign heads and policies as a witness, and to add such signatures to the campaign."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from cli.command_types import CommandGroup, Verb, verb
from cli.context import Invocation
from cli.pasted import head_in, head_with_proofs_in, key_text, read_pasted, signature_text, signatures_in
from cli.render import proofs, terminal
from ledger.errors import BadInput, Contradiction, Refused, Run

DASH = "\N{EM DASH} "

if TYPE_CHECKING:
    from ledger.trust.home import Home


@click.group(
    cls=CommandGroup,
    example="witness init ana",
    another="witness sign checkpoint.txt",
    similar="checkpoint, policy, verify",
)
def witness() -> None:
    """Sign the checkpoints of a campaign, as one of its witnesses."""


@verb("witness init ana", "witness init ben", "witness sign, policy", group=witness)
@click.argument("name")
def witness_init(invocation: Invocation, name: str) -> None:
    """Make your witness key. Give the printed public key to the GM. The private key stays in your home folder."""
    from ledger.journal.new_files import remove_leftovers
    from ledger.tlog.note import COSIGNATURE, make_skey

    known = invocation.home().witness_key()
    if known is not None:
        remove_leftovers(invocation.home().witness_key_file())
        if known.vkey.name != name:
            hint = (
                f"Your public key is this line: {known.vkey}. To make a second key, first choose a different folder for"
                " it. Type, for example: export CAMPAIGN_HOME=FOLDER"
            )
            raise Refused(f"You already have a key for {known.vkey.name}.", hint)
    else:
        invocation.home().keep_witness_key(new_key := make_skey(name, invocation.seed(), COSIGNATURE))
    with terminal.done_even_if_unprinted("Your key was created", "Repeat the command to see the line for the GM."):
        terminal.say(str((known or new_key).vkey))
    terminal.aside(
        f"You are the witness {name}. Give this line to the GM. The private key stays in {invocation.home().folder}."
    )


@verb("witness sign checkpoint.txt", "witness sign checkpoint.txt --key KEY", "witness add", group=witness)
@click.argument("file", metavar="[CHECKPOINT]", required=False)
@click.option("--key", "typed", metavar="KEY", help="The campaign's key, from your character sheet. Needed once.")
@click.option("--rotated", is_flag=True, help="Trust the new --key instead of the old one.")
@click.option("--restored", is_flag=True, help="Accept a restored backup, even if it lacks entries that you signed.")
@click.option(
    "--policy/--no-policy",
    "agrees",
    default=None,
    help="Agree to a new witness policy, or sign the checkpoint without agreeing to the policy.",
)
def witness_sign(
    invocation: Invocation, file: str | None, typed: str | None, rotated: bool, restored: bool, agrees: bool | None
) -> None:
    """Sign a checkpoint.

    Name its file, or paste its text. You can sign only if nothing that you signed before was changed or removed. If
    the GM restored a backup, sign a proof of that restore instead of a checkpoint. The GM makes this proof with
    'campaign prove'.
    """
    from ledger.tlog.checkpoint import PROOF_HEADER
    from ledger.trust.restored import cosign_restored
    from ledger.trust.witnessing import RESTORED_HINT, cosign

    key, text = None if typed is None else key_text(typed), read_pasted(file)
    home, now, agreements = invocation.home(), int(invocation.now().timestamp()), list[str]()
    try:
        if text.startswith(PROOF_HEADER):
            line = cosign_restored(home, now, text, key, rotated=rotated, agreed=restored)
        elif restored:
            raise BadInput("With --restored, sign the proof of the restore, not a checkpoint.", RESTORED_HINT)
        else:
            agreements = _agreements(home, now, text, agrees)
            line = cosign(home, now, head_with_proofs_in(text), key, rotated=rotated)
    except Contradiction as two:
        proofs.show_evidence(two.heads)
        raise
    terminal.print_exactly("".join([line, *agreements]))
    says = "Send all of these lines to the GM." if agreements else "Send this line to the GM."
    terminal.aside(says)
    terminal.aside(f"To add your signature to the campaign, the GM types: {Run('witness add')}")


def _agreements(home: Home, now: int, text: str, agrees: bool | None) -> list[str]:
    """Show the new policies in `text`. Return a signed agreement to each, or [] if the witness does not agree."""
    from ledger.tlog.pasted_text import policies_sent
    from ledger.trust.agreements import agree, changes_for

    origin = head_in(text)[0].origin
    changes = changes_for(home, origin, policies_sent(text), all_of_them=bool(agrees))
    for change in changes:
        proofs.show_policy_change(change)
    if changes and agrees is None:
        agrees = _confirm_policy_change()
    return agree(home, now, origin, changes) if agrees else []


def _confirm_policy_change() -> bool:
    """Ask if the witness agrees to a new policy, and return the answer. Raise `BadInput` if there is no terminal."""
    if not terminal.is_interactive():
        raise BadInput(
            (
                "The witness policy has changed since you last signed. The command cannot ask whether"
                " you agree: it runs in a script, or its output goes to a file."
            ),
            "Add --policy to agree to the change, or --no-policy to sign only the checkpoint.",
        )
    return terminal.answers_yes("Do you agree to this change?")


class SignatureVerb(Verb):
    """A command that takes a signature line, even if a chat program has turned the line's dash into hyphens."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments. Read hyphens before a space as the dash at the start of a signature line."""
        return super().parse_args(ctx, [re.sub("^-{1,3} ", DASH, arg) for arg in args])


@verb("witness add ana-signature.txt", "witness add", "policy, audit", group=witness, cls=SignatureVerb)
@click.argument("typed", metavar="[SIGNATURE]", nargs=-1)
def witness_add(invocation: Invocation, typed: tuple[str, ...]) -> None:
    """Add the signature line that a witness sent. Type it, paste it or name its file."""
    from ledger.commands.custody import AgreeToPolicy
    from ledger.trust.agreements import agreement_entry, find_agreement

    lines = signatures_in(signature_text(typed))
    with invocation.book() as book:
        agreed = {line: policy for line in lines if (policy := find_agreement(book, line)) is not None}
        new = {line: seq for line, (seq, name) in agreed.items() if not agreement_entry(book, seq, name)}
        sizes = invocation.scribe(book).add_cosignatures(
            *(line for line in lines if line not in agreed),
            agreements=[AgreeToPolicy(policy=seq, line=line) for line, seq in new.items()],
        )
        for size, name in sizes:
            proofs.show_cosigned(book, size, name)
        for seq, name in dict.fromkeys(agreed.values()):
            agreement = agreement_entry(book, seq, name)
            terminal.say(f"{name} has agreed to the policy that was set in #{seq}. The agreement is in #{agreement}.")
