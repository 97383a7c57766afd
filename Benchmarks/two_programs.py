"""Compares a purchase, a renewal and a redemption of two versions of the program, in one run.

    /usr/bin/python3 Benchmarks/two_programs.py BEFORE AFTER

BEFORE and AFTER are paths of `openstorekit`, best of release builds. Each round measures both programs, in alternating order.
Prints the medians of the rounds: the time until the answer, the processor time of the process, and the ratios.
"""
import base64
import http.client
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Tests/BrowserTests"))

import programs  # noqa: E402
from programs import Folder  # noqa: E402

APP = "com.example.shop"
ROUNDS = int(os.environ.get("ROUNDS", "5"))
PURCHASES = 400
SUBSCRIBERS = 400
DAY = 86_400_000
MONTHLY = {"productID": "monthly", "type": "RecurringSubscription", "displayPrice": "4.99", "internalID": "S1", "groupNumber": 1,
           "subscriptionGroupID": "G", "recurringSubscriptionPeriod": "P1M", "referenceName": "Monthly", "localizations": [],
           "adHocOffers": [], "codeOffers": [], "introductoryOffer": None}
CATALOG = {
    "identifier": "1", "nonRenewingSubscriptions": [], "settings": {}, "version": {"major": 4, "minor": 0},
    "products": [{"productID": "coins", "type": "Consumable", "displayPrice": "0.99", "internalID": "P1", "referenceName": "Coins",
                  "familyShareable": False, "localizations": []}],
    "subscriptionGroups": [{"id": "G", "name": "Club", "localizations": [], "subscriptions": [MONTHLY]}]}


class Running:
    """A process of one of the programs, and a connection to it."""

    def __init__(self, path, *arguments):
        programs.PROGRAM = path
        self.program = programs.Program(*arguments)
        self.connection = http.client.HTTPConnection(self.program.address.removeprefix("http://"))

    def ask(self, method, path, document=None, headers=None):
        body = None if document is None else json.dumps(document)
        self.connection.request(method, path, body, {"Content-Type": "application/json", **(headers or {})})
        reply = self.connection.getresponse()
        text = reply.read()
        assert reply.status < 300, (method, path, reply.status, text)
        return json.loads(text) if text else None

    def device(self, verb, call):
        return self.ask("POST", f"/device/v1/{verb}", {"installationID": "phone", "call": call})

    def processor_time(self):
        """The seconds that its threads have computed so far, those in the system included."""
        fields = pathlib.Path(f"/proc/{self.program.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def measure(self, count, act):
        """Returns the microseconds of one of `count` operations: until the answer, and of the processor."""
        (wall, processor) = (time.perf_counter(), self.processor_time())
        act()
        return [(time.perf_counter() - wall) * 1e6 / count, (self.processor_time() - processor) * 1e6 / count]

    def stop(self):
        self.connection.close()
        self.program.stop()


def buy(store, number):
    quote = store.device("quote", {"payment": {"paymentID": f"p{number}", "productID": "coins", "quantity": 1}})
    store.device("confirm", {"quote": quote})
    for delivery in store.device("unfinished", {})["deliveries"]:
        store.device("finish", {"transactionID": transaction_id(delivery)})


def transaction_id(delivery):
    if delivery.get("redelivery"):
        return delivery["redelivery"]["transactionID"]
    part = delivery["signedTransaction"].split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))["transactionId"]


def measured(path, results):
    """Runs one of the programs, and appends what it needs for one operation to the lists of `results`."""
    folder = Folder()
    pathlib.Path(folder / "shop.storekit").write_text(json.dumps(CATALOG))
    store = Running(path, "emulator", "--end-with-input", "--config", folder / "shop.storekit", "--bundle-id", APP, "--port", "0",
                    "--data", folder / "store")
    try:
        store.ask("PATCH", "/control/v1/clock", {"rate": 0})
        store.device("register", {"registration": {
            "installationID": "phone", "bundleID": APP, "environment": "Sandbox", "applicationVersion": "1",
            "deviceID": "00000000-0000-4000-8000-000000000000"}})
        store.device("signIn", {"credentials": {"account": "customer"}})
        results["purchase, from the quote to the finish"].append(
            store.measure(PURCHASES, lambda: [buy(store, number) for number in range(PURCHASES)]))
        redemptions(path, folder, store, results)
        for number in range(SUBSCRIBERS):
            store.ask("POST", "/control/v1/customers", {"environment": "Sandbox", "name": f"s{number}"})
            store.ask("POST", "/control/v1/purchases", {"bundleId": APP, "environment": "Sandbox", "customer": f"s{number}",
                                                        "productId": "monthly"})

        def pass_a_year():
            store.ask("PATCH", "/control/v1/clock", {"advanceMilliseconds": 366 * DAY})
            # Waits until the store has made all renewals that are due.
            store.ask("GET", "/control/v1/transactions?limit=1")

        results["renewal"].append(store.measure(SUBSCRIBERS * 12, pass_a_year))
    finally:
        store.stop()
        folder.stop()


def redemptions(path, folder, store, results):
    configuration = folder / "server.json"
    pathlib.Path(configuration).write_text(json.dumps({
        "listen": {"port": 0}, "database": {"sqlite": "ledger.sqlite"}, "trust": {"emulator": store.program.address},
        "content": {"folder": "content"}, "apps": [{"bundleId": APP, "verification": "offline"}], "log": {"level": "error"},
        "limits": {"requestsPerSecond": 100_000, "burst": 100_000}}))
    key = subprocess.run([path, "server", "operator-key", "--config", configuration, "test"], check=True, capture_output=True,
                         text=True).stdout.strip()
    server = Running(path, "server", "run", "--end-with-input", "--config", configuration)
    try:
        server.ask("PUT", f"/v1/operator/apps/{APP}/products/coins",
                   {"type": "Consumable", "isListed": True, "credits": {"unit": "gems", "amount": 1}},
                   {"Authorization": f"Bearer {key}"})
        token = server.ask("POST", f"/v1/apps/{APP}/installations", {"device": "00000000-0000-4000-8000-000000000000"})["token"]
        page = store.ask("GET", f"/control/v1/transactions?limit={PURCHASES}&productId=coins")["transactions"]
        proofs = [(one["transactionId"],
                   store.ask("GET", f"/control/v1/transactions/{one['transactionId']}/proofs")["signedTransaction"]) for one in page]

        def redeem():
            for number, proof in proofs:
                server.ask("POST", f"/v1/apps/{APP}/redemptions",
                           {"proof": {"signedTransaction": proof}, "purchases": [{"transactionId": number}]},
                           {"Authorization": f"Bearer {token}"})

        results["redemption"].append(server.measure(len(proofs), redeem))
    finally:
        server.stop()


def main(before, after):
    results = {path: {"purchase, from the quote to the finish": [], "redemption": [], "renewal": []} for path in (before, after)}
    for number in range(ROUNDS):
        for path in (before, after) if number % 2 == 0 else (after, before):
            measured(path, results[path])
    print(f"Median of {ROUNDS} rounds, µs         before      after   ratio    (ratios of the rounds)")
    for name in results[before]:
        for kind, column in (("answer", 0), ("processor", 1)):
            old, new = ([one[column] for one in results[path][name]] for path in (before, after))
            ratios = " ".join(f"{b / a:.2f}" for a, b in zip(old, new))
            print(f"{name}, {kind:<12}{statistics.median(old):12.0f}{statistics.median(new):11.0f}"
                  f"{statistics.median(new) / statistics.median(old):8.3f}    ({ratios})", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:3])
