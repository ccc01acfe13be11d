"""A witness that keeps its heads in a dictionary, for one writer."""

from collections.abc import Callable, Mapping, Sequence

from ledger.tlog.note import Skey, Vkey
from ledger.tlog.tree import EMPTY_ROOT
from ledger.tlog.witness import Witness

Heads = dict[str, tuple[int, bytes]]


class WithHeads(Witness):
    def __init__(
        self, logs: Mapping[str, Sequence[Vkey]], skey: Skey, clock: Callable[[], int], heads: Heads | None = None
    ) -> None:
        super().__init__(logs, skey, clock)
        self._heads = {} if heads is None else heads

    def _latest(self, origin: str) -> tuple[int, bytes]:
        return self._heads.get(origin, (0, EMPTY_ROOT))

    def _store_head(self, origin: str, old: int, size: int, root: bytes) -> int | None:
        latest, _ = self._latest(origin)
        if latest != old:
            return latest
        self._heads[origin] = size, root
        return None
