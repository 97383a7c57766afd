"""Writes a folder beside this file, with the program given: README.md says what it is.

    python3 make_journal.py .build/debug/openstorekit journal-5
"""

import atexit
import sys
import tempfile

from programs import *
from scenes_store import *


def main(path, name):
    path = str(Path(path).resolve())
    atexit.register(Program.end_all)
    work = Path(tempfile.mkdtemp(prefix="version-before-"))
    emulator = Program(path, "emulator", "--config", str(HERE / "shop.storekit"), "--bundle-id", APP, "--in-memory",
                       "--seed", "20261127", "--port", "0", "--end-with-input")
    store = Store(emulator.address())
    folder, device = work / name, uuid.UUID(int=0xA6)
    phone = Phone(path, store.address, folder, device, "customer")
    # A purchase that is finished, with the store's acknowledgement.
    phone.buy(FIVE)
    finished = phone.wait("succeeded")["transaction"]
    until(lambda: column(folder / "payment-queue.sqlite", "queueEntry", "stage") == [])
    if name == "journal-5":
        # A subscription, which StoreKit 2 lists.
        phone.order("addAnyway", product=CLUB)
        phone.wait("kept", product=CLUB)
    # A product this version does not know: the app keeps it.
    phone.order("addAnyway", product=TWENTY)
    phone.wait("kept", product=TWENTY)
    # A finish that the store does not answer, a payment whose answer is lost, and one behind it.
    store.fault("noAnswer", ["finish"], "customer")
    phone.buy(TEN)
    finishing = phone.wait("succeeded")["transaction"]
    store.fault("answerLost", ["confirm"], "customer")
    phone.buy(FIVE)
    phone.wait("sheet")
    until(lambda: newest_charge(store) == (FIVE, "customer"))
    phone.order("buy", product=TEN, quantity=3, confirms=True)
    until(lambda: "added" in column(folder / "payment-queue.sqlite", "queueEntry", "stage"))
    phone.kill()
    emulator.end()
    settle(folder)
    if name == "journal-5":
        # As after a page of changes: the version after asks for all transactions anew.
        with sqlite3.connect(folder / "payment-queue.sqlite") as journal:
            journal.execute("UPDATE installation SET transactionRevision = epoch || '.5'")
        journal.close()
    (HERE / name).mkdir(exist_ok=True)
    shutil.copy(folder / "payment-queue.sqlite", HERE / name / "payment-queue.sqlite")
    write(HERE / f"{name}.json", {
        "device": str(device), "account": "customer", "finished": finished, "finishing": finishing})
    shutil.rmtree(work)


main(sys.argv[1], sys.argv[2])
