"""The interface for programs: its description, its pages of entries, its live feed, and the examples in the docs."""

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from pydantic import BaseModel

from at_page import ANA, HERE, Place, served
from ledger import systems
from paths import ROOT
from web import answers
from web.bodies import BODIES
from web.people import Role
from web.requests import inputs_of

ROLLED = "edge check mara --skill 3 --target 20 --faces 7,6"
PLAYED = (ROLLED, 'note "psst" --only Ana', "session close", "session open Two", 'note "later" --by Ben')
DOC = (ROOT / "docs" / "interface.md").read_text()


def description(place: Place) -> Any:
    return place.ask("nobody", "GET", "/api/v1/openapi.json").told


def test_the_description_has_a_path_and_a_body_for_each_command(place: Place) -> None:
    described = description(place)
    paths, schemas = described["paths"], described["components"]["schemas"]
    assert {path for path in paths if path.startswith("/say/")} == {f"/say/{name}" for name in BODIES}
    for name, body in BODIES.items():
        asked = paths[f"/say/{name}"]["post"]["requestBody"]["content"]["application/json"]["schema"]["$ref"]
        schema = schemas[asked.rpartition("/")[2]]
        fields = {field.alias or key for key, field in body.model_fields.items()}
        assert (schema["additionalProperties"], set(schema["properties"])) == (False, fields), name


def test_the_description_has_the_inputs_of_each_move_of_each_game(place: Place) -> None:
    schemas = description(place)["components"]["schemas"]
    moves = {(game, name): move for game in systems.names() for name, move in systems.find(game).playable().items()}
    played = [each["properties"] for each in schemas["PlayBody"]["anyOf"]]
    assert [(each["game"]["const"], each["move"]["const"]) for each in played] == [*moves]
    for each, move in zip(played, moves.values(), strict=True):
        inputs = schemas[each["inputs"]["$ref"].rpartition("/")[2]]
        assert set(inputs["properties"]) == {field.name for field in inputs_of(move)}
        assert all("--" not in field["description"] for field in inputs["properties"].values())
    assert schemas["edge.check"]["required"] == ["who"]


def test_the_description_says_how_requests_are_refused_and_that_they_need_a_token(place: Place) -> None:
    described = description(place)
    assert described["servers"] == [{"url": "/api/v1"}]
    assert described["security"] == [{"token": []}]
    assert described["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    for methods in described["paths"].values():
        for operation in methods.values():
            answers = operation["responses"]
            assert {"200", "401", "403", "404", "409", "422", "429", "503", "default"} == set(answers)
            assert "application/problem+json" in answers["409"]["content"]


def test_every_reference_in_the_description_leads_somewhere(place: Place) -> None:
    described = description(place)
    named = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(described)))
    assert named - set(described["components"]["schemas"]) == set()
    assert "ActionAnswer" in described["components"]["schemas"]


def test_a_page_shows_the_description_and_loads_nothing_from_elsewhere(place: Place) -> None:
    shown = place.ask("nobody", "GET", "/api/v1/docs")
    assert shown.headers["content-type"].startswith("text/html")
    for path in description(place)["paths"]:
        assert f"/api/v1{path}</code>" in shown.text
    assert re.findall(r'(?:src|href)="(?:[a-z]+:|//)[^"]*"', shown.text) == []
    assert "<script>" not in shown.text
    assert "style=" not in shown.text


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("entries", answers.EntriesAnswer),
        ("sheets", answers.SheetAnswer),
        ("status", answers.StatusAnswer),
        ("luck", answers.LuckAnswer),
        ("odds?pool=2d6", answers.OddsAnswer),
    ],
)
def test_an_answer_has_exactly_the_fields_that_are_described(path: str, kind: type[BaseModel], shm: Path) -> None:
    told = Place(shm, PLAYED).ask("gm", "GET", f"/api/v1/{path}").told
    for each in told if isinstance(told, list) else [told]:
        assert set(each) == set(kind.model_fields)
        kind.model_validate_json(json.dumps(each))


def read(place: Place, who: str, query: str) -> Iterator[Any]:
    """Read all entries, page by page."""
    after: int | None = 0
    while after is not None:
        page = place.ask(who, "GET", f"/api/v1/entries?{query}&after={after}").told
        yield from page["entries"]
        assert page["next"] is None or page["next"] > after
        after = page["next"]


@pytest.mark.parametrize("most", [1, 4, 500])
def test_the_cursor_leads_through_all_entries(most: int, shm: Path) -> None:
    place = Place(shm, PLAYED)
    assert [entry["seq"] for entry in read(place, "player", f"most={most}")] == [*range(1, place.head() + 1)]


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("session=1", [*range(14, 19)]),
        ("session=2", [19, 20]),
        ("session=9", []),
        ("player=Ben", [20]),
        ("who=mara&session=1", [15, 16]),
        ("who=brak&session=1", []),
        ("player=Ben&session=1", []),
    ],
)
def test_entries_are_found_by_session_player_and_character(query: str, wanted: list[int], shm: Path) -> None:
    place = Place(shm, PLAYED)
    for most in (1, 500):
        assert [entry["seq"] for entry in read(place, "player", f"{query}&most={most}")] == wanted


def test_a_filter_reads_only_so_many_entries_at_once(shm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("web.api.MOST_READ", 5)
    place = Place(shm, PLAYED)
    first = place.ask("gm", "GET", "/api/v1/entries?player=Ben").told
    assert (first["entries"], first["next"]) == ([], 5)
    assert [entry["seq"] for entry in read(place, "gm", "player=Ben")] == [20]


@pytest.mark.parametrize("query", ["who=nobody", "player=nobody"])
def test_a_filter_with_an_unknown_name_is_refused(query: str, place: Place) -> None:
    refused = place.ask("gm", "GET", f"/api/v1/entries?{query}")
    assert (refused.status, refused.headers["content-type"]) == (404, "application/problem+json")


def test_sheets_are_those_of_an_earlier_entry(shm: Path) -> None:
    place = Place(shm, ("adjust mara edge=-1 --why x",))
    scores = [
        next(each["scores"]["edge"] for each in place.ask("player", "GET", path).told if each["system"] == "edge")
        for path in ("/api/v1/sheets?who=mara&at=14", "/api/v1/sheets?who=mara")
    ]
    assert scores[0] == scores[1] + 1


@pytest.mark.parametrize(
    ("who", "reads", "secrets"),
    [("player", "psst", ["note for Ana: psst"]), ("gm", "psst", []), ("spectator", None, [])],
)
def test_the_feed_and_the_entries_show_a_reader_what_the_page_shows(
    who: str, reads: str | None, secrets: list[str], shm: Path
) -> None:
    place = Place(shm, PLAYED)
    (note,) = (each for each in read(place, who, "") if each["type"] == "note-kept")
    (event,) = (each for each in events(place, who, 14, "id: 17-") if each["last"] == 17)
    assert [note["text"], event["entries"][0]["text"]] == [reads or note["text"]] * 2
    assert isinstance(note["text"], str) == (reads is not None)
    assert event["secrets"] == secrets
    assert set(event) == set(answers.ActionAnswer.model_fields)


def events(place: Place, who: str, after: int, until: str) -> list[Any]:
    stream = place.ask(who, "GET", f"/api/v1/feed?after={after}", until=until.encode())
    assert stream.headers["content-type"].startswith("text/event-stream")
    return [json.loads(line[6:]) for line in stream.text.splitlines() if line.startswith("data: ")]


def test_an_event_has_the_line_of_the_page_and_the_id_to_resume_from(shm: Path) -> None:
    place = Place(shm, PLAYED)
    stream = place.ask("player", "GET", "/api/v1/feed?after=14", until=b"id: 20-").text
    start, *blocks = stream.strip().split("\n\n")
    assert start == "retry: 500\nid: 14"
    ids = [re.findall(r"^id: (\d+)-[0-9a-f]{12}$", block, re.MULTILINE) for block in blocks]
    assert ids == [["16"], ["17"], ["18"], ["19"], ["20"]]
    told = json.loads(blocks[0].partition("data: ")[2])
    assert told["text"] == "mara check ✗ marginal failure: 16 against 20 (7 + 6 + 3)"
    last = re.findall(r"id: (18-\S+)", stream)[0]
    resumed = place.ask("player", "GET", "/api/v1/feed", headers={"last-event-id": last}, until=b"id: 20-").text
    assert resumed.partition("\n\n")[2] == stream[stream.index("id: 19-") :]


def test_a_feed_after_an_entry_of_another_history_begins_anew(shm: Path) -> None:
    place = Place(shm, PLAYED)
    stream = place.ask("player", "GET", "/api/v1/feed?after=16-000000000000", until=b"reset").text
    assert re.search(r"event: reset\nid: 20-[0-9a-f]{12}\ndata: \{\}\n\n", stream)


@pytest.mark.parametrize("after", ["x", "-1", "9" * 10, "5-xyz"])
def test_a_feed_after_something_else_is_refused(after: str, place: Place) -> None:
    assert place.ask("player", "GET", f"/api/v1/feed?after={after}").status == 422
    assert place.ask("player", "GET", "/api/v1/feed", headers={"last-event-id": after}).status == 422


def test_a_quiet_feed_starts_with_an_id_and_sends_heartbeats(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("web.feed.KEEPALIVE_SECONDS", 0.05)
    stream = place.ask("player", "GET", "/api/v1/feed", until=b"heartbeat").text
    assert re.match(rf"retry: 500\nid: {place.head()}-[0-9a-f]{{12}}\n\nevent: heartbeat\ndata: {{}}\n\n", stream)


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"1", b"{", b'{"text": NaN}', b'"x"', b"\xff", b"[" * 30_000, b'{"text": 1}', b"null"],
    ids=range(10),
)
def test_a_body_that_is_not_the_described_object_is_refused(body: bytes, place: Place) -> None:
    kind = {"content-type": "application/json"}
    refused = place.ask("gm", "POST", "/api/v1/say/note", body=body, headers=kind)
    assert (refused.status, refused.told["type"]) == (422, "urn:campaign-ledger:problem:wrong-field")


def test_a_body_of_another_content_type_is_refused(place: Place) -> None:
    assert place.ask("gm", "POST", "/api/v1/say/note", body=b'{"text": "x"}').status == 422


@pytest.mark.parametrize(
    ("command", "body"),
    [
        ("day", {"count": "1"}),
        ("adjust", {"who": "mara", "scores": {"edge": [1]}, "why": "x"}),
        ("undo", {"count": 1.5}),
    ],
)
def test_a_program_sends_numbers_as_numbers(command: str, body: dict[str, Any], place: Place) -> None:
    assert place.say("gm", command, body).status == 422


@pytest.mark.parametrize("value", [5, False])
def test_an_input_that_takes_names_with_values_takes_no_single_value(value: Any, place: Place) -> None:
    inputs = {"who": "mara", "target": "brak", "energy": 3, "against": value}
    refused = place.say("gm", "play", {"game": "byzantine", "move": "attack", "inputs": inputs})
    says = '“against” must give each name a value, like {"mara": 2}.'
    assert (refused.status, refused.told["detail"]) == (409, says)


@pytest.mark.parametrize("value", [[None], [1.5], [["presence"]]])
def test_an_input_that_takes_a_list_takes_no_other_things_in_it(value: Any, place: Place) -> None:
    inputs = {"who": "mara", "skill": 3, "attributes": value}
    refused = place.say("gm", "play", {"game": "edge", "move": "check", "inputs": inputs})
    assert (refused.status, refused.told["detail"]) == (422, "“attributes” must be text.")


@pytest.mark.parametrize("value", [5, 1.5, True, {}, {"a": 1}, ["mara"], [5], [[]], [{}]])
def test_an_input_of_a_wrong_type_is_refused(value: Any, place: Place) -> None:
    head = place.head()
    for name in ("who", "skill", "attributes", "ranks", "drop", "why", "related"):
        inputs = {"who": "mara", "skill": 3, "target": 20, name: value}
        answer = place.say("gm", "play", {"game": "edge", "move": "check", "inputs": inputs})
        valid = (name, value) in {("skill", 5), ("related", True)} if not isinstance(value, list | dict) else False
        assert (answer.status in {404, 409, 422}) != valid, (name, value, answer.text)
    assert place.head() - head <= 2


def test_a_whole_number_may_have_a_fraction_of_zero(place: Place) -> None:
    kind = {"content-type": "application/json"}
    assert place.ask("gm", "POST", "/api/v1/say/undo", body=b'{"count": 1.0}', headers=kind).status == 200


@pytest.mark.parametrize("query", ["dry=1", "dry=yes", "clock_ok=on"])
def test_a_flag_is_true_or_false(query: str, place: Place) -> None:
    refused = place.ask("gm", "POST", f"/api/v1/say/note?{query}", sent={"text": "x"})
    assert (refused.status, "cannot be used" in refused.told["detail"]) == (422, True)
    assert place.ask("gm", "POST", "/api/v1/say/note?dry=true", sent={"text": "x"}).told["lines"] == ["note: x"]


def test_healthz_says_only_that_the_server_and_the_storage_answer(place: Place) -> None:
    answer = place.ask("nobody", "GET", "/healthz")
    assert (answer.status, answer.told) == (200, {"status": "ok"})
    place.file.unlink()
    answer = place.ask("nobody", "GET", "/healthz")
    assert (answer.status, answer.told) == (503, {"status": "the storage does not answer"})


# The examples


def example(name: str) -> str:
    (code,) = re.findall(rf"<!-- example {name} -->\n```\w+\n(.*?)^```$", DOC, re.MULTILINE | re.DOTALL)
    return str(code)


@contextmanager
def with_token(place: Place, who: Role = "player") -> Iterator[dict[str, str]]:
    """Serve the page, and yield the environment of an example."""
    with served(place) as port:
        yield {**os.environ, "CAMPAIGN_URL": f"http://{HERE}:{port}", "CAMPAIGN_TOKEN": place.token(who)}


def ran(*command: str, env: dict[str, str], typed: str = "") -> str:
    done = subprocess.run(command, env=env, input=typed, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def newest(place: Place) -> Any:
    return json.loads(place.entries()[-1])


def test_the_example_for_curl(place: Place) -> None:
    with with_token(place) as env:
        out = ran("bash", "-c", example("curl"), env=env)
    assert '"system": "edge"' in out
    assert (newest(place)["text"], newest(place)["by"]) == ("The bridge is out.", ANA)


def test_the_example_in_python(place: Place) -> None:
    with with_token(place) as env:
        out = ran(sys.executable, "-c", example("python"), env=env)
    assert "character-joined" in out
    assert re.search(r"^mara .*2d6", out.splitlines()[-1])
    assert newest(place)["type"] == "dice-counted"


FOUNDRY = """
class Roll {
  constructor(pool) { this.pool = pool; }
  async evaluate() { return { dice: [{ results: [{ result: 2 }, { result: 5 }] }] }; }
}
const ui = { notifications: { info: (text) => console.log(text) } };
(async () => { %s })();
"""


def test_the_example_for_foundry(place: Place) -> None:
    with with_token(place) as env:
        macro = example("foundry")
        for name in ("CAMPAIGN_URL", "CAMPAIGN_TOKEN"):
            macro = macro.replace(f'"{name}"', json.dumps(env[name]))
        out = ran("node", "-e", FOUNDRY % macro, env=env)
    assert re.search("mara .*7", out)
    assert newest(place)["total"] == 7


def test_the_example_for_a_bluetooth_die(place: Place, tmp_path: Path) -> None:
    script = tmp_path / "die.py"
    script.write_text(example("die"))
    with with_token(place) as env:
        out = ran(sys.executable, str(script), "mara", "2d6", env=env, typed="3 4\n9 9\n").splitlines()
    assert (newest(place)["total"], len(out)) == (7, 2)
    assert out[1].startswith("Refused: ")


class Discord(BaseHTTPRequestHandler):
    """A stand-in for a webhook of Discord, which keeps what is posted."""

    posted: list[Any]

    def do_POST(self) -> None:
        self.posted.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *args: Any) -> None:
        pass


def waits(for_what: Any) -> None:
    began = monotonic()
    while not for_what():
        assert monotonic() - began < 30
        sleep(0.05)


def test_the_example_of_a_relay_posts_each_roll_and_resumes(place: Place) -> None:
    posted = Discord.posted = []
    hook = HTTPServer((HERE, 0), Discord)
    threading.Thread(target=hook.serve_forever, daemon=True).start()
    relay: subprocess.Popen[bytes] | None = None
    try:
        with with_token(place, "spectator") as env:
            env |= {"WEBHOOK_URL": f"http://{HERE}:{hook.server_port}/hook"}
            relay = subprocess.Popen([sys.executable, "-c", example("relay")], env=env)
            waits(place.site.feed.visits_with_page_open)
            place.say("gm", "note", {"text": "no roll"})
            place.say("player", "roll", {"who": "mara", "pool": "2d6", "faces": [3, 4]})
            waits(lambda: posted)
            place.site.feed.end_streams(*place.site.feed.visits_with_page_open())
            place.say("player", "roll", {"who": "mara", "pool": "2d6", "faces": [6, 6]})
            waits(lambda: len(posted) == 2)
    finally:
        if relay is not None:
            relay.kill()
            relay.wait()
        hook.shutdown()
        hook.server_close()
    assert [("7" in posted[0]["content"]), ("12" in posted[1]["content"])] == [True, True]


def test_the_example_of_a_bot_rolls_for_each_user_once_for_each_message(place: Place) -> None:
    with with_token(place) as env:
        asked = [("ana", 1, "!roll mara 2d6")] * 2 + [("ana", 2, "!roll brak 2d6"), ("eve", 3, "!roll mara 2d6")]
        calls = f"print(json.dumps([answer_to(*each) for each in {asked}]))"
        tokens = json.dumps({"ana": env["CAMPAIGN_TOKEN"]})
        out = ran(sys.executable, "-c", example("bot") + calls, env=env | {"TOKENS": tokens})
    first, again, others, stranger = json.loads(out)
    assert first == again
    assert (others, stranger) == ("You do not play brak.", "The GM has not given you a token yet.")
    assert sum(json.loads(entry)["type"] == "dice-counted" for entry in place.entries()) == 1
