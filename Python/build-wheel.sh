#!/bin/sh
# Builds the wheel that contains a program.
# usage: build-wheel.sh PROGRAM PYTHON FOLDER, where PYTHON has hatchling; without it: PYTHON -m pip install hatchling==1.27.0
set -eu
OPENSTOREKIT_PROGRAM=$(realpath "$1") python=$(realpath --no-symlinks "$2") folder=$(realpath "$3")
export OPENSTOREKIT_PROGRAM
if [ -n "${OPENSTOREKIT_NOTICES:-}" ]; then OPENSTOREKIT_NOTICES=$(realpath "$OPENSTOREKIT_NOTICES"); export OPENSTOREKIT_NOTICES; fi
cd "$(dirname "$0")"
log=$("$python" -m hatchling build --target wheel --directory "$folder" 2>&1) || { echo "$log" >&2; exit 1; }
