# Two commands need nothing but Debian's python3: `make demo` and `make test`.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
PYTHON ?= python3
BIN := .venv/bin
# What the tests use beside Python: the broker, databases and browsers, and the starters' compilers.
TOOLS := mosquitto postgresql chromium nodejs npm build-essential default-jdk-headless golang-go golang-github-gorilla-websocket-dev
# Files of tests are spread over the cores in the order of the tree, so that the long ones come first.
SPREAD := --numprocesses auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder

.PHONY: help demo test test-busy test-paused wheel docs figures drills simulate mutants mutation bench pages calibration check format lock clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

.venv/ready: requirements.lock pyproject.toml scripts/setup.sh
	@PYTHON="$(PYTHON)" bash scripts/setup.sh

demo: .venv/ready ## broker, server and two bots play a rated match, results over MQTT
	@bash scripts/need.sh mosquitto || true
	@$(BIN)/mancala demo

test: .venv/ready ## the whole suite, then the engine's again with bounds checked
	@for each in $(TOOLS); do bash scripts/need.sh $$each || true; done
	@$(BIN)/python -m pytest $(SPREAD)
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && \
	  NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR="$$folder" $(BIN)/python -m pytest $(SPREAD) -q tests/engine --ignore tests/engine/classics

test-busy: .venv/ready ## the suite beside four busy loops: shows tests that depend on speed (TESTS=…)
	@$(BIN)/python -m scripts.drills.busy -- $(TESTS)

test-paused: .venv/ready ## the suite while its processes are stopped in turn: shows tests with races (TESTS=…)
	@$(BIN)/python -m scripts.drills.busy --loops 0 --pauses 1.5 -- $(SPREAD) $(TESTS)

wheel: .venv/ready ## build the wheel and try it in fresh environments, bare and with every extra
	@$(BIN)/python -m pytest -m wheel tests/packaging

docs: .venv/ready ## the documentation as pages, in build/docs
	@$(BIN)/python -m sphinx -q -W --keep-going -d build/doctrees docs build/docs

figures: .venv/ready ## draw the figures of the documentation, and run its notebook
	@$(BIN)/python -m docs.figures
	@$(BIN)/python -m docs.notebook docs/*.ipynb

drills: .venv/ready ## the drills in their long forms: load, kills, broker, hostile peers, KGP, events
	@for each in $(TOOLS); do bash scripts/need.sh $$each; done
	@for store in sqlite postgresql; do for drill in kill ladder dodging broker hostile flood poison arrival sybils churn pulse reviewers; do \
		$(BIN)/python -m scripts.drills.$$drill --store $$store; done; done
	@for drill in load kgp tournament cluster programs newcomer reviews reviewing; do $(BIN)/python -m scripts.drills.$$drill; done

simulate: .venv/ready ## the server in simulated worlds for an hour, new seeds each time
	@$(BIN)/python -m scripts.simulate --seconds 3000 --workers $$(nproc)
	@$(BIN)/python -m scripts.simulate --seconds 600 --workers $$(nproc) --circle 2

mutants: .venv/ready ## faults put into the server, each to be found by the simulation (twenty minutes)
	@$(BIN)/python -m scripts.simulate.mutants

mutation: .venv/ready ## small changes of protocol and store, each to be noticed by tests (FILE=…)
	@$(BIN)/uv run --no-project --python $(BIN)/python --with cosmic-ray==8.7.0 python -m scripts.mutation $(FILE)

bench: .venv/ready ## the engine against its limits, headless games, the joint fit (JSON)
	@$(BIN)/python -m scripts.bench.engine
	@$(BIN)/python -m scripts.bench.headless
	@$(BIN)/python -m scripts.bench.fit

pages: .venv/ready ## weight, requests, contrast and axe of each page of a server (URL=…)
	@$(BIN)/python -m scripts.bench.pages $(or $(URL),http://127.0.0.1:8080)

calibration: .venv/ready ## ratings and their errors against simulated truth (JSON, some minutes)
	@$(BIN)/python -m scripts.bench.calibration

check: .venv/ready ## lint, format, types and walls
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

format: .venv/ready ## let ruff write the format and the simple fixes
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

lock: ## renew requirements.lock (needs uv)
	uv pip compile pyproject.toml --group dev --group docs --all-extras --universal --generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate --custom-compile-command 'make lock' -o requirements.lock

clean: ## remove what the targets made
	rm -rf .venv build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
