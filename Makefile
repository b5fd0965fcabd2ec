# capture-processor: `make run` shows it working, `make test` tests it. Each installs and starts what it needs.
SHELL := /bin/bash

.PHONY: help run test bench-check bench-short chaos fuzz tsan up down build release lint format clean

# What does not fit into 80 columns goes on in a line of its own, below the target.
help: ## Lists what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 } \
		/^## / { printf "%19s%s\n", "", substr($$0, 4) }' Makefile

run: ## Sends captures of every kind through a private stack, and
## prints what became of each
	@Config/local/run.sh

test: ## Runs every test against private servers of its own,
## or those of one file: FILTER=SettleRaceTests
	@Config/local/test.sh $(if $(FILTER),--filter '$(FILTER)')

bench-check: ## Verifies, drains a short queue, fails if it costs too much
	@Config/local/bench-check.sh

bench-short: ## Drains a short queue with the debug build, as CI does
	@Config/local/bench-short.sh

chaos: ## Breaks a private stack under load, audits every capture:
## SEED=n SECONDS=n BUNDLES=redis PARTITIONS=n
	@Config/local/chaos.sh $(if $(SEED),--seed $(SEED)) $(if $(SECONDS),--seconds $(SECONDS)) \
		$(if $(BUNDLES),--bundles $(BUNDLES)) $(if $(PARTITIONS),--partitions $(PARTITIONS))

fuzz: ## Fuzzes what reads bytes from outside: SECONDS=60 for each
## target, TARGET=name for one, JOBS=2 for two at once
	@Config/local/fuzz.sh "$(or $(SECONDS),60)" "$(TARGET)" "$(or $(JOBS),1)"

tsan: ## Runs every test under ThreadSanitizer
	@Config/local/tsan.sh

up: ## Starts a stack that stays: gateway, two workers, Redis and
## PostgreSQL; PORT=9090 where 8080 is taken
	@Config/local/up.sh

down: ## Stops the stack that `make up` started
	@Config/local/down.sh

build: ## Builds everything for development
	@Config/local/swift.sh && Config/local/install.sh && swift build --build-tests

release: ## Builds the programs for production
	@Config/local/release.sh

lint: ## Checks the format of the sources
	@Config/local/swift.sh && swift format lint --strict --recursive --parallel Package.swift Sources Workers Tests

format: ## Formats the sources
	@Config/local/swift.sh && swift format --in-place --recursive --parallel Package.swift Sources Workers Tests

clean: ## Removes what was built and the local stacks' data
	@Config/local/clean.sh
