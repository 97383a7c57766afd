"""A server of the version before and one of this version on one PostgreSQL, as during an upgrade.

`make upgrade-test` builds the version before from the repository's history and runs this. PROGRAM_BEFORE is that
program, OPENSTOREKIT_PROGRAM the present one (.build/debug/openstorekit).
"""
import concurrent.futures
import json
import os
import pathlib
import random
import subprocess
import sys
import unittest
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "BrowserTests"))
from programs import BUNDLE_ID, CATALOG, Emulator, Folder  # noqa: E402
import programs  # noqa: E402

PROGRAM_BEFORE = os.environ.get("PROGRAM_BEFORE")
COINS = "com.xamarin.storekit.testing.consume5credits"
APP = f"v1/apps/{BUNDLE_ID}"


class PostgreSQL:
    """A PostgreSQL with a socket in a folder of its own. As root it runs as the user `postgres`."""

    def __init__(self, folder):
        versions = pathlib.Path("/usr/lib/postgresql").glob("*/bin")
        self.programs = sorted(versions, key=lambda path: int(path.parent.name))[-1]
        self.folder = folder / "postgresql"
        os.mkdir(self.folder)
        self.prefix = []
        if os.geteuid() == 0:
            subprocess.run(["chown", "postgres", folder.path, self.folder], check=True)
            self.prefix = ["runuser", "-u", "postgres", "--"]
        self.run("initdb", "-D", f"{self.folder}/data", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-sync")
        options = f"-k {self.folder} -c listen_addresses='' -c fsync=off"
        self.run("pg_ctl", "-D", f"{self.folder}/data", "-w", "-l", f"{self.folder}/log", "-o", options, "start")
        self.connection = f"host={self.folder} user=postgres dbname=postgres"

    def run(self, program, *arguments):
        subprocess.run([*self.prefix, str(self.programs / program), *arguments], check=True, capture_output=True)

    def stop(self):
        self.run("pg_ctl", "-D", f"{self.folder}/data", "-w", "-m", "fast", "stop")


class Server(programs.Program):
    """A purchase server: of this version, or of the one before."""

    def __init__(self, program, configuration):
        usual = programs.PROGRAM
        programs.PROGRAM = program
        try:
            super().__init__("server", "run", "--end-with-input", "--config", configuration)
        finally:
            programs.PROGRAM = usual

    def ask(self, method, path, token=None, document=None):
        """Status and answer."""
        headers = {"Content-Type": "application/json"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        data = None if document is None else json.dumps(document).encode()
        request = urllib.request.Request(f"{self.address}/{path}", data=data, method=method, headers=headers)
        try:
            with urllib.request.urlopen(request) as reply:
                return reply.status, json.loads(reply.read() or b"null")
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read() or b"null")

    def lines(self, path, token):
        """The objects of an answer of JSON lines."""
        request = urllib.request.Request(f"{self.address}/{path}", headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(request) as reply:
            return [json.loads(line) for line in reply]


@unittest.skipUnless(PROGRAM_BEFORE, "PROGRAM_BEFORE names no program; make upgrade-test builds one")
class SideBySide(unittest.TestCase):
    def test_upgrade(self):
        """Purchases and spends that go to either server are made once, and both servers tell the same of them."""
        folder = Folder()
        self.addCleanup(folder.stop)
        database = PostgreSQL(folder)
        self.addCleanup(database.stop)
        store = Emulator(CATALOG)
        self.addCleanup(store.stop)
        configuration = folder / "server.json"
        pathlib.Path(configuration).write_text(json.dumps({
            "listen": {"port": 0}, "trust": {"emulator": store.address}, "log": {"level": "error"},
            "database": {"postgresql": database.connection, "connections": 4, "withoutFsync": True},
            "content": {"folder": "content", "linkKeys": ["AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="]},
            "apps": [{"bundleId": BUNDLE_ID, "verification": "offline"}],
            "limits": {"requestsPerSecond": 100000, "burst": 100000}}))
        key = subprocess.run([PROGRAM_BEFORE, "server", "operator-key", "--config", configuration, "olga"],
                             check=True, capture_output=True, text=True).stdout.strip()
        before = Server(PROGRAM_BEFORE, configuration)
        self.addCleanup(before.stop)
        status, _ = before.ask("PUT", f"v1/operator/apps/{BUNDLE_ID}/products/{COINS}", key,
                               {"type": "Consumable", "credits": {"unit": "coins", "amount": 5}})
        self.assertIn(status, (200, 201, 204))
        customers = [before.ask("POST", f"{APP}/installations", document={})[1]["token"] for _ in range(4)]
        purchases = [self.buy(store) for _ in range(40)]
        for number, purchase in enumerate(purchases[:10]):
            self.redeem(before, purchase, customers[number % 4])

        after = Server(programs.PROGRAM, configuration)
        self.addCleanup(after.stop)
        choose = random.Random(15)
        jobs = []
        for number, purchase in enumerate(purchases):
            # Each twice, to whichever server: the second finds the first.
            jobs += [(number, purchase, server) for server in choose.sample([before, after, before, after], 2)]
        choose.shuffle(jobs)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda job: self.redeem(job[2], job[1], customers[job[0] % 4]), jobs))
            spends = [(place, f"spend {number}", server) for place in range(4) for number in range(5)
                      for server in (before, after)]
            list(pool.map(lambda spend: self.spend(spend[2], customers[spend[0]], spend[1]), spends))

        for token in customers:
            told = [server.ask("GET", f"{APP}/credits", token)[1]["credits"] for server in (before, after)]
            self.assertEqual(told[0], told[1])
            self.assertEqual([(10 * 5 - 5, 15)], [(credit["balance"], credit["movements"]) for credit in told[0]])
        # The events of both servers' changes are in the export: what was there before, filled in, and each change once.
        lines = after.lines("v1/operator/changes?limit=1000", key)
        counts = {kind: len([line for line in lines if line["type"] == kind])
                  for kind in ("purchase.claimed", "credits.moved")}
        self.assertEqual(counts, {"purchase.claimed": 40, "credits.moved": 20})
        self.assertEqual(10, len([line for line in lines if line["filledIn"]]))
        # The version before is not started again: it says so.
        before.stop()
        refused = subprocess.run([PROGRAM_BEFORE, "server", "run", "--config", configuration],
                                 capture_output=True, text=True)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("newer version", refused.stderr)

    def buy(self, store):
        """A purchase's id and its signed transaction."""
        bought = store.ask("POST", "purchases", {
            "bundleId": BUNDLE_ID, "environment": "Sandbox", "customer": "customer", "productId": COINS, "quantity": 1})
        proofs = store.ask("GET", f"transactions/{bought['transactionId']}/proofs")
        return bought["transactionId"], proofs["signedTransaction"]

    def redeem(self, server, purchase, token):
        status, answer = server.ask("POST", f"{APP}/redemptions", token, {
            "proof": {"signedTransaction": purchase[1]}, "purchases": [{"transactionId": purchase[0]}]})
        self.assertEqual(status, 200, answer)
        self.assertEqual(answer["purchases"][0]["given"]["credits"], {"unit": "coins", "amount": 5})

    def spend(self, server, token, key):
        status, answer = server.ask("POST", f"{APP}/credits/coins/spends", token, {"key": key, "amount": 1})
        self.assertEqual(status, 200, answer)


if __name__ == "__main__":
    unittest.main()
