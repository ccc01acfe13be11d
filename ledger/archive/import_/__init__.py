"""Stands in for the module while it is taken apart, in this commit alone."""

import sys

from ledger.archive import export

sys.modules[__name__] = export
