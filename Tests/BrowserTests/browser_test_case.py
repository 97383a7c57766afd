"""The base class of the browser tests: the programs, and actions of a person on a device."""
import unittest

from browser import Browser, has_failed
from programs import Emulator, Folder, HoldingProxy, Program, PurchaseServer

PREFIX = "com.xamarin.storekit.testing"
SMALL_PRINT, ENCYCLOPEDIA = f"{PREFIX}.book.smallprint", f"{PREFIX}.book.encyclopedia"
SMALL_TEXT = "It was a quiet receipt, and it said what was paid.\n" * 200
LARGE_TEXT = "".join(f"Volume {number}: everything that is known of it.\n" for number in range(120_000))


class BrowserTestCase(unittest.TestCase):
    """A store, a purchase server and a browser for the tests of a class; devices for each test."""

    maxDiff = None
    has_server = False
    # The StoreKit that the app uses.
    storekit = "1"

    @classmethod
    def setUpClass(cls):
        cls.folder = Folder()
        cls.addClassCleanup(cls.folder.stop)
        cls.store = Emulator()
        cls.addClassCleanup(cls.store.stop)
        cls.proxy = None
        if cls.has_server:
            server = PurchaseServer(cls.folder, cls.store, {SMALL_PRINT: SMALL_TEXT, ENCYCLOPEDIA: LARGE_TEXT})
            cls.addClassCleanup(server.stop)
            for count in (5, 10):
                server.sell_credits(f"{PREFIX}.consume{count}credits", "monkey-credits", count)
            cls.proxy = HoldingProxy(server.address)
            cls.addClassCleanup(cls.proxy.stop)
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.stop)

    def setUp(self):
        # The browser still shows the previous test's device, which has been stopped.
        self.browser.driver.get("about:blank")
        self.account = self.id().rsplit(".", 1)[-1]
        self.store.ask("POST", "customers", {"environment": "Sandbox", "name": self.account})
        self.devices = {}
        self.browser.log_messages()

    def tearDown(self):
        if has_failed(self):
            self.browser.picture(f"failed-{self.account}")
        # The page must not cause warnings or errors of the browser.
        self.assertEqual(self.browser.log_messages(), [])
        accessibility_errors, self.browser.accessibility_errors = self.browser.accessibility_errors, []
        self.assertEqual(accessibility_errors, [])

    def expect_refusal(self):
        """Checks that the browser logged exactly one refused request, and clears the log."""
        [message] = self.browser.log_messages()
        self.assertIn("the server responded with a status of 4", message)

    def device(self, name="phone"):
        """Starts a device, and opens its page."""
        if name not in self.devices:
            root = self.folder / f"{self.account}-{name}"
            arguments = ["--documents", self.folder / f"{self.account}-documents", "--storekit", self.storekit]
            if self.proxy:
                arguments += ["--server", self.proxy.address]
            self.devices[name] = Program("device", "--end-with-input", "--name", name, "--port", "0", "--data", root,
                                         "--store", self.store.address, *arguments)
            self.addCleanup(self.devices[name].stop)
        self.browser.open(f"{self.devices[name].address}/?screen=credits")
        return self.devices[name]

    def tab(self, name):
        self.browser.press(name, within="nav.tabs")
        self.browser.find(f"#tab-{name.lower()}[aria-current]")

    def sign_in(self):
        """Fills in the sign-in sheet, and signs in."""
        self.browser.write("Account", self.account, within="dialog")
        self.browser.press("Sign in", within="dialog")

    def product_row(self, product):
        """The selector of a product's row on the screen."""
        return f'li[data-product="{PREFIX}.{product}"]'

    def buy(self, product, signs_in=False):
        """Presses the Buy button of a product, and confirms the sheet."""
        self.browser.press("Buy $", within=self.product_row(product))
        if signs_in:
            self.sign_in()
        self.browser.sees("Confirm your purchase", within="dialog")
        self.browser.press("Buy", within="dialog", exact=True)

    def close_alert(self):
        self.browser.press("OK", within="dialog")
        self.browser.gone("dialog")

    def transactions(self):
        """Returns the transactions of this test's customer, newest first."""
        return self.store.transactions(f"?customer={self.account}")
