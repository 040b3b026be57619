# Side-by-side measurements on real services; see docs/benchmark.md.
SERVICE ?= demo
TOOLS ?= lobrest,schemathesis
TIME ?= 10m
RUNS ?= 3
RESULTS ?=
BENCH = $(BIN)/python -m benchmarks.bench
BENCH_RESULTS = $(if $(RESULTS),--results "$(RESULTS)")

.PHONY: bench bench-quick bench-page

bench: env  ## measure lobrest and its peers (SERVICE=gitea TOOLS=lobrest,schemathesis TIME=10m RUNS=3)
	$(BENCH) run --service $(SERVICE) --tools $(TOOLS) --time $(TIME) --runs $(RUNS) $(BENCH_RESULTS)
	@$(BENCH) page $(BENCH_RESULTS)

bench-quick: env  ## the same on the demo service, ten minutes in all
	$(BENCH) run --service demo --tools lobrest,lobrest-spec,schemathesis --time 60s --runs 3 --results "$(or $(RESULTS),.cache/bench-quick)"
	@$(BENCH) page --results "$(or $(RESULTS),.cache/bench-quick)"

bench-page:  ## the page and tables of what was measured so far
	@$(BENCH) page $(BENCH_RESULTS)
