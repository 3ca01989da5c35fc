# Everything runs in the virtual environment .venv of this checkout; each target sets it up when needed.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
STAMP := .venv/.installed
FUZZ ?= 100000
KERNELS ?= 400

.PHONY: help setup demo test lint types format fuzz bench clean

help:
	@echo "make demo    set up and run examples/01_vector_add.py: a kernel through every stage"
	@echo "make test    set up and run the tests"
	@echo "make lint    ruff, pyright (strict) and the import directions"
	@echo "make fuzz    KERNELS=400 generated kernels of each sort, FUZZ=100000 mutated texts"
	@echo "make bench   compile and run times, as ratios to numpy in the same run"

setup: $(STAMP)

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "spyrelang needs Python 3.11 or newer; found: $$($(PYTHON) --version). Set PYTHON=..."; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || \
	  { echo "this Python has no venv module: install it (Debian: apt-get install python3-venv)"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "installing spyrelang and its development tools into .venv ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $(STAMP)

demo: setup
	@$(BIN)/python examples/01_vector_add.py

test: setup
	@$(BIN)/python -m pytest -n auto

lint: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports
	@$(MAKE) --no-print-directory types

types: setup
	@$(BIN)/pyright

format: setup
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

fuzz: setup
	@SPYRELANG_FUZZ=$(KERNELS) $(BIN)/python -m pytest -n auto tests/fuzz
	@$(BIN)/python tests/fuzz/run.py $(FUZZ)

bench: setup
	@$(BIN)/python benchmarks/compile.py
	@$(BIN)/python benchmarks/run.py
	@$(BIN)/python benchmarks/ktir.py

clean:
	rm -rf .venv build dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache
