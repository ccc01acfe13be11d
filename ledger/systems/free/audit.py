"""The audit checks of a free sheet: none, because a free sheet has no rules to break."""

from __future__ import annotations

CHECKS = ()
