"""The table's page, to ask: a campaign with everybody who may come in, in this process or on a real port."""

import asyncio
import http.client
import json
import os
import shlex
import shutil
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from typing import Any, NamedTuple
from urllib.parse import urlencode

import pytest
from click.testing import CliRunner
from starlette.types import ASGIApp, Message

from cli.context import Invocation
from cli.main import campaign
from ledger.journal.book import open_book
from ledger.trust.home import Home
from table import EVENING, seeded_dice, seeded_salts
from typed_evenings import OPENING
from web.app import application
from web.bodies import needs_confirmation
from web.campaign import Campaign
from web.connections import Config
from web.guard import RATES, cookie_name
from web.people import Role
from web.serve import Server
from web.sessions import LoginFile, Logins
from web.site import Site

FILE = "road.campaign"
HERE = "127.0.0.1"
COOKIE = "table-8000"
GM, ANA, BEN = "p1", "p2", "p3"
SEATS: Mapping[Role, str] = {"gm": GM, "player": ANA, "spectator": ""}
INSIDE: tuple[Role, ...] = ("gm", "player", "spectator")
OUTSIDE = ("nobody", "expired", "ended", "forged")
EVERYBODY = (*INSIDE, *OUTSIDE)
"""Who asks. Ana is the player; mara is hers, and brak is Ben's."""

UNHURRIED = dict.fromkeys(RATES, (1e9, 1e9))


class Answer(NamedTuple):
    """What was answered."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def told(self) -> Any:
        return json.loads(self.body)


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = EVENING

    def __call__(self) -> datetime:
        return self.now

    def passes(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)


class Place:
    """A campaign at the page; `lines` were typed after its opening."""

    root = ""

    def __init__(self, folder: Path, lines: Sequence[str] = (), opening: str = OPENING) -> None:
        self.folder, self.file = folder, folder / FILE
        self._typed = played(tuple(lines), opening)
        self.put_back()
        self.clock, self.logged = Clock(), list[dict[str, Any]]()
        self.logins = Logins(LoginFile(str(folder / "home"), "road"))
        self.campaign = Campaign(
            str(self.file),
            Home(str(folder / "home")),
            clock=self.clock,
            chance=seeded_dice(),
            salts=seeded_salts(),
        )
        self.site = Site(
            self.campaign,
            self.logins,
            address=lambda: f"http://127.0.0.1:8000{self.root}",
            cookie=COOKIE,
            log=self.log,
            certificate=b"a certificate",
        )
        self.app = application(self.site, (HERE, "localhost"))
        self.server: Server | None = None
        self.secrets = {who: self._secret(who) for who in EVERYBODY}

    def log(self, event: str, **facts: Any) -> None:
        self.logged.append({"event": event, **facts})

    def stops(self) -> None:
        """Stop the server that this is served by."""
        assert self.server is not None
        self.server.should_exit = True

    def put_back(self) -> None:
        """The campaign as it was before anything was said at the page."""
        for path in self.folder.glob("road.*"):
            path.unlink(missing_ok=True)  # SQLite may take away its own
        for name, stored in self._typed.items():
            (self.folder / name).write_bytes(stored)
        (self.folder / "home" / "heads.db").unlink(missing_ok=True)
        shutil.rmtree(self.folder / "home" / "written", ignore_errors=True)

    def _secret(self, who: str) -> str:
        if who in INSIDE:
            return self.comes_in(who)
        if who == "expired":
            return self.logins.use_invitation(self.logins.invite("gm", GM, 0, valid_seconds=9), 0)
        if who == "ended":
            secret = self.comes_in("gm")
            self.logins.end(self.logins.person(secret, self.campaign.now()).visit)
            return secret
        return "" if who == "nobody" else "A" * 43

    def comes_in(self, role: Role, seat: str | None = None) -> str:
        """The secret of a new visit."""
        now = self.campaign.now()
        return self.logins.use_invitation(self.logins.invite(role, SEATS[role] if seat is None else seat, now), now)

    def token(self, role: Role, label: str = "dice-bot") -> str:
        """A new token."""
        seed = f"{label} of {role}".encode().ljust(32, b".")
        return self.logins.make_token(label, role, SEATS[role], self.campaign.now(), seed)

    def head(self) -> int:
        with open_book(str(self.file)) as book:
            return book.head()

    def entries(self) -> list[bytes]:
        """The entries as they are stored."""
        with open_book(str(self.file)) as book:
            return [json.dumps(book.entry(seq).body, sort_keys=True).encode() for seq in range(1, book.head() + 1)]

    def ask(
        self,
        who: str,
        method: str,
        path: str,
        *,
        form: Mapping[str, str] | None = None,
        sent: Any = None,
        headers: Mapping[str, str] | None = None,
        **how: Any,
    ) -> Answer:
        """Ask as one of EVERYBODY, by the cookie; a form and a body are sent by the table's own page."""
        given = {"host": f"{HERE}:8000"}
        if self.secrets[who]:
            given["cookie"] = f"{cookie_name({'scheme': how.get('scheme', 'http')}, COOKIE)}={self.secrets[who]}"
        if method == "POST":
            given["sec-fetch-site"] = "same-origin"
        body = how.pop("body", b"")
        if form is not None:
            given["content-type"] = "application/x-www-form-urlencoded"
            body = urlencode(form).encode()
        elif sent is not None:
            given["content-type"] = "application/json"
            body = json.dumps(sent).encode()
        headers = given | dict(headers or {})
        return ask(self.app, method, path, headers=headers, body=body, **{"root": self.root} | how)

    def say(self, who: str, command: str, body: Mapping[str, Any], **how: Any) -> Answer:
        """Say a command as a program does."""
        return self.ask(who, "POST", f"/api/v1/say/{command}", sent=body, **how)

    def fills_in(self, who: str, command: str, body: Mapping[str, Any], **how: Any) -> Answer:
        """Say a command by a form, and agree to its plan if it shows one."""
        return self.ask(who, "POST", f"/say/{command}", form=self.filled_in(who, command, body), **how)

    def filled_in(self, who: str, command: str, body: Mapping[str, Any]) -> dict[str, str]:
        """The form of a command, with the plan that it showed agreed to."""
        form = as_form(body)
        if needs_confirmation(command):
            shown = self.ask(who, "POST", f"/say/{command}", form=form).text
            _, marked, after = shown.partition('name="agreed" value="')
            return form | {"agreed": after.partition('"')[0]} if marked else form
        return form


def as_form(body: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    """A body as the fields of a form."""
    fields: dict[str, str] = {}
    for name, value in body.items():
        if isinstance(value, Mapping) and not prefix and name == "inputs":
            fields |= as_form(value, "inputs.")
        elif isinstance(value, Mapping):
            fields[prefix + name] = " ".join(f"{key}={each}" for key, each in value.items())
        elif isinstance(value, list):
            fields[prefix + name] = " ".join(map(str, value))
        else:
            fields[prefix + name] = (
                {True: "true", False: "false"}.get(value, str(value)) if isinstance(value, bool) else str(value)
            )
    return fields


@cache
def played(lines: tuple[str, ...], opening: str = OPENING) -> Mapping[str, bytes]:
    """The files of a campaign in which these lines were typed."""
    invocation = Invocation(clock=lambda: EVENING, chance=seeded_dice(), salts=seeded_salts())
    before = Path.cwd()
    with TemporaryDirectory() as made, TemporaryDirectory() as home, pytest.MonkeyPatch.context() as patch:
        patch.setenv("CAMPAIGN_HOME", home)
        os.chdir(made)
        try:
            for words in (*opening.strip().splitlines(), *lines):
                done = CliRunner().invoke(campaign, shlex.split(words), obj=invocation, prog_name="campaign")
                assert done.exit_code == 0, (words, done.output)
            return {path.name: path.read_bytes() for path in Path().glob("road.*")}
        finally:
            os.chdir(before)


def ask(
    app: ASGIApp,
    method: str,
    path: str,
    *,
    headers: Mapping[str, str],
    body: bytes | Sequence[bytes] = b"",
    client: tuple[str, int] | None = (HERE, 50_000),
    server: tuple[str, int] = (HERE, 8000),
    scheme: str = "http",
    until: bytes = b"",
    root: str = "",
) -> Answer:
    """Ask the application as a server would; a stream is left once it brought `until`, or anything.

    `root` is the path of the site's address; `path` is the rest.
    """
    path, _, query = path.partition("?")
    chunks = [body] if isinstance(body, bytes) else list(body)
    given = [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()]
    if isinstance(body, bytes) and body:
        given.append((b"content-length", str(len(body)).encode()))
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": scheme,
        "path": root + path,
        "raw_path": (root + path).encode(),
        "query_string": query.encode(),
        "root_path": root,
        "headers": given,
        "client": client,
        "server": server,
        "state": {},
    }
    start: dict[str, Any] = {}
    got = bytearray()

    async def asked() -> None:
        enough = asyncio.Event()

        async def receive() -> Message:
            if chunks:
                chunk = chunks.pop(0)
                return {"type": "http.request", "body": chunk, "more_body": bool(chunks)}
            await enough.wait()
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
            else:
                got.extend(message.get("body", b""))
                if not message.get("more_body") or (got and until in got):
                    enough.set()

        await asyncio.wait_for(app(scope, receive, send), 60)

    asyncio.run(asked())
    return Answer(start["status"], {name.decode(): value.decode() for name, value in start["headers"]}, bytes(got))


@contextmanager
def served(place: Place, certificate: str | None = None, key: str | None = None, **bounds: Any) -> Iterator[int]:
    """The page on a real port of this computer, as `campaign serve` serves it; yields the port."""
    bound = socket.socket()
    bound.bind((HERE, 0))
    how = {"most": 1000, "ssl_certfile": certificate, "ssl_keyfile": key} | bounds
    config = Config(place.app, place.log, **how)
    server = place.server = Server(config, place.site.end)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    began = monotonic()
    while not server.started and thread.is_alive() and monotonic() - began < 30:
        sleep(0.01)
    try:
        assert server.started
        yield bound.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(30)
        bound.close()
    assert not thread.is_alive()


def call(
    port: int,
    method: str,
    path: str,
    body: bytes | Sequence[bytes] | None = None,
    tls: ssl.SSLContext | None = None,
    **headers: str,
) -> Answer:
    """Ask a real port; a body in pieces is sent without its length. `_` in a header's name stands for a hyphen."""
    line = (
        http.client.HTTPConnection(HERE, port, timeout=30)
        if tls is None
        else http.client.HTTPSConnection(HERE, port, timeout=30, context=tls)
    )
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        line.request(method, path, body if body is None or isinstance(body, bytes) else iter(body), given)
        answer = line.getresponse()
        return Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
    finally:
        line.close()
