# The two commands for a fresh machine are `make demo` and `make test`; `make help` lists the rest.
.DEFAULT_GOAL := help
SHELL := /bin/bash

PACKAGES := libsqlite3-dev libzstd-dev zlib1g-dev python3 python3-venv zstd
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
TOLLGATE := .build/release/tollgate
OUT := out
VENV := .venv

.PHONY: help setup build demo test unit-tests differential faults calibrate lint format bench clean cluster-tools cluster-up \
  cluster-down cluster-test cluster-bench

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

test: build lint unit-tests differential faults ## Set up and pass all tests.

unit-tests: setup ## The Swift tests.
	swift test

differential: build ## Reports and experiments against the independent slow implementation, on random events.
	python3 Tests/Oracle/compare.py --program $(TOLLGATE) --seeds 1-12
	python3 Tests/Oracle/experiment.py --program $(TOLLGATE) --seeds 1-12
	python3 Tests/Oracle/value.py --program $(TOLLGATE) --seeds 1-8
	python3 Tests/Sources/month.py --program $(TOLLGATE)

faults: build ## Kill the ingest and the receiver at random instants; nothing that was acknowledged is lost.
	python3 Tests/Faults/kill_ingest.py --program $(TOLLGATE) --kills 20
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

# Spark and what it needs: half a gigabyte, for the cluster's targets alone.
$(VENV)/cluster/tools: Tests/Cluster/requirements.txt
	$(MAKE) setup PACKAGES="$(PACKAGES) default-jre-headless"
	python3 -m venv $(VENV)/cluster
	$(VENV)/cluster/bin/pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

cluster-tools: $(VENV)/cluster/tools ## Install Spark and Java for the cluster's targets.

cluster-up: cluster-tools ## Start a Spark master and two workers on loopback; prints the master's address.
	$(VENV)/cluster/bin/python Tests/Cluster/standalone.py up --folder $(OUT)/spark

cluster-down: ## End what cluster-up has started.
	$(VENV)/cluster/bin/python Tests/Cluster/standalone.py down --folder $(OUT)/spark

# Where Spark or Java cannot be had, the test says so and is skipped.
cluster-test: build ## Reports, faults and limits on a Spark cluster of one master and two workers.
	-@$(MAKE) --no-print-directory cluster-tools
	@python=$(VENV)/cluster/bin/python; [ -x $$python ] || python=python3; \
	$$python Tests/Cluster/cluster_test.py --program $(TOLLGATE)

cluster-bench: build cluster-tools ## A build of 5.6 million events beside the same funnel by window functions.
	$(VENV)/cluster/bin/python Tests/Benchmarks/cluster.py --program $(TOLLGATE) $(BENCH)

clean: ## Remove what was built.
	rm -rf .build $(OUT) $(VENV)
