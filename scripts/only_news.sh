#!/usr/bin/env bash
# Passes a build's output on without a line per step: a terminal sees one line rewritten, a log only
# what is not a step.
set -euo pipefail
if [ -t 1 ]; then
    awk '/^\[[0-9]+\/[0-9]+\]/ { printf "\r\033[K%.79s", $0; fflush(); next }
         { print "\r\033[K" $0 } END { printf "\r\033[K" }'
else
    awk '!/^\[[0-9]+\/[0-9]+\]/ && !/^ninja: no work to do/'
fi
