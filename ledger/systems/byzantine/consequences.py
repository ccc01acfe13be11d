"""The kinds of consequence in Byzantine. The `flow` of a kind says if energy enters a sheet or leaves it."""

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
DEPOSIT_MATURED = Kind(name="deposit-matured", says="deposit added to the pool", rule="BYZ-08")
ENERGY_DRAWN = Kind(name="energy-drawn", says="paid from the general pool", rule="BYZ-06")
DEBT_INCURRED = Kind(name="debt-incurred", says="new debt", rule="BYZ-06", flow="out")
DEBT_REPAID = Kind(name="debt-repaid", says="debt repaid at double cost", rule="BYZ-06", flow="out")
DEBT_FORGIVEN = Kind(name="debt-forgiven", says="debt forgiven by the GM", rule="BYZ-07", flow="in")

ENERGY_INVESTED = Kind(name="energy-invested", says="energy invested", rule="BYZ-08")
INVESTMENT_COUNTED = Kind(name="investment-counted", says="gain from investing added to the pool", rule="BYZ-10")
ENERGY_WASTED = Kind(name="energy-wasted", says="remainder below a full 5 lost", rule="BYZ-10", flow="out")
PROJECT_OPENED = Kind(name="project-opened", says="project opened", rule="BYZ-09")
PROJECT_CANCELLED = Kind(name="project-cancelled", says="project canceled for good", rule="BYZ-12")
POOL_LOST = Kind(name="pool-lost", says="pool lost with a canceled project", rule="BYZ-12", flow="out")
ENERGY_RECOUPED = Kind(name="energy-recouped", says="energy returned from a canceled project", rule="BYZ-12", flow="in")

ENERGY_SPENT = Kind(name="energy-spent", says="energy spent", rule="BYZ-13", flow="out")
TASK_SET = Kind(name="task-set", says="a task's cost was set", rule="BYZ-15")
TASK_CLOSED = Kind(name="task-closed", says="task closed", rule="BYZ-15")
TASK_RESOLVED = Kind(name="task-resolved", says="task resolved", rule="BYZ-14")
COST_LEARNED = Kind(name="cost-learned", says="a task's cost was learned", rule="BYZ-24")
CONTEST_OPENED = Kind(name="contest-opened", says="contest opened", rule="BYZ-21")
ENERGY_COMMITTED = Kind(name="energy-committed", says="energy committed in secret", rule="BYZ-21")
CONTEST_ENDED = Kind(name="contest-ended", says="contest ended", rule="BYZ-21")
MAP_DRAWN = Kind(name="map-drawn", says="map changed", rule="BYZ-17")
MOVED = Kind(name="moved", says="moved", rule="BYZ-19")
WAY_FOUND = Kind(name="way-found", says="way found again", rule="BYZ-19")
ENERGY_TAKEN = Kind(name="energy-attacked", says="energy taken by an attack", rule="BYZ-22", flow="out")
ENERGY_LOST = Kind(name="energy-lost", says="energy lost", rule="BYZ-06", flow="out")
DIED = Kind(name="died", says="died", rule="BYZ-07")

PAGE = {
    "BYZ-01": "Connections cost and yield energy each day. The sum of all costs and yields is the net.",
    "BYZ-02": "At each dawn, the character gains the net. Energy left at the end of the day is lost.",
    "BYZ-03": "The GM can withhold a connection or only its output. The GM can also lend a character a connection.",
    "BYZ-04": "Bad nights reduce the net. Their losses add up until a full night's sleep.",
    "BYZ-05": "At each dawn, the net comes first, then sleep, then debt. A net below zero becomes a new debt.",
    "BYZ-06": "Energy below zero is a debt. At the next dawn, the character must repay twice as much.",
    "BYZ-07": "A debt kills if the character cannot repay it at the next dawn. If this becomes clear only at dawn, the"
    " GM decides.",
    "BYZ-08": "Each full 5 invested in the general pool adds 1 to it at the next dawn.",
    "BYZ-09": "Each full 5 invested in a project adds 4 to the project's pool at the next dawn.",
    "BYZ-10": "All energy invested in a pool on one day is added up. Only full fives count, and the remainder is lost.",
    "BYZ-11": "Each night, a pool loses 1 or 5%, whichever is more. Energy added or spent that day does not count"
    " for the 5%.",
    "BYZ-12": "A canceled project returns 1 for every full 10 ever invested. Its pool is lost, and it stays closed.",
    "BYZ-13": "The project pays first, then the day's energy, then the general pool. With an overdraft, the rest"
    " becomes a debt.",
    "BYZ-14": "A task succeeds if energy plus ability reach its cost.",
    "BYZ-15": "The GM sets the cost of a task for everyone who tries. It stays secret until somebody tries.",
    "BYZ-16": "Changing a connection costs about 20 per point.",
    "BYZ-17": "The cost of a move is 4 to 6, plus 1 for a different level and 2 for a different district. The GM can"
    " adjust it.",
    "BYZ-18": "A character must spend at least 1 energy on a move, unless it is a daily trip.",
    "BYZ-19": "If a move to a way (a path between areas) fails, the character stays in place. If a move to an area"
    " fails, the character is lost in that area.",
    "BYZ-20": "A group with a leader uses the best rating in the group.",
    "BYZ-21": "Opponents add their energy and ability to the cost, and spend that energy. Both sides can commit in"
    " secret.",
    "BYZ-22": "The side that commits more takes energy from the other, but cannot kill.",
    "BYZ-23": "You can kill a character whose debt is so high that spending 1 more energy would be deadly. The base"
    " cost is 40.",
    "BYZ-24": "Learning a cost in advance is a separate task. Its price is about four fifths of the cost that you want"
    " to learn.",
    "BYZ-25": "The first attempt to learn a contested cost shows the total. The second attempt shows how much of the"
    " total is ability and how much is energy. Opponents can spend energy to hide this information.",
}
