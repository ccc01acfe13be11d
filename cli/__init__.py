"""The terminal: words after `campaign` in, lines or JSON out.

Knows the ledger and the projections; nothing knows it. From the top: `main` finds the command and turns errors into
exit codes; `commands/` has one function a command; `evidence` puts keys and heads beside a file, `try_rule`
computes a rule; `run` writes a command and shows what it came to; `options` are shared flags and types, `pasted`
reads what is brought; `context` opens the campaign, and asks which name is meant; `render/` alone knows colors and
columns. Begin with `main`, then `run.put`.
"""

import gc

gc.set_threshold(50_000)  # modules that are loaded leave no cycles behind, and looking for them takes time
