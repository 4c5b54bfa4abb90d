# The two commands. Everything else is cargo; `cargo xtask` lists the stages of the check.

.PHONY: help run test

help:
	@echo "make run    build Dormouse with its web app, and serve a sample workspace"
	@echo "make test   format, house rules, lints, all tests, the app in a browser: what CI runs"

run:
	@scripts/setup run scripts/run

test:
	@scripts/setup test cargo xtask check
