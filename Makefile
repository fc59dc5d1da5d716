.DEFAULT_GOAL := help
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
INSTALLED := $(VENV)/.installed
COMPILED := $(VENV)/.compiled
USABLE := $(VENV)/.usable
MADE := $(VENV)/pyvenv.cfg
ARGS ?=
IN_PROCESSES := --dist loadgroup --no-loadscope-reorder -n
CHECKED_TESTS := tests/kernels tests/formats/test_mutations.py tests/formats/test_paths_agree.py tests/formats/json/test_json_scan.py
GOLDENS := tests/rules tests/explain tests/tpch/test_plans.py tests/bind/test_trees.py tests/docs/test_reference.py tests/docs/test_support.py tests/spark/checkpoint/test_identities.py
# Both folders whose tests all are `private` (tests/conftest.py), and the files in which some are: to collect
# the others takes longer than to run these.
PRIVATE_TESTS = tests/spark/internals tests/spark/launch $(shell grep -rl --include='test_*.py' 'mark\.private' tests)
OLDEST_PYSPARK := 4.2.0
OLDEST_VENV := .venv-pyspark-$(OLDEST_PYSPARK)
OLDEST_READY := $(OLDEST_VENV)/.ready
OLDEST_MADE := $(OLDEST_VENV)/pyvenv.cfg
DELTA_SPARK := 4.4.0  # for Spark 4.2; its jar comes from Maven when the test runs

# pytest rewrites each assert: a process that may keep what it compiles saves the others the work.
test test-all test-fast collected test-checked test-spark-versions: export PYTHONDONTWRITEBYTECODE :=

.PHONY: help installed environment oldest demo demo-kafka test test-all test-fast collected test-checked test-spark-versions test-delta test-s3 soak goldens lint types reference package site bench nexmark clean check-tools

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-19s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(USABLE) ## a continuous query over a change stream: its plan and its result
	@$(BIN)/firesteel demo

demo-kafka: $(READY) ## the same over a Kafka topic that is being filled, with a broker of its own
	@$(BIN)/python -m tools.demo_kafka

test: $(READY) ## the tests, in four processes: those that share each of two Sparks, a Kafka broker, and the others
	$(BIN)/python -m pytest $(IN_PROCESSES) 4 $(ARGS)

test-all: $(READY) ## every test at its full size: all random examples, long statements, kills
	FIRESTEEL_TESTS=full $(BIN)/python -m pytest $(IN_PROCESSES) 4 $(ARGS)

test-fast: $(READY) ## the tests that need no Spark: under a minute
	$(BIN)/python -m pytest -m "not spark and not slow" $(ARGS)

# The processes of `test` begin all at once, and each would rewrite the asserts. What fails here fails there, too.
collected: $(COMPILED) ## compile the tests for the processes of the first `make test`
	@$(BIN)/python -m pytest --collect-only --quiet > /dev/null || true

# In one process: most of the time goes into compiling the kernels, and a second process compiles them, too.
# Without LLVM's optimizations, which do not change which indices are checked, that takes a quarter less.
test-checked: $(READY) ## kernels and decoders, with kernels that check each index
	FIRESTEEL_KERNELS=checked NUMBA_OPT=0 $(BIN)/python -m pytest $(CHECKED_TESTS) $(ARGS)

test-spark-versions: $(READY) $(OLDEST_READY) ## tests of the code that uses Spark's private parts, on the oldest supported pyspark
	$(OLDEST_VENV)/bin/python -m pytest $(IN_PROCESSES) 2 -m private $(PRIVATE_TESTS) $(ARGS)

installed: $(INSTALLED) ## the packages of that environment, without compiled kernels

environment: $(READY) ## the environment of all other targets, with the tools of development

oldest: $(OLDEST_READY) ## the environment with the oldest pyspark, for the two targets around this one

test-delta: $(READY) $(OLDEST_READY) ## Delta's change feed, with a Delta that fits the oldest pyspark
	$(OLDEST_VENV)/bin/python -m pip install --quiet --disable-pip-version-check delta-spark==$(DELTA_SPARK)
	$(OLDEST_VENV)/bin/python -m pytest tests/session/test_delta.py $(ARGS)

soak: $(READY) ## two jobs from Kafka to PostgreSQL under kills for four minutes; ARGS="--minutes 120 --out DIR" for longer
	$(BIN)/python -m tests.soak --minutes 4 --rate 60 --patience 900 $(ARGS)

test-s3: $(READY) ## a checkpoint on S3, with an S3 server from PyPI and S3A from Maven (700 MB)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "moto[server]>=5"
	$(BIN)/python -m pytest tests/spark/test_s3_checkpoint.py $(ARGS)

goldens: $(READY) ## write the recorded texts of the tests again: plans, trees, identities, generated pages
	FIRESTEEL_RECORD=1 $(BIN)/python -m pytest -q $(GOLDENS) $(ARGS)
	@echo "git diff shows what has changed. Keep a changed plan or tree only if Flink prints it, too (CONTRIBUTING.md)."

lint: $(INSTALLED) ## style, import layers, the words of the pages
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python tools/check_imports.py
	$(BIN)/python tools/check_words.py

types: $(INSTALLED) ## mypy, strict
	$(BIN)/mypy

reference: $(READY) ## write docs/reference.md and docs/support.md from the tables of the code
	$(BIN)/python -m tools.make_reference
	$(BIN)/python -m tools.make_support

package: $(READY) ## write the wheel and the source archive into dist/, and check their descriptions; needs no network
	rm -rf dist
	$(BIN)/python -m build --no-isolation
	$(BIN)/python -m twine check --strict dist/*

site: $(READY) ## the pages of docs/ and of the root as a site, in build/site
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet
	@echo "open build/site/index.html"

bench: $(READY) ## measure Firesteel beside Flink, as whole processes; ARGS="batch-sum-max" picks one, ARGS=--list lists them
	$(BIN)/python -m benchmarks $(ARGS)

nexmark: $(READY) ## measure the Nexmark queries beside Flink; ARGS="--events 10000000 --spark q4 q9" picks size, engines, queries
	$(BIN)/python -m benchmarks.nexmark $(ARGS)

clean: ## remove what make has made
	rm -rf $(VENV) $(OLDEST_VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis spark-warehouse

# One environment: `make demo` installs what a user has, anything else adds the tools of development.
# pyspark comes without a wheel, and most of the time to make one goes into compressing jars once more.
export DIST_EXTRA_CONFIG ?= $(CURDIR)/tools/stored_wheels.cfg

$(MADE): | check-tools
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(USABLE): pyproject.toml | $(MADE)
	$(BIN)/python tools/install.py $(BIN)/python -e .
	@touch $@

$(INSTALLED): pyproject.toml | $(MADE)
	$(BIN)/python tools/install.py $(BIN)/python -e ".[dev]"
	@touch $(USABLE) $@

$(COMPILED): $(INSTALLED)
	@$(BIN)/python -m compileall -q src
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -m firesteel.kernels.warm
	@touch $@

$(READY): $(COMPILED)
	@$(BIN)/python tools/warm_spark.py || true
	@touch $@

# The oldest pyspark, and everything else from the usual environment.
$(OLDEST_MADE): | check-tools
	$(PYTHON) -m venv $(OLDEST_VENV) || { rm -rf $(OLDEST_VENV); exit 1; }

$(OLDEST_READY): $(INSTALLED) | $(OLDEST_MADE)
	$(BIN)/python tools/install.py $(OLDEST_VENV)/bin/python pyspark==$(OLDEST_PYSPARK)
	@$(OLDEST_VENV)/bin/python tools/share_packages.py $(VENV)
	@touch $@

check-tools:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null \
	  || { echo "Firesteel needs Python 3.10 or later: make PYTHON=/path/to/python3.11 ..." >&2; exit 1; }
	@PATH="$${JAVA_HOME:+$$JAVA_HOME/bin:}$$PATH" $(PYTHON) tools/check_java.py
