# Everything that people and CI run. Needs only make and a Python 3.11-3.14; what needs `.venv` makes it first,
# with uv, which pip installs there when there is none. To choose the interpreter: `make PYTHON=python3.13 test`.

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
READY_FOR_DEMO := $(VENV)/.ready-for-demo
# Two more than processors, since tests also wait.
WORKERS := $(shell expr $$(getconf _NPROCESSORS_ONLN) + 2)
# A worker with nothing left to do takes tests from another one, since some take a thousand times as long as most.
PARALLEL := -q -n $(WORKERS) --dist worksteal
# With SEED, the files run in a random order, and so do the tests of each file; the same seed gives the same order.
ORDER := $(if $(SEED),--random-order-seed=$(SEED))

# The first interpreter that runs and is new enough; a pyenv shim can be on PATH and still not run.
PYTHON ?= $(firstword $(foreach name,python3 python3.13 python3.12 python3.11 python3.14,$(shell \
	$(name) -c 'import sys; (3, 11) <= sys.version_info < (3, 15) and print("$(name)")' 2>/dev/null)))
UV := $(or $(shell command -v uv 2>/dev/null),$(BIN)/uv)

.DEFAULT_GOAL := help
.PHONY: help demo check-quick test tests test-all test-oldest lint format bench reference fuzz prove api dist contract fingerprints docs ci-deps clean

help: ## Say what the targets do
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile

demo: $(READY_FOR_DEMO) ## Create a plugin, check it, test it, and load it in the embedded and the real Hermes
	@$(BIN)/python -m bench.demo

# What a change breaks most often: the tests that start few processes, and the cases on the newest proven release.
UNITS := api contract home hosts/embedded llm manifest scaffold/test_names.py check/rules
CASES :=
NEWEST := 0.22.2

check-quick: $(READY) ## Check style, run the unit tests, and the CASES on one release; say how long it took
	@begin=$$(date +%s); set -x; \
	$(BIN)/ruff check && $(BIN)/ruff format --check && \
	$(BIN)/pytest $(PARALLEL) -m "not slow" --ignore tests/contract/test_extract.py $(addprefix tests/,$(UNITS)) && \
	$(BIN)/pytest $(PARALLEL) tests/conformance/test_conformance.py --on $(NEWEST) $(if $(CASES),-k "$(CASES)"); \
	status=$$?; set +x; echo "check-quick took $$(($$(date +%s) - begin)) s"; exit $$status

test: lint tests ## Lint, then run the tests (all but the slow ones)

tests: $(READY) ## Run the tests (all but the slow ones), or those that TESTS tells pytest, in the random order of a SEED
	$(BIN)/pytest $(PARALLEL) $(ORDER) -m "not slow" $(TESTS)

test-all: lint ## Lint, then run every test, and every case on the real hosts
	$(BIN)/pytest $(PARALLEL) $(ORDER) --ask-real

test-oldest: $(READY) ## Run the tests of what has dependencies with the oldest ones that are allowed
	$(BIN)/uv venv -q --clear --python $(BIN)/python build/oldest
	$(BIN)/uv pip install -q --python build/oldest --resolution lowest-direct -e '.[test]'
	$(BIN)/uv pip freeze -q --python build/oldest --exclude-editable > build/oldest.txt
	$(BIN)/uv pip install -q --python build/oldest -c build/oldest.txt hypothesis pytest-xdist
	build/oldest/bin/python -m pytest $(PARALLEL) -p no:cacheprovider -m "not slow" \
		$(addprefix tests/,api cli contract home llm manifest operate scaffold testing test_startup.py)

LINTERS := lint-pyright lint-prose lint-mypy lint-style lint-layers
.PHONY: $(LINTERS)

lint: $(READY) ## Check style, types, layers and prose
	@$(MAKE) --no-print-directory --keep-going --output-sync --jobs $(WORKERS) $(LINTERS)

lint-pyright: ; $(BIN)/pyright
lint-prose: ; $(BIN)/python .ci/prose.py
lint-mypy: ; $(BIN)/mypy
lint-style: ; $(BIN)/ruff check && $(BIN)/ruff format --check
lint-layers: ; $(BIN)/lint-imports --no-logo

format: $(READY) ## Format the code and fix what ruff can fix
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: $(READY) ## Measure start-up, generation, hosts, hooks and memory against their limits
	@$(BIN)/python -m bench

reference: $(READY) ## Hold the embedded host against the real one, and write down what is proven
	$(BIN)/pytest $(PARALLEL) tests/conformance --record-outcomes
	$(BIN)/python docs

SECONDS := 600

fuzz: $(READY) ## Play random plugins on both hosts for SECONDS, on RELEASE or all proven ones; findings go to build/fuzz
	PYTHONPATH=tests $(BIN)/python -W ignore -m fuzz --seconds $(SECONDS) $(if $(RELEASE),--release $(RELEASE)) \
		$(if $(SEED),--seed $(SEED))
	$(BIN)/python docs/fidelity.py

prove: $(READY) ## Measure how well the embedded host knows RELEASE, whose real host may be named by HOST; see CONTRIBUTING.md
	PYTHONPATH=tests $(BIN)/python -W ignore -m prove --release $(RELEASE) --seconds $(SECONDS) $(if $(HOST),--host "$(HOST)")

api: $(READY) ## Fail when the public interface broke since the last release (or since BASE)
	@.ci/api-break

dist: $(READY) ## Build the wheel and the sdist, check them, and list what they need in build/sbom.cdx.json
	rm -rf dist
	$(BIN)/uv build -q --out-dir dist
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl
	$(BIN)/uv venv -q --clear --python $(BIN)/python build/dist
	$(BIN)/uv pip install -q --python build/dist dist/*.whl
	$(BIN)/uv tool run -q --from 'cyclonedx-bom>=7.0' cyclonedx-py environment build/dist --pyproject pyproject.toml \
		--output-reproducible -o build/sbom.cdx.json

contract: $(READY) ## Read the contract of the newest Hermes Agent that upstream tagged, if it is not known yet
	$(BIN)/python .ci/new_contract.py

fingerprints: $(READY) ## Take the fingerprints of all releases again, after a change of hosts/embedded/imitated.toml
	HERMES_SDK_SOURCES=tests/sources.toml $(BIN)/python .ci/fingerprints.py

docs: $(READY) ## Write the generated pages and pictures, and build the site into site/
	$(BIN)/python docs
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

ci-deps: ## Install the Debian packages that are missing (see CONTRIBUTING.md)
	@.ci/deps

clean: ## Remove the environment, caches and build results
	rm -rf $(VENV) build dist site .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): INSTALL := -q -e '.[dev]'
# A tenth of it, so that the demo starts within seconds, with the progress of the installer.
$(READY_FOR_DEMO): INSTALL := -e '.[test]'

# Compiled, because each of a thousand commands would do so where PYTHONDONTWRITEBYTECODE is set.
$(READY) $(READY_FOR_DEMO): pyproject.toml | $(BIN)/python $(UV)
	$(UV) pip install --compile-bytecode --python $(BIN)/python $(INSTALL)
	$(BIN)/python -m compileall -q -j 0 hermes_sdk
	@touch $@

$(BIN)/python:
ifneq ($(UV),$(BIN)/uv)
	$(UV) venv -q --python "$(or $(PYTHON),>=3.11,<3.15)" $(VENV)
else
	@test -n "$(PYTHON)" || { echo "No Python 3.11-3.14 found. Install one, or name it: make PYTHON=/path/to/python" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

# Ten times as fast as pip, which an environment that another uv made lacks.
$(BIN)/uv: | $(BIN)/python
	$(BIN)/python -m pip --version >/dev/null 2>&1 || $(BIN)/python -m ensurepip
	$(BIN)/python -m pip install -q --disable-pip-version-check uv
endif
