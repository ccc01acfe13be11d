"""The command-line interface. It reads the words after `campaign` and prints lines or JSON.

It imports the ledger and the projections. Neither of them imports `cli`. Start reading at `main`, then `run.write`.

- `main` finds the command and turns errors into exit codes.
- `commands/` has one function for each command.
- `run` writes a command and shows the result.
- `evidence` checks a file against saved keys and signed heads. `try_rule` evaluates a rule with typed values.
- `options` has the shared flags. `param_types` has the types of arguments. `pasted` reads files and pasted text.
- `context` opens the campaign. If a typed name is ambiguous, it asks which name is meant.
- `render/` is the only place that knows colors and columns.
"""

from __future__ import annotations

import gc

gc.set_threshold(50_000)  # imports leave no garbage cycles, so collecting during them wastes time
