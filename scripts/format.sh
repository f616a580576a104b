#!/usr/bin/env bash
# clang-format over every C++ and CUDA source: scripts/format.sh -i | --dry-run --Werror
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
git ls-files -co --exclude-standard '*.cpp' '*.hpp' '*.h' '*.cu' '*.cuh' |
    xargs -r .venv/bin/clang-format "$@"
