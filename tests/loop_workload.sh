#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# loop_workload.sh - what the tests of both loops share; read with '.' in place of tune_workload.sh.
# shellcheck disable=SC2034,SC2154
# shellcheck source=tests/tune_workload.sh
. "$(dirname -- "$0")/tune_workload.sh"
[ -x "$bin/synth_workload" ] || skip "no synth_workload"
needs lz4

# A repository with a program whose first lines say what it does: which run is planted, whether its problem is mended,
# whether its result is right. It runs below the profiler or alone.
make_workload() { # folder, planted rule
    rm -rf "$1" && mkdir "$1" && cd "$1" || exit 2
    git init -q -b main .
    npy good.npy 077
    npy bad.npy 277
    mkdir golden && cp good.npy golden/out.npy
    cat >work.sh <<W
#!/bin/sh
mended=no
result=good
seed=1
[ -z "\$TT_PERF_CONFIG" ] || mended=yes
cp \$result.npy out.npy
[ "\$mended" = no ] || set -- --mended
exec '$bin/synth_workload' --plant $2 --seed \$seed --wait 20 "\$@"
W
    chmod +x work.sh
    echo /out.npy >.gitignore
    commit one
}
edit() { # what, from, to
    sed -i "s/^$1=$2\$/$1=$3/" work.sh
}
# What a document of JSON has at a path of keys and indexes.
value() { # file, path
    python3 - "$1" "$2" <<'P'
import json, sys
node = json.load(open(sys.argv[1]))
for key in sys.argv[2].split('.'):
    node = node[int(key)] if key.isdigit() else node[key]
print(node)
P
}
profiles=.git/tt-perf/tune/profiles
# The same steps with the same states in tune as in advise.
same_checklist() { # folder of a profile
    "$program" advise -q "$1" --format json >"$out/advise.json"
    python3 - "$out/advise.json" "$out/status.json" <<'P' || complain "tune and advise tick different boxes"
import json, sys
advise, tune = (json.load(open(path))['data'] for path in sys.argv[1:])
boxes = {step['step']: (step['state'], step['seen']) for step in advise['steps']}
for step in tune['steps']:
    if step['step'] in boxes:
        seen = step['seen'] or ''
        state, text = boxes[step['step']]
        if state != step['state'] or not seen.startswith(text or ''):
            sys.exit(f"{step} is not {state} {text}")
plan = [item['rule'] for item in advise['plan']]
if [item['rule'] for item in tune['plan']] != plan[:10]:
    sys.exit(f"{plan} is another plan")
P
}
