# The two commands for a fresh machine are `make demo` and `make test`; `make help` lists the rest.
.DEFAULT_GOAL := help
SHELL := /bin/bash

PACKAGES := libsqlite3-dev libzstd-dev zlib1g-dev python3 python3-venv zstd
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
TOLLGATE := .build/release/tollgate
OUT := out
VENV := .venv

.PHONY: help setup build demo test built-tests unit-tests differential faults calibrate lint format bench clean

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

# Side by side: the last modules of either build keep one core busy.
test: setup ## Set up and pass all tests.
	$(MAKE) --jobs=2 build built-tests
	$(MAKE) lint unit-tests differential faults

# In a folder of their own, as a build locks its folder.
TESTS := --scratch-path .build/tests

built-tests: setup
	swift build --build-tests $(TESTS)

unit-tests: built-tests ## The Swift tests.
	swift test --skip-build $(TESTS)

differential: build ## Reports and experiments against the independent slow implementation, on random events.
	python3 Tests/Oracle/compare.py --program $(TOLLGATE) --seeds 1-12
	python3 Tests/Oracle/experiment.py --program $(TOLLGATE) --seeds 1-12
	python3 Tests/Oracle/value.py --program $(TOLLGATE) --seeds 1-8
	python3 Tests/Oracle/health.py --program $(TOLLGATE) --seeds 1-12
	python3 Tests/Sources/month.py --program $(TOLLGATE)

faults: build ## Kills, full disks, damaged files and strange inputs; FAULTS="--kills 500 --disk-full 50 --write" for more.
	python3 Tests/Faults/faults.py --program $(TOLLGATE) $(FAULTS)
	python3 Tests/Faults/receive.py --program $(TOLLGATE) --seconds 3 --kills 4

calibrate: setup ## Error rates, coverage and properties of every method against their anchors: some minutes.
	swift build -c release --static-swift-stdlib --product Calibration
	.build/release/Calibration $(CALIBRATE)

lint: ## Check the format of the sources.
	swift format lint --strict --recursive Sources Tests Package.swift

format: ## Format the sources.
	swift format --in-place --recursive Sources Tests Package.swift

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
