"""A program that keeps the keys of campaigns and signs with them, so that no private key is in a file here.

| the program's arguments | its input | its output |
|---|---|---|
| `new NAME` | nothing | the public key of a new key pair with this name, as one line |
| `sign KEY` | the text to sign | the signature line of the private half of KEY (C2SP signed-note) |

If the program cannot do this, for example because it does not have the key, its exit code is not 0.
"""

from __future__ import annotations

from ledger.errors import LedgerError, Refused
from ledger.tlog.note import Vkey, open_note, parse_vkey
from ledger.values import Struct

ANSWER_SECONDS = 4
"""The longest wait for the program. Others who write wait meanwhile, at most five seconds; a rotation signs twice."""


class KeyProgram(Struct):
    """The program at a path, or with a name that the shell would find."""

    program: str

    def make_key(self, name: str) -> ProgramKey:
        """Let the program make a key pair, and keep it. Raise `Refused` if it fails."""
        text = self.run("new", name)
        try:
            vkey = parse_vkey(text.removesuffix("\n"))
        except LedgerError:
            raise Refused("The program in CAMPAIGN_KEYS did not print a public key.") from None
        if vkey.name != name:
            raise Refused("The program in CAMPAIGN_KEYS made a key for another campaign.")
        return ProgramKey(program=self, vkey=vkey)

    def key(self, vkey: str) -> ProgramKey:
        """Return the key with this public half. Only the program knows if it has the private half."""
        return ProgramKey(program=self, vkey=parse_vkey(vkey))

    def run(self, *arguments: str, text: str = "") -> str:
        """Run the program, and return its output. Raise `Refused` if it fails."""
        from subprocess import DEVNULL, PIPE, SubprocessError, run  # few people have such a program

        command = [self.program, *arguments]
        try:
            done = run(command, input=text.encode(), stdout=PIPE, stderr=DEVNULL, timeout=ANSWER_SECONDS, check=True)  # noqa: S603  the host chose it
            return done.stdout.decode()
        except OSError as error:
            hint = "Set CAMPAIGN_KEYS to a folder or to a program."
            raise Refused(f"The program in CAMPAIGN_KEYS cannot run: {error.strerror}.", hint) from None
        except (SubprocessError, UnicodeDecodeError):
            raise Refused("The program in CAMPAIGN_KEYS failed, or does not have the key of this campaign.") from None


class ProgramKey(Struct):
    """A key that a program keeps; see `ledger.tlog.note.Signer`."""

    program: KeyProgram
    vkey: Vkey

    def sign(self, text: str) -> str:
        """Return the line that signs a text. Raise `Refused` unless the program returns a valid signature."""
        line = self.program.run("sign", str(self.vkey), text=text)
        try:
            open_note(f"{text}\n{line}", [self.vkey])
        except LedgerError:
            raise Refused("The program in CAMPAIGN_KEYS returned a signature that is not valid.") from None
        return line
