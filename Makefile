# make run    set up and open the app        make test    set up and run the tests
# make check  lint, format and types         make clean   remove what was set up
# make bench  list the benchmarks
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: run test check format clean bench bench-extraction bench-index bench-retrieval bench-answers bench-languages
.DELETE_ON_ERROR:

run: $(VENV)/.run
	$(BIN)/python -m streamlit run app.py

test: $(VENV)/.test
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist loadfile

check: $(VENV)/.dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

format: $(VENV)/.dev
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

# DATA=folder names the full data of a benchmark; without it the small samples in benchmarks/data are used.
bench:
	@echo "make bench-retrieval [DATA=folder] [REFERENCE=1]   are the right passages found, by mode"
	@echo "make bench-answers   [DATA=folder]                 do built-in answers hold the right one"
	@echo "make bench-languages [DATA=folder]                 are articles found across languages"
	@echo "make bench-extraction [DATA=folder] [RULES=1]      entities and related pairs without a model, by rule"
	@echo "make bench-index     [DATA=file or folder]         seconds and memory by stage, the hottest functions"
	@echo "More, each with its own arguments: benchmarks/*.py; figures: docs/benchmarks.md"

bench-retrieval: $(VENV)/.run
	$(BIN)/python -m benchmarks.retrieval $(DATA) $(if $(REFERENCE),--reference)

bench-extraction: $(VENV)/.run
	$(BIN)/python -m benchmarks.extraction $(DATA) $(if $(RULES),--rules)

bench-index: $(VENV)/.run
	$(BIN)/python -m benchmarks.indexing $(DATA)

bench-answers: $(VENV)/.run
	$(BIN)/python -m benchmarks.answers $(DATA)

bench-languages: $(VENV)/.run
	$(BIN)/python -m benchmarks.languages $(DATA)

clean:
	rm -rf $(VENV)

# A stamp says what is installed; it is renewed only when the requirements change.
$(VENV)/.run: $(VENV)/.venv
	@echo "Installing the app (once, some minutes) …"
	$(PIP) --editable .
	@touch $@

$(VENV)/.test: $(VENV)/.venv
	@echo "Installing the app and the test tools (once, some minutes) …"
	$(PIP) --editable ".[test]"
	@touch $@ $(VENV)/.run

$(VENV)/.dev: $(VENV)/.venv
	@echo "Installing the app, the test tools and the linters (once, some minutes) …"
	$(PIP) --editable ".[dev]"
	@touch $@ $(VENV)/.run $(VENV)/.test

$(VENV)/.venv: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Python 3.11 or newer is needed, this is " + sys.version.split()[0] + ". Choose another one: make run PYTHON=python3.12")'
	@$(PYTHON) -c 'import venv, ensurepip' || { echo "Python lacks venv. On Debian and Ubuntu: apt install python3-venv"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@
