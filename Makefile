# The two commands. Everything else is cargo; `cargo xtask` lists the stages of the check.

.PHONY: help run test

help:
	@echo "make run    build Dormouse and play its main job on a sample, in a folder below target/"
	@echo "make test   format, house rules, lints and all tests: what CI runs"

run:
	@scripts/setup run scripts/demo

test:
	@scripts/setup test cargo xtask check
