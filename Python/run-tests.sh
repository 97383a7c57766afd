#!/bin/sh
# Builds the wheel with a program, installs it into a virtual environment, and runs the checks and tests.
# usage: run-tests.sh PROGRAM ENVIRONMENT [arguments of pytest]
set -eu
program=$(realpath "$1") environment=$(realpath "$2")
python=$environment/bin/python
shift 2
cd "$(dirname "$0")"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# A program with symbols takes half a minute to compress. In its place the wheel contains a command that becomes the program.
printf '#!/bin/sh\nexec "%s" "$@"\n' "$program" > "$folder/openstorekit"
chmod +x "$folder/openstorekit"
./build-wheel.sh "$folder/openstorekit" "$python" "$folder"
"$python" -m pip install --quiet --disable-pip-version-check --no-index --no-deps --force-reinstall "$folder"/*.whl
package=$("$python" -c 'import openstorekit, os; print(os.path.dirname(openstorekit.__file__))')
"$python" -m ruff check --quiet --no-cache . "$package"
check() { "$python" -m mypy --python-version 3.9 --no-error-summary --cache-dir "$environment/mypy" "$@"; }
check -p openstorekit
check generator/control_api.py
OPENSTOREKIT_PROGRAM= "$python" -m pytest -q -p no:cacheprovider -n 4 tests "$@"
