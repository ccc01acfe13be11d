"""The kinds of consequence in Byzantine. The `flow` of a kind says if energy enters a sheet or leaves it."""

from __future__ import annotations

from ledger.rules import Kind

CONNECTION_CHANGED = Kind(name="connection-changed", says="a connection was changed", rule="BYZ-01")
CONNECTION_WITHHELD = Kind(name="connection-withheld", says="a connection was withheld", rule="BYZ-03")
CONNECTION_RESTORED = Kind(name="connection-restored", says="a connection was restored", rule="BYZ-03")
CONNECTION_LENT = Kind(name="connection-lent", says="a connection was lent", rule="BYZ-03")
CONNECTION_RECLAIMED = Kind(name="connection-reclaimed", says="a lent connection was taken back", rule="BYZ-03")
NIGHT_RECORDED = Kind(name="night-recorded", says="the night's sleep was recorded", rule="BYZ-04")

DAWN_BROKEN = Kind(name="dawn-broken", says="the day's net energy", rule="BYZ-05", flow="in")
ENERGY_LAPSED = Kind(name="energy-lapsed", says="unused energy is lost", rule="BYZ-02", flow="out")
DECAY_TICKED = Kind(name="decay-ticked", says="a pool shrinks overnight", rule="BYZ-11", flow="out")
DEPOSIT_MATURED = Kind(name="deposit-matured", says="an earlier investment is added to a pool", rule="BYZ-08")
ENERGY_DRAWN = Kind(name="energy-drawn", says="the general pool pays", rule="BYZ-06")
DEBT_INCURRED = Kind(name="debt-incurred", says="a new debt", rule="BYZ-06", flow="out")
DEBT_REPAID = Kind(name="debt-repaid", says="a debt is repaid at double cost", rule="BYZ-06", flow="out")
DEBT_FORGIVEN = Kind(name="debt-forgiven", says="the GM forgives a debt", rule="BYZ-07", flow="in")

ENERGY_INVESTED = Kind(name="energy-invested", says="a character invests energy", rule="BYZ-08")
INVESTMENT_COUNTED = Kind(name="investment-counted", says="an investment is added to a pool", rule="BYZ-10")
ENERGY_WASTED = Kind(
    name="energy-wasted",
    says="invested energy is lost, because it was not a complete set of 5",
    rule="BYZ-10",
    flow="out",
)
PROJECT_OPENED = Kind(name="project-opened", says="a project was opened", rule="BYZ-09")
PROJECT_CANCELLED = Kind(name="project-cancelled", says="a project was canceled for good", rule="BYZ-12")
POOL_LOST = Kind(name="pool-lost", says="the pool of a canceled project is lost", rule="BYZ-12", flow="out")
ENERGY_RECOUPED = Kind(name="energy-recouped", says="a canceled project returns energy", rule="BYZ-12", flow="in")

ENERGY_SPENT = Kind(name="energy-spent", says="a character spends energy", rule="BYZ-13", flow="out")
TASK_SET = Kind(name="task-set", says="a task's cost was set", rule="BYZ-15")
TASK_CLOSED = Kind(name="task-closed", says="a task was closed", rule="BYZ-15")
TASK_RESOLVED = Kind(name="task-resolved", says="a task was resolved", rule="BYZ-14")
COST_LEARNED = Kind(name="cost-learned", says="a task's cost was learned", rule="BYZ-24")
CONTEST_OPENED = Kind(name="contest-opened", says="a contest was opened", rule="BYZ-21")
ENERGY_COMMITTED = Kind(name="energy-committed", says="a character commits energy in secret", rule="BYZ-21")
CONTEST_ENDED = Kind(name="contest-ended", says="a contest ended", rule="BYZ-21")
MAP_DRAWN = Kind(name="map-drawn", says="the map was changed", rule="BYZ-17")
MOVED = Kind(name="moved", says="a character moved", rule="BYZ-19")
WAY_FOUND = Kind(name="way-found", says="a lost character finds the way", rule="BYZ-19")
ENERGY_TAKEN = Kind(name="energy-attacked", says="an attack takes energy", rule="BYZ-22", flow="out")
ENERGY_LOST = Kind(name="energy-lost", says="a character loses energy", rule="BYZ-06", flow="out")
DIED = Kind(name="died", says="a character died", rule="BYZ-07")

PAGE = {
    "BYZ-01": "Connections cost and yield energy each day. The sum of all costs and yields is the net energy.",
    "BYZ-02": "At each dawn, the character gains the net energy. Energy left at the end of the day is lost.",
    "BYZ-03": "The GM can withhold a connection or only its output. The GM can also lend a character a connection.",
    "BYZ-04": "Nights with little or no sleep reduce the net energy. The losses add up until the character sleeps a"
    " full night.",
    "BYZ-05": "A dawn has three steps: add up the net energy, subtract the loss for bad sleep, and repay debt. Net"
    " energy below zero becomes a new debt.",
    "BYZ-06": "Energy below zero is a debt. At the next dawn, the character must repay twice as much.",
    "BYZ-07": (
        "A debt kills a character who cannot repay it at the next dawn. If it becomes clear only"
        " at dawn that a debt is deadly, the GM decides."
    ),
    "BYZ-08": "Every 5 energy invested in the general pool adds 1 to this pool at the next dawn.",
    "BYZ-09": "Every 5 energy invested in a project adds 4 to the project's pool at the next dawn.",
    "BYZ-10": "All energy invested in a pool on one day is added up. Only complete sets of 5 count. The rest is lost.",
    "BYZ-11": (
        "Each night, a pool loses 1 energy or 5%, whichever is more. Energy spent that day is"
        " subtracted first. Energy added that day does not shrink."
    ),
    "BYZ-12": "A canceled project returns 1 energy for every 10 ever invested, rounded down. The project's pool is"
    " lost, and the project stays closed.",
    "BYZ-13": (
        "The project's pool pays first, then the day's energy, and last the general pool. With"
        " an overdraft, any energy still missing becomes a debt."
    ),
    "BYZ-14": "A task succeeds if energy plus ability reach its cost.",
    "BYZ-15": (
        "The cost that the GM sets for a task applies to everyone who tries the task. The cost"
        " stays secret until the first try."
    ),
    "BYZ-16": "Changing a connection costs about 20 energy per point.",
    "BYZ-17": (
        "A trip costs 4 to 6 energy. A different city level adds 1, and a different district"
        " adds 2. The GM can adjust the cost."
    ),
    "BYZ-18": "A character must spend at least 1 energy on each trip, except on daily trips.",
    "BYZ-19": (
        "A way is a path between areas. If a trip to a way fails, the character stays in place."
        " If a trip to an area fails, the character is lost in that area."
    ),
    "BYZ-20": ("If a group has a leader, the best ability rating among its members counts for the whole group."),
    "BYZ-21": (
        "Opponents make a task harder: their energy and ability are added to its cost. The"
        " opponents spend this energy. Both sides can commit energy in secret."
    ),
    "BYZ-22": (
        "In an attack on energy, the side with more energy plus ability wins. The winner takes"
        " energy from the other side, but cannot kill."
    ),
    "BYZ-23": (
        "You can kill a character who is in debt and would die from spending 1 more energy. The base cost is 40 energy."
    ),
    "BYZ-24": (
        "Before trying a task, a character can learn its cost. Learning the cost is a separate"
        " task. It costs about four fifths as much as the task itself."
    ),
    "BYZ-25": (
        "If a task has opponents, the first attempt to learn its cost shows only the total. The"
        " second attempt shows the two parts of the total: ability and energy. Opponents can"
        " spend energy to hide the cost."
    ),
}
