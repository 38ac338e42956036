#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pack.sh SOURCE [TOOL...] - makes the archives in this folder again from the recordings of the original tools.
#
# SOURCE has golden/{report,ops,kernel,capture,noc,mesh,mem_startup} and data/{noc,ops,campaigns,mem_startup}. The archive
# of a TOOL (report, ops, kernel, capture, noc, mesh, mem) holds inputs/, expected/ and cases.tsv, a line per run of the
# original: its name, exit status, the command that must do
# the same, and what is compared; README.md explains the columns. The archives have no time stamps or owners, so the
# same recordings give the same bytes.
set -eu
here=$(cd -- "$(dirname -- "$0")" && pwd)
[ $# -ge 1 ] || {
    echo "usage: pack.sh SOURCE [report|ops|kernel|capture|noc|mesh|mem]..." >&2
    exit 2
}
source=$(cd -- "$1" && pwd)
shift
[ $# -gt 0 ] || set -- report ops kernel capture noc mesh mem
[ -d "$source/golden" ] || {
    echo "pack.sh: '$source' has no folder golden" >&2
    exit 2
}
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
LC_ALL=C
export LC_ALL

# shellcheck source=tests/originals/archive.sh
. "$here/archive.sh"

# keep_text FILE NAME - the same without the line 'exit N' that some recordings end with
keep_text()
{
    mkdir -p "$(dirname -- "$root/expected/$2")"
    sed '/^exit [0-9]*$/d' "$1" >"$root/expected/$2"
}

# cut_columns - of an ops CSV those that tell devices, programs and times, and attributes of collectives only
cut_columns()
{
    python3 -c '
import csv, sys
csv.field_size_limit(1 << 30)
rows = csv.reader(sys.stdin)
head = next(rows)
wanted = ["OP CODE", "OP TYPE", "GLOBAL CALL COUNT", "DEVICE ID", "DEVICE ARCH", "ATTRIBUTES", "SUB DEVICE ID",
          "METAL TRACE ID", "METAL TRACE REPLAY SESSION ID", "HOST START TS", "DEVICE FW START CYCLE",
          "DEVICE FW END CYCLE", "DEVICE FW DURATION [ns]", "DEVICE KERNEL DURATION [ns]"]
wanted += [n for n in head if n.startswith(("INPUT_0_", "OUTPUT_0_"))
           and not n.endswith(("MEMORY", "LAYOUT", "SHARD_SPEC", "ADDRESS"))]
at = [head.index(n) for n in wanted if n in head]
code, attributes = head.index("OP CODE"), head.index("ATTRIBUTES")
out = csv.writer(sys.stdout, lineterminator="\n")
out.writerow([head[i] for i in at])
for row in rows:
    if not any(w in row[code] for w in ("All", "Scatter", "Ring", "Dispatch", "Combine", "Send", "Recv")):
        row[attributes] = ""
    out.writerow([row[i] for i in at])
'
}

pack_mesh()
{
    for case in "$source"/golden/mesh/*_*/; do
        name=$(basename -- "$case")
        mkdir -p "$root/golden/$name"
        cp "$case/truth.json" "$case/expected.json" "$root/golden/$name"
        for csv in "$case"/rank*/reports/*/*.csv.gz; do
            file=${csv#"$case"}
            file=${file#/}
            mkdir -p "$root/golden/$name/$(dirname -- "$file")"
            zcat "$csv" >"$root/golden/$name/${file%.gz}"
        done
    done
    mkdir "$root/real"
    zcat "$source/data/ops/kimi/ops_3L_first.csv.gz" | cut_columns >"$root/real/galaxy_32.csv"
    for name in gpt-01_after l70-05_after l70-05_before l8bh-02_after l8bh-02_before mus-15_after mus-16_before mus-17_after \
        mus-17_before; do
        zstd -dcq "$source/data/campaigns/$name.csv.zst" | cut_columns >"$root/real/$name.csv"
    done
}

pack_report()
{
    cp -R "$source/golden/report/inputs" "$root/inputs"
    tail -n +2 "$source/golden/report/MANIFEST.tsv" | tr '\t' '\037' >"$scratch/manifest"
    while IFS="$(printf '\037')" read -r name status arguments stdout _ files _; do
        results=bytes:stdout=$stdout
        for file in $stdout $(printf '%s\n' "$files" | tr ';' ' '); do
            case $file in
            *.csv)
                made=${file##*/}
                made=${made#*.}
                results="$results;bytes:${made#*.}=$file"
                ;;
            *.stdout) ;;
            *) continue ;; # pictures were not recorded
            esac
            # equal keys came out in any order; there a run with a stable sort counts
            from=$source/golden/report/$file
            [ ! -f "$source/golden/report/ties_stable/$file" ] || from=$source/golden/report/ties_stable/$file
            keep "$from" "$file"
        done
        row "$name" "$status" "tt-perf-report $arguments" "$results"
    done <"$scratch/manifest"
}

pack_ops()
{
    for case in "$source"/golden/ops/*/; do
        case=${case%/}
        name=${case##*/}
        # its repository has no licence
        [ "$name" != real_xkuze_core11_device_only ] || continue
        mkdir -p "$root/inputs/$name/.logs"
        [ ! -d "$case/.logs" ] || cp -R "$case/.logs" "$root/inputs/$name/"
        arguments=$(sed -n '1s/.*<this dir>//p' "$case/cmd.txt")
        status=$(sed -n 's/^exit code //p' "$case/cmd.txt")
        results=
        if [ "$status" != 0 ]; then
            status=fails
            results=says:stderr=$name
        else
            if [ -f "$case/expected/stdout.txt" ]; then
                keep "$case/expected/stdout.txt" "$name/stdout.txt"
                results="bytes:stdout=$name/stdout.txt"
            fi
            for file in "$case"/expected/*.csv; do
                [ -f "$file" ] || continue
                file=${file##*/}
                how=bytes
                [ "$file" != per_core_op_to_op_times.csv ] || how=columns # Python's set has no order
                keep "$case/expected/$file" "$name/$file"
                results="${results:+$results;}$how:out/$file=$name/$file"
            done
        fi
        row "$name" "$status" "tt-perf ops inputs/$name --compat$arguments -o out" "$results"
    done
}

pack_kernel()
{
    golden=$source/golden/kernel
    npe=$source/data/noc/tt-npe/workload
    cp -R "$golden/inputs" "$root/inputs"
    for case in "$golden"/inputs/auto_*; do
        name=${case##*/}
        status=$(sed -n 's/^exit //p' "$golden/out/$name.stderr")
        messages=
        if [ "$status" = 0 ]; then # else a traceback
            keep_text "$golden/out/$name.stderr" "$name.stderr"
            messages=";bytes:stderr=$name.stderr"
        fi
        for form in always:.ansi.txt never:.txt; do
            keep "$golden/out/$name${form#*:}" "$name${form#*:}"
            row "$name.${form%%:*}" "$status" \
                "tt-perf annotate inputs/$name --compat --side-tables inputs/$name/kernels.json --color ${form%%:*}" \
                "bytes:stdout=$name${form#*:}$messages"
        done
    done
    keep "$golden/out/signposts.txt" signposts.txt
    row signposts 0 "tt-perf kernel inputs/signposts --compat --section signposts" "bytes:stdout=signposts.txt"
    for name in perf_dram perf_mixed perf_multi; do
        for file in txt json stderr; do
            keep "$golden/out/$name.$file" "$name.$file"
        done
        row "$name" 0 "tt-perf kernel inputs/$name --compat --section perf" \
            "bytes:stdout=$name.txt;bytes:stderr=$name.stderr"
        row "$name.json" 0 "tt-perf kernel inputs/$name --compat --section perf --format json" \
            "bytes:stdout=$name.json;bytes:stderr=$name.stderr"
    done
    keep "$golden/out/perf_multi_names.txt" perf_multi_names.txt
    row perf_multi_names 0 \
        "tt-perf kernel inputs/perf_multi --compat --section perf --names k_first,k_second" \
        "bytes:stdout=perf_multi_names.txt"
    for name in perf_none perf_nodir perf_noenv; do
        keep_text "$golden/out/$name.stderr" "$name.stderr"
    done
    keep "$golden/out/perf_none.txt" perf_none.txt
    row perf_none 1 "tt-perf kernel inputs/auto_basic --compat --section perf" \
        "bytes:stdout=perf_none.txt;bytes:stderr=perf_none.stderr"
    row perf_nodir 1 "tt-perf kernel /nonexistent --compat --section perf" "bytes:stderr=perf_nodir.stderr"
    row perf_noenv 1 "tt-perf kernel --compat --section perf" "bytes:stderr=perf_noenv.stderr"
    for name in line-4 line-8dev ring-4dev; do
        mkdir "$root/inputs/$name"
        cp "$npe/T3K-fabric-traces/$name"/* "$root/inputs/$name/"
        for form in txt json; do
            keep "$golden/out/real_npe_$name.$form" "$name.$form"
        done
        row "$name" 0 "tt-perf kernel inputs/$name --compat --section perf" "bytes:stdout=$name.txt"
        row "$name.json" 0 "tt-perf kernel inputs/$name --compat --section perf --format json" \
            "bytes:stdout=$name.json"
    done
    mkdir "$root/inputs/reshard"
    for pair in 1:DRAM_TO_1x1_BLOCK 3:1x2_BLOCK_TO_4x8_BLOCK 4:4x4_BLOCK_TO_8x8_BLOCK; do
        cp "$npe/noc_trace_json/${pair#*:}.json" "$root/inputs/reshard/noc_trace_${pair%%:*}.${pair#*:}.json"
    done
    keep "$golden/out/real_npe_reshard.txt" reshard.txt
    row reshard 0 "tt-perf kernel inputs/reshard --compat --section perf" "bytes:stdout=reshard.txt"
    for file in "$golden"/out/trace_*.json; do
        name=${file##*/}
        keep "$file" "$name"
        name=${name#trace_}
        name=${name%.json}
        row "trace_$name" 0 "tt-perf trace inputs/$name --compat --format chrome-json -o out.json" \
            "bytes:out.json=trace_$name.json"
    done
    keep_text "$golden/out/serve_nofile.txt" serve_nofile.txt
    row serve_nofile 1 "tt-perf trace /nonexistent/x.csv --compat --format chrome-json -o out.json 2>&1" \
        "bytes:stdout=serve_nofile.txt"
    mkdir "$root/inputs/no_events"
    sed -n 1,2p "$root/inputs/signposts/profile_log_device.csv" >"$root/inputs/no_events/profile_log_device.csv"
    keep_text "$golden/out/serve_no_events.txt" serve_no_events.txt
    row serve_no_events 0 "tt-perf trace inputs/no_events --compat --format chrome-json -o out.json 2>&1" \
        "bytes:stdout=serve_no_events.txt"
}

pack_capture()
{
    golden=$source/golden/capture
    mkdir -p "$root/inputs/upstream78"
    for file in wire_client_to_server.bin golden.tracy; do
        cp "$golden/$file" "$root/inputs/"
        cp "$golden/upstream78/$file" "$root/inputs/upstream78/"
    done
    for file in tracy_ops_data.csv tracy_ops_times.csv zone_stats.csv; do
        keep "$golden/$file" "$file"
    done
    for file in tracy_ops_data.csv zones.csv; do
        keep "$golden/upstream78/$file" "upstream78/$file"
    done
    # csvexport prints its rows in the order of a hash table
    for file in wire_client_to_server.bin golden.tracy; do
        row "fork/$file" 0 "tt-perf export csv inputs/$file --compat -o out >/dev/null" \
            "bytes:out/tracy_ops_data.csv=tracy_ops_data.csv;sorted:out/tracy_ops_times.csv=tracy_ops_times.csv"
        row "fork/$file/statistics" 0 "csvexport-release inputs/$file" "sorted:stdout=zone_stats.csv"
        row "fork/$file/times" 0 \
            "csvexport-release -u -p TT_ -x CompileProgram,HWCommandQueue_write_buffer inputs/$file" \
            "sorted:stdout=tracy_ops_times.csv"
        row "upstream/$file" 0 "tt-perf export csv inputs/upstream78/$file --compat --all-zones -o out >/dev/null" \
            "bytes:out/tracy_ops_data.csv=upstream78/tracy_ops_data.csv;sorted:out/zones.csv=upstream78/zones.csv"
    done
}

# member FILE NAME - a member of a recording of tt-npe; they have one member a line or none
member()
{
    tr -d '\n ' <"$1" | sed "s/.*\"$2\":\"\\{0,1\\}\\([^\",}]*\\).*/\\1/"
}

pack_noc()
{
    golden=$source/golden/noc
    cc -O2 -o "$scratch/json_elements" "$here/../json_elements.c"
    mkdir "$root/inputs" "$scratch/timelines"
    for folder in derived synthetic tt-npe tt-npe-history; do
        cp -R "$source/data/noc/$folder" "$root/inputs/"
    done
    for file in "$golden"/*/*.stats.json; do
        input=inputs/$(member "$file" input)
        name=${file#"$golden/"}
        name=${name%.stats.json}
        congestion=fast
        case $name in *_nocong/*) congestion=none ;; esac
        keep "$file" "$name.json"
        row "$name" 0 "tt-perf noc -q --compat --format json -d $(member "$file" device) \
-c $(member "$file" cycles_per_timestep) --congestion $congestion $input" "figures:stdout=$name.json"
    done
    # what tt-npe's Python merges, we merge ourselves
    for folder in "$source"/data/noc/derived/*; do
        folder=${folder##*/}
        for file in "$golden/derived_$folder"/*.stats.json; do
            id=$(basename "$file" | sed 's/noc_trace_ID\([0-9]*\)_.*/\1/')
            name=${file#"$golden/"}
            name=${name%.stats.json}
            row "$name/unmerged" 0 "tt-perf noc -q --compat --format json --program $id inputs/derived/$folder" \
                "figures:stdout=$name.json"
        done
    done
    # inputs on which tt-npe fails: the first is refused, the others crash it and work without --compat
    row fabric_as_P150_X8 fails "tt-perf noc -q --compat -d P150_X8 inputs/derived/T3K_line-8dev/merged/*.json" \
        "says:stderr=fabric_as_P150_X8"
    for file in "$root"/inputs/tt-npe-history/*combined_traces.json "$root"/inputs/tt-npe-history/*__trace.json; do
        file=${file##*/}
        row "history/${file%.json}" 0 "tt-perf noc -q --format csv inputs/tt-npe-history/$file >/dev/null" ""
    done
    mv "$root/cases.tsv" "$scratch/figures"
    for file in "$golden"/*/*.npeviz.json.zst; do
        name=${file#"$golden/"}
        name=${name%.npeviz.json.zst}
        stats=$golden/$name.stats.json
        input=$(member "$stats" input)
        version=1
        case $name in synthetic_legacy_timeline/*) version=0 ;; esac
        how=timeline
        # tt-npe reads past its own data in zones of this form
        ! grep -q '"begin"' "$root/inputs/$input" || how=timeline-without-zones
        mkdir -p "$scratch/timelines/$(dirname "$name")"
        drop=
        [ "$how" = timeline ] || drop='--drop zones'
        # shellcheck disable=SC2086 # an option and its value
        zstd -dqc "$file" | "$scratch/json_elements" $drop --unordered noc_transfers --unordered zones - |
            sort >"$scratch/timelines/$name"
        sum=$(sha256sum <"$scratch/timelines/$name")
        row "$name" 0 "tt-perf noc -q --compat --format csv -d $(member "$stats" device) --timeline out.json.zst \
--timeline-version $version inputs/$input >/dev/null" "$how:out.json.zst=${sum%% *}"
    done
    mv "$root/cases.tsv" "$root/timelines.tsv"
    mv "$scratch/figures" "$root/cases.tsv"
    archive noc_timelines "$scratch/timelines" 15 # 280 MB: the highest levels take minutes
}

# Results of an independent program over files of tt-metal and files in its form; kernels.yaml is never read.
pack_mem()
{
    mkdir -p "$root/inputs"
    for kind in mem startup live; do
        for case in "$source/data/mem_startup/$kind"/*/; do
            case=${case%/}
            name=${case##*/}
            cp -R "$case" "$root/inputs/$name"
            chmod -R u+w "$root/inputs/$name"
            find "$root/inputs/$name" -name kernels.yaml -delete
            golden=$source/golden/mem_startup/$kind/$name.json
            mkdir -p "$root/expected"
            if [ -f "$golden" ]; then
                cat "$golden"
            else
                gzip -dc "$golden.gz"
            fi >"$root/expected/$name.json"
            status=0
            results="members:stdout=$name.json"
            case $name in
            *_truncated)
                status=3
                results=says:stderr=mem_truncated
                ;;
            *_oom_* | *_cb_clash) status=1 ;;
            esac
            command="tt-perf $kind inputs/$name --format json"
            [ "$kind" != live ] || command="tt-perf report inputs/$name/realtime_profiler_records.csv --format json"
            row "$name" "$status" "$command" "$results"
        done
    done
}

for tool; do
    root=$scratch/$tool
    mkdir -p "$root/expected"
    "pack_$tool"
    archive "$tool" "$root"
    rm -rf "$root"
done
ls -l "$here"/*.tar.zst
