#!/usr/bin/env bash
# Passes on what a build says, with how far it is instead of a line per step: NINJA_STATUS must be
# '[%f/%t %e] '. A terminal sees one line rewritten, a log a line each minute.
set -euo pipefail
terminal=0
[ ! -t 1 ] || terminal=1
exec awk -v terminal="$terminal" '
    function left(seconds) {
        if (seconds < 90) return sprintf("%d s", seconds)
        return sprintf("%d min", seconds / 60 + 0.5)
    }
    /^\[[0-9]+\/[0-9]+ [0-9.]+\] / {
        split(substr($1, 2), files, "/")
        seconds = $2 + 0
        far = files[1] " of " files[2] " steps"
        if (seconds >= 5) far = far ", about " left(seconds * (files[2] - files[1]) / files[1]) " left"
        if (terminal) {
            printf "\r\033[K%.79s", far ": " substr($0, index($0, "] ") + 2)
        } else if (seconds >= 60 * (minutes + 1)) {
            minutes = int(seconds / 60)
            print "build: " far
        }
        fflush()
        next
    }
    /^ninja: no work to do/ { next }
    { print (terminal ? "\r\033[K" : "") $0; fflush() }
    END { if (terminal) printf "\r\033[K" }'
