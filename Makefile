# make test        everything that CI runs; sets up what it needs first
# make test-quick  the tests without race detector, fuzzing and linters
# make images      the pictures in docs/images
# make e2e         all real clients; downloads more than a gigabyte the first time
# make bench       how fast it is, against the bare parse and against other engines

# Go may stand under .tools, where scripts/setup puts it if the system's is too
# old. Nothing else is ever put there.
export PATH := $(CURDIR)/.tools/go/bin:$(PATH)

GO       ?= go
LINT      = $(GO) tool -modfile=tools/go.mod golangci-lint
FUZZTIME ?= 10000x

# What is pure starts nothing beside itself, which scripts/pure checks; where a test there
# has Concurrent in its name, many call it at once, with the race detector. These are the
# ones of them that the detector slows down most.
PURE = ./shell ./shell/internal/tablegen ./preset ./internal/approve/view ./internal/config \
	./internal/glob ./internal/journal ./internal/lint

# SLOW are begun first, so that none of them is left alone at the end.
SLOW = ./internal/cli ./sandbox ./e2e ./internal/resident ./internal/approve/web/browser

# Tests wait for other processes most of the time: more of them run at once than there
# are cores.
CORES  := $(shell getconf _NPROCESSORS_ONLN)
ATONCE  = -p $$(($(CORES) + 1)) -parallel $$(($(CORES) * 2))

.PHONY: test test-quick e2e setup generate stale pure lint vet fuzz cover bench images build install lean

# The tests come last, so that the runner's own closing lines end the output. The
# race detector waits a second at the end of each process, unless told otherwise: the
# tests start thousands.
test: export GORACE = atexit_sleep_ms=0
test: setup stale pure vet lint fuzz cover
	$(GO) test -race -run Concurrent $(PURE)
	$(GO) test $(PURE)
	$(GO) test -race -timeout 20m $(ATONCE) $(SLOW) \
		$$($(GO) list ./... | grep -vxF "$$($(GO) list $(PURE) $(SLOW))")

# e2e drives the real clients; the lightest of them is part of test.
e2e: setup
	./scripts/clients claude codex gemini opencode copilot servers
	$(GO) test -count 1 -timeout 60m ./e2e -clients all

# cover fails if a statement of the deciding core is not run by its tests.
cover:
	$(GO) test -coverprofile=.cover.out .
	@$(GO) tool cover -func=.cover.out | awk '/^total:/ { print "coverage of the core:", $$3; if ($$3 != "100.0%") exit 1 }' || \
		{ echo "cover: error: not every statement of the root package is covered" >&2; exit 1; }

test-quick:
	$(GO) test -short ./...

# The hook is built without what it would set up at each start and never use.
LEAN = -modfile=.lean/go.mod

build: lean
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/ ./cmd/sayso ./cmd/sayso-box
	CGO_ENABLED=0 $(GO) build -trimpath $(LEAN) -o bin/ ./cmd/sayso-hook

# install puts sayso, sayso-hook and sayso-box where Go puts programs.
install: lean
	CGO_ENABLED=0 $(GO) install -trimpath ./cmd/sayso ./cmd/sayso-box
	CGO_ENABLED=0 $(GO) install -trimpath $(LEAN) ./cmd/sayso-hook

lean:
	$(GO) run ./scripts/lean

setup:
	./scripts/setup
	./scripts/clients gemini servers >/dev/null

generate:
	$(GO) generate ./...
	$(GO) run ./cmd/sayso presets --markdown >docs/comparison.md

# stale fails when a generated file does not match its table.
stale:
	$(GO) run ./shell/internal/tablegen -check shell/tables shell

# pure fails when what is tested without the race detector starts something beside itself.
pure:
	$(GO) run ./scripts/pure $(PURE)

# vet also for the systems that this machine is not.
vet:
	$(GO) vet ./...
	GOOS=darwin GOARCH=arm64 $(GO) vet ./...
	GOOS=windows GOARCH=amd64 $(GO) build ./...
	GOOS=linux GOARCH=386 $(GO) vet ./shell/... ./internal/... ./cmd/...

lint:
	$(LINT) run ./...

# fuzz runs each fuzz target a few thousand times, and fails if one is missing.
fuzz:
	./scripts/fuzz $(FUZZTIME)

# bench compares the analysis with the bare parse, and the rules with other
# engines; the latter is a module of its own, with dependencies of its own.
bench:
	./scripts/bench
	./scripts/askbench
	$(GO) run ./scripts/hookbench
	$(GO) run ./scripts/boxbench
	./bench/run

# images writes pictures of the web page and of the terminal, as a browser shows them.
images:
	mkdir -p docs/images
	$(GO) test ./internal/approve/web/browser -count 1 -run '^TestImages$$' -images $(CURDIR)/docs/images
