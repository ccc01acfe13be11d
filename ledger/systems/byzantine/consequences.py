"""Consequences of the moves of Byzantine: energy enters, moves within the sheet, or leaves."""

from __future__ import annotations

from ledger.rules import Kind

CONNECTION_CHANGED = Kind(name="connection-changed", says="an input or an output is another", rule="BYZ-01")
CONNECTION_WITHHELD = Kind(name="connection-withheld", says="a connection does not count", rule="BYZ-03")
CONNECTION_RESTORED = Kind(name="connection-restored", says="a connection counts again", rule="BYZ-03")
CONNECTION_LENT = Kind(name="connection-lent", says="a connection for a while", rule="BYZ-03")
CONNECTION_RECLAIMED = Kind(name="connection-reclaimed", says="what was lent is gone", rule="BYZ-03")
NIGHT_RECORDED = Kind(name="night-recorded", says="how much sleep a night gives", rule="BYZ-04")

DAWN_BROKEN = Kind(name="dawn-broken", says="the net of the day, after sleep", rule="BYZ-05", flow="in")
ENERGY_LAPSED = Kind(name="energy-lapsed", says="what was not used by the end of the day", rule="BYZ-02", flow="out")
DECAY_TICKED = Kind(name="decay-ticked", says="what a pool loses in a night", rule="BYZ-11", flow="out")
DEPOSIT_MATURED = Kind(name="deposit-matured", says="what was invested can be spent", rule="BYZ-08")
ENERGY_DRAWN = Kind(name="energy-drawn", says="the general pool pays what the day cannot", rule="BYZ-06")
DEBT_INCURRED = Kind(name="debt-incurred", says="energy below zero", rule="BYZ-06", flow="out")
DEBT_REPAID = Kind(name="debt-repaid", says="a debt is paid at double", rule="BYZ-06", flow="out")
DEBT_FORGIVEN = Kind(name="debt-forgiven", says="what the GM lets go", rule="BYZ-07", flow="in")

ENERGY_INVESTED = Kind(name="energy-invested", says="energy is put away", rule="BYZ-08")
INVESTMENT_COUNTED = Kind(name="investment-counted", says="the full fives of the day are in the pool", rule="BYZ-10")
ENERGY_WASTED = Kind(name="energy-wasted", says="what investing costs, and what is over", rule="BYZ-10", flow="out")
PROJECT_OPENED = Kind(name="project-opened", says="a pool of its own", rule="BYZ-09")
PROJECT_CANCELLED = Kind(name="project-cancelled", says="a project is closed for good", rule="BYZ-12")
POOL_LOST = Kind(name="pool-lost", says="the pool of a cancelled project is gone", rule="BYZ-12", flow="out")
ENERGY_RECOUPED = Kind(name="energy-recouped", says="1 for each full 10 ever put in", rule="BYZ-12", flow="in")

ENERGY_SPENT = Kind(name="energy-spent", says="what was committed", rule="BYZ-13", flow="out")
TASK_SET = Kind(name="task-set", says="the GM says what a task costs", rule="BYZ-15")
TASK_CLOSED = Kind(name="task-closed", says="the GM closes a task", rule="BYZ-15")
TASK_RESOLVED = Kind(name="task-resolved", says="a task is done, or not", rule="BYZ-14")
COST_LEARNED = Kind(name="cost-learned", says="what a task costs is known", rule="BYZ-24")
CONTEST_OPENED = Kind(name="contest-opened", says="somebody is to commit apart", rule="BYZ-21")
ENERGY_COMMITTED = Kind(name="energy-committed", says="what is held for a contest, in secret", rule="BYZ-21")
CONTEST_ENDED = Kind(name="contest-ended", says="a contest is resolved, or called off", rule="BYZ-21")
MAP_DRAWN = Kind(name="map-drawn", says="a place is on the map, or off it", rule="BYZ-17")
MOVED = Kind(name="moved", says="somebody is elsewhere", rule="BYZ-19")
WAY_FOUND = Kind(name="way-found", says="somebody is lost no more", rule="BYZ-19")
ENERGY_TAKEN = Kind(name="energy-attacked", says="what an attack takes", rule="BYZ-22", flow="out")
ENERGY_LOST = Kind(name="energy-lost", says="what is lost to nobody", rule="BYZ-06", flow="out")
DIED = Kind(name="died", says="somebody is dead, and how", rule="BYZ-07")

KINDS = (
    CONNECTION_CHANGED,
    CONNECTION_WITHHELD,
    CONNECTION_RESTORED,
    CONNECTION_LENT,
    CONNECTION_RECLAIMED,
    NIGHT_RECORDED,
    DAWN_BROKEN,
    ENERGY_LAPSED,
    DECAY_TICKED,
    DEPOSIT_MATURED,
    ENERGY_DRAWN,
    DEBT_INCURRED,
    DEBT_REPAID,
    DEBT_FORGIVEN,
    ENERGY_INVESTED,
    INVESTMENT_COUNTED,
    ENERGY_WASTED,
    PROJECT_OPENED,
    PROJECT_CANCELLED,
    POOL_LOST,
    ENERGY_RECOUPED,
    ENERGY_SPENT,
    TASK_SET,
    TASK_CLOSED,
    TASK_RESOLVED,
    COST_LEARNED,
    CONTEST_OPENED,
    ENERGY_COMMITTED,
    CONTEST_ENDED,
    MAP_DRAWN,
    MOVED,
    WAY_FOUND,
    ENERGY_TAKEN,
    ENERGY_LOST,
    DIED,
)

PAGE = {
    "BYZ-01": "Connections cost and yield energy each day; their sum is the net.",
    "BYZ-02": "Each dawn brings the net; what is left at the day's end is lost.",
    "BYZ-03": "The GM withholds a connection, or its output alone, and lends others.",
    "BYZ-04": "Bad nights take a share of the net; they add up until a full one.",
    "BYZ-05": "At dawn: net, sleep, debt, play; a net below zero starts the day below zero.",
    "BYZ-06": "Energy below zero is a debt, repaid at the next dawn at double.",
    "BYZ-07": "A debt that cannot be repaid kills; a morning poorer than was known is put to the GM.",
    "BYZ-08": "Each full 5 invested put 1 into the general pool, from the next dawn.",
    "BYZ-09": "Each full 5 invested put 4 into the pool of a project, from the next dawn.",
    "BYZ-10": "Full fives are counted over a day, and what is over is lost when it ends.",
    "BYZ-11": "Each night each pool loses 1 or 5%, of what was carried into the day and not spent.",
    "BYZ-12": "A cancelled project gives 1 for each full 10 ever put in; its pool is lost, and it is closed for good.",
    "BYZ-13": "Energy is drawn from project, day and general pool, or in another order; more is an overdraft.",
    "BYZ-14": "A task is done where energy and ability reach its cost.",
    "BYZ-15": "The GM sets a cost ahead; it binds whoever tries, and the players do not see it until then.",
    "BYZ-16": "Changing a connection costs about 20 a point.",
    "BYZ-17": "Moving costs 4 to 6, more to another level or district, as on the map, and what the GM adds.",
    "BYZ-18": "A move takes at least 1 energy, unless it is a daily one.",
    "BYZ-19": "Whoever fails stays before a way, and is lost in an area until they move on.",
    "BYZ-20": "A led group moves with the best ability among them.",
    "BYZ-21": "Opposition adds its energy and its ability to the cost, and spends the energy; sides may commit apart.",
    "BYZ-22": "Whoever commits strictly more takes energy from the other, short of killing.",
    "BYZ-23": "One who is below zero, and would die of one more spent, may be killed, at 40.",
    "BYZ-24": "Either side can learn a cost before: a task of its own, at about four fifths.",
    "BYZ-25": "Of a contested cost one learns the total, then the split; both can be obscured.",
}
"""Each rule in one line."""
