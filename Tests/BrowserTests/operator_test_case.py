"""The base class of the tests of the operator's pages: a purchase server, and an operator who signs in."""
import json
import sqlite3
import urllib.request
import uuid

from hostile import HOSTILE_NAME
from programs import BUNDLE_ID, Program, PurchaseServer
from browser_test_case import PREFIX, SMALL_PRINT, BrowserTestCase

SUBJECT = "https://id.example " + HOSTILE_NAME.strip()
SUBJECT_ID = str(uuid.UUID(int=7))


class OperatorTestCase(BrowserTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = PurchaseServer(cls.folder, cls.store, {SMALL_PRINT: "text"})
        cls.server.sell_credits(f"{PREFIX}.consume5credits", "monkey-credits", 5)
        # An identified customer with a hostile name, as the ledger stores it.
        cls.change_ledger("INSERT INTO customer (id, subject, created) VALUES (?, ?, 0)", (SUBJECT_ID, SUBJECT))
        cls.addClassCleanup(lambda: cls.server.stop())

    @classmethod
    def change_ledger(cls, statement, values):
        """Changes the ledger while the server does not run, and starts the server again."""
        cls.server.stop()
        with sqlite3.connect(cls.folder / "server/ledger.sqlite") as ledger:
            ledger.execute(statement, values)
        ledger.close()
        key = cls.server.key
        cls.server = Program("server", "run", "--end-with-input", "--config", cls.folder / "server/server.json")
        cls.server.key = key

    def ask(self, method, path, document=None, token=None):
        request = urllib.request.Request(
            f"{self.server.address}/v1/{path}", data=None if document is None else json.dumps(document).encode(),
            method=method, headers={"Authorization": f"Bearer {token or self.server.key}"})
        with urllib.request.urlopen(request) as reply:
            return json.loads(reply.read() or b"null")

    def customer(self):
        """Registers an installation."""
        return self.ask("POST", f"apps/{BUNDLE_ID}/installations", {})

    def key(self, role):
        return self.ask("POST", "operator/keys", {"name": f"{self.account} {role}", "role": role})["token"]

    def open(self, path="", key=None):
        """Signs in, unless the browser has a session, and opens a page."""
        self.browser.driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
        self.browser.open(f"{self.server.address}/operator/")
        self.browser.write("Operator’s key", key or self.server.key)
        self.browser.press("Sign in")
        self.browser.sees("Customers", within="h1")
        # The sign-in page itself is an answer with status 401.
        self.expect_refusal()
        if path:
            self.browser.open(f"{self.server.address}/operator/{path}")
