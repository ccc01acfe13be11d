"""The page's own errors, and the HTTP status and problem details (RFC 9457) of every error."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any

from ledger import errors
from ledger.errors import Run

PROBLEM_MEDIA_TYPE = "application/problem+json"


class NotEntered(errors.LedgerError):
    """A request without a valid login."""

    def __init__(self, sentence: str = "You are not logged in at this table.") -> None:
        hint = f"Ask the GM for an invitation. If you are the GM, {Run('serve')} prints a new link each time it starts."
        super().__init__(sentence, hint)


class NotInvited(NotEntered):
    """An invitation that is unknown, used up or expired."""

    def __init__(self) -> None:
        super().__init__("This invitation was used up, has expired, or was canceled.")


class NotAllowed(errors.Refused):
    """A command or page that this person may not use."""


class OthersWrote(errors.Refused):
    """An undo that needs a confirmation, because others have written after the actions to undo."""

    def __init__(self, mine: str, others: Iterable[str]) -> None:
        sentence = f"This would undo {mine}. Since then, others have added: {'; '.join(others)}."
        super().__init__(sentence, "To undo your own action anyway, confirm the undo. (Programs: send anyway=true.)")


class NotFound(errors.Unreadable):
    """A missing campaign file. The message does not reveal the file's path to visitors."""

    def __init__(self) -> None:
        sentence = "The GM's computer cannot find the campaign file."
        super().__init__(sentence, "The page works again as soon as the file is back.")


class NotHosted(errors.UnknownName):
    """An address at which a server of many campaigns has none."""

    def __init__(self) -> None:
        super().__init__("There is no campaign at this address.", "Use the link exactly as the GM sent it.")


class Away(errors.Unreadable):
    """A database that does not answer. The message does not reveal its name and address to visitors."""

    def __init__(self) -> None:
        super().__init__("The server cannot reach its database.", "Try again in a minute.")


class TooMuch(errors.LedgerError):
    """A request body that is too large."""


class TooSlow(errors.LedgerError):
    """A request body that does not arrive in time."""


class TooOften(errors.LedgerError):
    """Too many requests in a short time."""


class Unforeseen(errors.LedgerError):
    """A bug in this program."""

    def __init__(self) -> None:
        super().__init__(
            "The server failed unexpectedly.",
            "Check in the feed whether your change was saved. The server's log has details.",
        )


class WrongHost(errors.LedgerError):
    """A request for a host name that is not this server's."""


class PlanChanged(errors.Refused):
    """A result that differs from the plan that the person confirmed."""

    def __init__(self) -> None:
        super().__init__("The result differs from the preview that you saw. Nothing was saved.", "Preview it again.")


class WrongField(errors.BadInput):
    """A request with a missing, unknown or wrong field. Its sender must read the description of the interface."""


class Foreign(errors.LedgerError):
    """A request sent by a page of another host."""


STATUS_BY_ERROR: tuple[tuple[type[errors.LedgerError], HTTPStatus], ...] = (
    (NotEntered, HTTPStatus.UNAUTHORIZED),
    (NotAllowed, HTTPStatus.FORBIDDEN),
    (WrongHost, HTTPStatus.MISDIRECTED_REQUEST),
    (Foreign, HTTPStatus.FORBIDDEN),
    (TooMuch, HTTPStatus.REQUEST_ENTITY_TOO_LARGE),
    (TooSlow, HTTPStatus.REQUEST_TIMEOUT),
    (TooOften, HTTPStatus.TOO_MANY_REQUESTS),
    (errors.UnknownName, HTTPStatus.NOT_FOUND),
    (errors.NeverReached, HTTPStatus.NOT_FOUND),
    (errors.Refused, HTTPStatus.CONFLICT),
    (errors.BadInput, HTTPStatus.UNPROCESSABLE_ENTITY),
    (errors.Unproven, HTTPStatus.UNPROCESSABLE_ENTITY),
    (errors.Busy, HTTPStatus.SERVICE_UNAVAILABLE),
    (errors.TooManyWrites, HTTPStatus.SERVICE_UNAVAILABLE),
    (errors.WriteFailed, HTTPStatus.INSUFFICIENT_STORAGE),
    (errors.Unreadable, HTTPStatus.SERVICE_UNAVAILABLE),
    (errors.NotWhole, HTTPStatus.INTERNAL_SERVER_ERROR),
)
"""The HTTP status for each type of error. The first type that matches is used."""


PROBLEM_NAMES: dict[type[errors.LedgerError], str] = {
    errors.SecretNotHere: "away",
    Away: "database-away",
    errors.DiskRefused: "no-room",
    errors.WriteFailed: "nothing-written",
    errors.IncompletePair: "together",
    errors.LacksNeededOption: "goes-with",
}
"""The names of problems that differ from the names of the error classes. Clients use them, so they never change."""


def status_of(error: errors.LedgerError) -> int:
    """Return the HTTP status for an error: by its class in `STATUS_BY_ERROR`, or else 500."""
    return next(
        (status for kind, status in STATUS_BY_ERROR if isinstance(error, kind)), HTTPStatus.INTERNAL_SERVER_ERROR
    )


def problem_name(kind: type[errors.LedgerError]) -> str:
    """Return the last part of the `type` of an error's problem details."""
    return PROBLEM_NAMES.get(kind) or re.sub(r"(?<!^)(?=[A-Z])", "-", kind.__name__).lower()


def problem_details(error: errors.LedgerError, status: int, wording: Callable[[str], str]) -> dict[str, Any]:
    """Return an error as problem details: the type, the sentence as `detail`, and the `hint` if there is one.

    `wording` puts a text into the words of the interface.
    """
    facts = {
        "type": f"urn:campaign-ledger:problem:{problem_name(type(error))}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": wording(error.sentence),
    }
    return facts | ({"hint": wording(error.hint)} if error.hint else {})
