"""Writes an emulator's folder beside this file, with the program given: README.md says which.

    python3 make_store.py .build/debug/openstorekit store-19
"""

import atexit
import sys
import tempfile

from programs import *
from scenes_store import *

MONTH = 31 * 86_400_000


def subscriptions(store):
    """A subscription that was renewed twice and has ended, in production."""
    bought = store.do("POST", "purchases", bundleId=APP, environment="Production", customer="berlin", productId=CLUB)
    for _ in range(2):
        store.do("PATCH", "clock", advanceMilliseconds=MONTH)
    store.do("PATCH", f"subscriptions/{bought['transactionId']}", isAutoRenewOn=False)
    store.do("PATCH", "clock", advanceMilliseconds=MONTH)
    return bought["transactionId"]


def main(path, name):
    atexit.register(Program.end_all)
    work = Path(tempfile.mkdtemp(prefix="version-before-"))
    emulator = Program(str(Path(path).resolve()), "emulator", "--config", str(HERE / "shop.storekit"), "--bundle-id", APP,
                       "--data", str(work / name), "--seed", "20261127", "--port", "0", "--end-with-input")
    store = Store(emulator.address())
    other_app(store)
    people(store)
    facts = purchases(store)
    facts["ended subscription"] = subscriptions(store)
    facts["connection"] = store.do("GET", f"connection?bundleId={APP}")
    facts["connection"].pop("baseURLs")
    for listed in ("customers", "installations", "approvals"):
        facts[listed] = store.do("GET", listed)[listed]
    for listed in ("refunds", "charges", "transactions"):
        facts[listed] = store.do("GET", f"{listed}?limit=1000")[listed]
    emulator.end()
    copy(work / name, HERE / name)
    write(HERE / f"{name}.json", facts)
    databases = json.loads((HERE / "rows.json").read_text())
    databases[f"{name}/store.sqlite"] = rows(HERE / name / "store.sqlite")
    write(HERE / "rows.json", databases, indent=None)
    shutil.rmtree(work)


main(sys.argv[1], sys.argv[2])
