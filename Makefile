# The front door: `make demo` and `make test` install what they need, build and run. `make help` lists the rest.
# Everything happens in build/; the work is done by the scripts in scripts/, CMake and its presets.

SHELL := /bin/bash
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX ?= /usr/local
# Seconds that `make test` runs each fuzz target.
FUZZ_SECONDS ?= 5
CASE := tests/fixtures/artifacts/partial_delegation
export JOBS FUZZ_SECONDS CLICOLOR

.DEFAULT_GOAL := help
.PHONY: help docs site demo gui build build-times wheel wheel-test wheel-root wheel-aarch64 test test-all test-fleet clang test-aarch64 test-cortex-m size bench deb format check-format tidy install clean deps test-deps

help: ## say what can be made
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## /  make \1\t/' | expand -t 22

demo: deps ## install, build, inspect a trace that the repository carries, then run a model and inspect its own
	@scripts/demo.sh

gui: deps ## build the desktop program and open the trace that the repository carries
	@scripts/install_deps.sh gui
	@scripts/get_imgui.sh
	@ET_CONFIGURE=1 scripts/build.sh release et-inspect et-inspect-gui
	@scripts/open_gui.sh build/release/bin/et-inspect-gui $(CASE)

build: deps ## the commands et-inspect, et-run and et-check, release build
	@scripts/build.sh release et-inspect et-run et-check

build-times: ## where the time of the last build went, by library and object (docs/building.md)
	@scripts/build_times.py build/release

wheel: deps ## the Python package with the commands, as wheels in dist/ (docs/install.md)
	@scripts/install_deps.sh gui
	@scripts/make_wheel.sh

wheel-test: ## install the wheel of dist/ into an environment of its own and test it
	@scripts/test_wheel.sh

wheel-aarch64: deps ## cross-compile the wheel for aarch64 into dist/ and use it under QEMU
	@scripts/install_deps.sh cross
	@scripts/make_aarch64_wheel.sh
	@scripts/try_aarch64_wheel.sh

wheel-root: ## use the wheel of dist/ in a bare Debian with nothing but Python (needs root and mmdebstrap)
	@scripts/try_wheel.sh

test: test-deps ## install, build, run all tests, and those of what reads files under ASan/UBSan: before each push
	@scripts/run_tests.sh

test-all: test-deps ## what `make test` does, then all under ASan/UBSan, the fuzz targets, and other processors
	@scripts/run_tests.sh release fleet aarch64 cortex-m asan-readers fuzz asan-rest

test-fleet: deps ## data sets: pandas, DuckDB, Polars and Spark on what export --format parquet writes (docs/fleet.md)
	@scripts/install_deps.sh fleet
	@scripts/get_fleet_tools.sh
	@scripts/test_fleet.sh

clang: deps ## build commands and window with clang and libc++, and run tests with them: what stands in for macOS
	@scripts/install_deps.sh clang gui
	@scripts/get_imgui.sh || echo 'the desktop program is left out'
	@scripts/try_clang.sh

test-aarch64: ## build for 64-bit ARM, run the conformance cases under QEMU
	@scripts/cross.sh aarch64

test-cortex-m: ## build for a bare Cortex-M55, run a model with a trace and the conformance cases under QEMU
	@scripts/cross.sh cortex-m

test-upstream: ## build ExecuTorch's own tests (UPSTREAM=checkout or git directory, COMMIT=...) against the facade and run them
	@scripts/test_upstream.sh "$(UPSTREAM)" "$(COMMIT)"

size: ## what the core of the runtime takes in a program, for each compiler that is there
	@scripts/size_report.py

bench: test-deps ## build and run the benchmarks (CHECK=1 fails where a goal is missed)
	@scripts/run_bench.sh $(if $(CHECK),--check)

format: ## lay out all sources with clang-format
	@scripts/install_deps.sh dev
	@git ls-files '*.h' '*.cpp' | xargs -r clang-format-14 -i

check-format: ## fail when a source is not laid out as clang-format does
	@scripts/install_deps.sh dev
	@scripts/check_format.sh

tidy: test-deps ## clang-tidy on the sources that changed (BASE=<commit>, else since origin's main branch)
	@scripts/install_deps.sh dev
	@scripts/tidy.sh

install: build ## install command, libraries and headers under PREFIX (/usr/local)
	@scripts/build.sh release
	cmake --install build/release --prefix $(PREFIX)

deb: deps ## Debian packages of the commands, the window and the libraries, in build/package/packages (docs/install.md)
	@scripts/install_deps.sh gui
	@scripts/get_imgui.sh
	@ET_CONFIGURE=1 scripts/build.sh package
	cd build/package && cpack -G DEB

docs: build ## what documents take from the programs, written anew: references, outputs of commands (docs/README.md)
	@scripts/update_documents.sh

site: ## the documents as a website that needs no network, in build/site/html
	@scripts/make_site.sh

clean: ## remove build/
	rm -rf build

deps:
	@scripts/install_deps.sh build

test-deps:
	@scripts/install_deps.sh build test optional gui gui-test
	@scripts/get_imgui.sh || echo 'the desktop program and its tests are left out'
	@scripts/get_python_tools.sh || echo 'the tests of the Python package are left out'
	@scripts/get_report_schemas.sh || echo 'reports of et-check are not held against the schemas of their formats'
