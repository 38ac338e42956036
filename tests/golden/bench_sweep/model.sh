# SPDX-License-Identifier: Apache-2.0
# A model that runs out of memory at 32.
if [ "$1" -ge 32 ]; then
    echo "RuntimeError: Out of Memory: Not enough space to allocate 2048 B L1 buffer" >&2
    exit 1
fi
echo "fps: $(($1 * 1000 / (10 + $1))) fps"
echo "lat $((10 + BATCH)) ms"
