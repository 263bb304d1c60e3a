# SPDX-License-Identifier: Apache-2.0 OR MIT
# Everyday commands. Each prepares by itself what it needs.

.DEFAULT_GOAL := help
.PHONY: help demo test reference trace-diff rocm-suites bench compare abi-diff module shell fmt docs clean distclean

help: ## list these commands
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## boot a VM with a virtual GPU, load amdgpu.ko, run ROCm programs, check every value
	@scripts/demo

test: ## all checks and tests
	@scripts/test

trace-diff: ## boot the C driver and ours, and print what they do to the GPU differently
	@scripts/trace-diff

bench: ## print measurements, without judging
	@scripts/bench

reference: ## boot the distribution's own driver on the virtual GPU, run its tests and ROCm programs
	@scripts/reference

compare: ## measure our driver and the kernel's own in turn, and print times and work of the device
	@scripts/compare

abi-diff: ## make the same calls with both drivers; each difference must be listed with its reason
	@scripts/abi-diff

rocm-suites: ## run Debian's tests of the ROCm libraries (hours; ONLY="WORD..." for some, DRIVER=stock, SUITES_TIMEOUT)
	@scripts/build rocm
	@scripts/vm run --suites --driver $(or $(DRIVER),ferrock) --timeout 604800 \
		-c 'SUITES_TIMEOUT=$(or $(SUITES_TIMEOUT),900) suites.sh $(ONLY)'

module: ## build amdgpu.ko for the stock kernel
	@scripts/build module stock

shell: ## an interactive guest with the driver loaded
	@scripts/vm shell

fmt: ## format all Rust code
	@scripts/enter cargo fmt --all
	@scripts/enter rustfmt --edition 2021 drivers/amdgpu.rs

docs: ## write the generated documents anew
	@FERROCK_DOCS=write scripts/enter cargo test --quiet --locked --release -p vgpu-isa --test values document

clean: ## remove what was built in the checkout (the caches stay)
	@rm -rf target

distclean: clean ## remove the caches too; an ordinary user does not own all their files
	@bash -c 'source scripts/lib/common.sh; for d in "$$CACHE"/{cargo,firmware,guest,kernel-*,suites,toolroot}; do remove "$$d"; done'
