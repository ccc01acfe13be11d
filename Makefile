# Start with `make demo` or `make test`. Each of them installs everything it needs, in .venv.

PYTHON ?= python3
BIN := .venv/bin
PIP := -m pip install -qq --disable-pip-version-check
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-strip-extras --no-header --no-annotate
JOBS ?= 2
DIST ?= dist
PYTHONS ?= 3.11 3.12 3.13 3.14
# the tests that use libraries
WITH_LIBRARIES := tests/cli tests/web tests/ledger/reading tests/ledger/rules
NPM := tests/support/rpg_dice_roller tests/support/bundles
# npm does not look at the certificates of the system by itself
SYSTEM_CERTS := $(wildcard /etc/ssl/certs/ca-certificates.crt)

# Without it, each of thousands of processes in the tests compiles the whole program again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test test-all deep lowest newest dist lint programs peers bench bench-quick torture ha pages pictures site lock clean

help:  ## list these commands
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: .venv/run  ## play a small campaign while you watch; you can continue it afterwards, in the folder demo/
	@BIN=$(BIN) sh docs/demo.sh

test: .venv/dev  ## run the tests (four minutes on two free cores) and list the ones it skips
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@$(BIN)/mypy & types=$$!; $(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal -m "not slow"; tests=$$?; wait $$types && exit $$tests

test-all: lint programs .venv-site/done  ## run all tests: with real shells, thousands of random evenings, coverage, the oldest libraries and the benchmark
	THOROUGH=1 COVERAGE_AT_TERMINALS=$(CURDIR)/pyproject.toml COVERAGE_FILE=$(CURDIR)/.coverage \
	  $(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal --cov --cov-report=
	$(BIN)/coverage report --include='ledger/*,projections/*' --fail-under=100
	$(BIN)/coverage report --include='cli/*,web/*' --fail-under=95
	$(MAKE) lowest bench-quick

deep: .venv/dev programs  ## run all reliability trials (test-all runs a tenth of them), save the counts in docs/reliability.json, and run `make newest`; option: SEED=1
	PYTHONPATH=tests/support:tests/games $(BIN)/python -m torture --deep --record $(if $(SEED),--seed $(SEED))
	PYTHONPATH=tests/support $(BIN)/python tests/support/torture/page.py
	$(MAKE) newest

lowest: .venv-lowest/done  ## run the tests with the oldest libraries that pyproject.toml allows
	.venv-lowest/bin/python -m pytest -q -n $(JOBS) -m "not slow" $(WITH_LIBRARIES)

newest: .venv/dev  ## run the same tests with the newest libraries that pyproject.toml allows, on each Python from 3.11 to 3.14 that is here
	@for each in $(PYTHONS); do \
	  python=$$($(BIN)/python tests/support/pythons.py $$each) || { echo "Python $$each is not here, so nothing was tested with it."; continue; }; \
	  echo "Python $$each, with the newest libraries:"; \
	  $(BIN)/uv venv --quiet --clear --python $$python .venv-newest \
	  && $(BIN)/uv pip install --system-certs --quiet --python .venv-newest --require-hashes -r requirements-dev.txt \
	  && $(BIN)/uv pip install --system-certs --quiet --python .venv-newest --upgrade --editable '.[all]' \
	  && .venv-newest/bin/python -m pytest -q -n $(JOBS) -m "not slow" $(WITH_LIBRARIES) || exit 1; \
	done

dist: .venv/dev  ## build the wheel, the source package, the single file and their checksums, twice, and compare; option: KEY=FILE, an SSH key to sign the checksums with
	$(BIN)/python release/build.py $(DIST) $(KEY)

lint: .venv/dev  ## check the style and the types of the code
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

programs:  ## install the programs that the slow tests use, such as browsers and shells; fail if one is missing
	@for each in bash zsh fish cc nginx chromium firefox-esr node npm hledger ledger bean-check groff ssh-keygen; do \
	  command -v $$each >/dev/null || { apt-get -qq update && apt-get -qq install --yes --no-install-recommends $$(echo $$each | sed 's/^cc$$/gcc libc6-dev/; s/^nginx$$/nginx-light/; s/^chromium$$/chromium fonts-dejavu-core/; s/^node$$/nodejs/; s/^bean-check$$/beancount/; s/^groff$$/groff-base/; s/^ssh-keygen$$/openssh-client/') >/dev/null; } || exit 1; \
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

bench: .venv/dev .venv-bench/done .venv-peers/done peers  ## measure every row of docs/performance.md in half an hour; options: LENGTH=1000000 (takes hours) ROWS="1 5"
	$(BIN)/python benchmarks/bench.py --length $(or $(LENGTH),100000) \
	  --programs .venv-bench/bin --peers .venv-peers/bin $(ROWS)

bench-quick: .venv/dev .venv-bench/done  ## measure twelve rows of docs/performance.md in three minutes, as ratios
	$(BIN)/python benchmarks/quick.py .venv-bench/bin

torture: .venv/dev  ## try to crash the program, damage its files, or forge entries; options: MINUTES=10 SEED=1 KINDS="killed disk"
	PYTHONPATH=tests/support:tests/games $(BIN)/python -m torture $(KINDS) --minutes $(or $(MINUTES),10) $(if $(SEED),--seed $(SEED))

ha: .venv/dev .venv-ha/done  ## run three PostgreSQL nodes, break each part of them for nine minutes, check that nothing is lost, and save the counts in docs/reliability.json; root only; options: MINUTES=20 SEED=1
	@for each in etcd ip unshare setpriv; do \
	  command -v $$each >/dev/null || { apt-get -qq update && apt-get -qq install --yes --no-install-recommends $$(echo $$each | sed 's/^etcd$$/etcd-server/; s/^ip$$/iproute2/; s/^unshare$$/util-linux/; s/^setpriv$$/util-linux/') >/dev/null; }; \
	  command -v $$each >/dev/null || { echo "$$each is missing, and could not be installed."; exit 1; }; \
	done
	@ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || { apt-get -qq update && apt-get -qq install --yes --no-install-recommends postgresql >/dev/null; }; \
	ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || { echo "PostgreSQL's server is missing, and could not be installed."; exit 1; }
	PYTHONPATH=tests/support:tests/games $(BIN)/python -m torture nodes --record --minutes $(or $(MINUTES),8) $(if $(SEED),--seed $(SEED))
	PYTHONPATH=tests/support $(BIN)/python tests/support/torture/page.py

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

site: .venv/run .venv-site/done  ## make a website from the documents, in the folder site/, and check its links
	PYTHONPATH=tests/support $(BIN)/python tests/support/site_pages.py
	.venv-site/bin/zensical build --strict --clean --config-file .site/zensical.toml
	rm -rf site && mv .site/site site
	PYTHONPATH=tests/support $(BIN)/python tests/support/site_links.py

lock: .venv/dev  ## update the libraries in requirements*.txt to the newest versions, with their hashes
	$(COMPILE) --upgrade pyproject.toml --extra all --group build -o requirements.txt
	$(COMPILE) --upgrade pyproject.toml --extra all --group dev -o requirements-dev.txt
	$(COMPILE) --upgrade --resolution lowest-direct pyproject.toml --extra all -o requirements-lowest.txt
	echo 'zensical<0.1' | $(COMPILE) --upgrade - -o docs/requirements.txt
	echo eventsourcing | $(COMPILE) --upgrade - -o benchmarks/requirements.txt
	echo aics-tlog | $(subst 3.11,3.12,$(COMPILE)) --upgrade - -o tests/support/aics_tlog/requirements.txt
	echo 'patroni[etcd3,psycopg3]' | $(COMPILE) --upgrade - -o tests/support/torture/nodes/requirements.txt

clean:  ## delete everything that these commands installed or built, and the folder demo/
	rm -rf .venv .venv-bench .venv-ha .venv-lowest .venv-newest .venv-peers .venv-site .bench .site demo site $(DIST) $(addsuffix /node_modules,$(NPM))

.venv/run: requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("This program needs Python 3.11 or later. If you have one, name it: make PYTHON=python3.11" if sys.version_info < (3, 11) else 0)'
	@echo "Setting up .venv. This happens only once …"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python $(PIP) --require-hashes -r requirements.txt
	@$(BIN)/python $(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

# uv installs in a tenth of pip's time, and shows how far it is. It does not know pip's settings, such as a mirror.
.venv/dev: .venv/run requirements-dev.txt
	@echo "Installing the libraries and tools of the tests …"
	@sed -n '/^uv==/,/[^\\]$$/p' requirements-dev.txt >.venv/uv.txt
	@$(BIN)/python $(PIP) --require-hashes -r .venv/uv.txt
	@$(BIN)/uv pip install --system-certs --python $(BIN)/python --require-hashes -r requirements-dev.txt \
	  || $(BIN)/python -m pip install --disable-pip-version-check --require-hashes -r requirements-dev.txt
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

# Patroni, which runs PostgreSQL on three nodes in `make ha`.
.venv-ha/done: tests/support/torture/nodes/requirements.txt
	@test -x .venv-ha/bin/python || $(PYTHON) -m venv .venv-ha
	@.venv-ha/bin/python $(PIP) --require-hashes -r tests/support/torture/nodes/requirements.txt
	@touch $@

# The program that makes the site. From version 0.1 on, it needs a package that could not be installed.
.venv-site/done: docs/requirements.txt
	@test -x .venv-site/bin/python || $(PYTHON) -m venv .venv-site
	@.venv-site/bin/python $(PIP) --require-hashes -r docs/requirements.txt
	@touch $@
