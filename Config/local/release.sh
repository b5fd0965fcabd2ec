#!/usr/bin/env bash
# Builds the programs for production.
set -euo pipefail
cd "$(dirname "$0")/../.."
# Before stack.sh, which looks for PostgreSQL's programs.
Config/local/install.sh
stack=release
. Config/local/stack.sh

build_release
say "built in .build-release/release"
