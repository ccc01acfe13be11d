"""Who may do what at the page: one row for each route and each command."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from at_page import EVERYBODY, INSIDE

CHECK = {"game": "edge", "move": "check"}
ROLLED = "edge check brak --skill 3 --target 20 --faces 7,6"


class Row(NamedTuple):
    """A command: which players may say it (`own`: of their own characters), its bodies, and what was typed before."""

    players: str
    own: Mapping[str, Any]
    others: Mapping[str, Any] | None = None
    before: tuple[str, ...] = ()


CHOOSING = ("edge check mara --skill 3 --edge --faces 7,3,7", "edge check brak --skill 3 --edge --faces 7,3,7")
SAID: Mapping[str, Row] = {
    "play": Row(
        "own",
        {**CHECK, "inputs": {"who": "mara", "skill": 3, "target": 20}, "faces": [7, 6]},
        {**CHECK, "inputs": {"who": "brak", "skill": 3, "target": 20}, "faces": [7, 6]},
    ),
    "roll": Row("own", {"who": "mara", "pool": "2d6"}, {"who": "brak", "pool": "2d6"}),
    "choose": Row("own", {"entry": 16, "inputs": {"drop": 3}}, {"entry": 19, "inputs": {"drop": 3}}, CHOOSING),
    "undo": Row("all", {"anyway": True}, None, ("note tom", "note ana --by Ana")),
    "redo": Row("all", {}, None, ("note ana --by Ana", "undo --by Ana")),
    "dispute": Row("all", {"entry": 15, "claim": "it was dark"}, None, (ROLLED,)),
    "assert": Row("own", {"who": "mara", "scores": {"edge": 3}}, {"who": "brak", "scores": {"edge": 1}}),
    "note": Row("all", {"text": "the guide"}),
    "adjust": Row("none", {"who": "mara", "scores": {"edge": -1}, "why": "x"}),
    "give": Row(
        "own",
        {"who": "mara", "to": "brak", "scores": {"gold": 20}},
        {"who": "brak", "to": "mara", "scores": {"gold": 2}},
        ("join mara free gold=50", "join brak free gold=5"),
    ),
    "set": Row("none", {"who": "mara", "values": {"care": "no"}, "why": "x"}),
    "settings": Row("none", {"setting": "edge/injuries", "value": "minor,serious", "why": "short"}),
    "calendar": Row("none", {"calendar": 'months = {Frost = 3}\nfirst = {day = 1, month = "Frost", year = 1021}'}),
    "player": Row("none", {"name": "Cleo", "plays": ["sam"]}),
    "join": Row("none", {"who": "sam", "system": "edge", "scores": {"maximum": 3}}),
    "leave": Row("none", {"who": "mara"}),
    "rename": Row("own", {"who": "mara", "name": "Mara O'Malley"}, {"who": "brak", "name": "Brak O'Malley"}),
    "npc": Row("none", {"names": ["bandit"]}),
    "open-session": Row("none", {"title": "Two", "present": ["Ana"]}, None, ("session close",)),
    "present": Row(
        "own", {"players": ["Ana"]}, {"players": ["Ben"]}, ("session close", 'session open "Two" --present Tom')
    ),
    "close-session": Row("none", {}),
    "scene": Row("none", {"title": "At the gate"}),
    "day": Row("none", {"count": 1}),
    "turn": Row("own", {"who": "mara", "pool": "2d6"}, {"who": "brak", "pool": "2d6"}),
    "next-turn": Row("none", {}, None, ("turns add mara 4",)),
    "skip-turn": Row("none", {"who": "mara"}, None, ("turns add mara 4",)),
    "delay-turn": Row("none", {"who": "mara"}, None, ("turns add mara 4", "turns add brak 3", "turns next")),
    "back-turn": Row("none", {}, None, ("turns add mara 4", "turns next")),
    "initiative": Row("none", {"each_round": True}),
    "end-turns": Row("none", {}, None, ("turns add mara 4",)),
    "reveal": Row("none", {"entry": 15}, None, ("edge check mara --skill 3 --seal",)),
    "void": Row("none", {"entry": 15, "why": "x"}, None, (ROLLED,)),
    "amend": Row("none", {"entry": 15, "why": "x", "inputs": {"skill": 4}}, None, (ROLLED,)),
    "rewind": Row("none", {"to": 14, "why": "x"}, None, (ROLLED,)),
    "override": Row("none", {"entry": 15, "verdict": "success", "good": True, "why": "x"}, None, (ROLLED,)),
    "decide": Row(
        "none", {"entry": 17, "choice": "keep", "why": "x"}, None, (ROLLED, "dispute 15 --claim dark --player Ana")
    ),
}

INSIDERS, GMS, OWNERS, ALL = set[str](INSIDE), {"gm"}, {"gm", "player"}, set[str](EVERYBODY)
ASKED: Mapping[tuple[str, str], tuple[str, set[str], Mapping[str, str] | None]] = {
    ("GET", "/"): ("/", INSIDERS, None),
    ("GET", "/mine"): ("/mine", INSIDERS, None),
    ("GET", "/search"): ("/search?words=guide", INSIDERS, None),
    ("GET", "/sheet"): ("/sheet?who=brak", INSIDERS, None),
    ("GET", "/sheet/{who}"): ("/sheet/brak", INSIDERS, None),
    ("GET", "/stream"): ("/stream?after=3", INSIDERS, None),
    ("GET", "/lines"): ("/lines?before=15", INSIDERS, None),
    ("GET", "/entry/{seq}"): ("/entry/15", INSIDERS, None),
    ("GET", "/why/{who}"): ("/why/brak?score=edge", INSIDERS, None),
    ("GET", "/then"): ("/then?at=9", INSIDERS, None),
    ("GET", "/story"): ("/story", INSIDERS, None),
    ("GET", "/story/{last}"): ("/story/15", INSIDERS, None),
    ("GET", "/trust"): ("/trust", INSIDERS, None),
    ("POST", "/audit"): ("/audit", INSIDERS, {}),
    ("GET", "/audit"): ("/audit", INSIDERS, None),
    ("GET", "/manifest.webmanifest"): ("/manifest.webmanifest", INSIDERS, None),
    ("GET", "/worker.js"): ("/worker.js", ALL, None),
    ("GET", "/offline.html"): ("/offline.html", ALL, None),
    ("GET", "/do"): ("/do?who=mara", OWNERS, None),
    ("GET", "/do/{who}"): ("/do/mara", OWNERS, None),
    ("GET", "/do/{who}/{game}/{move}"): ("/do/mara/edge/check", OWNERS, None),
    ("GET", "/tray/dice"): ("/tray/dice?add=d6", INSIDERS, None),
    ("GET", "/tray/undo"): ("/tray/undo", INSIDERS, None),
    ("GET", "/tray/{who}/{game}"): ("/tray/mara/edge", OWNERS, None),
    ("GET", "/tray/{who}/{game}/{move}"): ("/tray/mara/edge/check?ranks=deception", OWNERS, None),
    ("POST", "/tray/odds"): ("/tray/odds", INSIDERS, {"pool": "2d6", "who": "mara"}),
    ("GET", "/answer/{seq}"): ("/answer/16", INSIDERS, None),
    ("GET", "/amend/{seq}"): ("/amend/15", GMS, None),
    ("POST", "/odds"): (
        "/odds",
        INSIDERS,
        {"game": "rollunder", "move": "plain", "inputs.who": "mara", "inputs.characteristic": "cunning"},
    ),
    ("GET", "/certificate"): ("/certificate", ALL, None),
    ("GET", "/gm"): ("/gm", GMS, None),
    ("GET", "/register/{who}"): ("/register/mara?score=edge", INSIDERS, None),
    ("GET", "/luck"): ("/luck", INSIDERS, None),
    ("GET", "/diff"): ("/diff?from=9&to=14", INSIDERS, None),
    ("GET", "/proof/{seq}"): ("/proof/1", INSIDERS, None),
    ("GET", "/record/head"): ("/record/head?from=9", INSIDERS, None),
    ("GET", "/record/entries"): ("/record/entries?at=15&act=15", INSIDERS, None),
    ("GET", "/verify.html"): ("/verify.html", ALL, None),
    ("GET", "/recent"): ("/recent", GMS, None),
    ("POST", "/checkpoint"): ("/checkpoint", GMS, {}),
    ("GET", "/export"): ("/export", GMS, None),
    ("GET", "/desk"): ("/desk", GMS, None),
    ("GET", "/secrets/{seq}"): ("/secrets/15", INSIDERS, None),
    ("GET", "/visits"): ("/visits", GMS, None),
    ("POST", "/invite"): ("/invite", GMS, {"seat": "p2", "uses": "1"}),
    ("POST", "/token"): ("/token", GMS, {"label": "dice-bot", "seat": "p2"}),
    ("POST", "/end"): ("/end", GMS, {"name": "0" * 12}),
    ("GET", "/healthz"): ("/healthz", ALL, None),
    ("GET", "/api/v1/entries"): ("/api/v1/entries", INSIDERS, None),
    ("GET", "/api/v1/sheets"): ("/api/v1/sheets", INSIDERS, None),
    ("GET", "/api/v1/players"): ("/api/v1/players", INSIDERS, None),
    ("GET", "/api/v1/questions"): ("/api/v1/questions", INSIDERS, None),
    ("GET", "/api/v1/status"): ("/api/v1/status", INSIDERS, None),
    ("GET", "/api/v1/luck"): ("/api/v1/luck", INSIDERS, None),
    ("GET", "/api/v1/odds"): ("/api/v1/odds?pool=2d6", INSIDERS, None),
    ("GET", "/api/v1/feed"): ("/api/v1/feed?after=3", INSIDERS, None),
    ("GET", "/api/v1/docs"): ("/api/v1/docs", ALL, None),
    ("GET", "/api/v1/openapi.json"): ("/api/v1/openapi.json", ALL, None),
}
"""For each route an address, who is answered there, and the form that is sent."""

SAID_AND_TOKENS = {
    ("POST", "/say/{command}"),
    ("POST", "/record/signature"),
    ("POST", "/tray/say/{command}"),
    ("POST", "/api/v1/say/{command}"),
    *(("POST", f"/api/v1/say/{command}") for command in SAID),
    ("GET", "/enter/{token}"),
    ("POST", "/enter/{token}"),
}
"""Routes that are asked in tests of their own: by SAID, with invitations, and in test_proofs.py."""
