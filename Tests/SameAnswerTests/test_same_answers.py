"""A program of another version answers every request of a long random history as this one, byte for byte.

Signatures, certificates, random names and the time of the machine are masked (masking.py). intended.py lists the differences that are
meant. README.md describes how to run it, and how to make another program to compare with.
"""
import json
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "BrowserTests"))
from programs import Folder  # noqa: E402
import programs  # noqa: E402
from history import APP, CATALOG, UNDESCRIBED, Pair, ServerHistory, StoreHistory, exchange  # noqa: E402

OTHER_PROGRAM = os.environ.get("OTHER_PROGRAM")
SEED = int(os.environ.get("HISTORY_SEED", "1"))
STEPS = int(os.environ.get("HISTORY_STEPS", "600"))
# What no history asks: streams that do not end, and uploads by a form.
LEFT_OUT = {("GET", "/metrics"), ("GET", "/openapi.json")}


def started(program, *arguments):
    usual, programs.PROGRAM = programs.PROGRAM, program
    try:
        return programs.Program(*arguments)
    finally:
        programs.PROGRAM = usual


@unittest.skipUnless(OTHER_PROGRAM, "OTHER_PROGRAM names no program; make same-answers builds one")
class SameAnswers(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.stop)
        pathlib.Path(self.folder / "shop.storekit").write_text(json.dumps(CATALOG))
        self.stores = []
        for program in (OTHER_PROGRAM, programs.PROGRAM):
            self.stores.append(started(program, "emulator", "--end-with-input", "--config", self.folder / "shop.storekit",
                                       "--bundle-id", APP, "--port", "0", "--seed", str(SEED)))
            self.addCleanup(self.stores[-1].stop)
        self.store = StoreHistory(Pair(self.stores), SEED)

    def test_store(self):
        """Every call of the control API, of devices and of backends, and the pages of the console."""
        for number in range(STEPS):
            if number == STEPS // 2:
                self.store.complete()
            self.store.step()
        self.store.end()
        self.check_all(self.store, "/control/openapi.json", "/control/v1", UNDESCRIBED)

    def test_purchase_server(self):
        """Every call of apps and operators."""
        servers, keys = [], []
        for number, program in enumerate((OTHER_PROGRAM, programs.PROGRAM)):
            folder = self.folder / f"server{number}"
            os.mkdir(folder)
            configuration = os.path.join(folder, "server.json")
            pathlib.Path(configuration).write_text(json.dumps({
                "listen": {"port": 0}, "database": {"sqlite": "ledger.sqlite"}, "trust": {"emulator": self.stores[number].address},
                "content": {"folder": "content"}, "log": {"level": "error"},
                "apps": [{"bundleId": APP, "verification": "both",
                          "proofKinds": ["appReceipt", "legacyReceipt", "signedTransaction"]}],
                "limits": {"requestsPerSecond": 100_000, "burst": 100_000}}))
            keys.append(subprocess.run([program, "server", "operator-key", "--config", configuration, "test"],
                                       check=True, capture_output=True, text=True).stdout.strip())
            servers.append(started(program, "server", "run", "--end-with-input", "--config", configuration))
            self.addCleanup(servers[-1].stop)
        server = ServerHistory(Pair(servers), self.store, keys, SEED)
        for number in range(STEPS // 2):
            if number == STEPS // 4:
                server.complete()
            self.random_store_step()
            server.step()
        server.end()
        self.check_all(server, "/openapi.json", "")

    def random_store_step(self):
        self.store.random.choice([self.store.buy, self.store.operator_purchase, self.store.refund, self.store.deliver,
                                  self.store.advance])()

    def check_all(self, history, description, prefix, more=frozenset()):
        """Every step was played. Every endpoint of the description, and of `more`, was answered with success at least once."""
        pair = history.pair
        for line in sorted(pair.intended):
            print(f"intended: {line.method} {line.route} {line.field}: {line.before} -> {line.now}", file=sys.stderr)
        self.assertEqual(set(), set(history.KINDS) - history.played)
        paths = json.loads(exchange("GET", pair.addresses[1] + description, None, {})[2])["paths"]
        described = {(method.upper(), prefix + path) for path, methods in paths.items() for method in methods}
        answered = {route for route, statuses in pair.asked.items() if any(status < 300 for status in statuses)}
        self.assertEqual(set(), (described | more) - answered - LEFT_OUT)


if __name__ == "__main__":
    unittest.main()
