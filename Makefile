# The two commands for a fresh machine are `make demo` and `make test`; `make help` lists the rest.
.DEFAULT_GOAL := help
SHELL := /bin/bash

PACKAGES := libsqlite3-dev libzstd-dev zlib1g-dev python3 python3-venv zstd
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
TOLLGATE := .build/release/tollgate
OUT := out
VENV := .venv

.PHONY: help setup build demo test unit-tests differential faults notebooks browser calibrate lint format bench clean

help: ## List the targets.
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

setup: ## Install the Debian packages that are missing.
	@missing=""; \
	for package in $(PACKAGES); do \
	  dpkg-query -W -f='$${Status}' $$package 2>/dev/null | grep -q 'ok installed' || missing="$$missing $$package"; \
	done; \
	if [ -n "$$missing" ]; then \
	  echo "installing$$missing"; \
	  $(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq --no-install-recommends $$missing; \
	fi

# With the runtime in the program: it starts in half the time, and runs where no Swift is installed.
build: setup ## Build the program in release mode.
	swift build -c release --static-swift-stdlib

demo: build ## Ingest SampleData, print the reports, write the HTML page.
	@mkdir -p $(OUT) && rm -f $(OUT)/demo.db $(OUT)/demo.db-wal $(OUT)/demo.db-shm
	$(TOLLGATE) ingest --store $(OUT)/demo.db SampleData/events
	$(TOLLGATE) funnel --store $(OUT)/demo.db --app steps --by variant
	$(TOLLGATE) trials --store $(OUT)/demo.db --app steps --by variant
	$(TOLLGATE) savings --store $(OUT)/demo.db --app steps --by variant \
	  --where variant=control,anchor --where tier=individual
	$(TOLLGATE) cancellations --store $(OUT)/demo.db --app steps --by variant,plan
	$(TOLLGATE) report --store $(OUT)/demo.db --output $(OUT)/report
	@echo "the page: $(OUT)/report/index.html"

test: build lint unit-tests differential faults notebooks browser ## Set up and pass all tests.

unit-tests: setup ## The Swift tests.
	swift test

differential: build ## Reports and experiments against the independent slow implementation, on random events.
	python3 Tests/Oracle/compare.py --program $(TOLLGATE) --seeds 1-12
	python3 Tests/Oracle/experiment.py --program $(TOLLGATE) --seeds 1-12
	python3 Tests/Oracle/value.py --program $(TOLLGATE) --seeds 1-8
	python3 Tests/Sources/month.py --program $(TOLLGATE)

faults: build ## Kill the ingest and the receiver at random instants, and crowd the dashboard; nothing acknowledged is lost.
	python3 Tests/Faults/kill_ingest.py --program $(TOLLGATE) --kills 20
	python3 Tests/Faults/receive.py --program $(TOLLGATE) --seconds 3 --kills 4
	python3 Tests/Faults/serve.py --program $(TOLLGATE) --seconds 8 --rate 100

notebooks: build $(VENV)/notebooks/made ## Run the notebooks on SampleData; what they show goes to out/notebooks.
	TOLLGATE_PROGRAM=$(abspath $(TOLLGATE)) $(VENV)/notebooks/bin/python Notebooks/run.py --output $(OUT)/notebooks

browser: build $(VENV)/browser/made ## Open the report page and the dashboard in headless Chromium; pictures go to out/browser.
	@command -v chromium chromedriver >/dev/null || { command -v apt-get >/dev/null && $(SUDO) apt-get update -qq && \
	  $(SUDO) apt-get install -y -qq --no-install-recommends chromium chromium-driver fonts-dejavu-core; } || true
	$(VENV)/browser/bin/python Tests/Browser/run.py --program $(TOLLGATE) --pictures $(OUT)/browser

calibrate: setup ## Error rates, coverage and properties of every method against their anchors: some minutes.
	swift build -c release --static-swift-stdlib --product Calibration
	.build/release/Calibration $(CALIBRATE)

lint: ## Check the format of the sources.
	swift format lint --strict --recursive Sources Tests Package.swift

format: ## Format the sources.
	swift format --in-place --recursive Sources Tests Package.swift

# What notebooks and browser tests import, each in a venv of its own; made again when the versions change.
$(VENV)/notebooks/made: Notebooks/requirements.txt
$(VENV)/browser/made: Tests/Browser/requirements.txt Tests/Browser/requirements-axe.txt
$(VENV)/notebooks/made $(VENV)/browser/made: | setup
	python3 -m venv $(@D)
	$(@D)/bin/pip install --quiet --disable-pip-version-check --requirement $<
	$(if $(word 2,$^),$(@D)/bin/pip install --quiet --disable-pip-version-check --no-deps --requirement $(word 2,$^))
	@touch $@

# What the benchmark imports; made again when the versions change.
$(VENV)/bench: Tests/Benchmarks/requirements.txt
	python3 -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

# The statistics engines, whose NumPy is another.
$(VENV)/statistics/bench: Tests/Benchmarks/requirements-statistics.txt
	python3 -m venv $(VENV)/statistics
	$(VENV)/statistics/bin/pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

bench: build $(VENV)/bench $(VENV)/statistics/bench ## Time everything beside its peers; BENCH="--only ingest --size 1.1M" for a part.
	$(VENV)/bin/python Tests/Benchmarks/bench.py --program $(TOLLGATE) $(BENCH)

clean: ## Remove what was built.
	rm -rf .build $(OUT) $(VENV)
