# Two commands to begin with: `make demo` and `make test`. Both set up everything by themselves, in .venv.

PYTHON ?= python3
BIN := .venv/bin
PIP := -m pip install -qq --disable-pip-version-check
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate
JOBS ?= 2
DIST ?= dist

.PHONY: help demo test test-all deep lowest dist lint programs peers bench bench-quick torture pages pictures lock clean

help:  ## say what there is
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: .venv/run  ## play a small campaign before your eyes, and leave it in demo/ to go on with
	@BIN=$(BIN) sh docs/demo.sh

test: lint  ## run the tests (four minutes) and list the ones it skips
	$(BIN)/python -m pytest -q -n $(JOBS) -m "not slow"
	@$(BIN)/python -m pytest -q -m slow --collect-only 2>/dev/null \
	  | awk '/::/ { n++; print "  left out: " $$0 } END { print "Left out: " n+0 " slow tests, most random examples, coverage and the benchmark; make test-all runs them." }'

test-all: lint programs  ## everything: real shells, thousands of random evenings, coverage, the oldest libraries, the benchmark
	THOROUGH=1 $(BIN)/python -m pytest -q -n $(JOBS) --cov --cov-report=term-missing:skip-covered
	$(MAKE) lowest bench-quick

deep: .venv/dev programs  ## what test-all runs a tenth of, in full; the figures go into docs/reliability.json: SEED=1
	PYTHONPATH=tests/support:tests/games $(BIN)/python -m torture --deep --record $(if $(SEED),--seed $(SEED))
	PYTHONPATH=tests/support $(BIN)/python tests/support/torture/page.py

lowest: .venv-lowest/done  ## test with the oldest versions of the libraries that pyproject.toml allows
	.venv-lowest/bin/python -m pytest -q -n $(JOBS) -m "not slow" tests/cli tests/web tests/ledger/reading tests/ledger/rules

dist: .venv/dev  ## build the wheel, and dist/campaign: the whole program in one file, for this Python and system
	rm -rf $(DIST)
	$(BIN)/python -m hatchling build --target wheel --target sdist --directory $(DIST)
	$(BIN)/python $(PIP) --target $(DIST)/site --require-hashes -r requirements.txt
	$(BIN)/python $(PIP) --target $(DIST)/site --no-deps $(DIST)/*.whl
	$(BIN)/shiv --site-packages $(DIST)/site --compressed --reproducible --console-script campaign \
	  --python "/usr/bin/env python3" --output-file $(DIST)/campaign
	rm -rf $(DIST)/site

lint: .venv/dev  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

programs:  ## install the real programs that the slow tests use, and fail where one is missing
	@for each in bash zsh fish cc nginx chromium; do \
	  command -v $$each >/dev/null || { apt-get -qq update && apt-get -qq install --yes --no-install-recommends $$(echo $$each | sed 's/^cc$$/gcc libc6-dev/; s/^nginx$$/nginx-light/; s/^chromium$$/chromium fonts-dejavu-core/') >/dev/null; } || exit 1; \
	  command -v $$each >/dev/null || { echo "$$each is missing, and could not be installed."; exit 1; }; \
	done

peers:  ## install hledger and ledger, which the benchmark compares with; it goes on without them
	@for each in hledger ledger; do \
	  command -v $$each >/dev/null || { apt-get -qq update && apt-get -qq install --yes --no-install-recommends $$each >/dev/null; } \
	  || echo "$$each could not be installed; its row is not measured."; \
	done

bench: .venv/dev .venv-bench/done .venv-peers/done peers  ## every row of docs/performance.md, in hours: LENGTH=1000000 ROWS="1 5"
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python benchmarks/bench.py --length $(or $(LENGTH),1000000) \
	  --programs .venv-bench/bin --peers .venv-peers/bin $(ROWS)

bench-quick: .venv/dev .venv-bench/done  ## how quick it is, as ratios: nine of its rows, in five minutes
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python benchmarks/quick.py .venv-bench/bin

torture: .venv/dev  ## search for what kills, damages, forges or confuses: MINUTES=10 SEED=1 KINDS="killed disk"
	PYTHONPATH=tests/support:tests/games $(BIN)/python -m torture $(KINDS) --minutes $(or $(MINUTES),10) $(if $(SEED),--seed $(SEED))

pages: .venv/dev  ## write down what the pages and the kept screens show now, the page of rules and that of messages
	PYTHONPATH=tests/support $(BIN)/python tests/support/declarations.py
	$(BIN)/python tests/support/rules_page.py
	$(BIN)/python tests/support/messages.py
	PYTHONPATH=tests/support $(BIN)/python tests/support/torture/page.py
	$(BIN)/python benchmarks/performance_page.py
	$(BIN)/python tests/support/screens.py
	$(BIN)/python tests/support/transcript.py README.md docs/*.md docs/games/*.md tests/stories/*.md

pictures: .venv/dev programs  ## take the pictures of the page in docs/pictures anew, in a real browser
	PYTHONPATH=tests/support:tests/games $(BIN)/python tests/support/pictures_page.py

lock: .venv/dev  ## pin the newest versions, with their hashes
	$(COMPILE) --upgrade pyproject.toml --extra web --group build -o requirements.txt
	$(COMPILE) --upgrade pyproject.toml --extra web --group dev -o requirements-dev.txt
	$(COMPILE) --upgrade --resolution lowest-direct pyproject.toml --extra web -o requirements-lowest.txt
	echo eventsourcing | $(COMPILE) --upgrade - -o benchmarks/requirements.txt

clean:  ## remove what was set up
	rm -rf .venv .venv-bench .venv-lowest .venv-peers .bench demo $(DIST)

.venv/run: requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or later is needed; say which with PYTHON=…" if sys.version_info < (3, 11) else 0)'
	@echo "Setting up .venv, once …"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python $(PIP) --require-hashes -r requirements.txt
	@$(BIN)/python $(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

.venv/dev: .venv/run requirements-dev.txt
	@$(BIN)/python $(PIP) --require-hashes -r requirements-dev.txt
	@touch $@

# An ordinary install, as a player has it: an editable one would be slower to start, or quicker.
.venv-bench/done: $(shell find ledger projections cli web -type f -not -name '*.pyc') requirements.txt pyproject.toml
	@test -x .venv-bench/bin/python || $(PYTHON) -m venv .venv-bench
	@.venv-bench/bin/python $(PIP) --require-hashes -r requirements.txt
	@.venv-bench/bin/python $(PIP) --no-deps --no-build-isolation --force-reinstall .
	@touch $@

# The tools of the tests as they are pinned, over the oldest libraries that pyproject.toml allows.
.venv-lowest/done: .venv/dev requirements-lowest.txt
	@$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv-lowest
	@$(BIN)/uv pip install --system-certs --quiet --python .venv-lowest --require-hashes -r requirements-dev.txt
	@$(BIN)/uv pip install --system-certs --quiet --python .venv-lowest --require-hashes -r requirements-lowest.txt
	@$(BIN)/uv pip install --system-certs --quiet --python .venv-lowest --no-deps --no-build-isolation --editable .
	@touch $@

# What the benchmark compares with, apart from the program and its tests.
.venv-peers/done: benchmarks/requirements.txt
	@test -x .venv-peers/bin/python || $(PYTHON) -m venv .venv-peers
	@.venv-peers/bin/python $(PIP) --require-hashes -r benchmarks/requirements.txt
	@touch $@
