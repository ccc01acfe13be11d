# Start with `make demo` or `make test`. Each of them installs everything it needs, in .venv.

PYTHON ?= python3
BIN := .venv/bin
PIP := -m pip install -qq --disable-pip-version-check
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate
JOBS ?= 2
DIST ?= dist
NPM := tests/support/rpg_dice_roller tests/support/bundles
# npm does not look at the certificates of the system by itself
SYSTEM_CERTS := $(wildcard /etc/ssl/certs/ca-certificates.crt)

.PHONY: help demo test test-all deep lowest dist lint programs peers bench bench-quick torture pages pictures lock clean

help:  ## list these commands
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: .venv/run  ## play a small campaign while you watch; you can continue it afterwards, in the folder demo/
	@BIN=$(BIN) sh docs/demo.sh

test: lint  ## run the tests (ten minutes) and list the ones it skips
	$(BIN)/python -m pytest -q -n $(JOBS) -m "not slow"
	@$(BIN)/python -m pytest -q -m slow --collect-only 2>/dev/null \
	  | awk '/::/ { n++; print "  skipped: " $$0 } END { print "Skipped: " n+0 " slow tests, most random examples, coverage and the benchmark. To run them: make test-all" }'

test-all: lint programs  ## run all tests: with real shells, thousands of random evenings, coverage, the oldest libraries and the benchmark
	THOROUGH=1 $(BIN)/python -m pytest -q -n $(JOBS) --cov --cov-report=term-missing:skip-covered
	$(MAKE) lowest bench-quick

deep: .venv/dev programs  ## run all reliability trials (test-all runs a tenth of them) and save the counts in docs/reliability.json; option: SEED=1
	PYTHONPATH=tests/support:tests/games $(BIN)/python -m torture --deep --record $(if $(SEED),--seed $(SEED))
	PYTHONPATH=tests/support $(BIN)/python tests/support/torture/page.py

lowest: .venv-lowest/done  ## run the tests with the oldest libraries that pyproject.toml allows
	.venv-lowest/bin/python -m pytest -q -n $(JOBS) -m "not slow" tests/cli tests/web tests/ledger/reading tests/ledger/rules

dist: .venv/dev  ## build dist/campaign (the whole program in one file, for this system and Python version) and a wheel
	rm -rf $(DIST)
	$(BIN)/python -m hatchling build --target wheel --target sdist --directory $(DIST)
	$(BIN)/python $(PIP) --target $(DIST)/site --require-hashes -r requirements.txt
	$(BIN)/python $(PIP) --target $(DIST)/site --no-deps $(DIST)/*.whl
	$(BIN)/shiv --site-packages $(DIST)/site --compressed --reproducible --console-script campaign \
	  --python "/usr/bin/env python3" --output-file $(DIST)/campaign
	rm -rf $(DIST)/site

lint: .venv/dev  ## check the style and the types of the code
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

programs:  ## install the programs that the slow tests use, such as browsers and shells; fail if one is missing
	@for each in bash zsh fish cc nginx chromium firefox-esr node npm hledger ledger bean-check; do \
	  command -v $$each >/dev/null || { apt-get -qq update && apt-get -qq install --yes --no-install-recommends $$(echo $$each | sed 's/^cc$$/gcc libc6-dev/; s/^nginx$$/nginx-light/; s/^chromium$$/chromium fonts-dejavu-core/; s/^node$$/nodejs/; s/^bean-check$$/beancount/') >/dev/null; } || exit 1; \
	  command -v $$each >/dev/null || { echo "$$each is missing, and could not be installed."; exit 1; }; \
	done
	@for each in $(NPM); do \
	  test $$each/node_modules/.package-lock.json -nt $$each/package-lock.json \
	  || { NODE_EXTRA_CA_CERTS=$${NODE_EXTRA_CA_CERTS:-$(SYSTEM_CERTS)} npm ci --prefix $$each --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null && touch $$each/node_modules/.package-lock.json; } \
	  || { echo "The packages in $$each could not be installed. The tests compare with them."; exit 1; }; \
	done

peers:  ## install hledger and ledger for the benchmark, which compares with them; it also runs without them
	@for each in hledger ledger; do \
	  command -v $$each >/dev/null || { apt-get -qq update && apt-get -qq install --yes --no-install-recommends $$each >/dev/null; } \
	  || echo "$$each could not be installed, so the benchmark skips its row."; \
	done

bench: .venv/dev .venv-bench/done .venv-peers/done peers  ## measure every row of docs/performance.md (takes hours); options: LENGTH=1000000 ROWS="1 5"
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python benchmarks/bench.py --length $(or $(LENGTH),1000000) \
	  --programs .venv-bench/bin --peers .venv-peers/bin $(ROWS)

bench-quick: .venv/dev .venv-bench/done  ## measure nine rows of docs/performance.md in five minutes, as ratios
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python benchmarks/quick.py .venv-bench/bin

torture: .venv/dev  ## try to crash the program, damage its files, or forge entries; options: MINUTES=10 SEED=1 KINDS="killed disk"
	PYTHONPATH=tests/support:tests/games $(BIN)/python -m torture $(KINDS) --minutes $(or $(MINUTES),10) $(if $(SEED),--seed $(SEED))

pages: .venv/dev  ## update all generated text: the transcripts, the saved screens, and the pages about rules, messages and performance
	PYTHONPATH=tests/support $(BIN)/python tests/support/declarations.py
	$(BIN)/python tests/support/rules_page.py
	$(BIN)/python tests/support/messages.py
	PYTHONPATH=tests/support $(BIN)/python tests/support/torture/page.py
	$(BIN)/python benchmarks/performance_page.py
	$(BIN)/python tests/support/screens.py
	$(BIN)/python tests/support/tables_page.py
	$(BIN)/python tests/support/transcript.py README.md docs/*.md docs/games/*.md tests/stories/*.md

pictures: .venv/dev programs  ## take new pictures of the web page for docs/pictures, in a real browser
	PYTHONPATH=tests/support:tests/games $(BIN)/python tests/support/pictures_page.py

lock: .venv/dev  ## update the libraries in requirements*.txt to the newest versions, with their hashes
	$(COMPILE) --upgrade pyproject.toml --extra import --extra web --group build -o requirements.txt
	$(COMPILE) --upgrade pyproject.toml --extra import --extra web --group dev -o requirements-dev.txt
	$(COMPILE) --upgrade --resolution lowest-direct pyproject.toml --extra import --extra web -o requirements-lowest.txt
	echo eventsourcing | $(COMPILE) --upgrade - -o benchmarks/requirements.txt

clean:  ## delete everything that these commands installed or built, and the folder demo/
	rm -rf .venv .venv-bench .venv-lowest .venv-peers .bench demo $(DIST) $(addsuffix /node_modules,$(NPM))

.venv/run: requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("This program needs Python 3.11 or later. If you have one, name it: make PYTHON=python3.11" if sys.version_info < (3, 11) else 0)'
	@echo "Setting up .venv. This happens only once …"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python $(PIP) --require-hashes -r requirements.txt
	@$(BIN)/python $(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

.venv/dev: .venv/run requirements-dev.txt
	@$(BIN)/python $(PIP) --require-hashes -r requirements-dev.txt
	@touch $@

# A normal install, as players have it. An editable install may start faster or slower.
.venv-bench/done: $(shell find ledger projections cli web -type f -not -name '*.pyc') requirements.txt pyproject.toml
	@test -x .venv-bench/bin/python || $(PYTHON) -m venv .venv-bench
	@.venv-bench/bin/python $(PIP) --require-hashes -r requirements.txt
	@.venv-bench/bin/python $(PIP) --no-deps --no-build-isolation --force-reinstall .
	@touch $@

# The pinned test tools, with the oldest libraries that pyproject.toml allows.
.venv-lowest/done: .venv/dev requirements-lowest.txt
	@$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv-lowest
	@$(BIN)/uv pip install --system-certs --quiet --python .venv-lowest --require-hashes -r requirements-dev.txt
	@$(BIN)/uv pip install --system-certs --quiet --python .venv-lowest --require-hashes -r requirements-lowest.txt
	@$(BIN)/uv pip install --system-certs --quiet --python .venv-lowest --no-deps --no-build-isolation --editable .
	@touch $@

# The programs that the benchmark compares with. They are separate from this program and its tests.
.venv-peers/done: benchmarks/requirements.txt
	@test -x .venv-peers/bin/python || $(PYTHON) -m venv .venv-peers
	@.venv-peers/bin/python $(PIP) --require-hashes -r benchmarks/requirements.txt
	@touch $@
