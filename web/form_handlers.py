"""The routes for the forms of moves, answers and corrections, and for their results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from ledger.corrections.questions import CHOICES, choices_of, offering_ruling, question_of
from ledger.errors import BadInput, ClockDiffers, Run, count_of
from ledger.events.entry import Entry, lead_of
from ledger.events.subjects import CAMPAIGN
from ledger.events.types import Correction, MoveEvent, QuestionAsked, RollSealed
from ledger.journal.book import Book
from ledger.reading.move_inputs import choice_of
from ledger.reading.names import Names
from ledger.rules.dice import Pool
from ledger.scribe import Written
from projections.log import line
from projections.odds import odds, percent
from projections.phrases import tell
from projections.questions import OpenQuestion, due_questions, open_offers, question_facts
from projections.side_effects import side_effects, unchanged_rulings
from web import forms
from web.bodies import PlayBody, body_of, commands_for, needs_confirmation
from web.campaign import WriteOptions, plan_hash
from web.fragments import choice_text, render, secret_values, secrets_for
from web.hints import on_the_page
from web.move_links import task_link
from web.people import Person, may_answer
from web.problems import NotAllowed, status_of
from web.requests import as_body, game_and_move, move_from
from web.site import Site, own_character, page_route, render_fragment, site_of, typed_character

CONFIRMATIONS = {"agreed", "clock_ok", "secrets"}
"""Form fields that control the write and are not inputs of the command."""

MOST_VERDICTS = 10
"""The number of verdicts that have their own row in the odds. The less frequent verdicts share the last row."""


@page_route
def moves_page(request: Request, book: Book, person: Person) -> Response:
    """Show the moves that a character may play."""
    who = own_character(book, person, typed_character(request))
    games, givers = forms.moves_for(book, who, person), forms.givers_for(book, who)
    values = {"games": games, "givers": givers, "others": book.cast()}
    return render_fragment(request, book, person, "moves.html", who=who, **values)


@page_route
def move_page(request: Request, book: Book, person: Person) -> Response:
    """Show the form with which a person plays a move for a character."""
    asked = request.path_params
    who = own_character(book, person, asked["who"])
    system, move = game_and_move(asked["game"], asked["move"])
    return render_fragment(
        request,
        book,
        person,
        "form.html",
        **forms.move_values(who, system, move),
        asked_for=forms.move_fields(book, who, system, move, person),
    )


@page_route
def answer_page(request: Request, book: Book, person: Person) -> Response:
    """Show the form that answers a question, reveals a sealed roll, or accepts an offer."""
    seq = Names(book).entry(request.path_params["seq"])
    asked = book.entry(seq)
    tasks = [task for task in due_questions(book).on_sheets if task.seq == seq]
    if tasks and all(offer.seq != seq for offer in open_offers(book)):
        return render_fragment(request, book, person, "tasks.html", tasks=[_task(book, person, task) for task in tasks])
    if isinstance(asked.event, MoveEvent):
        return _choice(request, book, person, seq)
    about, choices = asked.about, choices_of(asked.type) if asked.type in CHOICES else ()
    offered = commands_for(person)
    amendment = forms.amend_form_or_none(book, about) if "decide" in offered and about and "amend" in choices else None
    return render_fragment(
        request,
        book,
        person,
        "decide.html",
        seq=seq,
        says=tell(book, book.entry(seq)),
        about=about,
        **secret_values(book, person, book.journal.entry(about or seq).act),
        reveals="reveal" in offered and isinstance(asked.event, RollSealed),
        may="decide" in offered and asked.type in CHOICES,
        choices=[choice for choice in choices if choice != "amend" or amendment],
        amendment=amendment,
        waits_for="the GM",
    )


def _task(book: Book, person: Person, task: OpenQuestion) -> dict[str, Any]:
    """Return the template values for a task on a sheet: the move that completes it, and who must make this move."""
    game, name, *_ = words = str(task.then).split()
    _, move = game_and_move(game, name)
    player = None if move.is_for_gm() else book.player_of(task.who)
    may = person.is_gm or (player is not None and person.seat == player)
    return {
        "name": "" if task.who == CAMPAIGN else task.name,
        "says": task.says,
        "link": task_link(words) if may and task.who != CAMPAIGN else None,
        "hint": on_the_page(f"Do this next: {Run(f'{game} {name}')}") if may else "",
        "waits_for": book.players().get(str(player), "the GM"),
    }


def _choice(request: Request, book: Book, person: Person, seq: int) -> Response:
    ruling = offering_ruling(book, seq)
    asked = book.entry((ruling or question_of(book, seq)).seq)
    event = asked.event
    assert isinstance(event, MoveEvent)  # noqa: S101  only a move asks for a choice
    says = f"{'' if event.who == CAMPAIGN else book.name_of(event.who)} {tell(book, asked)}"
    if not may_answer(book, person, asked.seq):
        waits_for = book.players().get(str(book.player_of(event.who)), "the GM")
        shown = {"seq": asked.seq, "says": says, "waits_for": waits_for, "about": None, "full": None, "secrets": ()}
        return render_fragment(request, book, person, "decide.html", reveals=False, may=False, **shown)
    return render_fragment(request, book, person, "choose.html", says=says, **_choice_values(book, asked))


def _choice_values(book: Book, asked: Entry) -> dict[str, Any]:
    """Return the template values for the form of an open choice, or of an offer."""
    event = asked.event
    assert isinstance(event, MoveEvent)  # noqa: S101  only a move asks for a choice
    question = isinstance(event, QuestionAsked)
    faces = [str(die.face) for die in event.dice] if question else []
    return {
        "seq": asked.seq,
        "asks": choice_text(book, event) if isinstance(event, QuestionAsked) else "",
        "rolled": " ".join(faces),
        "facts": question_facts(book, asked) if question else "",
        "asked_for": forms.choice_fields(book, choice_of(book, asked.seq), event.who, event.system, faces),
        "faces": not question,
    }


@page_route
def amend_page(request: Request, book: Book, person: Person) -> Response:
    """Show the form that amends, voids or overrides an entry. Raise `NotAllowed` if this person may not do that."""
    how = request.query_params.get("how", "amend")
    if how not in {"amend", "void", "override"}:
        raise BadInput("Choose amend, void or override.")
    if how not in commands_for(person):
        raise NotAllowed("Only the GM can do that.")
    seq = Names(book).entry(request.path_params["seq"])
    lead = lead_of(book.action(book.journal.entry(seq).act))
    amendment = forms.amend_form(book, seq) if how == "amend" else None
    says = f"{book.name_of(lead.event.subject)} {tell(book, lead)}"
    return render_fragment(request, book, person, "amend.html", seq=seq, how=how, says=says, amendment=amendment)


async def fields_of(request: Request) -> list[tuple[str, str]]:
    """Return the fields of a form, without files."""
    return [(name, value) for name, value in (await request.form()).multi_items() if isinstance(value, str)]


async def submit(request: Request) -> Response:
    """Run the command of a form, or first show its plan if the person must confirm it."""
    return await answer_form(request, await fields_of(request), "result.html")


async def answer_form(request: Request, sent: Sequence[tuple[str, str]], template: str) -> Response:
    """Run the command of a form with these fields, and show the result with a template. See `submit`."""
    site = site_of(request)
    person = await site.person_async(request)
    confirmed = {name: value for name, value in sent if name in CONFIRMATIONS}
    fields = [(name, value) for name, value in sent if name not in CONFIRMATIONS]
    name = request.path_params["command"]
    once = request.headers.get("idempotency-key")
    try:
        result = await run_in_threadpool(_run_command, site, person, name, fields, once, confirmed, template)
    except ClockDiffers as differs:
        if not person.is_gm:
            differs.hint = "Ask the GM to set the clock, or to confirm that it is right."
            raise
        body = [*fields, *confirmed.items()]
        box = render("clock.html", person=person, command=name, body=body, sentence=on_the_page(differs.sentence))
        return HTMLResponse(box, status_of(differs))
    site.feed.check_now()
    return HTMLResponse(result)


def _run_command(
    site: Site,
    person: Person,
    name: str,
    fields: list[tuple[str, str]],
    once: str | None,
    confirmed: dict[str, str],
    template: str,
) -> str:
    agreed, clock_ok, secrets = confirmed.get("agreed"), "clock_ok" in confirmed, "secrets" in confirmed
    plans = needs_confirmation(name) and agreed is None
    shown: dict[str, Any] = {"actions": [], "notes": [], "offers": [], "secrets": [], "hides": False}

    def show(book: Book, written: Sequence[Written]) -> None:
        shown["actions"] = [_action_values(book, done, plans=plans) for done in written if done.entries]
        shown["notes"] = [_reason_for_no_result(done.pool) for done in written if done.pool is not None]
        shown["hides"] = any(done.pool is not None and not done.pool.sides for done in written)
        if not plans:
            shown["offers"] = [offer for done in written for offer in _offers(book, person, done)]
            acts = {entry.act for done in written for entry in done.entries}
            shown["secrets"] = [secret for act in sorted(acts) for secret in secrets_for(book, person, act)]

    options = WriteOptions(once=None if plans else once, dry=plans, agreed=agreed, clock_ok=clock_ok, secrets=secrets)
    written, note = site.run_command(person, name, body_of(name, _body_from_form(fields)), options, show)
    shown["notes"] += filter(None, [note])
    again = any(done.again for done in written)
    plan = plan_hash(written) if plans and not again else None
    shown |= {"confirmed": {"clock_ok": clock_ok, "secrets": secrets}, "again": again, "plan": plan}
    return render(template, person=person, command=name, body=fields, **shown)


def _reason_for_no_result(pool: Pool) -> str:
    """Explain in a sentence why a plan shows no result: the command rolls dice, or the result reveals a secret."""
    if pool.sides:
        return f"This rolls {pool.in_words()}."
    return "This reveals one of the GM's secrets. You see the result after it is saved."


def _body_from_form(fields: list[tuple[str, str]]) -> dict[str, Any]:
    """Convert form fields to a body. Drop empty fields, but keep those under `inputs`.

    Under `inputs`, an empty field has a meaning: an amendment resets the input to its default.
    """
    return as_body((name, value) for name, value in fields if value != "" or name.startswith("inputs."))


def _action_values(book: Book, done: Written, *, plans: bool) -> dict[str, Any]:
    action = line(book, done.entries)
    same = unchanged_rulings(book, done.entries[0].seq) if plans and isinstance(action.event, Correction) else []
    following = [one.replace(hint=on_the_page(one.hint)) for one in side_effects(book, action)]
    return {"line": action, "following": following, "same": same}


def _offers(book: Book, person: Person, done: Written) -> list[dict[str, Any]]:
    offers: list[dict[str, Any]] = []
    still = {offer.seq: f"{offer.name} {offer.says}" for offer in open_offers(book)}
    for entry in (entry for entry in done.entries if may_answer(book, person, entry.seq)):
        if isinstance(entry.event, QuestionAsked) or entry.seq in still:
            form = _choice_values(book, entry)
            offers.append({**form, "says": still.get(entry.seq, form["asks"])})
    return offers


async def odds_of(request: Request) -> Response:
    """Show the odds of the move that a form would play."""
    site = site_of(request)
    person = await site.person_async(request)
    return HTMLResponse(await run_in_threadpool(_odds, site, person, await fields_of(request)))


def _odds(site: Site, person: Person, sent: list[tuple[str, str]]) -> str:
    return render("odds.html", person=person, **odds_of_move(site, sent))


def odds_of_move(site: Site, sent: list[tuple[str, str]]) -> dict[str, Any]:
    """Return the template values for the odds of the move that a form would play. Raise the errors of `odds`."""
    body = body_of("play", _body_from_form(sent))
    assert isinstance(body, PlayBody)  # noqa: S101  the body of "play"
    system, kind = game_and_move(body.game, body.move)
    with site.campaign.snapshot() as book:
        move = move_from(Names(book, new=True), system, kind, body.inputs)
        counted, name = odds(book, system.name, move), book.name_of(move.who)
    often = sorted(counted.outcomes, key=lambda each: -each.ways)[:MOST_VERDICTS]
    rest = [outcome.ways for outcome in counted.outcomes if outcome not in often]
    shown = [(outcome.says, outcome.ways) for outcome in counted.outcomes if outcome in often]
    shown += [(count_of(len(rest), "other verdict"), sum(rest))] if rest else []
    return {
        "says": f"{name} {system.name} {kind.name()}",
        "good": None if counted.good is None else percent(counted.good, counted.throws),
        "throws": count_of(counted.throws, "roll"),
        "pool": counted.pool.in_words(),
        "outcomes": [{"says": says, "ways": ways, "share": percent(ways, counted.throws)} for says, ways in shown],
        "most": counted.throws,
        "facts": counted.facts_text,
        "chosen": ", ".join(counted.chosen),
    }


ROUTES = [
    Route("/do", moves_page),
    Route("/do/{who}", moves_page),
    Route("/do/{who}/{game}/{move}", move_page),
    Route("/answer/{seq}", answer_page),
    Route("/amend/{seq}", amend_page),
    Route("/say/{command}", submit, methods=["POST"]),
    Route("/odds", odds_of, methods=["POST"]),
]
