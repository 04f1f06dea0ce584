# make demo   run tile-opt on the example graphs
# make test   run all tests
# make lint   check style, format and types
# make clean  remove what the others made
#
# Everything is installed into .venv, which a change of pyproject.toml renews. PYTHON chooses the interpreter (3.11+).

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint clean

demo: $(VENV)/.installed
	@for graph in examples/*.json.gz; do \
		echo "$$graph:"; $(BIN)/tile-opt "$$graph" -p graph-partition,check-partition -t summary || exit 1; \
	done

test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/pyright --pythonpath $(BIN)/python

clean:
	rm -rf $(VENV) build *.egg-info .pytest_cache .hypothesis .ruff_cache
	find . -name __pycache__ -prune -exec rm -rf {} +
	find tests/lit -name Output -prune -exec rm -rf {} +

$(VENV)/.installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("tile-opt needs Python 3.11 or newer, found %d.%d; choose another with PYTHON=..." % sys.version_info[:2])'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --editable .
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(BIN)/pip install --quiet --editable '.[dev]'
	@touch $@
