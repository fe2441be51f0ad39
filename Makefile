# `make` lists what there is. Everything happens in a virtualenv of its own, .venv; nothing else is touched.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --quiet --quiet --disable-pip-version-check install
JOBS ?= 2

.DEFAULT_GOAL := help
.PHONY: help demo test check format bench clean

help:  ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## */\1\t/' | expand -t 10

demo: .venv/installed  ## make a repository of 500 commits with a hidden regression, and hunt it
	$(BIN)/bisector demo

test: .venv/installed-dev  ## run all tests; what they write, some gigabytes, goes when they end
	$(BIN)/python -m pytest -n $(JOBS) --leave-nothing

check: .venv/installed-dev  ## format, lint and types; nothing is changed
	$(BIN)/ruff format --check bisector tests benchmarks
	$(BIN)/ruff check bisector tests benchmarks
	$(BIN)/mypy

format: .venv/installed-dev  ## write the format that `check` wants
	$(BIN)/ruff format bisector tests benchmarks
	$(BIN)/ruff check --fix bisector tests benchmarks

bench: .venv/installed-dev  ## print what bisector costs beside plain git, with the targets
	$(BIN)/python -m benchmarks

clean:  ## remove the virtualenv and every cache
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist
	find bisector tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp a set of packages: the second call installs nothing until pyproject.toml changes.

.venv/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "bisector needs Python 3.10 or newer: make PYTHON=...")'
	$(PYTHON) -m venv .venv
	@touch $@

.venv/installed: pyproject.toml | .venv/python
	$(PIP) --editable .
	@touch $@

.venv/installed-dev: pyproject.toml | .venv/python
	$(PIP) --editable '.[dev]'
	@touch $@ .venv/installed
