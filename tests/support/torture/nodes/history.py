"""The history of all calls to a cluster, and what must be true of it.

Each process of writers notes two lines of JSON for each call: one before it starts, and one when it ends. A call that
never ends has one line. Times are seconds of one clock that all processes share.
"""

import json
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

WRITTEN, REFUSED, UNKNOWN, READ = "written", "refused", "unknown", "read"
"""How a call ends. `UNKNOWN`: nobody can tell whether the command was written."""


@dataclass(frozen=True)
class Call:
    """A call: its id, its writer and campaign, when it ran, and how it ended.

    `seq`: the entry that it wrote, or the last one that it read. `root`: the hash of all entries that it read. `says`:
    the error that the program did not expect.
    """

    id: str
    writer: str
    campaign: str
    began: float
    ended: float = float("inf")
    result: str = UNKNOWN
    seq: int = 0
    root: str = ""
    says: str = ""


@dataclass(frozen=True)
class Final:
    """A campaign at the end.

    - `ids`: the ids of its commands, by the first entry of each.
    - `roots`: the hashes of its first entries, by their number.
    - `damage`: what `verify` finds, if the campaign is not intact.
    """

    ids: Mapping[int, str]
    roots: Mapping[int, str]
    damage: str = ""


def began(id_: str, writer: str, campaign: str, at: float) -> str:
    """Make the line for a call that starts."""
    return json.dumps({"id": id_, "writer": writer, "campaign": campaign, "began": at})


def ended(id_: str, at: float, result: str, seq: int = 0, **more: str) -> str:
    """Make the line for a call that ends."""
    return json.dumps({"id": id_, "ended": at, "result": result, "seq": seq, **more})


def calls(lines: Iterable[str]) -> list[Call]:
    """Read the calls of a history. A last line that a kill cut off is left out."""
    facts: defaultdict[str, dict[str, object]] = defaultdict(dict)
    for line in lines:
        if line.endswith("\n"):
            line_facts = json.loads(line)
            facts[line_facts["id"]] |= line_facts
    return [Call(**each) for each in facts.values()]  # type: ignore[arg-type]  # from JSON


def problems(history: Sequence[Call], final: Mapping[str, Final]) -> Iterator[str]:
    """Yield what is wrong with a history, given each campaign at the end."""
    for call in history:
        if call.says:
            yield f"{call.id} ended with {call.says}"
    for campaign, end in final.items():
        own = [call for call in history if call.campaign == campaign]
        if end.damage:
            yield f"{campaign}: {end.damage}"
        for text in (*_wrong_entries(own, end), *_wrong_order(own), *_reads_that_go_back(own)):
            yield f"{campaign}: {text}"


def _wrong_entries(own: Sequence[Call], end: Final) -> Iterator[str]:
    """Yield acknowledged or read entries that are missing or duplicated, and entries that must not be there."""
    results = {call.id: call.result for call in own}
    for id_, count in Counter(end.ids.values()).items():
        if count > 1:
            yield f"{id_} is there {count} times"
        if id_ not in results:
            yield f"nobody sent {id_}"
        elif results[id_] == REFUSED:
            yield f"{id_} is there, and was refused"
    for call in own:
        if call.result == WRITTEN and (there := end.ids.get(call.seq, "nothing")) != call.id:
            yield f"{call.id} was acknowledged as #{call.seq}, but #{call.seq} is {there}"
        if call.result == READ and end.roots.get(call.seq) != call.root:
            yield f"{call.id} read entries up to #{call.seq} that are lost"


def _wrong_order(own: Sequence[Call]) -> Iterator[str]:
    """Yield entries that have a lower number than an entry that was acknowledged before they were sent."""
    highest = Highest(call for call in own if call.result == WRITTEN)
    for call in own:
        if call.result == WRITTEN and call.seq <= (before := highest.before(call.began)):
            yield f"{call.id} is #{call.seq}, but was sent after #{before} was acknowledged"


def _reads_that_go_back(own: Sequence[Call]) -> Iterator[str]:
    """Yield reads that show less than the same writer knew before they started."""
    for writer in {call.writer for call in own}:
        known = [call for call in own if call.writer == writer and call.result in {READ, WRITTEN}]
        highest = Highest(known)
        for call in known:
            if call.result == READ and call.seq < (before := highest.before(call.began)):
                yield f"{call.id} reads up to #{call.seq}, after {writer} knew of #{before}"


def old_reads(history: Sequence[Call]) -> int:
    """Count reads that show less than another writer knew before they started."""
    count = 0
    for campaign in {call.campaign for call in history}:
        known = [call for call in history if call.campaign == campaign and call.result in {READ, WRITTEN}]
        highest = Highest(known)
        count += sum(call.result == READ and call.seq < highest.before(call.began) for call in known)
    return count


class Highest:
    """The highest entry that calls have written or read, by the time when they ended."""

    def __init__(self, done: Iterable[Call]) -> None:
        self._times, self._seqs = [0.0], [0]
        for call in sorted(done, key=lambda call: call.ended):
            self._times.append(call.ended)
            self._seqs.append(max(self._seqs[-1], call.seq))

    def before(self, at: float) -> int:
        """Return the highest entry of all calls that ended before a time, or 0."""
        return self._seqs[bisect_right(self._times, at) - 1]


def longest_pause(history: Sequence[Call]) -> float:
    """Return the longest time, in seconds, in which no call was acknowledged."""
    times = sorted(call.ended for call in history if call.result == WRITTEN)
    return max((after - before for before, after in pairwise(times)), default=0.0)
