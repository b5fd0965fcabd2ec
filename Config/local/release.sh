#!/usr/bin/env bash
# Builds the programs for production.
set -euo pipefail
cd "$(dirname "$0")/../.."
stack=release
. Config/local/stack.sh

Config/local/install.sh
build_release
say "built in .build-release/release"
