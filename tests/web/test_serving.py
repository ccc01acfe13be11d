"""Serving: what the terminal says, what is refused in one sentence, the log, and the files that come with the page."""

import http.client
import json
import logging
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from cryptography import x509

from at_page import ANA, Place, call
from certificate import certificate
from ledger.journal.book import open_book
from own_key import key_at_home
from paths import ROOT
from terminal import Type, command, heed_interrupts
from web.certificate import CERTIFICATE_FILE as CERTIFICATE
from web.connections import Config
from web.serve import RESERVED_FOR_FILES, log_to, own_address
from web.site import login_cookie_name

if TYPE_CHECKING:
    from postgres_server import Server as PostgresServer

PAGE = ROOT / "web"
VENDOR = PAGE / "static" / "vendor"


@contextmanager
def serving(file: Path | str, *words: str, before: str = "") -> Iterator[tuple[subprocess.Popen[str], int, str]]:
    """`campaign serve` in a process of its own: it, its port, and the GM's link."""
    process = subprocess.Popen(
        ["sh", "-c", f'{before} exec "$@"', "sh", *command(file, "serve", "--port", "0", *words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        preexec_fn=heed_interrupts,  # noqa: PLW1509  no thread runs here
    )
    try:
        assert process.stdout is not None
        opened, link = process.stdout.readline(), process.stdout.readline()
        yield process, int(re.findall(r":(\d+)", opened)[0]), link.rpartition(" ")[2].strip()
    finally:
        process.kill()
        process.communicate()


def test_the_terminal_shows_the_gms_link_and_ctrl_c_closes_the_table(file: Path, tmp_path: Path) -> None:
    with serving(file, "--log", str(tmp_path / "log")) as (process, port, link):
        path = link.partition(str(port))[2]
        assert link.startswith(f"http://127.0.0.1:{port}/enter/")
        assert call(port, "GET", path).status == 200
        done = call(port, "POST", path, Origin=f"http://127.0.0.1:{port}")
        cookie = done.headers["set-cookie"].partition(";")[0]
        with open_book(str(file)) as book:
            assert cookie.startswith(f"{login_cookie_name(book)}=")
        assert call(port, "GET", "/gm", Cookie=cookie).status == 200
        assert call(port, "POST", path, Origin=f"http://127.0.0.1:{port}").status == 401
        process.send_signal(signal.SIGINT)
        told, complained = process.communicate(timeout=30)
        assert (process.returncode, told, complained) == (0, "The page is closed.\n", "")
    logged = (tmp_path / "log").read_text()
    assert path.rpartition("/")[2] not in logged
    assert [json.loads(line)["event"] for line in logged.splitlines()].count("entered") == 1


def test_two_campaigns_of_one_gm_at_one_address_keep_their_phones(folder: Path, type_in: Type) -> None:
    phone: dict[str, str] = {}

    def looks(port: int) -> int:
        return call(port, "GET", "/api/v1/status", Cookie="; ".join(f"{name}={phone[name]}" for name in phone)).status

    for name in ("alpha", "beta"):
        type_in(f'-f {name}.campaign init "{name.title()}" --gm Tom')
        with serving(folder / f"{name}.campaign") as (_, port, link):
            came_in = call(port, "POST", link.partition(str(port))[2], Origin=f"http://127.0.0.1:{port}")
            cookie, _, secret = came_in.headers["set-cookie"].partition(";")[0].partition("=")
            phone[cookie] = secret
            assert looks(port) == 200
    assert len(phone) == 2
    for name in ("alpha", "beta"):
        with serving(folder / f"{name}.campaign") as (_, port, _):
            assert looks(port) == 200


NGINX = """
daemon off; pid {folder}/pid; error_log {folder}/error.log; worker_processes 1;
events {{ worker_connections 64; }}
http {{
  access_log off;
  {temporary}
  server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass http://127.0.0.1:{to}; proxy_set_header Host $http_host; }} }}
}}
"""


@contextmanager
def behind_nginx(folder: Path, to: int) -> Iterator[int]:
    """Run a real nginx with only a proxy address configured; yield its port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary = " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder, port=port, to=to, temporary=temporary))
    process = subprocess.Popen(
        ["nginx", "-e", str(folder / "error.log"), "-c", str(folder / "nginx.conf")], stderr=subprocess.DEVNULL
    )
    try:
        for _ in range(200):
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            sleep(0.05)
        yield port
    finally:
        process.terminate()
        process.wait(10)


@pytest.mark.slow
def test_an_nginx_with_default_settings_passes_the_stream_on_at_once(file: Path, tmp_path: Path) -> None:
    with serving(file) as (_, port, link), behind_nginx(tmp_path, port) as outside:
        origin = f"http://127.0.0.1:{port}"
        cookie = call(port, "POST", link.partition(str(port))[2], Origin=origin).headers["set-cookie"].partition(";")[0]
        line = http.client.HTTPConnection("127.0.0.1", outside, timeout=10)
        line.request("GET", "/stream", headers={"Cookie": cookie})
        answer = line.getresponse()
        said = {"Cookie": cookie, "Origin": origin, "Content-Type": "application/json"}
        assert call(port, "POST", "/api/v1/say/note", b'{"text": "the guide"}', None, **said).status == 200
        got = b""
        while b"the guide" not in got:
            got += answer.read1()  # a buffering proxy sends nothing for 10 seconds
        line.close()


@pytest.mark.parametrize("key", [True, False], ids=["the key is here", "the key is elsewhere"])
def test_a_session_that_is_closed_at_the_page_signs_its_head(folder: Path, type_in: Type, key: bool) -> None:
    type_in('-f own.campaign init "The salt road" --gm Tom')
    type_in("-f own.campaign session open One")
    if not key:
        key_at_home("own.campaign").rename(folder / "elsewhere")
    with serving(folder / "own.campaign") as (_, port, link):
        origin = f"http://127.0.0.1:{port}"
        came_in = call(port, "POST", link.partition(str(port))[2], Origin=origin)
        cookie = came_in.headers["set-cookie"].partition(";")[0]
        closed = call(port, "POST", "/say/close-session", Cookie=cookie, Origin=origin).text
        trusted = call(port, "GET", "/trust", Cookie=cookie).text
    assert ("The checkpoint is signed. Everybody can save it from the Trust page." in closed) == key
    assert (
        "The checkpoint is not signed. The key is not on this computer. Run &#39;campaign key export" in closed
    ) != key
    assert ("The last checkpoint" in trusted) == key
    assert ("This server does not have the key of this campaign" in trusted) != key


def test_a_phone_that_loses_one_server_of_a_database_goes_on_with_another(
    postgres: "PostgresServer", folder: Path, type_in: Type
) -> None:
    address = postgres.address(str(uuid4()))
    assert type_in(["-f", address, "init", "The salt road"]).exit_code == 0
    with serving(address) as (first, port, link), serving(address) as (_, other, _):
        came_in = call(port, "POST", link.partition(str(port))[2], Origin=f"http://127.0.0.1:{port}")
        cookie = came_in.headers["set-cookie"].partition(";")[0]
        note, text = "/api/v1/say/note", b'{"text": "the guide"}'

        def say(to: int) -> int:
            said = {"Cookie": cookie, "Origin": f"http://127.0.0.1:{to}", "Content-Type": "application/json"}
            return call(to, "POST", note, text, None, **said, **{"Idempotency-Key": "a"}).status

        assert say(port) == 200
        first.kill()
        first.wait()
        assert say(other) == 200  # the phone has no answer, so it sends the note again
        assert call(other, "GET", "/gm", Cookie=cookie).status == 200
    with open_book(address) as book:
        assert [entry.type for entry in book.journal.entries()].count("note-written") == 1


def test_a_certificate_makes_it_https(file: Path, tmp_path: Path) -> None:
    pem, key = certificate(tmp_path)
    with serving(file, "--tls-cert", pem, "--tls-key", key) as (process, port, link):
        assert link.startswith("https://")
        tls = ssl.create_default_context(cafile=pem)
        assert call(port, "GET", link.partition(str(port))[2], tls=tls).status == 200
        assert process.poll() is None


def test_a_phone_that_trusts_it_connects_by_each_name_and_no_other(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAMPAIGN_HOME", str(tmp_path / "home"))
    with serving(file, "--lan", "--tls", "--name", "table.local") as (_, port, link):
        trusts = ssl.create_default_context(cafile=str(tmp_path / "home" / CERTIFICATE))
        for name in ("127.0.0.1", "localhost", "table.local", own_address(), socket.gethostname().lower()):
            with (
                socket.create_connection(("127.0.0.1", port), 9) as line,
                trusts.wrap_socket(line, server_hostname=name) as over,
            ):
                assert over.version() == "TLSv1.3"
        with socket.create_connection(("127.0.0.1", port), 9) as line, pytest.raises(ssl.SSLCertVerificationError):
            trusts.wrap_socket(line, server_hostname="bank.example")
        with socket.create_connection(("127.0.0.1", port), 9) as line, pytest.raises(ssl.SSLCertVerificationError):
            ssl.create_default_context().wrap_socket(line, server_hostname="127.0.0.1")
        got = call(port, "GET", "/certificate", tls=trusts)
        came_in = call(port, "POST", urlsplit(link).path, tls=trusts, Origin=f"https://127.0.0.1:{port}")
        assert came_in.headers["set-cookie"].startswith("__Host-table-")
    dates = x509.load_der_x509_certificate(got.body)
    assert dates.not_valid_before_utc < datetime.now(UTC) < dates.not_valid_after_utc - timedelta(days=360)
    assert got.body == ssl.PEM_cert_to_DER_cert(
        (tmp_path / "home" / CERTIFICATE).read_text().partition("-----BEGIN P")[0]
    )
    assert got.headers["content-type"] == "application/x-x509-ca-cert"


def test_behind_a_proxy_the_gm_plays_over_tls_alone_and_the_client_is_the_one_that_the_proxy_saw(
    file: Path, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    passed_on = {"Host": "table.example.org", "X-Forwarded-For": "127.0.0.1, 203.0.113.5"}
    tls = passed_on | {"X-Forwarded-Proto": "https"}
    with serving(file, "--behind", "https://table.example.org", "--log", str(log)) as (_, port, link):
        path = link.removeprefix("https://table.example.org")

        def enters(headers: Mapping[str, str], host: str) -> int:
            own = {"Origin": host, **headers}
            return call(port, "POST", path, None, None, **own).status

        assert enters({}, f"http://127.0.0.1:{port}") == 403, "a proxy that says nothing may be anybody"
        assert enters(passed_on, "http://table.example.org") == 403
        assert enters(passed_on | {"X-Forwarded-Proto": "http"}, "http://table.example.org") == 403
        assert enters(tls | {"Host": "evil.example"}, "https://evil.example") == 421
        assert enters(tls, "https://table.example.org") == 303
    clients = {json.loads(line).get("client") for line in log.read_text().splitlines()} - {None}
    assert clients == {"127.0.0.1", "203.0.113.5"}


@pytest.fixture
def _not_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("web.serve.Server.run", lambda server, sockets: None)


@pytest.mark.usefixtures("folder", "_not_waiting")
def test_on_the_local_network_it_says_what_others_can_do_there(type_in: Type, tmp_path: Path) -> None:
    shown = type_in("serve --lan --port 0").stdout
    assert f"http://{own_address()}:" in shown
    assert "Anybody on the same Wi-Fi can watch, and can act as a player." in shown.replace("\n", " ")
    certificate(tmp_path, both="both.pem")
    safe = type_in(f"serve --lan --port 0 --tls-cert {tmp_path / 'both.pem'}").stdout
    assert "Wi-Fi" not in safe
    assert "https://" in safe
    named = type_in(f"serve --lan --port 0 --name Table.local --tls-cert {tmp_path / 'both.pem'}").stdout
    assert len(re.findall(r"https://table\.local:\d+", named)) == 2
    behind = type_in("serve --port 0 --behind https://table.example.org/").stdout
    assert "The page is open at https://table.example.org. Proxy target: 127.0.0.1:" in behind
    assert "once): https://table.example.org/enter/" in behind


@pytest.mark.usefixtures("folder", "_not_waiting")
def test_the_terminal_says_how_to_trust_it_and_its_fingerprint(
    type_in: Type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAMPAIGN_HOME", str(tmp_path / "home"))
    said = type_in("serve --lan --tls --port 0").stdout
    digest = sha256(
        ssl.PEM_cert_to_DER_cert((tmp_path / "home" / CERTIFICATE).read_text().partition("-----BEGIN P")[0])
    )
    assert f"SHA-256 {digest.digest().hex(':').upper()}" in said
    words = " ".join(said.split())
    assert f"open https://{own_address()}:" in words
    assert "On an iPhone, install the profile" in words
    assert "On Android, install the certificate" in words
    assert "Wi-Fi" not in words
    again = type_in("serve --tls --port 0").stdout
    assert again.splitlines()[-2] == said.splitlines()[-2], "the same certificate"


@pytest.mark.parametrize("lan", [False, True], ids=["this computer alone", "the local network"])
def test_without_lan_no_other_address_and_no_other_name_of_this_computer_is_served(file: Path, lan: bool) -> None:
    own, other = socket.gethostname().lower(), "127.0.0.2"  # not the address that is bound without --lan
    with serving(file, *(("--lan",) if lan else ())) as (_, port, _):
        for name in (own, f"{own.partition('.')[0]}.local"):
            assert call(port, "GET", "/", Host=f"{name}:{port}").status == (401 if lan else 421)
        with socket.socket() as line:
            assert (line.connect_ex((other, port)) == 0) == lan


@pytest.mark.usefixtures("folder")
def test_the_server_bounds_connections_by_the_descriptors_that_it_has(
    type_in: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    configs: list[Config] = []
    monkeypatch.setattr("web.serve.Server.run", lambda server, sockets: configs.append(server.config))
    for descriptors in (1000, 300):
        monkeypatch.setattr("web.serve._raise_descriptor_limit", lambda descriptors=descriptors: descriptors)
        type_in("serve --port 0")
    assert [config.most for config in configs] == [1000 - RESERVED_FOR_FILES, RESERVED_FOR_FILES]
    limits = {(each.most_per_address, each.timeout_seconds, each.timeout_keep_alive) for each in configs}
    assert limits == {(100, 15, 30)}
    assert {config.limit_concurrency for config in configs} == {None}, "its 503 has none of our headers"


def test_more_connections_than_the_system_has_descriptors_for_keep_nobody_out_once_they_are_gone(
    file: Path, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    with serving(file, "--log", str(log), before="ulimit -n 400;") as (process, port, _), ExitStack() as opened:
        process.send_signal(signal.SIGSTOP)  # so that all wait at once
        lines = [opened.enter_context(socket.create_connection(("127.0.0.1", port), 5)) for _ in range(600)]
        process.send_signal(signal.SIGCONT)
        for line in lines[RESERVED_FOR_FILES:]:
            with suppress(ConnectionResetError):
                assert line.recv(1) == b""
        opened.close()
        assert call(port, "GET", "/").status == 401
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=30)[1] == ""
    assert [json.loads(line)["event"] for line in log.read_text().splitlines()] == ["full", "request"]


REFUSED = (
    ("--tls-key key.pem", 2, "--tls-key needs --tls-cert."),
    ("--tls-cert none.pem", 2, "none.pem cannot be read: No such file or directory."),
    ("--tls-cert table.pem --tls-key none.pem", 2, "table.pem or none.pem cannot be read: No such file or directory."),
    ("--tls-cert table.pem", 2, "table.pem is not a certificate, or its key is missing."),
    ("--tls-cert locked.pem", 2, "locked.pem is not a certificate, or its key is missing."),
    ("--tls-cert road.campaign", 2, "road.campaign is not a certificate, or its key is missing."),
    ("--behind table.example.org", 2, "'table.example.org' is not the address of a proxy."),
    ("--behind https://", 2, "'https://' is not the address of a proxy."),
    ("--behind http://[::1", 2, "'http://[::1' is not the address of a proxy."),
    ("--behind http://table.example.org", 2, "'http://table.example.org' is not the address of a proxy."),
    ("--behind https://table.example.org/games/..", 2, "is not the address of a proxy."),
    ("--behind https://ana:key@table.example.org", 2, "An address must not contain a password"),
    ("--behind https://table.example.org:99999", 2, "is not the address of a proxy."),
    (
        "--behind https://table.example.org --lan",
        2,
        "--behind cannot be combined with --lan, --name, --tls or --tls-cert",
    ),
    (
        "--behind https://table.example.org --tls-cert table.pem",
        2,
        "--behind cannot be combined with --lan, --name, --tls or --tls-cert",
    ),
    (
        "--behind https://table.example.org --tls",
        2,
        "--behind cannot be combined with --lan, --name, --tls or --tls-cert",
    ),
    ("--tls --tls-cert table.pem", 2, "--tls cannot be combined with --tls-cert."),
    ("--log certificate.pem", 2, "certificate.pem is one of the campaign's own files."),
    ("--name table.local", 2, "--name needs --lan."),
    ("--lan --name http://table", 2, "'http://table' is not the name of a computer."),
    ("--log road.campaign", 2, "road.campaign is one of the campaign's own files."),
    ("--log ./road.campaign-wal", 2, "./road.campaign-wal is one of the campaign's own files."),
    ("--log road.campaign-shm", 2, "road.campaign-shm is one of the campaign's own files."),
    ("--log road.key", 2, "road.key is one of the campaign's own files."),
    ("--log road.key.ab12", 2, "road.key.ab12 is one of the campaign's own files."),
    ("--log keys/own.key", 2, "keys/own.key is one of the campaign's own files."),
    ("--log linked", 2, "linked is one of the campaign's own files."),
    ("--log hard", 2, "hard is one of the campaign's own files."),
    ("--log none/log", 2, "none/log cannot be written: No such file or directory."),
    ("--port 65536", 2, ""),
    ("-f none.campaign", 5, "There is no campaign at"),
    ("-f table.pem", 5, ""),
)


@pytest.mark.usefixtures("_not_waiting")
@pytest.mark.parametrize(("words", "code", "sentence"), REFUSED, ids=[each[0] for each in REFUSED])
def test_what_cannot_be_served_is_refused_in_one_sentence(
    folder: Path, type_in: Type, monkeypatch: pytest.MonkeyPatch, words: str, code: int, sentence: str
) -> None:
    certificate(folder)
    certificate(folder, both="locked.pem", password=b"secret")
    (folder / "linked").symlink_to("road.campaign")
    (folder / "hard").hardlink_to(folder / "road.campaign")
    (folder / "road.key.ab12").touch()
    monkeypatch.setenv("CAMPAIGN_HOME", str(folder))
    line = (
        f"{words} serve --port 0"
        if words.startswith("-f")
        else f"serve --port 0 {words}"
        if "--port" not in words
        else f"serve {words}"
    )
    done = type_in(line)
    assert done.exit_code == code, done.output
    assert sentence in done.stderr.replace("\n", " ")
    assert done.stderr.count("Error: ") == 1
    assert done.stdout == ""


@pytest.mark.usefixtures("folder", "_not_waiting")
def test_a_taken_port_is_refused(type_in: Type) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = type_in(f"serve --port {port}")
    assert done.exit_code == 3
    assert (
        done.stderr
        == f"Error: Port {port} cannot be used: Address already in use.\nHint: Choose another port with --port N.\n"
    )
    assert done.stdout == ""


@pytest.mark.parametrize("name", ["fastapi", "uvicorn", "jinja2", "segno"])
def test_without_the_extra_it_says_what_to_install(file: Path, name: str) -> None:
    program = f"import sys; sys.modules[{name!r}] = None; sys.argv = ['campaign', '-f', {str(file)!r}, 'serve']; from cli.__main__ import main; main()"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(f"Error: The page needs {name}")
    assert re.search(r"-m pip install '?\S*\[all\]'?$", done.stderr)


def test_the_log_has_routes_and_no_secret_token_or_typed_word(place: Place) -> None:
    token = place.logins.invite("player", ANA, place.campaign.now())
    place.ask("nobody", "GET", f"/enter/{token}")
    place.ask("nobody", "POST", f"/enter/{token}")
    place.ask("gm", "POST", "/invite", form={"seat": ANA, "uses": "1"})
    place.ask("gm", "POST", "/end", form={"name": place.logins.invitations(place.campaign.now())[0].name})
    place.say("player", "note", {"text": "quicksilver"}, headers={"idempotency-key": "quicksilver"})
    place.fills_in("gm", "note", {"text": "quicksilver", "secret": True})
    place.say("gm", "quicksilver", {})
    place.ask("player", "GET", "/sheet/quicksilver")
    place.ask("player", "GET", "/why/mara?score=quicksilver")
    place.ask("player", "GET", "/quicksilver", headers={"user-agent": "quicksilver", "referer": "quicksilver"})
    place.ask("player", "GET", "/static/quicksilver.js")
    place.ask("player", "GET", "/", headers={"host": "quicksilver"})
    logged = [json.dumps(line) for line in place.logged]
    secrets = [token, *filter(None, place.secrets.values()), "quicksilver", "mara"]
    assert [line for line in logged if any(secret in line for secret in secrets)] == []
    routes = {(line["method"], line["route"]) for line in place.logged if line["event"] == "request"}
    assert {
        ("GET", "/enter/{token}"),
        ("POST", "/say/{command}"),
        ("GET", "/sheet/{who}"),
        ("POST", "/api/v1/say/{command}"),
    } <= routes
    assert {line["event"] for line in place.logged} == {"request", "entered", "invited", "ended", "said"}
    assert all({"status", "milliseconds", "client"} <= set(line) for line in place.logged if line["event"] == "request")


@pytest.mark.parametrize("folder", [VENDOR, ROOT / "ledger" / "archive" / "browser"], ids=["web", "archive"])
def test_each_vendored_file_is_in_the_manifest_with_its_hash_and_licence(folder: Path) -> None:
    listed = [line.split("\t") for line in (folder / "MANIFEST").read_text(encoding="utf-8").splitlines()]
    for digest, name, version, licence, file in listed:
        assert sha256((folder / file).read_bytes()).hexdigest() == digest, file
        assert version in file
        assert name
        assert len((folder / licence).read_text(encoding="utf-8")) > 300
    there = {path.name for path in folder.iterdir() if re.search(r"LICENSE|\d\.\d", path.name)}
    assert there == {row[4] for row in listed} | {row[3] for row in listed}


def test_nothing_that_the_page_has_comes_from_elsewhere() -> None:
    files = [
        path
        for folder in ("templates", "static")
        for path in sorted((PAGE / folder).rglob("*"))
        if path.is_file() and path.suffix not in {".png", ".svg"}
    ]
    assert len(files) > 20
    loads = re.compile(r"""(?:src|href|action|url|import|fetch|hx-\w+)\s*[=(:]?\s*\(?["'`]?\s*(?:https?:)?//\w""")
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert loads.findall(text) == [], path
        if path.parent != VENDOR:
            assert "//" not in re.sub(r"^ *// .*|; // .*", "", text, flags=re.MULTILINE), path


def test_a_log_that_cannot_be_written_stops_nothing() -> None:
    with log_to("/dev/full") as log:
        log("said", command="note")
    log("said", command="note")  # closed by now


def test_a_flood_from_one_address_does_not_fill_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("web.guard.RATES", {"log": (0.001, 3)})
    with log_to(str(tmp_path / "log")) as log:
        for _ in range(99):
            log("malformed", client="192.168.1.9")
        log("request", client="192.168.1.8", status=200)
        log("ended", visit="a")
        monkeypatch.setattr("web.guard.RATES", {"log": (1e9, 3)})
        log("request", client="192.168.1.9", status=401)
    logged = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert [line["event"] for line in logged] == ["malformed"] * 3 + ["request", "ended", "request"]
    assert [line.get("left_out") for line in logged] == [None] * 5 + [96]


@pytest.mark.parametrize(
    ("sent", "events"),
    [
        (b"quicksilver\r\n\r\n", ["malformed"]),
        (b"GET / HTTP/1.1\r\nHost: quicksilver\r\nHost: quicksilver\r\n\r\n", ["malformed"]),
        (
            b"GET / HTTP/1.1\r\nHost: quicksilver\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
            ["request"],
        ),
    ],
)
def test_an_invalid_request_is_logged_with_its_sender_but_without_its_content(
    file: Path, sent: bytes, events: list[str]
) -> None:
    with serving(file) as (process, port, _):
        with socket.create_connection(("127.0.0.1", port)) as line:
            line.sendall(sent)
            assert line.recv(99).startswith(b"HTTP/1.1 4")
        process.send_signal(signal.SIGINT)
        _, complained = process.communicate(timeout=30)
    logged = [json.loads(line) for line in complained.splitlines()]
    assert [line["event"] for line in logged] == events
    assert logged[0]["client"] == "127.0.0.1"
    assert "quicksilver" not in complained


def test_warnings_of_the_frameworks_are_logged_without_request_content(tmp_path: Path) -> None:
    with log_to(str(tmp_path / "log")):
        logging.getLogger("uvicorn.error").warning("quicksilver")
    (logged,) = map(json.loads, (tmp_path / "log").read_text().splitlines())
    assert (logged["event"], logged["error"]) == ("unforeseen", "uvicorn.error")
    assert re.fullmatch(r".*\.py:\d+", logged["at"])


@pytest.mark.parametrize("name", ["asyncio", "uvicorn.error"])
def test_an_error_that_the_frameworks_tell_of_is_logged_by_its_kind_and_line(tmp_path: Path, name: str) -> None:
    try:
        raise ValueError("quicksilver")
    except ValueError as error:
        with log_to(str(tmp_path / "log")):
            logging.getLogger(name).error("quicksilver %s", "mara", exc_info=error)
        logging.getLogger(name).error("later")
    (logged,) = map(json.loads, (tmp_path / "log").read_text().splitlines())
    assert {key: logged[key] for key in ("event", "error")} == {"event": "unforeseen", "error": "ValueError"}
    assert logged["at"].startswith(f"{__file__}:")
