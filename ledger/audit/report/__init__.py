"""Stands in for the module while it is taken apart, in this commit alone."""

import sys

from ledger.audit import history

sys.modules[__name__] = history
