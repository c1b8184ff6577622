# The two commands for a fresh machine are `make demo` and `make test`; `make help` lists the rest.
.DEFAULT_GOAL := help
SHELL := /bin/bash

PACKAGES := libsqlite3-dev libzstd-dev zlib1g-dev python3 python3-venv zstd
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
TOLLGATE := .build/release/tollgate
OUT := out
VENV := .venv

# Without symbols, and without what tells of the folder that it was built in: Swift's hash of a module covers the options
# of its compilation, and the linker's id everything.
STRIP := strip --strip-all --remove-section=.comment --remove-section=.note --remove-section=.note.gnu.build-id \
  --remove-section=.swift_modhash

# Where `make install` puts things; DESTDIR goes before each.
PREFIX ?= /usr/local
MANUAL ?= $(PREFIX)/share/man/man1
BASH_COMPLETIONS ?= $(PREFIX)/share/bash-completion/completions
ZSH_COMPLETIONS ?= $(PREFIX)/share/zsh/site-functions
FISH_COMPLETIONS ?= $(PREFIX)/share/fish/vendor_completions.d
DOCUMENTATION ?= $(PREFIX)/share/doc/tollgate

# The date of manual pages and packages: that of the commit, so that the same commit makes the same bytes.
SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 0)
export SOURCE_DATE_EPOCH

.PHONY: help setup build demo test built-tests unit-tests differential faults calibrate lint format bench clean
.PHONY: install uninstall deb wheel wheel-test parquet sbom packages reproducible fuzz fuzz-short sanitize
.PHONY: cluster-tools cluster-up cluster-down cluster-test test-cluster cluster-bench
.PHONY: agents notebooks browser docs docs-test docs-write

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

# Sources and headers stand in the program by their place in the project, not by the folder that it was built in.
PREFIX_MAP := -Xswiftc -file-prefix-map -Xswiftc $(CURDIR)=. -Xcc -ffile-prefix-map=$(CURDIR)=.

# With the runtime in the program: it starts in half the time, and runs where no Swift is installed.
RELEASE_BUILD := swift build -c release --static-swift-stdlib $(PREFIX_MAP)

build: setup ## Build the program in release mode.
	$(RELEASE_BUILD) $(BUILD_OPTIONS)

demo: build ## Ingest SampleData, print the reports, write the HTML page.
	@mkdir -p $(OUT) && rm -f $(OUT)/demo.db $(OUT)/demo.db-wal $(OUT)/demo.db-shm
	$(TOLLGATE) ingest --store $(OUT)/demo.db SampleData/events
	$(TOLLGATE) rates import --store $(OUT)/demo.db SampleData/rates.csv
	$(TOLLGATE) funnel --store $(OUT)/demo.db --app steps --by variant
	$(TOLLGATE) trials --store $(OUT)/demo.db --app steps --by variant
	$(TOLLGATE) savings --store $(OUT)/demo.db --app steps --by variant \
	  --where variant=control,anchor --where tier=individual
	$(TOLLGATE) cancellations --store $(OUT)/demo.db --app steps --by variant,plan
	$(TOLLGATE) report --store $(OUT)/demo.db --output $(OUT)/report
	@echo "the page: $(OUT)/report/index.html"

AS_TESTED = TOLLGATE=$(TESTED)/release/tollgate BUILT=built-tests FAULTS="--only kills --commands ingest --kills 10"

# One build for program and tests, in half the time of two builds. Two suites at a time, as each waits for programs that it
# runs, but kills alone. What was skipped stands at the end.
test: setup ## Set up and pass all tests.
	$(MAKE) lint built-tests
	@mkdir -p $(OUT)
	@set -o pipefail; $(MAKE) -j2 --output-sync=target unit-tests differential docs-test notebooks browser agents $(AS_TESTED) 2>&1 \
	  | tee $(OUT)/acceptance.log && $(MAKE) faults $(AS_TESTED) 2>&1 | tee -a $(OUT)/acceptance.log; status=$$?; \
	  grep -ah "skipped[:,] " $(OUT)/unit-tests.log $(OUT)/acceptance.log | cut -c 1-300; exit $$status

# Apart from `make test`, as Spark and Java are half a gigabyte more.
test-cluster: setup ## The cluster, less of everything, by the program that `make test` built.
	$(MAKE) cluster-test TOLLGATE=$(TESTED)/release/tollgate BUILT=built-tests CLUSTER="--quick --only sample,random,faults"

# In a folder of its own: only what Package.swift names is optimized, which takes half the time.
TESTED := .build/tests
TEST_OPTIONS := -c release --scratch-path $(TESTED) -Xswiftc -enable-testing -Xswiftc -Onone -Xcc -O0

built-tests: setup
	TOLLGATE_TESTED=1 swift build --build-tests $(TEST_OPTIONS)

# What failed stands at the end, too.
unit-tests: built-tests ## The Swift tests.
	@mkdir -p $(OUT)
	TOLLGATE_TESTED=1 swift test --skip-build $(TEST_OPTIONS) 2>&1 | tee $(OUT)/unit-tests.log; status=$${PIPESTATUS[0]}; \
	  grep -a "^✘" $(OUT)/unit-tests.log | cut -c 1-600; exit $$status

# What makes the program that is tried.
BUILT := build

# More seeds find more: SEEDS=40.
SEEDS := 6

differential: $(BUILT) ## Reports and experiments against the independent slow implementation, on random events; SEEDS=40 for more.
	python3 Tests/Acceptance/Oracle/run_fixtures.py
	python3 Tests/Acceptance/Oracle/compare.py --program $(TOLLGATE) --seeds 1-$(SEEDS)
	python3 Tests/Acceptance/Oracle/experiment.py --program $(TOLLGATE) --seeds 1-$(SEEDS)
	python3 Tests/Acceptance/Oracle/value.py --program $(TOLLGATE) --seeds 1-$(SEEDS)
	python3 Tests/Acceptance/Oracle/payback.py --program $(TOLLGATE) --seeds 1-$(SEEDS)
	python3 Tests/Acceptance/Oracle/drivers.py --program $(TOLLGATE)
	python3 Tests/Acceptance/Oracle/drivers_money.py --self-test
	python3 Tests/Acceptance/Oracle/drivers_money.py --program $(TOLLGATE)
	python3 Tests/Acceptance/Oracle/drivers_mrr.py --program $(TOLLGATE) --seeds 1-$(SEEDS)
	python3 Tests/Acceptance/Oracle/backtest.py --program $(TOLLGATE) --seeds 3-3 --runs 2 --persons 400
	python3 Tests/Acceptance/Oracle/ranges.py --program $(TOLLGATE) --seeds 1-1
	python3 Tests/Acceptance/Oracle/health.py --program $(TOLLGATE) --seeds 1-$(SEEDS)
	python3 Tests/Acceptance/Oracle/landmarks.py --program $(TOLLGATE) --runs 200 --trials 200
	python3 Tests/Acceptance/Oracle/decisions.py --program $(TOLLGATE) --seeds 1-$(SEEDS)
	python3 Tests/Acceptance/Vendors/month.py --program $(TOLLGATE)

faults: $(BUILT) ## Kills, full disks, damaged files and strange inputs; FAULTS="--kills 500 --disk-full 50 --write" for more.
	python3 Tests/Acceptance/Faults/faults.py --program $(TOLLGATE) $(FAULTS)
	python3 Tests/Acceptance/Faults/receive.py --program $(TOLLGATE) --seconds 3 --kills 4
	python3 Tests/Acceptance/Faults/serve.py --program $(TOLLGATE) --seconds 8 --rate 40

notebooks: $(BUILT) $(VENV)/notebooks/made ## Run the notebooks on SampleData; what they show goes to out/notebooks.
	TOLLGATE_PROGRAM=$(abspath $(TOLLGATE)) $(VENV)/notebooks/bin/python Notebooks/run.py --output $(OUT)/notebooks

browser: $(BUILT) $(VENV)/browser/made ## Open the report page and the dashboard in headless Chromium; pictures go to out/browser.
	@{ command -v chromium && command -v chromedriver; } >/dev/null || { command -v apt-get >/dev/null && $(SUDO) apt-get update -qq && \
	  $(SUDO) apt-get install -y -qq --no-install-recommends chromium chromium-driver fonts-dejavu-core; } || true
	$(VENV)/browser/bin/python Tests/Acceptance/Browser/run.py --program $(TOLLGATE) --pictures $(OUT)/browser

agents: $(BUILT) $(VENV)/agents/made ## Call every tool of `tollgate mcp` by the official client, and verify every receipt.
	$(VENV)/agents/bin/python Tests/Acceptance/Agents/agents.py --program $(TOLLGATE)
	$(VENV)/agents/bin/python Tests/Acceptance/Agents/fuzz.py --program $(TOLLGATE)

docs-test: $(BUILT) ## Run every command of README and the guides, and check every link.
	python3 Tests/Acceptance/Docs/site.py
	python3 Tests/Acceptance/Docs/words.py --check
	python3 Tests/Acceptance/Docs/docs.py --program $(TOLLGATE)

docs-write: $(BUILT) ## Record the outputs and the picture in README and the guides again.
	python3 Tests/Acceptance/Docs/docs.py --program $(TOLLGATE) --write
	python3 Tests/Acceptance/Docs/picture.py --program $(TOLLGATE) --output $(PICTURE)

PICTURE := Sources/tollgate/tollgate.docc/Resources/experiment.svg

docs: ## Check every link and build all pages as a site in out/docs.
	python3 Tests/Acceptance/Docs/site.py --output $(OUT)/docs

calibrate: setup ## Error rates, coverage and properties of every method against their anchors: some minutes.
	$(RELEASE_BUILD) --product Calibration
	.build/release/Calibration $(CALIBRATE)

# What is there is installed as it is, so that `sudo make install` builds nothing.
$(TOLLGATE):
	$(MAKE) build

install: $(TOLLGATE) ## Install program, manual and completions below PREFIX (/usr/local); DESTDIR goes before it.
	install -D -m 755 $(TOLLGATE) $(DESTDIR)$(PREFIX)/bin/tollgate
	$(STRIP) $(DESTDIR)$(PREFIX)/bin/tollgate
	install -d $(addprefix $(DESTDIR),$(MANUAL) $(BASH_COMPLETIONS) $(ZSH_COMPLETIONS) $(FISH_COMPLETIONS))
	python3 .packaging/manual.py $(TOLLGATE) $(DESTDIR)$(MANUAL) --epoch $(SOURCE_DATE_EPOCH)
	$(TOLLGATE) --generate-completion-script bash > $(DESTDIR)$(BASH_COMPLETIONS)/tollgate
	$(TOLLGATE) --generate-completion-script zsh > $(DESTDIR)$(ZSH_COMPLETIONS)/_tollgate
	$(TOLLGATE) --generate-completion-script fish > $(DESTDIR)$(FISH_COMPLETIONS)/tollgate.fish
	chmod 644 $(DESTDIR)$(MANUAL)/tollgate*.1 $(DESTDIR)$(BASH_COMPLETIONS)/tollgate \
	  $(DESTDIR)$(ZSH_COMPLETIONS)/_tollgate $(DESTDIR)$(FISH_COMPLETIONS)/tollgate.fish
	install -D -m 644 -t $(DESTDIR)$(DOCUMENTATION) README.md CHANGELOG.md LICENSE

uninstall: ## Remove what `make install` with the same PREFIX put there.
	rm -f $(DESTDIR)$(PREFIX)/bin/tollgate $(DESTDIR)$(MANUAL)/tollgate.1 $(DESTDIR)$(MANUAL)/tollgate-*.1 \
	  $(DESTDIR)$(BASH_COMPLETIONS)/tollgate $(DESTDIR)$(ZSH_COMPLETIONS)/_tollgate \
	  $(DESTDIR)$(FISH_COMPLETIONS)/tollgate.fish
	rm -rf $(DESTDIR)$(DOCUMENTATION)

deb: $(TOLLGATE) ## Make a Debian package of the program that is built, in out.
	@$(MAKE) --no-print-directory setup PACKAGES="dpkg-dev python3"
	@TOLLGATE=$(TOLLGATE) .packaging/debian.sh $(OUT)

wheel: $(TOLLGATE) $(VENV)/wheel/made ## Make a Python wheel of the program that is built, in out.
	@$(VENV)/wheel/bin/python .packaging/wheel.py $(TOLLGATE) $(OUT) --epoch $(SOURCE_DATE_EPOCH) --strip "$(STRIP)"

wheel-test: wheel ## Install the wheel into fresh environments and use it; WHEEL="--chroot FOLDER" for a Debian chroot, too.
	python3 Tests/Acceptance/Wheel/wheel.py --wheels $(OUT) $(WHEEL)

# What the makers of other Parquet write is made anew each time; some 70 files.
parquet: setup $(VENV)/parquet/made ## Compare Parquet files by pyarrow, pandas, fastparquet, DuckDB and polars value by value.
	swift build -c release --product ParquetLines
	$(VENV)/parquet/bin/python Tests/Acceptance/Parquet/parquet.py --lines .build/release/ParquetLines $(PARQUET)

sbom: $(TOLLGATE) ## Write the bill of materials (CycloneDX), licences and notices of what the program contains to out/sbom.
	python3 .packaging/dependencies.py $(TOLLGATE) $(OUT)/sbom --epoch $(SOURCE_DATE_EPOCH)

packages: $(TOLLGATE) ## Install, package and try the package in a clean chroot (as root; says what it leaves out).
	@$(MAKE) --no-print-directory setup PACKAGES="dpkg-dev groff-base mmdebstrap python3"
	python3 Tests/Acceptance/Packages/packages.py --program $(TOLLGATE)

reproducible: setup ## Build twice, in two folders, and compare: some twenty minutes; what may differ is said in the script.
	STRIP="$(STRIP)" .packaging/reproducible.sh

fuzz: setup ## Fuzz decoders, decompression and YAML readers: FUZZ="--seconds 3600 --only csv".
	python3 Tests/Fuzz/fuzz.py $(FUZZ)

fuzz-short: FUZZ = --seconds 5
fuzz-short: fuzz ## The same in less than two minutes, once it is built.

sanitize: setup ## The Swift tests under address, undefined-behaviour and thread sanitizers: SANITIZE="thread --filter StoreTests".
	Tests/Sanitizers/sanitize.sh $(SANITIZE)

lint: ## Check the format of the sources.
	swift format lint --strict --recursive Sources Tests Package.swift

format: ## Format the sources.
	swift format --in-place --recursive Sources Tests Package.swift

# What notebooks, browser tests and others import, each in a venv of its own; made again when the versions change.
$(VENV)/notebooks/made: Notebooks/requirements.txt
$(VENV)/wheel/made: .packaging/requirements-wheel.txt
$(VENV)/parquet/made: Tests/Acceptance/Parquet/requirements.txt
$(VENV)/agents/made: Tests/Acceptance/Agents/requirements.txt
$(VENV)/browser/made: Tests/Acceptance/Browser/requirements.txt Tests/Acceptance/Browser/requirements-axe.txt
$(VENV)/agents/made $(VENV)/notebooks/made $(VENV)/browser/made $(VENV)/wheel/made $(VENV)/parquet/made: | setup
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

# Spark and what it needs: half a gigabyte, for the cluster's targets alone.
$(VENV)/cluster/tools: Tests/Acceptance/Cluster/requirements.txt
	$(MAKE) setup PACKAGES="$(PACKAGES) default-jre-headless"
	python3 -m venv $(VENV)/cluster
	$(VENV)/cluster/bin/pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

cluster-tools: $(VENV)/cluster/tools ## Install Spark and Java for the cluster's targets.

cluster-up: cluster-tools ## Start a Spark master and two workers on loopback; prints the master's address.
	$(VENV)/cluster/bin/python Tests/Acceptance/Cluster/standalone.py up --folder $(OUT)/spark

cluster-down: ## End what cluster-up has started.
	$(VENV)/cluster/bin/python Tests/Acceptance/Cluster/standalone.py down --folder $(OUT)/spark

# Where Spark or Java cannot be had, the test says so and is skipped.
cluster-test: $(BUILT) ## Reports, faults and limits on a Spark cluster of one master and two workers; CLUSTER="--quick" for less.
	-@$(MAKE) --no-print-directory cluster-tools
	@python=$(VENV)/cluster/bin/python; [ -x $$python ] || python=python3; \
	$$python Tests/Acceptance/Cluster/cluster_test.py --program $(TOLLGATE) $(CLUSTER)

cluster-bench: build cluster-tools ## A build of 5.6 million events beside the same funnel by window functions.
	$(VENV)/cluster/bin/python Tests/Benchmarks/cluster.py --program $(TOLLGATE) $(BENCH)

clean: ## Remove what was built.
	rm -rf .build $(OUT) $(VENV)
