"""The problem details of errors: their `type` is an interface, which a rename in our code does not change."""

from collections.abc import Iterator
from http import HTTPStatus

import pytest

from ledger import errors
from ledger.errors import LedgerError
from web import problems
from web.problems import problem_name

NAMES: dict[type[LedgerError], str] = {
    errors.Altered: "altered",
    errors.AmbiguousName: "ambiguous-name",
    errors.BadInput: "bad-input",
    errors.Broken: "broken",
    errors.Busy: "busy",
    errors.CampaignFull: "campaign-full",
    errors.ClockDiffers: "clock-differs",
    errors.Contradiction: "contradiction",
    errors.Damaged: "damaged",
    errors.DiskRefused: "no-room",
    errors.Findings: "findings",
    errors.ForeignLog: "foreign-log",
    errors.Held: "held",
    errors.IncompletePair: "together",
    errors.LacksNeededOption: "goes-with",
    errors.LedgerError: "ledger-error",
    errors.Malformed: "malformed",
    errors.NeverReached: "never-reached",
    errors.NewerCampaign: "newer-campaign",
    errors.NoCampaign: "no-campaign",
    errors.Nobody: "nobody",
    errors.NotACampaign: "not-a-campaign",
    errors.NotCanonical: "not-canonical",
    errors.NotEnough: "not-enough",
    errors.NotGuarded: "not-guarded",
    errors.NotMade: "not-made",
    errors.NotOnSheet: "not-on-sheet",
    errors.NotOneself: "not-oneself",
    errors.NotReadable: "not-readable",
    errors.NotShown: "not-shown",
    errors.NotWhole: "not-whole",
    errors.NotWithin: "not-within",
    errors.OldCopy: "old-copy",
    errors.OlderFile: "older-file",
    errors.OnceDiffers: "once-differs",
    errors.OtherCampaign: "other-campaign",
    errors.OtherDice: "other-dice",
    errors.OutOfRange: "out-of-range",
    errors.PipeClosed: "pipe-closed",
    errors.ReadOnly: "read-only",
    errors.Refused: "refused",
    errors.ResultChanged: "result-changed",
    errors.SecretNotHere: "away",
    errors.TablesDiffer: "tables-differ",
    errors.Taken: "taken",
    errors.TooManyWrites: "too-many-writes",
    errors.Truncated: "truncated",
    errors.Twice: "twice",
    errors.UnknownName: "unknown-name",
    errors.Unfinished: "unfinished",
    errors.Unproven: "unproven",
    errors.Unreadable: "unreadable",
    errors.Unscrubbed: "unscrubbed",
    errors.Unsettled: "unsettled",
    errors.WordsGone: "words-gone",
    errors.WriteFailed: "nothing-written",
    errors.WrongEntry: "wrong-entry",
    errors.WrongFaces: "wrong-faces",
    problems.Away: "database-away",
    problems.Foreign: "foreign",
    problems.NotHosted: "not-hosted",
    problems.NotAllowed: "not-allowed",
    problems.NotEntered: "not-entered",
    problems.NotFound: "not-found",
    problems.NotInvited: "not-invited",
    problems.OthersWrote: "others-wrote",
    problems.PlanChanged: "plan-changed",
    problems.TooMuch: "too-much",
    problems.TooOften: "too-often",
    problems.TooSlow: "too-slow",
    problems.Unforeseen: "unforeseen",
    problems.WrongField: "wrong-field",
    problems.WrongHost: "wrong-host",
}
"""The name of the problem of every error. A line whose text changes breaks the programs that read it."""


def kinds_of(kind: type[LedgerError]) -> Iterator[type[LedgerError]]:
    yield kind
    for child in kind.__subclasses__():
        yield from kinds_of(child)


def test_the_name_of_every_problem_is_the_one_that_clients_know() -> None:
    ours = {kind for kind in kinds_of(LedgerError) if kind.__module__ in {errors.__name__, problems.__name__}}
    assert {kind: problem_name(kind) for kind in ours} == NAMES
    assert len({*NAMES.values()}) == len(NAMES)


@pytest.mark.parametrize(
    ("error", "name"), [(errors.SecretNotHere(3), "away"), (errors.NoCampaign("x"), "no-campaign")]
)
def test_the_type_of_a_problem_is_a_urn_with_its_name(error: LedgerError, name: str) -> None:
    told = problems.problem_details(error, HTTPStatus.CONFLICT, str)
    assert told["type"] == f"urn:campaign-ledger:problem:{name}"
