#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# generated_data.sh GENERATOR [--update] - the synthetic files in tests/data are what the generator writes.
generator=$1
data=$(cd "$(dirname "$0")/data" && pwd) || exit 2
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

"$generator" --seed 1 --layers 12 -o "$scratch/demo_ops_perf_results.csv" || exit 1
"$generator" --seed 2 --layers 1 --devices 2 -o "$scratch/demo_two_devices.csv" || exit 1
if [ "$2" = --update ]; then
    cp "$scratch"/*.csv "$data"
    exit 0
fi
status=0
for file in "$scratch"/*.csv; do
    cmp "$file" "$data/${file##*/}" || status=1
done
exit $status
