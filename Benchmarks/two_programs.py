"""Compares two versions of the program, in one run.

    /usr/bin/python3 Benchmarks/two_programs.py BEFORE AFTER [PART…]
    Benchmarks/with-postgresql.sh /usr/bin/python3 Benchmarks/two_programs.py BEFORE AFTER redemptions

BEFORE and AFTER are paths of `openstorekit`, best of release builds. Without a PART, all are measured:

- `store`: a purchase, a renewal and a redemption. Each round measures both programs, in alternating order. Prints the medians of
  the rounds: the time until the answer, the processor time of the process, and the ratios.
- `redemptions`: redemptions and spends over HTTP, by one client and by several, in SQLite and, with with-postgresql.sh, in
  PostgreSQL. Both servers run at the same time. Small batches of requests alternate between them, so that other load on the
  machine and a warmer processor concern both. Prints the medians of the batches, and the median of the ratios of neighbouring
  batches with its quartiles. LIMIT=1.05 ends with status 1 if a median of the ratios is above it. RECEIVER=silent gives AFTER a
  webhook whose receiver accepts connections and never answers; without it, there is no webhook. BEFORE never has one.
- `devices`: launches of the sample app, until it shows the store's prices, and its purchases, from the button until the store has
  acknowledged the finish. Both stores run at the same time, and launches alternate. Prints as `redemptions`, with LIMIT; and
  AFTER's StoreKit 2 beside its StoreKit 1, without a limit.
"""
import base64
import concurrent.futures
import http.client
import itertools
import json
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Tests/BrowserTests"))

import programs  # noqa: E402
from programs import Folder  # noqa: E402

APP = "com.example.shop"
ROUNDS = int(os.environ.get("ROUNDS", "5"))
# Of the part `redemptions`: the pairs of batches, and the clients of the batches of several clients.
BATCHES = int(os.environ.get("BATCHES", "40"))
CLIENTS = int(os.environ.get("CLIENTS", "8"))
CUSTOMERS = 20
# Of the part `devices`: the launches of each app, and the purchases in each launch.
LAUNCHES = int(os.environ.get("LAUNCHES", "30"))
LAUNCH_PURCHASES = 20
RECEIVER = os.environ.get("RECEIVER", "none")


def batch_size(clients):
    """The number of requests of a batch."""
    return 25 if clients == 1 else 10 * clients


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


def configured(path, folder, store, database=None, receiver=None):
    """Writes the configuration of a purchase server, and returns its path and an operator's key.

    `database` is a PostgreSQL connection string. With a `receiver`, webhooks may lead to this machine."""
    configuration = folder / "server.json"
    pathlib.Path(configuration).write_text(json.dumps({
        "listen": {"port": 0}, "trust": {"emulator": store.program.address},
        "database": {"postgresql": database} if database else {"sqlite": "ledger.sqlite"},
        "content": {"folder": "content", **({"linkKeys": [base64.b64encode(bytes(32)).decode()]} if database else {})},
        "apps": [{"bundleId": APP, "verification": "offline"}], "log": {"level": "error"},
        "limits": {"requestsPerSecond": 100_000, "burst": 100_000},
        **({"webhooks": {"allowLoopback": True}} if receiver else {})}))
    key = subprocess.run([path, "server", "operator-key", "--config", configuration, "test"], check=True, capture_output=True,
                         text=True).stdout.strip()
    return configuration, key


def publish(server, key):
    server.ask("PUT", f"/v1/operator/apps/{APP}/products/coins",
               {"type": "Consumable", "isListed": True, "credits": {"unit": "gems", "amount": 10}},
               {"Authorization": f"Bearer {key}"})


def redeem(server, token, number, proof):
    server.ask("POST", f"/v1/apps/{APP}/redemptions",
               {"proof": {"signedTransaction": proof}, "purchases": [{"transactionId": number}]},
               {"Authorization": f"Bearer {token}"})


def redemptions(path, folder, store, results):
    configuration, key = configured(path, folder, store)
    server = Running(path, "server", "run", "--end-with-input", "--config", configuration)
    try:
        publish(server, key)
        token = server.ask("POST", f"/v1/apps/{APP}/installations", {"device": "00000000-0000-4000-8000-000000000000"})["token"]
        page = store.ask("GET", f"/control/v1/transactions?limit={PURCHASES}&productId=coins")["transactions"]
        proofs = [(one["transactionId"],
                   store.ask("GET", f"/control/v1/transactions/{one['transactionId']}/proofs")["signedTransaction"]) for one in page]

        def redeem_all():
            for number, proof in proofs:
                redeem(server, token, number, proof)

        results["redemption"].append(server.measure(len(proofs), redeem_all))
    finally:
        server.stop()


class SilentReceiver:
    """A receiver of webhooks that accepts connections, and never answers."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.address = f"http://127.0.0.1:{self.listener.getsockname()[1]}/"
        self.connections = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                self.connections.append(self.listener.accept()[0])
            except OSError:
                return

    def stop(self):
        # A thread that waits in accept() keeps the socket open until it is shut down.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for connection in self.connections:
            connection.close()


class Side:
    """One of the two programs in the part `redemptions`: its store, its server, and proofs that are not redeemed yet."""

    def __init__(self, path, database, purchases, receiver=None):
        self.folder = Folder()
        pathlib.Path(self.folder / "shop.storekit").write_text(json.dumps(CATALOG))
        self.store = Running(path, "emulator", "--end-with-input", "--config", self.folder / "shop.storekit", "--bundle-id", APP,
                             "--port", "0")
        configuration, key = configured(path, self.folder, self.store, database, receiver)
        self.server = Running(path, "server", "run", "--end-with-input", "--config", configuration)
        publish(self.server, key)
        if receiver:
            self.server.ask("POST", "/v1/operator/webhooks", {"name": "silent", "url": receiver.address, "environments": ["Production", "Sandbox"]},
                            {"Authorization": f"Bearer {key}"})
        self.receiver = receiver
        self.tokens = [self.server.ask("POST", f"/v1/apps/{APP}/installations", {})["token"] for _ in range(CUSTOMERS)]
        self.proofs = iter([self.sell(number) for number in range(purchases)])
        self.numbers = itertools.count()
        host = self.server.program.address.removeprefix("http://")
        self.connections = [http.client.HTTPConnection(host) for _ in range(CLIENTS)]

    def sell(self, number):
        """Sells coins to a customer who has nothing else, so that the receipt is short."""
        self.store.ask("POST", "/control/v1/customers", {"environment": "Sandbox", "name": f"c{number}"})
        sold = self.store.ask("POST", "/control/v1/purchases", {
            "bundleId": APP, "environment": "Sandbox", "customer": f"c{number}", "productId": "coins"})["transactionId"]
        return sold, self.store.ask("GET", f"/control/v1/transactions/{sold}/proofs")["signedTransaction"]

    def requests(self, kind, count):
        """The next requests: path, token and body."""
        made = []
        for _ in range(count):
            number = next(self.numbers)
            token = self.tokens[number % CUSTOMERS]
            if kind == "redemption":
                sold, proof = next(self.proofs)
                body = {"proof": {"signedTransaction": proof}, "purchases": [{"transactionId": sold}]}
                made.append((f"/v1/apps/{APP}/redemptions", token, json.dumps(body)))
            else:
                made.append((f"/v1/apps/{APP}/credits/gems/spends", token, json.dumps({"key": f"s{number}", "amount": 1})))
        return made

    def send(self, connection, requests):
        for path, token, body in requests:
            connection.request("POST", path, body, {"Content-Type": "application/json", "Authorization": f"Bearer {token}"})
            reply = connection.getresponse()
            text = reply.read()
            assert reply.status == 200, (path, reply.status, text)

    def batch(self, pool, kind, clients):
        """Returns the microseconds of one of the requests of a batch."""
        requests = self.requests(kind, batch_size(clients))
        start = time.perf_counter()
        if clients == 1:
            self.send(self.connections[0], requests)
        else:
            parts = [pool.submit(self.send, self.connections[client], requests[client::clients]) for client in range(clients)]
            for part in parts:
                part.result()
        return (time.perf_counter() - start) * 1e6 / len(requests)

    def stop(self):
        for connection in self.connections:
            connection.close()
        for program in (self.server, self.store):
            program.stop()
        if self.receiver:
            assert self.receiver.connections, "the server has sent nothing to the receiver of its webhook"
            self.receiver.stop()
        self.folder.stop()


def databases():
    """The databases to measure: their names, and the connection strings of the two programs."""
    yield "SQLite", (None, None)
    connection = os.environ.get("POSTGRESQL")
    if connection is None:
        print("PostgreSQL is not measured: run this with Benchmarks/with-postgresql.sh.")
        return
    names = ("before", "after")
    for name in names:
        subprocess.run(["psql", "--quiet", connection, "-c", f"CREATE DATABASE {name}"], check=True)
    yield "PostgreSQL", tuple(connection.replace("dbname=postgres", f"dbname={name}") for name in names)


def compare_redemptions(before, after):
    """Returns the medians of the ratios."""
    medians = []
    print(f"Median of {BATCHES} batches, µs             before    after   ratio  (quartiles)   processor time: before    after   ratio",
          flush=True)
    # As many for the batches that warm up.
    needed = (BATCHES + 2) * (batch_size(1) + batch_size(CLIENTS))
    for name, connections in databases():
        sides = []
        try:
            for index, (path, connection) in enumerate(zip((before, after), connections)):
                receiver = SilentReceiver() if RECEIVER == "silent" and index == 1 else None
                sides.append(Side(path, connection, needed, receiver))
            with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
                # Every redemption gives ten credits, so that all spends are covered.
                for kind in ("redemption", "spend"):
                    for clients in (1, CLIENTS):
                        medians.append(compare(f"{kind}, {name}, {clients}", sides, pool, kind, clients))
        finally:
            for side in sides:
                side.stop()
    return medians


def compare(title, sides, pool, kind, clients):
    for side in sides:
        for _ in range(2):
            side.batch(pool, kind, clients)
    processor = [-side.server.processor_time() for side in sides]
    times = [[], []]
    for number in range(BATCHES):
        for index in (0, 1) if number % 2 == 0 else (1, 0):
            times[index].append(sides[index].batch(pool, kind, clients))
    requests = BATCHES * batch_size(clients)
    processor = [(used + side.server.processor_time()) * 1e6 / requests for used, side in zip(processor, sides)]
    ratios = [new / old for old, new in zip(*times)]
    low, middle, high = statistics.quantiles(ratios, n=4)
    old, new = map(statistics.median, times)
    print(f"{title:<36}{old:10.0f}{new:9.0f}{middle:8.3f}  ({low:.3f} {high:.3f}){'':17}{processor[0]:12.0f}{processor[1]:9.0f}"
          f"{processor[1] / processor[0]:8.3f}", flush=True)
    return middle


def compare_stores(before, after):
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


class Phone:
    """The sample app of one of the programs, with a store of its own."""

    FIVE = "com.xamarin.storekit.testing.consume5credits"

    def __init__(self, path, *arguments):
        (self.path, self.arguments, self.folder) = (path, arguments, Folder())
        self.store = Running(path, "emulator", "--end-with-input", "--config", programs.CATALOG, "--bundle-id", programs.BUNDLE_ID,
                             "--port", "0", "--data", self.folder / "store")

    def launch(self):
        """Launches the app, and buys. Returns the microseconds of the launch, and of one of the purchases."""
        start = time.perf_counter()
        app = subprocess.Popen(
            [self.path, "sample-app", *self.arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
            env={**os.environ, "LOG_LEVEL": "warning", "OPENSTOREKIT_URL": self.store.program.address,
                 "OPENSTOREKIT_ENVIRONMENT": "sandbox", "OPENSTOREKIT_DATA": self.folder / "app",
                 "OPENSTOREKIT_BUNDLE_ID": programs.BUNDLE_ID, "OPENSTOREKIT_APP_VERSION": "1.0", "OPENSTOREKIT_ACCOUNT": "customer"})

        def do(command, until):
            app.stdin.write(json.dumps(command) + "\n")
            missing = set(until)
            while missing:
                event = next(iter(json.loads(app.stdout.readline())))
                assert event not in ("failed", "kept", "pricesFailed", "finding"), event
                missing.discard(event)

        do({"showPrices": {}}, ["buttons"])
        launched = time.perf_counter()
        for _ in range(LAUNCH_PURCHASES):
            do({"buy": {"product": self.FIVE, "quantity": 1, "confirms": True}}, ["succeeded", "finishAcknowledged"])
        bought = time.perf_counter()
        app.stdin.close()
        assert app.wait(timeout=60) == 0
        app.stdout.close()
        return (launched - start) * 1e6, (bought - launched) * 1e6 / LAUNCH_PURCHASES

    def stop(self):
        self.store.stop()
        self.folder.stop()


def compare_devices(before, after):
    """Returns the medians of the ratios of the two programs."""
    print(f"Median of {LAUNCHES} launches, µs            before    after   ratio  (quartiles)", flush=True)
    medians = []
    for title, sides in (("", [Phone(before), Phone(after)]),
                         (", StoreKit 1 and 2", [Phone(after, "--storekit", "1"), Phone(after, "--storekit", "2")])):
        times = [[], []]
        try:
            for side in sides:
                side.launch()
            for number in range(LAUNCHES):
                for index in (0, 1) if number % 2 == 0 else (1, 0):
                    times[index].append(sides[index].launch())
        finally:
            for side in sides:
                side.stop()
        for column, name in enumerate(("launch", "purchase")):
            old, new = ([one[column] for one in side] for side in times)
            low, middle, high = statistics.quantiles([b / a for a, b in zip(old, new)], n=4)
            print(f"{name + title:<36}{statistics.median(old):10.0f}{statistics.median(new):9.0f}{middle:8.3f}"
                  f"  ({low:.3f} {high:.3f})", flush=True)
            if not title:
                medians.append(middle)
    return medians


def main(before, after, *parts):
    known = ("store", "redemptions", "devices")
    unknown = [part for part in parts if part not in known]
    if unknown:
        sys.exit(f"There is no part {', '.join(unknown)}. The parts are {', '.join(known)}.")
    if RECEIVER not in ("none", "silent"):
        sys.exit(f"RECEIVER is none or silent, not {RECEIVER}.")
    if not parts or "store" in parts:
        compare_stores(before, after)
    medians = []
    if not parts or "redemptions" in parts:
        medians += compare_redemptions(before, after)
    if not parts or "devices" in parts:
        medians += compare_devices(before, after)
    if medians and max(medians) > float(os.environ.get("LIMIT", "inf")):
        sys.exit(f"A ratio is above LIMIT: {max(medians):.3f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
