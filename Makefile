# Works with GNU make 4 and with the 3.81 of macOS: no .ONESHELL, no !=.

GO       ?= go
FUZZTIME ?= 30s
SOAKTIME ?= 15m
GROWTH   ?= 1000000
COLLECTIONS ?= 10000
BIN      ?= bin/tenantry
VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

LDFLAGS   = -X github.com/tenantry/tenantry/internal/app.version=$(VERSION)

# Without vet, which make check runs with more of its checks, and without debug
# information, which takes a third of the time of linking.
TESTFLAGS = -count=1 -timeout 15m -vet=off -ldflags=-w

# The Go library is a module of its own, so ./... alone leaves it out.
PACKAGES  = ./... github.com/tenantry/tenantry/client/...

# Tests start in this order: the longest first, so that none is left alone at the
# end. PACKAGES has them too, and none is run twice.
LONGEST   = ./internal/console ./internal/app ./internal/service/invoicing ./internal/store ./internal/delivery/worker ./internal/graphql/apitest

# gotestsum is go test that ends with the tests that failed or were skipped, and why.
GOTEST = $(GO) tool gotestsum --format pkgname --

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo run build install test race check format vet lint fresh generate bench growth fuzz soak converge collect images release clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: build ## Start a demo: sample customers, and a sample application
	$(BIN) demo

# Not with go run, which reports Ctrl-C as an error.
run: build ## Start the server on 127.0.0.1:8080 with a SQLite file in tenantry-data/
	$(BIN) serve

# Without -trimpath, so that demo, run, build and test share what is compiled;
# releases have it.
build: ## Build bin/tenantry
	@[ -x $(BIN) ] || echo "compiling, which takes some minutes the first time"
	$(GO) build -ldflags '$(LDFLAGS)' -o $(BIN) ./cmd/tenantry

# No sudo needed: by default it goes where go install puts programs.
install: build ## Install tenantry into PREFIX/bin, by default where Go installs programs
	@dir='$(if $(PREFIX),$(PREFIX)/bin)'; \
	[ -n "$$dir" ] || dir=$$($(GO) env GOBIN); \
	[ -n "$$dir" ] || { dir=$$($(GO) env GOPATH); dir=$${dir%%:*}/bin; }; \
	mkdir -p "$$dir" && install -m 755 $(BIN) "$$dir/tenantry" || exit 1; \
	echo "installed $$dir/tenantry"; \
	case ":$$PATH:" in \
	*":$$dir:"*) ;; \
	*) echo "$$dir is not on your PATH; to add it: export PATH=\"$$dir:\$$PATH\"" ;; \
	esac

test: ## Run all tests and list the skipped ones; PostgreSQL tests need its server programs
	$(GOTEST) $(TESTFLAGS) $(LONGEST) $(PACKAGES)

race: ## Run all tests with the race detector (needs a C compiler)
	$(GOTEST) -race $(TESTFLAGS) $(LONGEST) $(PACKAGES)

check: format vet lint fresh ## Check format, vet, staticcheck and that generated code is fresh

format:
	@unformatted=$$(find . -name '*.go' -not -path '*/node_modules/*' -exec gofmt -l {} +) || exit 1; \
	if [ -n "$$unformatted" ]; then \
		echo "not formatted, run gofmt -w on:"; echo "$$unformatted"; exit 1; \
	fi

vet:
	$(GO) vet $(PACKAGES)

lint:
	$(GO) tool staticcheck $(PACKAGES)

# Checksums, not git status alone: a file that was already changed before must
# be seen to change again. In a clean checkout the two mean the same.
GENERATED = internal/graphql/gen internal/graphql/resources_gen.go internal/graphql/node/ids_gen.go internal/graphql/node/resources_gen.go client/types_gen.go client/operations_gen.go sdk/typescript/src/operations.ts docs/reference.md docs/reference
SUMS      = find $(GENERATED) -type f 2>/dev/null | LC_ALL=C sort | xargs cksum 2>/dev/null

fresh:
	@before=$$($(SUMS)); \
	$(MAKE) --no-print-directory generate || exit 1; \
	after=$$($(SUMS)); \
	if [ "$$before" != "$$after" ]; then \
		echo "$(GENERATED) was not fresh: run make generate and commit the result"; \
		git status --porcelain -- $(GENERATED) || true; \
		exit 1; \
	fi

generate: ## Generate code from the GraphQL schema
	$(GO) generate ./...

bench: ## Run the benchmarks
	$(GO) run ./internal/bench

# With TMPDIR, databases that become large are on a disk and not in memory.
growth: ## Compare all pages of the console with GROWTH (1000000) customers and with a thousand
	TMPDIR=$${TMPDIR:-/tmp} TENANTRY_GROWTH=$(GROWTH) $(GO) test -count=1 -timeout 3h -v -run '^TestPagesDoNotGrow$$' ./internal/console

fuzz: ## Run each fuzz test for FUZZTIME (30s)
	@pkgs=$$($(GO) list $(PACKAGES)) || exit 1; \
	for pkg in $$pkgs; do \
		names=$$($(GO) test -list '^Fuzz' $$pkg) || { echo "$$names"; exit 1; }; \
		for name in $$(echo "$$names" | grep '^Fuzz'); do \
			echo "$$pkg $$name for $(FUZZTIME)"; \
			$(GO) test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; \
		done; \
	done

soak: converge collect ## Run the convergence test, 10,000 collections, and then each fuzz test for SOAKTIME (15m)
	@$(MAKE) --no-print-directory fuzz FUZZTIME=$(SOAKTIME)

converge: ## Run the convergence test of webhooks alone for SOAKTIME (15m)
	TMPDIR=$${TMPDIR:-/tmp} TENANTRY_SOAK=$(SOAKTIME) $(GO) test -count=1 -timeout 24h -v -run '^TestConvergence$$' ./internal/delivery/worker

collect: ## Collect COLLECTIONS (10000) invoices on each engine while the processes are killed
	TENANTRY_COLLECTIONS=$(COLLECTIONS) $(GO) test -count=1 -timeout 1h -v -run '^TestKilledCollectorsChargeOnce$$' ./internal/service/invoicing

images: ## Make the pictures in docs/images anew (needs Chromium)
	TENANTRY_PICTURES=$(CURDIR)/docs/images $(GO) test -count=1 -run '^TestPictures$$' ./internal/console
	TENANTRY_PICTURES=$(CURDIR)/docs/images $(GO) test -count=1 -run '^TestTheSamplePageIsLive$$' ./internal/app

release: ## Build the programs for all platforms into dist/, with checksums
	rm -rf dist
	$(GO) run ./internal/release -version '$(VERSION)' -time "$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct 2>/dev/null || echo 0)}"

clean: ## Remove what was built
	rm -rf bin dist coverage.out coverage.html sdk/typescript/dist sdk/typescript/node_modules
	find . -name '*.test' -type f -not -path './.git/*' -not -path '*/node_modules/*' -exec rm -f {} +
