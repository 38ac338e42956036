#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# skill_kernel.sh BIN_DIR SOURCE_DIR - the commands of 'tt-perf skill kernel', in their order, as an agent runs them from an
# empty folder; and the fields that the page names are there.
. "$2/tests/common.sh"
needs lz4
command -v python3 >/dev/null || skip "no python3"
cd "$scratch" || exit 2
unset TT_METAL_HOME TT_METAL_PROFILER_DIR
PATH=$bin:$PATH
tt-perf skill kernel >skill.md || exit 1

# commands of the page: what is indented, with DIR and CMD filled in
sed -n 's/^    \(tt-perf .*\)$/\1/p' skill.md >commands
check "the page has commands" [ "$(wc -l <commands)" -ge 6 ]
n=0
while read -r line; do
    n=$((n + 1))
    command=$(printf '%s\n' "$line" | sed -e "s|\\bCMD\\b|synth_workload --model tt-lang-kernel --bottleneck reader|g" -e 's|\bDIR\b|run|g')
    case $command in
    *[A-Z][A-Z][A-Z]*) complain "a word of '$line' that is never filled in" ;;
    esac
    sh -c "$command" >"out.$n" 2>"err.$n" </dev/null || complain "'$line' exits with $?: $(cat "err.$n")"
done <commands
check "no variable is left to the reader" lacks "$(cat commands)" '^(TT_METAL|TTLANG)'

# answer VERB - the file with its output
answer()
{
    echo "out.$(grep -n "^tt-perf $1 " commands | head -1 | cut -d: -f1)"
}
python3 - "$(answer kernel)" "$(answer annotate)" "$(answer advise)" "$(answer noc)" <<'END' || failed=1
import json, sys
kernel, annotate, advise, noc = (json.load(open(f))["data"] for f in sys.argv[1:])
program = kernel["programs"][0]
assert program["kernel"] == "fused_exp", program["kernel"]
assert program["tensors"].count("24576x64 BFLOAT16") == 3, program["tensors"]
assert program["bottleneck"]["name"] in ("reader", "noc", "dram"), program["bottleneck"]
assert program["bottleneck"]["thread"] == "reader", program["bottleneck"]
assert program["full_buffers"] == 0
assert program["targets"]["cores"] == 64 and program["targets"]["dram_bytes"] == 9437184
assert program["perf"]["traffic"], "no traffic"
lines = annotate["lines"]
assert lines, "no lines"
assert advise["plan"], "no advice"
assert json.dumps(noc).count("link") > 0
END
check "a trace of lines" [ -s run/lines.pftrace ]

# a command that does something else each time
cat >changing <<'END'
#!/bin/sh
n=$(($(cat count 2>/dev/null || echo 0) + 1))
echo $n >count
exec synth_workload --model tt-lang-kernel --ops $n
END
chmod +x changing
tt-perf record -q --mode kernel -o changed -- ./changing >/dev/null 2>err
check "exit status 125, as the page says" [ $? -eq 125 ]
check "the words of the page" grep -q 'the passes disagree' err
check "they are in the page" grep -q '"the passes' skill.md
exit $failed
