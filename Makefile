# make run and make test need Python 3.11 or newer and nothing else; PYTHON=... chooses which.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DEV_STAMP := $(VENV)/.installed-dev
SOURCES := bot adapters engine cards tests
ARGS ?=
AT_ONCE := import os; print(min(6, 2 + (os.cpu_count() or 1)))

# What is installed is what its hash says. pip refuses to hash what is installed from a folder, so the
# package itself comes after, and is built by what the lock has.
PIP := -m pip --disable-pip-version-check --quiet
LOCKED := install --require-hashes -r
ITSELF := install --no-deps --no-build-isolation -e .

.PHONY: run test check audit lock chaos properties fuzz mutate bench wheel install-check image image-steps reference pictures
.DEFAULT_GOAL := run

run: $(STAMP)
	@$(BIN)/signoff run

# Two more at once than there are processors, since many wait for something; ARGS="-n 0 tests/cards"
# runs some alone. Bytecode is kept whatever the environment says, for hundreds of processes start, and made
# where it is first needed.
test: $(DEV_STAMP)
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n $$($(BIN)/python -c "$(AT_ONCE)") --dist loadfile --no-loadscope-reorder $(ARGS)

# Kills everything at random under load, for about 15 minutes, then tries the properties for 10 and fuzzes
# for 7; ARGS="--seed 1 --updates 1000" etc.
chaos: $(DEV_STAMP)
	$(BIN)/python -m tests.chaos.run $(ARGS)
	@$(MAKE) --no-print-directory properties ARGS=
	@$(MAKE) --no-print-directory fuzz ARGS=

# Tries what holds of any input with twenty times as many examples as `make test` does.
properties: $(DEV_STAMP)
	PROPERTY_TIMES=20 $(BIN)/python -m pytest -n 2 --dist loadfile --timeout 3600 -m "hypothesis or more" $(ARGS)

# Bends payloads and requests from outside, a minute for each parser and for the API. The tools have
# an environment of their own, as they are large; where there are none it says NOT FUZZED.
fuzz: build/fuzz/.installed
	build/fuzz/bin/python -m tests.fuzz.run $(ARGS)

# What ours is measured beside, in an environment of its own: what cannot be had is skipped.
build/peers/.installed:
	@$(PYTHON) -m venv build/peers
	@build/peers/bin/python $(PIP) install langgraph langgraph-checkpoint-postgres 'psycopg[binary,pool]' aiohttp || true
	@build/peers/bin/python $(PIP) install dbos || true
	@touch $@

build/fuzz/.installed: pyproject.toml requirements.lock
	@$(PYTHON) -m venv build/fuzz
	@build/fuzz/bin/python $(PIP) $(LOCKED) requirements.lock
	@build/fuzz/bin/python $(PIP) $(ITSELF)
	@build/fuzz/bin/python $(PIP) install atheris schemathesis || true
	@touch $@

# Removes each guard and effect of the Lua scripts in turn: a test must fail. Takes about 12 minutes.
mutate: $(DEV_STAMP)
	$(BIN)/python -m tests.mutation.run $(ARGS)

# What a message costs beside bare bots, in about 10 minutes; ARGS="--only slack --rounds 3" etc.
bench: $(DEV_STAMP) build/peers/.installed
	$(BIN)/python -m tests.bench.run $(ARGS)

# Builds the wheel into dist/, from a copy of the sources, so that nothing of an earlier build is in it.
wheel: $(DEV_STAMP)
	$(BIN)/python -m tests.install.wheel

# Installs the wheel from the package index into a fresh environment, and tries it in an empty folder.
install-check: $(DEV_STAMP)
	$(BIN)/python -m tests.install.run

# Builds the image on a base that is named by its digest, so that it is the same base every time.
# "docker buildx imagetools inspect debian:bookworm-slim" tells the digest.
image:
	@case "$(BASE)" in *@sha256:*) ;; *) \
	  echo "name the base by its digest: make image BASE=debian:bookworm-slim@sha256:..." >&2; exit 2;; esac
	docker build --build-arg BASE=$(BASE) --tag signoff .

# Carries out the Dockerfile's steps in a fresh Debian root, without Docker; needs root, debootstrap.
image-steps: $(DEV_STAMP)
	$(BIN)/python -m tests.image.steps

# Writes docs/*-reference.md out of the models; a test fails where it is not as they are.
reference: $(DEV_STAMP)
	$(BIN)/python -m tests.docs.reference
	$(BIN)/python -m tests.docs.rooms

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
	@build/audit/bin/python $(PIP) install pip-audit

# Pins what pyproject.toml allows, with the hashes of all its files, for every Python from 3.11 on Linux
# and macOS: for the tests, then the same versions of what the service needs, and of what builds it.
# UPGRADE= keeps the versions that are pinned, and adds what pyproject.toml newly asks for.
UPGRADE ?= --upgrade
COMPILE := build/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
  --strip-extras --no-annotate --no-header --no-emit-index-url --no-emit-find-links

lock:
	$(PYTHON) -m venv build/lock
	build/lock/bin/python $(PIP) install uv
	cp requirements-dev.lock build/lock/
	echo "setuptools>=80" | $(COMPILE) $(UPGRADE) --all-extras \
	  --output-file build/lock/requirements-dev.lock pyproject.toml -
	echo "setuptools>=80" | $(COMPILE) --constraints build/lock/requirements-dev.lock \
	  --output-file build/lock/requirements.lock pyproject.toml -
	mv build/lock/requirements*.lock .

$(STAMP): pyproject.toml requirements.lock | $(BIN)/pip
	@echo "Installing Signoff into $(VENV)"
	@$(BIN)/python $(PIP) $(LOCKED) requirements.lock
	@$(BIN)/python $(PIP) $(ITSELF)
	@touch $@

$(DEV_STAMP): pyproject.toml requirements-dev.lock | $(BIN)/pip
	@echo "Installing Signoff and its test tools into $(VENV)"
	@$(BIN)/python $(PIP) $(LOCKED) requirements-dev.lock --no-compile
	@$(BIN)/python $(PIP) $(ITSELF)
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
