#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mesh_absent.sh BIN_DIR SOURCE_DIR - a device without rows (filtered, not profiled) and no mapping file: the others keep
# their coordinates and groups where ids or clocks tell its place; where they do not, none are shown.
set -u
# shellcheck source=tests/common.sh
. "$(dirname -- "$0")/common.sh"
command -v python3 >/dev/null || skip "no python3"
cd "$scratch" || exit 2

cat >drop.py <<'END'
# drop.py RUN shuffled|plain RANK:ID... - without the rows of these devices, ids of each rank in another order
import csv, glob, re, sys
run, order, absent = sys.argv[1], sys.argv[2], {tuple(map(int, a.split(":"))) for a in sys.argv[3:]}
for path in glob.glob(run + "/rank*/reports/*/*.csv"):
    rank = int(re.search(r"rank(\d+)", path).group(1))
    rows = list(csv.DictReader(open(path)))
    ids = sorted({int(r["DEVICE ID"]) for r in rows})
    new = {i: i if order == "plain" else ids[(i * 5 + 3) % len(ids)] for i in ids}
    assert len(set(new.values())) == len(ids)
    kept = []
    for r in rows:
        old = int(r["DEVICE ID"])
        if (rank, old) in absent:
            continue
        r["DEVICE ID"] = str(new[old])
        r["GLOBAL CALL COUNT"] = str(int(r["GLOBAL CALL COUNT"]) & ~1023 | new[old])
        kept.append(r)
    with open(path, "w", newline="") as out:
        w = csv.DictWriter(out, rows[0].keys())
        w.writeheader()
        w.writerows(kept)
    with open("%s/ids%d" % (run, rank), "w") as out:
        out.write(" ".join("%d=%d" % n for n in new.items()))
END
cat >check.py <<'END'
# check.py RUN MESH placed|groups|unknown - against the truth
import json, sys
run, mesh, wanted = sys.argv[1], json.load(open(sys.argv[2]))["data"], sys.argv[3]
truth = json.load(open(run + "/truth.json"))
where = {}
for d in truth["devices"]:
    ids = dict(n.split("=") for n in open("%s/ids%d" % (run, d["rank"])).read().split())
    where[d["rank"], int(ids[str(d["id"])])] = list(d["coord"])
for d in mesh["devices"]:
    coord = json.loads(d["coord"]) if d["coord"] else None
    d["rank"], d["id"] = d["device"]
    if wanted == "unknown":
        assert not coord, "%s is placed at %s" % (d["name"], coord)
    else:
        assert coord == where[d["rank"], d["id"]], "%s at %s instead of %s" % (d["name"], coord, where[d["rank"], d["id"]])
for group in mesh["groups"]:
    for g in group["devices"]:
        lines = {where[m[0], m[1]][1 - group["axis"]] for m in g} if group["axis"] is not None else {0}
        assert len(lines) == 1 or wanted == "unknown", "axis %d mixes lines: %s" % (group["axis"], g)
END

absent() # placed|unknown SHUFFLE RANK:ID... -- OPTIONS of synth
{
    wanted=$1 order=$2
    shift 2
    devices=
    while [ "$1" != -- ]; do
        devices="$devices $1"
        shift
    done
    shift
    rm -rf run
    "$program" synth -q -o run "$@" || exit 2
    # shellcheck disable=SC2086 # one word a device
    python3 drop.py run "$order" $devices || exit 2
    "$program" mesh -q --format json run >mesh.json 2>warnings || complain "mesh without$devices ($order, $*): exit status $?"
    said=$(python3 check.py run mesh.json "$wanted" 2>&1) || complain "without$devices ($order, $*): $(printf '%s\n' "$said" | tail -n 1)"
}
# ids have a gap, or other ranks show the order
absent placed plain 0:2 -- --ranks 1 --mesh 2x4
absent placed plain 0:7 -- --ranks 1 --mesh 2x4
absent placed plain 0:0 0:5 -- --ranks 1 --mesh 4x4
absent placed plain 1:1 -- --ranks 2 --mesh 2x4
absent placed shuffled 2:3 -- --ranks 4 --mesh 4x8
absent placed shuffled 0:0 3:2 -- --ranks 4 --mesh 4x4
contains "$("$program" mesh run)" 'note: 2 devices are absent: the others are placed' || complain "mesh does not report absent devices"
contains "$("$program" mesh run)" '4 x 4' || complain "the shape of the mesh is lost"
# no order to compare with: clocks tell
for device in 0:0 0:5 0:10 0:15; do
    absent placed shuffled $device -- --ranks 1 --mesh 4x4 --iterations 6
done
exit $failed
