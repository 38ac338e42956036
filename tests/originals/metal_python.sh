#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# metal_python.sh - tt-metal's own post-processing out of a checkout, without its build; to be read with `.`.

# metal_python SCRATCH CHECKOUT - prepares it in the new folder SCRATCH; CHECKOUT may be its folder tools. 1: no
# such checkout, or no Python with pandas and yaml (TTP_PYTHON, /usr/bin/python3, python3).
# Modules that only draw or parse options are stood in for.
metal_python()
{
    metal_scratch=$1
    metal_tools=$2
    [ -d "$metal_tools/tools/tracy" ] && metal_tools=$metal_tools/tools
    [ -f "$metal_tools/tracy/process_ops_logs.py" ] || return 1
    metal_python=
    for candidate in "${TTP_PYTHON:-}" /usr/bin/python3 python3; do
        if [ -n "$candidate" ] && "$candidate" -c 'import pandas, yaml' 2>/dev/null; then
            metal_python=$candidate
            break
        fi
    done
    [ -n "$metal_python" ] || return 1
    # The package without its __init__, which starts profilers.
    mkdir -p "$metal_scratch/tracy" "$metal_scratch/stubs" || return 1
    for file in "$metal_tools"/tracy/*.py; do
        case $file in
        */__init__.py) : >"$metal_scratch/tracy/__init__.py" ;;
        *) ln -s "$file" "$metal_scratch/tracy/" ;;
        esac
    done
    cat >"$metal_scratch/stubs/loguru.py" <<'END'
import sys


class _Logger:
    def __getattr__(self, level):
        return lambda *words, **_: print(level, *words, file=sys.stderr)


logger = _Logger()
END
    cat >"$metal_scratch/stubs/click.py" <<'END'
def command(*_, **__):
    return lambda function: function


option = argument = Path = command
BadParameter = Exception
END
    : >"$metal_scratch/stubs/seaborn.py"
    cat >"$metal_scratch/original.py" <<'END'
import sys
from pathlib import Path

from tracy.process_ops_logs import process_ops

process_ops(Path(sys.argv[1]), None, False, force_legacy_device_logs="--force-legacy-device-logs" in sys.argv)
END
}

# metal_run PREFIX FOLDER [--force-legacy-device-logs] - writes FOLDER/reports/ops_perf_results.csv; PREFIX is a
# program that runs it, such as env.
metal_run()
{
    metal_prefix=$1
    shift
    PYTHONPATH=$metal_scratch:$metal_scratch/stubs "$metal_prefix" "$metal_python" "$metal_scratch/original.py" "$@"
}
