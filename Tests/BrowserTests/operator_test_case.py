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


# Elements of the page that are wider than the window, also those whose container cuts or scrolls them. What only screen readers read
# has no width.
WIDER = """
return [...document.querySelectorAll("main *")].filter((element) =>
  element.checkVisibility() && element.getBoundingClientRect().width > 1 && !element.closest("thead, .sr-only") &&
  element.getBoundingClientRect().right > innerWidth + 0.5).map((element) => element.outerHTML.slice(0, 200));
"""
# The rows of a table: the text of each cell by the title of its column.
ROWS = """
return [...document.querySelectorAll(`${arguments[0]} tbody tr`)].map((row) => Object.fromEntries(
  [...row.cells].map((cell) => [cell.dataset.label, cell.innerText.replace(cell.querySelector("details")?.innerText ?? "", "").trim()])));
"""


class OperatorTestCase(BrowserTestCase):
    # Members of the server's configuration in addition to those of `PurchaseServer`.
    settings = {}
    # The driver types faster than a person, and each character is a request for the command beside the form.
    limits = {"requestsPerSecond": 2_000, "burst": 2_000}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = PurchaseServer(cls.folder, cls.store, {SMALL_PRINT: "text"}, {"limits": cls.limits, **cls.settings})
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

    def buy(self):
        """A customer buys credits and redeems them. Returns the customer's id and the transaction's."""
        customer = self.customer()
        bought = self.store.ask("POST", "purchases", {
            "bundleId": BUNDLE_ID, "environment": "Sandbox", "customer": self.account,
            "productId": f"{PREFIX}.consume5credits"})["transactionId"]
        receipt = self.store.ask("GET", f"transactions/{bought}/proofs")["appReceipt"]
        self.ask("POST", f"apps/{BUNDLE_ID}/redemptions",
                 {"proof": {"appReceipt": receipt}, "purchases": [{"transactionId": bought}]}, customer["token"])
        return customer["customer"], bought

    def send(self, form, button, reason, is_confirmed=False):
        """Presses the button of a form without a reason, which sends nothing, and then with a reason, for the audit log.

        If the form has a box that confirms it, presses the button without that as well.
        """
        self.browser.write("Reason", "", within=form)
        self.browser.press(button, within=f"{form} .send")
        self.lacks(f"{form} [id$='-reason']")
        self.browser.write("Reason", reason, within=form)
        if is_confirmed:
            self.browser.press(button, within=f"{form} .send")
            self.lacks(f"{form} [id$='-confirmed']")
            self.browser.find(f"{form} [id$='-confirmed']").click()
        self.browser.press(button, within=f"{form} .send")

    def lacks(self, field):
        """Waits until the browser has refused to send a form because of a field, which then has the focus."""
        self.browser.until("return document.activeElement.matches(values.field) && document.activeElement.matches(':invalid')",
                           field=field)

    def rows(self, table):
        """Returns the rows of a table on the page: the text of each cell by the title of its column."""
        return self.browser.driver.execute_script(ROWS, table)

    def assert_audited(self, *entries):
        """Checks the newest entries on the page of the audit log, the newest first: action, subject, and detail with the reason.

        A detail that begins with a colon is the end of the entry's detail, which is the reason.
        """
        self.browser.open(f"{self.server.address}/operator/audit")
        rows = self.rows("main")[:len(entries)]
        found = [(row["Action"], row["Subject"], row["Detail and reason"][-len(detail) if detail.startswith(": ") else 0:])
                 for row, (_, _, detail) in zip(rows, entries)]
        self.assertEqual(found, list(entries))
        self.assertEqual({row["Operator"] for row in rows}, {"test"})

    def check_page(self, name):
        """Checks that nothing on the page is wider than the window, and its accessibility, on a phone and on a desktop."""
        for width in (390, 1280):
            self.browser.size(width, 900)
            self.assertLessEqual(self.browser.overflow_pixels(), 0, f"{name} at {width}")
            self.assertEqual(self.browser.driver.execute_script(WIDER), [], f"{name} at {width}")
            self.browser.picture(f"checked/{name}-{width}", whole=True)
