# SPDX-License-Identifier: Apache-2.0
# awk -v details=LastTest.log -f summary.awk CTEST_OUTPUT - how a run ended: the ten slowest tests, how many results of the
# original tools were compared, ctest's summary, and in the last line how many tests were skipped and why.

/^[0-9]+% tests passed/ { in_summary = 1 }
in_summary { summary = summary $0 "\n"; next }
/ Test +#[0-9]+: / {
    tests++
    name = $0
    sub(/.* Test +#[0-9]+: /, "", name)
    sub(/ .*/, "", name)
    if (/\*\*\*Skipped/) {
        skipped[name] = "no reason given"
        skip_count++
    }
    if (match($0, /[0-9.]+ sec/)) {
        seconds[name] = substr($0, RSTART, RLENGTH) + 0
    }
}

# The slowest tests, by selection: ten of some hundreds.
function print_slowest(   i, name, slowest)
{
    print "\nthe ten slowest tests:"
    for (i = 0; i < 10; i++) {
        slowest = ""
        for (name in seconds) {
            if (slowest == "" || seconds[name] > seconds[slowest]) {
                slowest = name
            }
        }
        if (slowest == "") {
            return
        }
        printf "%8.1f s  %s\n", seconds[slowest], slowest
        delete seconds[slowest]
    }
}

END {
    while ((getline line <details) > 0) {
        if (line ~ /^[0-9]+\/[0-9]+ Test: /) {
            name = line
            sub(/.* Test: /, "", name)
        } else if (line ~ /^SKIPPED: /) {
            if (name in skipped) {
                skipped[name] = substr(line, 10)
            }
        } else if (line ~ /^ORIGINALS: /) {
            line = substr(line, 12)
            originals = originals "  " line "\n"
            if (match(line, /[0-9]+ runs/)) {
                runs += substr(line, RSTART, RLENGTH) + 0
            }
            if (match(line, /[0-9]+ results/)) {
                results += substr(line, RSTART, RLENGTH) + 0
            }
        }
    }
    if (tests > 10) {
        print_slowest()
    }
    if (originals != "") {
        printf "\nrecorded runs of the original tools: %d, with %d results compared\n%s", runs, results, originals
    }
    printf "\n%s", summary
    printf "skipped: %d of %d tests", skip_count, tests
    separator = ": "
    for (name in skipped) {
        printf "%s%s (%s)", separator, name, skipped[name]
        separator = "; "
    }
    printf "\n"
}
