"""The terminal: words after `campaign` in, lines or JSON out.

Knows the ledger and the projections, which do not know it. From the top: `main` finds the command and turns errors into
exit codes; `commands/` has one function a command; `evidence` checks a file against keys and heads, `try_rule`
computes a rule; `run` writes a command and shows the result; `options` are shared flags and types, `pasted` reads
files and pastes; `context` opens the campaign, and asks which name is meant; `render/` alone knows colors and
columns. Begin with `main`, then `run.write`.
"""

from __future__ import annotations

import gc

gc.set_threshold(50_000)  # imports leave no cycles, so collecting while they run is wasted time
