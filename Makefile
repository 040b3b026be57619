# `make demo` and `make test` work from nothing but Python ≥ 3.11 and make.
# Every path is relative, so that a folder whose name has a space works too.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
  $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin

.DEFAULT_GOAL := help
.PHONY: help demo test env check format lock clean

help:  ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 14

demo: env  ## mine the shipped logs, test the demo service, leave a report
	@$(BIN)/lobrest demo || [ $$? -eq 1 ]  # status 1 means: bugs were found, which is the point

test: .venv/.dev  ## run the tests
	@$(BIN)/python -m pytest

env: .venv/.run  ## make the environment .venv and no more

check: .venv/.dev  ## formatter, linter, types, import contract
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: .venv/.dev  ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lock: .venv/.dev  ## write the locked dependencies anew
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
	  --no-annotate pyproject.toml requirements/build.in -o requirements/run.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
	  --no-annotate pyproject.toml requirements/build.in requirements/dev.in -c requirements/run.txt -o requirements/dev.txt

.venv/pyvenv.cfg:
	@test -n "$(PYTHON)" || { echo "lobrest needs Python 3.11 or newer; none was found on PATH" >&2; exit 2; }
	@echo "making .venv (once)"
	@$(PYTHON) -m venv .venv || { echo "python -m venv failed; on Debian: apt install python3-venv" >&2; exit 2; }

.venv/.run: .venv/pyvenv.cfg requirements/run.txt pyproject.toml
	@echo "installing the locked dependencies (once, about a minute)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/run.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

.venv/.dev: .venv/.run requirements/dev.txt
	@echo "installing the development tools (once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@touch $@

-include benchmarks/benchmark.mk

clean:  ## remove the environment and what the tools left
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
