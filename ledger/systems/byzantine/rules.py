"""The rules of Byzantine as pure functions of numbers. Energy is a whole number; each rule says how it rounds."""

from __future__ import annotations

from typing import Annotated, Literal

from ledger.rules import MAX_STORED_NUMBER, Refused, Signed, Struct, Whole, Within, rule, with_minus_sign
from ledger.systems.byzantine.sheet import ENERGY_PER_GAIN, GENERAL_SHARE, HIGHEST_OUTPUT, LOWEST_INPUT, PROJECT_SHARE

MOST_NET, LEAST_NEGATIVES = 5, -20
SLEEP_LOSS_PERCENT = {"little": 25, "none": 50}
ENERGY_PER_REFUND = 10
COST_PER_POINT = 20
KILL_COST = 40
BASE_COSTS = (4, 5, 6)

Positive = Annotated[int, Within(1, MAX_STORED_NUMBER)]
Destination = Literal["area", "way"]
SOURCES = ("project", "day", "general")
"""The pools that pay energy, in the usual order (BYZ-13)."""


class Side(Struct):
    energy: Whole
    ability: Whole


class NetOutcome(Struct):
    net: int
    negatives: int
    valid_at_creation: bool


class DawnOutcome(Struct):
    """The outcome of a dawn. `available` and `general` are `None` if the debt cannot be repaid."""

    after_sleep: int
    due: int
    alive: bool
    available: int | None
    general: int | None


class RepaidOutcome(Struct):
    due: int
    alive: bool
    left: int | None


class StoredOutcome(Struct):
    stored: int
    wasted: int


class AddedOutcome(Struct):
    added: int
    wasted: int


class RolloverOutcome(Struct):
    decay: int
    closing: int


class CommitOutcome(Struct):
    total: int
    success: bool
    spent: int


class DrawOutcome(Struct):
    project: int
    day: int
    general: int
    debt: int


class TravelOutcome(Struct):
    success: bool
    moved: bool
    lost: bool
    spent: int


@rule("byzantine.net_energy", "BYZ-01")
def net_energy(
    *,
    connections: tuple[tuple[int, int], ...],
    lowest_input: Signed = LOWEST_INPUT.default,
    highest_output: Whole = HIGHEST_OUTPUT.default,
) -> NetOutcome:
    """Add up the inputs and outputs of connections, and check if a new character may have them."""
    for cost, gain in connections:
        if not (lowest_input <= cost <= 0 <= gain <= highest_output):
            limits = f"A connection needs an input from {lowest_input} to 0 and an output from 0 to {highest_output}"
            raise Refused(with_minus_sign(", ".join([limits, f"not {cost} and {gain}."])))
    nets = [cost + gain for cost, gain in connections]
    net, negatives = sum(nets), sum(amount for amount in nets if amount < 0)
    return NetOutcome(net=net, negatives=negatives, valid_at_creation=net <= MOST_NET and negatives >= LEAST_NEGATIVES)


@rule("byzantine.sleep", "BYZ-04", gives="available")
def sleep(*, net: Signed, nights_little: Whole = 0, nights_none: Whole = 0) -> int:
    """Reduce the net energy by 25% per night of little sleep and 50% per night without sleep. Round the loss up."""
    share = min(100, SLEEP_LOSS_PERCENT["little"] * nights_little + SLEEP_LOSS_PERCENT["none"] * nights_none)
    return net - _ceil(max(0, net) * share, 100)


@rule("byzantine.repay_debt", "BYZ-06", "BYZ-07")
def repay_debt(*, debt: Whole, available: Signed) -> RepaidOutcome:
    """Repay twice the debt. If `available` is less than that, the character dies. A negative `available` means 0."""
    due = 2 * debt
    alive = due <= max(0, available)
    return RepaidOutcome(due=due, alive=alive, left=available - due if alive else None)


@rule("byzantine.dawn", "BYZ-05", "BYZ-06", "BYZ-07")
def dawn(*, net: Signed, nights_little: Whole = 0, nights_none: Whole = 0, debt: Whole, general: Whole) -> DawnOutcome:
    """Reduce the net energy for lost sleep. Repay twice the debt from this energy, then from the general pool."""
    after = sleep(net=net, nights_little=nights_little, nights_none=nights_none)
    paid = repay_debt(debt=debt, available=max(0, after) + general)
    if not paid.alive:
        return DawnOutcome(after_sleep=after, due=paid.due, alive=False, available=None, general=None)
    from_day = min(max(0, after), paid.due)
    rest = general - (paid.due - from_day)
    return DawnOutcome(after_sleep=after, due=paid.due, alive=True, available=after - from_day, general=rest)


@rule("byzantine.invest_general", "BYZ-08", "BYZ-10")
def invest_general(*, energy: Positive) -> StoredOutcome:
    """Add 1 energy to the general pool for each full 5 energy invested. The remainder is lost."""
    return StoredOutcome(stored=energy // ENERGY_PER_GAIN * GENERAL_SHARE, wasted=energy % ENERGY_PER_GAIN)


@rule("byzantine.invest_specific", "BYZ-09", "BYZ-10")
def invest_specific(*, energy: Positive) -> AddedOutcome:
    """Add 4 energy to the project for each full 5 energy invested. The remainder is lost."""
    return AddedOutcome(added=energy // ENERGY_PER_GAIN * PROJECT_SHARE, wasted=energy % ENERGY_PER_GAIN)


@rule("byzantine.decay", "BYZ-11", gives="lost")
def decay(*, pool: Whole) -> int:
    """Reduce a pool by 1 or by 5% (rounded up), whichever is more, but not below 0."""
    return min(pool, max(1, _ceil(pool, 20)))


@rule("byzantine.rollover", "BYZ-11")
def rollover(*, opening: Whole, spent: Whole, deposited: Whole) -> RolloverOutcome:
    """Carry a pool over a night: the unspent part of the opening amount shrinks, then the day's deposit is added."""
    if spent > opening:
        raise Refused(f"The pool started the day with {opening} energy, so it cannot pay {spent}.")
    lost = decay(pool=opening - spent)
    return RolloverOutcome(decay=lost, closing=opening - spent - lost + deposited)


@rule("byzantine.cancel_project", "BYZ-12", gives="recouped")
def cancel_project(*, invested: Whole, pool: Whole) -> int:
    """Return the refund: 1 energy for each full 10 ever invested. The energy in the pool does not count."""
    return invested // ENERGY_PER_REFUND


@rule("byzantine.commit", "BYZ-13", "BYZ-14")
def commit(*, ability: Whole, energy: Whole, cost: Whole) -> CommitOutcome:
    """Compare ability plus energy with a cost. The energy is spent either way."""
    total = ability + energy
    return CommitOutcome(total=total, success=total >= cost, spent=energy)


@rule("byzantine.draw", "BYZ-13")
def draw(
    *, commit: Whole, project: Whole, day: Signed, general: Whole, order: tuple[str, ...] = (), overdraft: bool = False
) -> DrawOutcome:
    """Draw energy from the pools in `order`, then from the other `SOURCES`. With `overdraft`, the rest is a debt."""
    if len(set(order)) < len(order) or not set(order) <= set(SOURCES):
        raise Refused(
            f"The order can list each of these at most once: {', '.join(SOURCES)}. You typed: {', '.join(order)}."
        )
    available, drawn = {"project": project, "day": max(0, day), "general": general}, dict.fromkeys(SOURCES, 0)
    for source in dict.fromkeys([*order, *SOURCES]):
        drawn[source] = min(commit - sum(drawn.values()), available[source])
    debt = commit - sum(drawn.values())
    if debt and not overdraft:
        enough = commit - debt
        raise Refused(f"Only {enough} energy is available, and {commit} is needed.")
    return DrawOutcome(**drawn, debt=debt)


@rule("byzantine.move_cost", "BYZ-17", gives="cost")
def travel_cost(*, base: Whole = 5, level_change: bool = False, district_change: bool = False) -> int:
    """Compute the cost of a trip: a base of 4 to 6, plus 1 for a different level, plus 2 for a different district."""
    if base not in BASE_COSTS:
        raise Refused(f"A trip has a base cost of 4, 5 or 6, not {base}.")
    return base + level_change + 2 * district_change


@rule("byzantine.move", "BYZ-18", "BYZ-19")
def travel(
    *, cost: Whole, ability: Whole, commit: Whole, daily: bool = False, destination: Destination
) -> TravelOutcome:
    """Compute the outcome of a trip to an area or a way.

    If a trip to an area fails, the character arrives, but is lost there. If a trip to a way fails, the character
    cannot enter the way.
    """
    if not commit and not daily:
        raise Refused("A character must spend at least 1 energy on each trip, except on daily trips.")
    success = ability + commit >= cost
    to_area = destination == "area"
    return TravelOutcome(success=success, moved=success or to_area, lost=to_area and not success, spent=commit)


@rule("byzantine.contest", "BYZ-21", gives="cost")
def contest(*, base: Whole | None = None, opposition: tuple[Side, ...]) -> int:
    """Add the opponents' energy and ability to the base cost. A `base` of `None` counts as 0."""
    if not opposition:
        raise Refused("A contest needs opponents.")
    return (base or 0) + sum(side.energy + side.ability for side in opposition)


@rule("byzantine.attack", "BYZ-22", gives="winner")
def attack(*, attacker: Side, defender: Side) -> Literal["attacker", "defender"] | None:
    """Return the side with the higher sum of energy and ability, `None` for a tie."""
    one, other = (side.energy + side.ability for side in (attacker, defender))
    return None if one == other else "attacker" if one > other else "defender"


@rule("byzantine.max_deduction", "BYZ-22", gives="most")
def max_deduction(*, energy: Signed, next_available: Signed) -> int:
    """Return the most energy that an attack may take: the energy left, plus half of the energy at the next dawn."""
    return max(0, energy + max(0, next_available // 2))


@rule("byzantine.killable", "BYZ-23", gives="killable")
def killable(*, energy: Signed, next_available: Signed) -> bool:
    """Check if a character is in debt and would die from spending 1 more energy."""
    return energy < 0 and lethal(1 - energy, next_available)


@rule("byzantine.kill_cost", "BYZ-23", gives="cost")
def kill_cost(*, victim_ability: Whole, victim_energy: Whole, base: Whole = KILL_COST) -> int:
    """Add the victim's ability and energy to the base cost, usually 40."""
    return base + victim_ability + victim_energy


@rule("byzantine.knowing_cost", "BYZ-24", gives="suggested")
def knowing_cost(*, cost: Whole) -> int:
    """Suggest the energy that a character spends to find out what something costs.

    The energy is four fifths of that cost, rounded to the nearest whole number.
    """
    return (8 * cost + 5) // 10


@rule("byzantine.alter_connection", "BYZ-16", gives="cost")
def alter_connection(*, points: Positive) -> int:
    """Compute the cost of changing an input or output: 20 per point."""
    return COST_PER_POINT * points


def lethal(debt: int, available: int) -> bool:
    """Return True if twice the debt is more than the energy that is `available` at the next dawn (BYZ-07)."""
    return 2 * debt > max(0, available)


def _ceil(number: int, by: int) -> int:
    return -(-number // by)
