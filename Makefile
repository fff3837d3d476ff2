# make run and make test need Python 3.11 or newer and nothing else; PYTHON=... chooses which.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DEV_STAMP := $(VENV)/.installed-dev
SOURCES := bot adapters engine cards tests
ARGS ?=
AT_ONCE := import os; print(min(4, 1 + (os.cpu_count() or 1)))

# The variables pin what builds the package as well: the first for pip before 25.3, then the other.
PINS := PIP_CONSTRAINT=requirements.lock PIP_BUILD_CONSTRAINT=requirements.lock
INSTALL := $(PINS) $(BIN)/python -m pip --disable-pip-version-check --quiet \
  install -c requirements.lock

.PHONY: run test check audit lock chaos fuzz mutate bench image-steps reference pictures
.DEFAULT_GOAL := run

run: $(STAMP)
	@$(BIN)/signoff run

# One more at once than there are processors, since many wait for something; ARGS="-n 0 tests/cards"
# runs some alone.
test: $(DEV_STAMP)
	$(BIN)/python -m pytest -n $$($(BIN)/python -c "$(AT_ONCE)") --dist loadfile --no-loadscope-reorder $(ARGS)

# Kills everything at random under load, for about 15 minutes, then fuzzes for 7; ARGS="--seed 1 --updates 1000" etc.
chaos: $(DEV_STAMP)
	$(BIN)/python -m tests.chaos.run $(ARGS)
	@$(MAKE) --no-print-directory fuzz ARGS=

# Bends payloads and requests from outside, a minute for each parser and for the API. The tools have
# an environment of their own, as they are large; where there are none it says NOT FUZZED.
fuzz: build/fuzz/.installed
	build/fuzz/bin/python -m tests.fuzz.run $(ARGS)

build/fuzz/.installed: pyproject.toml requirements.lock
	@$(PYTHON) -m venv build/fuzz
	@$(PINS) build/fuzz/bin/python -m pip --disable-pip-version-check --quiet install \
	  -c requirements.lock -e .
	@build/fuzz/bin/python -m pip --disable-pip-version-check --quiet install atheris schemathesis || true
	@touch $@

# Removes each guard and effect of the Lua scripts in turn: a test must fail. Takes about 12 minutes.
mutate: $(DEV_STAMP)
	$(BIN)/python -m tests.mutation.run $(ARGS)

# What a message costs beside bare bots, in about 10 minutes; ARGS="--only slack --rounds 3" etc.
bench: $(DEV_STAMP)
	$(BIN)/python -m tests.bench.run $(ARGS)

# Carries out the Dockerfile's steps in a fresh Debian root, without Docker; needs root, debootstrap.
image-steps: $(DEV_STAMP)
	$(BIN)/python -m tests.image.steps

# Writes docs/playbook-reference.md out of the models; a test fails where it is not as they are.
reference: $(DEV_STAMP)
	$(BIN)/python -m tests.docs.reference

# Makes the pictures of the documents anew, from conversations with the real service in a browser.
pictures: $(DEV_STAMP)
	$(BIN)/python -m tests.docs.pictures

check: $(DEV_STAMP)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/mypy
	$(BIN)/lint-imports
	@$(MAKE) --no-print-directory audit

# What is known against the packages in the lock. Where nobody can be asked it says NOT AUDITED, and
# that is not green. pip-audit has an environment of its own: nothing of ours needs it.
audit: build/audit/bin/pip-audit
	$(BIN)/python -m tests.audit.run build/audit/bin/pip-audit

build/audit/bin/pip-audit: | $(BIN)/pip
	@$(PYTHON) -m venv build/audit
	@build/audit/bin/python -m pip --disable-pip-version-check --quiet install pip-audit

# Pins what pyproject.toml allows, for every Python from 3.11 on Linux and macOS.
lock:
	$(PYTHON) -m venv build/lock
	build/lock/bin/python -m pip --disable-pip-version-check --quiet install uv
	echo "setuptools>=80" | build/lock/bin/uv pip compile --quiet --universal --python-version 3.11 \
	  --all-extras --upgrade --strip-extras --no-annotate --no-header \
	  --no-emit-index-url --no-emit-find-links \
	  --output-file build/lock/requirements.lock pyproject.toml -
	mv build/lock/requirements.lock requirements.lock

$(STAMP): pyproject.toml requirements.lock | $(BIN)/pip
	@echo "Installing Signoff into $(VENV)"
	@$(INSTALL) -e .
	@touch $@

$(DEV_STAMP): pyproject.toml requirements.lock | $(BIN)/pip
	@echo "Installing Signoff and its test tools into $(VENV)"
	@$(INSTALL) -e '.[dev]'
	@touch $(STAMP) $@

# pip comes last into a new environment: one whose making was interrupted is made again.
$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "Signoff needs Python 3.11 or newer, and $(PYTHON) is not;" \
	    "name one, as in: make $(or $(MAKECMDGOALS),run) PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "$(PYTHON) cannot make virtual environments; on Debian: apt install python3-venv" >&2; \
	  exit 1; }
	@$(PYTHON) -m venv $(VENV)
