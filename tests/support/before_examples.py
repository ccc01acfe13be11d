"""Before examples: what was typed before the examples of the help, so that they run."""

from collections.abc import Mapping

from table import SHEETS

JOINED = (
    *(
        f"join {who} {game} {' '.join(f'{name}={value}' for name, value in scores.items())}"
        for game, scores in SHEETS.items()
        for who in ("mara", "brak")
    ),
    *(
        f"adjust mara rollunder/characteristic.{name}=+8 --why sheet"
        for name in ("agility", "wits", "strength", "luck")
    ),
    "adjust mara rollunder/skill.stealth=+2 byzantine/ability.climbing=+4 byzantine/output.workshop=-1 --why sheet",
    "set mara rollunder/on.stealth=cunning multicheck/on.deception=cunning edge/on.deception=cunning,presence --why sheet",
    "set mara edge/weapon.pistol=2d6+4,skill=deception --why sheet",
    "set brak edge/armor.vest=15/30 --why sheet",
    "set mara free/roll.stealth=d20+dex+2 free/refill=hp --why sheet",
    "set brak free/refill=hp --why sheet",
)
"""A sheet in every game for the two whom the examples of the games are about."""

DUEL = ("byzantine contest duel --acting mara --against brak --kind attack",)
KEYED = ("key rotate",)

BEFORE: Mapping[str, tuple[str, ...]] = {
    "session present": ("player Ben", "player Cleo"),
    "byzantine alter": ("day next", "adjust mara byzantine/energy=+30 --why x"),
    "byzantine cancel": ("byzantine invest mara 10 --project election",),
    "byzantine commit": DUEL,
    "byzantine dawn": ("day next", "join sam byzantine energy=1"),
    "byzantine found": ("byzantine go mara old-market --energy 1",),
    "byzantine kill": ("adjust mara byzantine/energy=+40 --why x", "adjust brak byzantine/energy=-39 --why x"),
    "byzantine know": ("byzantine task climb --costs 12",),
    "byzantine reclaim": ("byzantine lend mara prison-food --output 2 --why x",),
    "byzantine resolve": (*DUEL, "byzantine commit mara duel --energy 3", "byzantine commit brak duel --energy 1"),
    "byzantine restore": ("byzantine withhold mara workshop --why x",),
    "checkpoint": KEYED,
    "compare": KEYED,
    "edge award": ("adjust mara edge/edge=-1 --why x",),
    "edge heal": ("adjust brak edge/damage.physical=+9 edge/damage.stun=+9 --why x",),
    "edge lessen": ("edge injure mara serious --why x",),
    "edge soak": ("edge damage mara pistol --to brak --faces 6,6",),
    "give": ("join mara free gold=50", "join brak free gold=5 arrows=9", "join party free gold=90"),
    "host end": ("host create salt-road 'The salt road'",),
    "host invite": ("host create salt-road 'The salt road'", "host create deep-mine 'The deep mine'"),
    "host export": ("host create salt-road 'The salt road'",),
    "host limit": ("host create salt-road 'The salt road'",),
    "host move": ("host create salt-road 'The salt road'",),
    "import": ("export road-export",),
    "key import": (*KEYED, "key export road.key"),
    "key": KEYED,
    "multicheck throw": ("multicheck test mara cunning --difficulty 30 --faces 1",),
    "policy": KEYED,
    "prove": KEYED,
    "adjust all": ("choose 21 --drop 3", "adjust all edge=-1 --why x"),
    "redo": ("undo",),
    "restore": ("backup road.backup",),
    "session open": ("session close",),
    "token end": ("token add dice-bot --player Ana", "token add relay"),
    "syscards buy": (
        "syscards card mara --owner mara",
        "syscards price efficiency 3",
        "syscards price lantern 2",
        "syscards mode deal",
    ),
    "syscards cancel": ("syscards challenge mara --against brak --faces 71,40",),
    "syscards clash": ("syscards challenge mara --against brak --wait",),
    "syscards means": ("syscards rate mara 100 --why fog --throw --faces 60",),
    "syscards reject": ("syscards card mara --rejects", "syscards round begin"),
    "syscards round": ("syscards round begin", "syscards round prep"),
    "syscards throw": ("syscards rate mara 45 --why fog",),
    "turns add brak": ("turns add mara 14",),
    "turns back": ("turns add mara 14", "turns next"),
    "turns delay": ("turns add mara 14", "turns add brak 9", "turns next"),
    "turns end": ("turns add mara 14",),
    "turns next": ("turns add mara 14",),
    "turns skip": ("turns add mara 14", "turns add brak 9"),
    "verify": KEYED,
    "witness": KEYED,
}
"""What else was typed before the examples of a command."""


def before(example: str) -> tuple[str, ...]:
    """What else was typed before an example."""
    return next((typed for begin, typed in BEFORE.items() if f"{example} ".startswith(f"{begin} ")), ())
