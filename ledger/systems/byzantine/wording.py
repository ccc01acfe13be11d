"""The words that the log uses for Byzantine's moves."""

from __future__ import annotations

from collections.abc import Mapping

from ledger.rules import Wording

CONNECTION = ("connection {connection}",)
COST_RESULT = ("{cost} ({total.addends})",)
FIGHT_RESULT = "{attack} against {answer}"


def with_deaths(story: Mapping[str, str]) -> dict[str, str]:
    """Return `story` with two more verdicts for each verdict: one for a death, and one for several deaths.

    `story` maps verdicts to texts. The added verdicts end with ", and WHO is dead" or "are dead".
    """
    one = {f"{stored}, and {{dead}} is dead": f"{text}. {{dead}} died" for stored, text in story.items()}
    more = {f"{stored}, and {{dead}} are dead": f"{text}. {{dead}} died" for stored, text in story.items()}
    return one | more | {**story}


DONE_OUTCOMES = {"* is done": "succeeded", "* is not done": "failed"}
TOOK_NOTHING = "{winner} takes 0 from {loser}"
TOOK_RESULT = "{winner} takes {amount} from {loser}"
GENERAL_INVESTMENT_WORDS = "invested {energy} energy in the general pool"

WORDINGS: Mapping[str, Wording] = {
    "connect": Wording(act=CONNECTION, did=("arranged the {connection} connection",), story={}, appendix=True),
    "withhold": Wording(act=CONNECTION, story={"*": "lost the use of the {connection} connection"}),
    "restore": Wording(act=CONNECTION, story={"*": "could use the {connection} connection again"}),
    "lend": Wording(act=CONNECTION, story={"*": "borrowed the {connection} connection"}),
    "reclaim": Wording(act=CONNECTION, story={"*": "returned the borrowed {connection} connection"}),
    "alter": Wording(
        act=("tries to change the {side} of {connection}",),
        result=COST_RESULT,
        did=("tried to change the {side} of the {connection} connection",),
    ),
    "night": Wording(
        bare=True,
        story={"a night of little sleep": "got little sleep", "a night of no sleep": "did not sleep", "*": ""},
    ),
    "dawn": Wording(
        bare=True,
        story={
            "day *: dies": "died",
            "day *: lives*; *": "survived by the GM's ruling",
            "*": "",
        },
        left_out={
            "day *: 0 energy": "had no energy for the day",
            "day *: {amount} energy": "had {amount} energy for the day",
        },
        choice="The GM still has to decide whether {who} survives",
    ),
    "invest": Wording(
        act=("invests {energy}", " from the {from_pool} pool"),
        did=("invested {energy} energy", " in the {project} project"),
        story={
            "* into the general pool from the next dawn": GENERAL_INVESTMENT_WORDS,
            "* into the general pool from the next dawn; * more make the next five": GENERAL_INVESTMENT_WORDS,
        },
        appendix=True,
    ),
    "cancel": Wording(act=("cancels {project}",), did=("gave up the {project} project",)),
    "harm": Wording(
        bare=True,
        story={
            "loses {amount}, and is dead": "lost {amount} energy and died",
            "loses {amount}": "lost {amount} energy",
        },
    ),
    "task": Wording(
        result=("{cost}",),
        bare=True,
        story={
            "* is closed": "The GM closed the {task} task",
            "*": "The GM set how much energy the {task} would take",
        },
        appendix=True,
    ),
    "attempt": Wording(act=("attempts {task}",), result=("{task} ({total.addends})",), did=("worked on the {task}",)),
    "know": Wording(
        act=("tries to learn about {task}",),
        result=("{knowing} ({total.addends})",),
        did=("tried to find out how much energy the {task} would take",),
    ),
    "go": Wording(
        act=("goes to {place}",),
        result=("{way} ({total.addends})",),
        story={
            "in *, lost": "reached the {place}, but was lost there",
            "in *": "went to the {place}",
            "does not get there": "did not reach the {place}",
        },
    ),
    "found": Wording(bare=True, story={"*": "found the way again"}),
    "attack": Wording(
        act=("attacks {target}",),
        result=(FIGHT_RESULT,),
        did=("attacked {target}",),
        choice="The winner still has to choose how much energy to take",
    ),
    "kill": Wording(act=("tries to kill {target}",), result=COST_RESULT, did=("tried to kill {target}",)),
    "map": Wording(
        story={
            "* is off the map": "The {place} was removed from the map of the city",
            "*": "The {place} was put on the map of the city",
        },
        appendix=True,
    ),
    "contest": Wording(
        story={
            "* is called off": "The {contest} was called off",
            "* against *: *": "The {contest} began: {acting} against {against}",
        }
    ),
    "commit": Wording(act=("commits to {contest}",), did=("committed energy to the {contest}",)),
    "resolve": Wording(
        act=("contest {contest}",),
        did=("ended the {contest}",),
        choice="The winner still has to choose how much energy to take",
        result=("{contest} ({total.addends})", FIGHT_RESULT),
        sides="sides.{contest}",
        story=with_deaths(
            {
                TOOK_NOTHING: "In the {contest}, {winner} won, but took no energy from {loser}",
                TOOK_RESULT: "In the {contest}, {winner} won and took {amount} energy from {loser}",
                "* is done": "In the {contest}, {acting} beat {against}",
                "* is not done": "In the {contest}, {acting} lost to {against}",
                "nobody wins": "Nobody won the {contest}",
            }
        ),
    ),
}

OUTCOMES: Mapping[str, str] = with_deaths(
    {
        **DONE_OUTCOMES,
        "* of * is altered": "succeeded",
        "* of * is not altered": "failed",
        "the * of * is learned": "succeeded",
        "the * of * is not learned": "failed",
        "in *, lost": "got there, but was lost",
        "in *": "succeeded",
        "does not get there": "failed",
        TOOK_NOTHING: "{outcome}. {winner} took no energy from {loser}",
        TOOK_RESULT: "{outcome}. {winner} took {amount} energy from {loser}",
        "nobody wins": "nobody won",
        "{victim} is dead": "succeeded. {victim} died",
        "{victim} lives": "failed. {victim} survived",
    }
)

UNITS: Mapping[str, tuple[str, str] | None] = {
    "energy": ("energy", "energy"),
    "general": ("energy in the general pool", "energy in the general pool"),
    "project.*": ("energy in the pool of the {name} project", "energy in the pool of the {name} project"),
    "general.*": None,
    "invested-today.*": None,
    "invested.*": None,
    "deposit.*": None,
    "nights.*": None,
    "contest.*": None,
}

TOTAL_CHANGE_SENTENCES: Mapping[str, tuple[str, str]] = {
    "energy": ("", ""),  # each day starts with new energy
    "general": (
        "{who}'s general pool now has {amount} energy more",
        "{who}'s general pool now has {amount} energy less",
    ),
    "invested.*": ("", ""),  # the investments are told one by one, because a project can be canceled
    "output.*": (
        "{who} got {amount} more energy a day from the {name} connection",
        "{who} got {amount} less energy a day from the {name} connection",
    ),
    "input.*": (
        "{who}'s {name} connection cost {amount} less energy a day",
        "{who}'s {name} connection cost {amount} more energy a day",
    ),
    "project.*": ("", ""),
}

TASKS: Mapping[str, str] = {
    "contest {name}: no energy committed yet": "{who} still has to commit energy to the {name}",
    "contest {name}: *; everyone has committed": "The {name} is not decided yet, but everyone has committed",
    "contest {name}: *; cannot continue, because {dead} died": ("The {name} cannot continue, because {dead} died"),
}

VERDICTS: Mapping[str, str] = {
    "* of * is altered": "success",
    "* of * is not altered": "failure",
    "* is done": "success",
    "* is not done": "failure",
    "the cost of * is learned": "learns the cost",
    "the cost of * is not learned": "does not learn the cost",
    "the split of * is learned": "learns how the cost is divided",
    "the split of * is not learned": "does not learn how the cost is divided",
    "in *, lost": "arrives, but is lost",
    "in *": "arrives",
    "does not get there": "does not arrive",
    TOOK_RESULT: "{winner} takes {amount} energy from {loser}",
    "nobody wins": "nobody wins",
}
"""The words for verdicts. `SENTENCES` repeats each verdict with the ending ", and WHO is dead"."""

SENTENCES: Mapping[str, str] = {
    "{victim} is dead, and {dead} is dead": "{victim} and {dead} die",
    "{victim} lives, and {dead} is dead": "{victim} survives, {dead} dies",
    "loses {amount}, and is dead": "loses {amount} energy and dies",
    **{f"{stored}, and {{dead}} is dead": f"{shown}, and {{dead}} dies" for stored, shown in VERDICTS.items()},
    **{f"{stored}, and {{dead}} are dead": f"{shown}, and {{dead}} die" for stored, shown in VERDICTS.items()},
    "{victim} is dead": "{victim} dies",
    "{victim} lives": "{victim} survives",
    "* ends, net {net}": "ended; the net energy is now {net} a day",
    "net {net}": "net energy {net} a day",
    "the output of * is withheld": "output withheld",
    "* is withheld": "withheld",
    "* counts again": "restored",
    "* is lent": "lent",
    "* is gone": "loan ended",
    "a full night": "gets a full night's sleep tonight",
    "a night of little sleep": "gets little sleep tonight",
    "a night of no sleep": "gets no sleep tonight",
    "day {day}: lives, as the GM rules; {amount} energy": (
        "day {day}: survives by the GM's ruling, with {amount} energy"
    ),
    "day {day}: lives and still owes, as the GM rules; {amount} energy": (
        "day {day}: survives by the GM's ruling, but still owes the debt; energy {amount}"
    ),
    "{amount} into {pool} from the next dawn; {missing} more make the next five": (
        "{pool} gains {amount} at dawn; {missing} more energy completes the next set of 5"
    ),
    "{amount} into {pool} from the next dawn": "{pool} gains {amount} at dawn",
    "{back} comes back, {lost} is lost": "{back} returned, {lost} lost",
    "loses {amount}": "loses {amount} energy",
    "{task} has a cost": "the GM sets the cost of {task}",
    "{task} has another cost": "the GM changes the cost of {task}",
    "{task} is closed": "the GM closes the task {task}",
    "{place} is a way, level {level}, district {district}": "{place} is a way (level {level}, district {district})",
    "{place} is an area, level {level}, district {district}": "{place} is an area (level {level}, district {district})",
    "{place} is off the map": "{place} is removed from the map",
    "has found the way": "finds the way again",
    "{acting} against {against}: {contest} is open": "{acting} against {against} ({contest})",
    "is in; * waits for {names}": "the amount is secret; waiting for {names}",
    "is in, and all are in": "the amount is secret; everyone has committed",
    **VERDICTS,
    "net {}, of which below zero {}: a new character may have that": (
        "allowed for a new character: net energy {}, of which {} comes from connections that cost more than they yield"
    ),
    "net {}, of which below zero {}: more than a new character may have": (
        "too much for a new character: net energy {}, of which {} comes from connections that cost more than they yield"
    ),
    "{} of {} left; nights of little sleep {}, of none {}": (
        "{} of {} energy left (nights with little sleep: {}, nights without sleep: {})"
    ),
    "{} owed, {} due": "owes {} energy, must repay {}",
    "{} of {} today, {} missing to the next five": (
        "{} energy from the {} invested today; {} more to complete the next set of 5"
    ),
    "{} can be taken": "the winner may take up to {} energy",
    "{} for each full ten of {}; a pool of {} is lost": (
        "gets {} energy back (1 for every 10 of the {} invested, rounded down); the pool of {} energy is lost"
    ),
}

LABELS: Mapping[str, str] = {
    "general": "general pool",
    "general.recouped": "returned energy",
    "general.invested-today": "invested in the general pool today",
    "general.deposit": "added to the general pool tomorrow",
    "project.*": "{name} pool",
    "invested-today.*": "invested in {name} today",
    "deposit.*": "added to the {name} pool tomorrow",
    "invested.*": "invested in {name} so far",
    "input.*": "daily cost of {name}",
    "output.*": "daily yield of {name}",
    "ability.*": "{name}",
    "nights.little": "nights with little sleep",
    "nights.none": "nights without sleep",
}
