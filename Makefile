# Everything one can do here. `make` alone prints it.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
PYTEST := $(BIN)/python -m pytest -q
PARALLEL := -n 2
OFFLINE := not control_plane
USUAL := control_plane and not faults
SOAK := PYTHONHASHSEED=0 $(BIN)/python -m tests.soak
RUNS ?= 100000
SEED ?= 0
SECONDS ?= 240

.PHONY: help setup demo bench test lint types imports unit golden e2e simulate soak cluster control-plane test-oldest faults fuzz format docs clean

help: ## print this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(STAMP) ## make .venv with the pinned versions, and podgrouper in it

# The stamp is newer than what was installed: until one of these files changes there is nothing to do.
$(STAMP): requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "podgrouper needs Python 3.11 or newer, this is $$($(PYTHON) --version): name another one with PYTHON=…"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
		|| { echo "$(PYTHON) has no venv module: sudo apt install python3-venv"; exit 1; }
	@test -x $(BIN)/pip || $(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: setup ## gangs forming in an embedded Kubernetes API, in under a minute
	$(BIN)/podgrouper demo

bench: setup control-plane ## podgrouper beside the least that could do its work; FULL=1 takes long and can be relied on
	$(BIN)/python -m bench $(if $(FULL),--full)

test: lint types imports unit golden e2e simulate control-plane cluster ## everything below that can fail, in this order

lint: setup ## ruff: mistakes and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup ## mypy, strict
	$(BIN)/mypy

imports: setup ## who may import whom
	$(BIN)/lint-imports

unit: setup ## rows and properties of every part
	$(PYTEST) $(PARALLEL) -m '$(OFFLINE)' tests --ignore tests/golden --ignore tests/roads --ignore tests/conformance --ignore tests/soak

golden: setup ## the vectors of both profiles
	$(PYTEST) $(PARALLEL) -m '$(OFFLINE)' tests/golden

e2e: setup ## the whole program on the embedded API
	$(PYTEST) $(PARALLEL) -m '$(OFFLINE)' tests/roads tests/conformance tests/soak

simulate: setup ## the controller in 2000 simulated courses of events, with faults: about a minute
	$(SOAK) --runs 2000

soak: setup ## the same a hundred thousand times, for an hour or so; RUNS=… and SEED=… choose others
	$(SOAK) --runs $(RUNS) --seed $(SEED)

control-plane: setup ## build etcd and the Kubernetes servers for the tests: once, with Go, about five minutes
	$(BIN)/python -m tests.cluster.binaries

cluster: setup ## the whole program on a real control plane, where there is one
	$(PYTEST) -m '$(USUAL)' tests

test-oldest: setup ## the whole program on Kubernetes 1.32, the oldest that is supported: built once, with Go
	PODGROUPER_TEST_KUBERNETES=1.32 $(BIN)/python -m tests.cluster.binaries
	PODGROUPER_TEST_KUBERNETES=1.32 $(PYTEST) -m '$(USUAL)' tests --ignore tests/conformance

faults: setup ## every fault on a real control plane, in twenty minutes; SEED= repeats the load of a run
	$(PYTEST) -m control_plane tests/faults

fuzz: setup ## everything that takes text from strangers, under a fuzzer (SECONDS=, SEED=)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r tests/fuzz/requirements.txt
	$(BIN)/python -m tests.fuzz $(SECONDS) $(SEED)

format: setup ## write the code as ruff likes it
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: setup ## render docs/reference from the code
	$(BIN)/python -m tools.reference

clean: ## remove what make made
	rm -rf $(VENV) .fuzz .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage htmlcov build dist
