"""Consequences of the moves of Byzantine: energy enters, moves within the sheet, or leaves."""

from __future__ import annotations

from ledger.rules import Kind

CONNECTION_CHANGED = Kind(name="connection-changed", says="connection changed", rule="BYZ-01")
CONNECTION_WITHHELD = Kind(name="connection-withheld", says="connection withheld", rule="BYZ-03")
CONNECTION_RESTORED = Kind(name="connection-restored", says="connection restored", rule="BYZ-03")
CONNECTION_LENT = Kind(name="connection-lent", says="connection lent", rule="BYZ-03")
CONNECTION_RECLAIMED = Kind(name="connection-reclaimed", says="loan ended", rule="BYZ-03")
NIGHT_RECORDED = Kind(name="night-recorded", says="sleep recorded", rule="BYZ-04")

DAWN_BROKEN = Kind(name="dawn-broken", says="net energy of the day", rule="BYZ-05", flow="in")
ENERGY_LAPSED = Kind(name="energy-lapsed", says="unused energy lost", rule="BYZ-02", flow="out")
DECAY_TICKED = Kind(name="decay-ticked", says="nightly loss of a pool", rule="BYZ-11", flow="out")
DEPOSIT_MATURED = Kind(name="deposit-matured", says="deposit added to its pool", rule="BYZ-08")
ENERGY_DRAWN = Kind(name="energy-drawn", says="paid from the general pool", rule="BYZ-06")
DEBT_INCURRED = Kind(name="debt-incurred", says="new debt", rule="BYZ-06", flow="out")
DEBT_REPAID = Kind(name="debt-repaid", says="debt repaid at double", rule="BYZ-06", flow="out")
DEBT_FORGIVEN = Kind(name="debt-forgiven", says="debt forgiven by the GM", rule="BYZ-07", flow="in")

ENERGY_INVESTED = Kind(name="energy-invested", says="energy invested", rule="BYZ-08")
INVESTMENT_COUNTED = Kind(name="investment-counted", says="full fives added to the pool", rule="BYZ-10")
ENERGY_WASTED = Kind(name="energy-wasted", says="lost by investing", rule="BYZ-10", flow="out")
PROJECT_OPENED = Kind(name="project-opened", says="project opened", rule="BYZ-09")
PROJECT_CANCELLED = Kind(name="project-cancelled", says="project canceled for good", rule="BYZ-12")
POOL_LOST = Kind(name="pool-lost", says="pool of a canceled project lost", rule="BYZ-12", flow="out")
ENERGY_RECOUPED = Kind(name="energy-recouped", says="returned from a canceled project", rule="BYZ-12", flow="in")

ENERGY_SPENT = Kind(name="energy-spent", says="energy spent", rule="BYZ-13", flow="out")
TASK_SET = Kind(name="task-set", says="cost of a task set", rule="BYZ-15")
TASK_CLOSED = Kind(name="task-closed", says="task closed", rule="BYZ-15")
TASK_RESOLVED = Kind(name="task-resolved", says="task resolved", rule="BYZ-14")
COST_LEARNED = Kind(name="cost-learned", says="cost of a task learned", rule="BYZ-24")
CONTEST_OPENED = Kind(name="contest-opened", says="contest opened", rule="BYZ-21")
ENERGY_COMMITTED = Kind(name="energy-committed", says="energy committed in secret", rule="BYZ-21")
CONTEST_ENDED = Kind(name="contest-ended", says="contest ended", rule="BYZ-21")
MAP_DRAWN = Kind(name="map-drawn", says="map changed", rule="BYZ-17")
MOVED = Kind(name="moved", says="moved", rule="BYZ-19")
WAY_FOUND = Kind(name="way-found", says="way found again", rule="BYZ-19")
ENERGY_TAKEN = Kind(name="energy-attacked", says="energy taken by an attack", rule="BYZ-22", flow="out")
ENERGY_LOST = Kind(name="energy-lost", says="energy lost", rule="BYZ-06", flow="out")
DIED = Kind(name="died", says="died", rule="BYZ-07")

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
    "BYZ-01": "Connections cost and yield energy each day. Their sum is the net.",
    "BYZ-02": "Each dawn brings the net. Energy that is unused at the end of the day is lost.",
    "BYZ-03": "The GM can withhold a connection, or only its output, and can lend connections.",
    "BYZ-04": "Bad nights reduce the net. Their losses add up until a full night's sleep.",
    "BYZ-05": "Dawn works out net, sleep and debt, then play starts. A net below zero starts the day below zero.",
    "BYZ-06": "Energy below zero is a debt. The next dawn repays it at double.",
    "BYZ-07": "A debt that cannot be repaid kills. If a morning is poorer than expected, the GM decides.",
    "BYZ-08": "Each full 5 invested in general adds 1 to the general pool at the next dawn.",
    "BYZ-09": "Each full 5 invested in a project adds 4 to its pool at the next dawn.",
    "BYZ-10": "Full fives count over the whole day. The remainder is lost when the day ends.",
    "BYZ-11": "Each night, a pool loses 1 or 5% of the unspent energy that it had that morning.",
    "BYZ-12": "A canceled project returns 1 for each full 10 ever invested. It loses its pool and stays closed.",
    "BYZ-13": "The project pays first, then the day, then the general pool. The rest is an overdraft.",
    "BYZ-14": "A task succeeds if energy plus ability reach its cost.",
    "BYZ-15": "The GM sets a cost in advance. It applies to everyone who tries, and stays secret until then.",
    "BYZ-16": "Changing a connection costs about 20 per point.",
    "BYZ-17": "A move costs 4 to 6, more to another level or district on the map, plus the GM's adjustment.",
    "BYZ-18": "A move takes at least 1 energy unless it is a daily trip.",
    "BYZ-19": "A failed move stops before a way. In an area, the character arrives lost until they move on.",
    "BYZ-20": "A led group uses the best ability in the group.",
    "BYZ-21": "Opponents add their energy and ability to the cost, and spend the energy. Sides can commit in secret.",
    "BYZ-22": "The side that commits more takes energy from the other, but cannot kill.",
    "BYZ-23": "A character below zero who would die from spending 1 more can be killed, at a base cost of 40.",
    "BYZ-24": "Each side can learn a cost in advance. That is a task of its own, at about four fifths.",
    "BYZ-25": "For a contested cost you learn the total, then the split. Opponents can spend energy to hide both.",
}
"""Each rule in one line."""
