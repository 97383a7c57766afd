"""Writes history.sqlite beside this file, with the program given: README.md says what it is.

    python3 make_history.py .build/debug/openstorekit
"""
import base64
import json
import os
import pathlib
import shutil
import sys
import tempfile
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
for tests in ("BrowserTests", "SameAnswerTests"):
    sys.path.insert(0, str(HERE.parents[1] / tests))
import programs  # noqa: E402
from history import APP, CATALOG, Pair, StoreHistory  # noqa: E402

STEPS, SEED = 600, 11


def main(program):
    programs.PROGRAM = os.path.abspath(program)
    scratch = pathlib.Path(tempfile.mkdtemp())
    (scratch / "shop.storekit").write_text(json.dumps(CATALOG))
    # A history is asked of two programs; the snapshot of the first is kept.
    stores = [programs.Program(
        "emulator", "--end-with-input", "--config", scratch / "shop.storekit", "--bundle-id", APP, "--port", "0",
        "--seed", "7") for _ in range(2)]
    history = StoreHistory(Pair(stores), SEED)
    for _ in range(STEPS):
        history.step()
    with urllib.request.urlopen(f"{stores[0].address}/control/v1/snapshot") as answer:
        (HERE / "history.sqlite").write_bytes(base64.b64decode(json.load(answer)["snapshot"]))
    for store in stores:
        store.stop()
    shutil.rmtree(scratch)


main(sys.argv[1])
