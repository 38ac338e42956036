# SPDX-License-Identifier: Apache-2.0
# next LIST FILE - prints one number of the list after the other, again from the start at its end
n=$(cat "$2" 2>/dev/null || echo 0)
set -- $1 "$2"
count=$(($# - 1))
shift $((n % count))
echo "time: $1 ms"
eval "file=\${$#}"
echo $((n + 1)) >"$file"
