"""What the stories in the browser share: the programs, and what a person does on a device."""
import unittest

from browser import Browser, has_failed
from programs import Emulator, Folder, Line, Program, PurchaseServer

PREFIX = "com.xamarin.storekit.testing"
SMALL_PRINT, ENCYCLOPEDIA = f"{PREFIX}.book.smallprint", f"{PREFIX}.book.encyclopedia"
SMALL_TEXT = "It was a quiet receipt, and it said what was paid.\n" * 200
LARGE_TEXT = "".join(f"Volume {number}: everything that is known of it.\n" for number in range(120_000))


class Story(unittest.TestCase):
    """A store, a purchase server and a browser for the tests of a class; devices for each test."""

    maxDiff = None
    has_server = False

    @classmethod
    def setUpClass(cls):
        cls.folder = Folder()
        cls.addClassCleanup(cls.folder.stop)
        cls.store = Emulator()
        cls.addClassCleanup(cls.store.stop)
        cls.line = None
        if cls.has_server:
            server = PurchaseServer(cls.folder, cls.store, {SMALL_PRINT: SMALL_TEXT, ENCYCLOPEDIA: LARGE_TEXT})
            cls.addClassCleanup(server.stop)
            cls.line = Line(server.address)
            cls.addClassCleanup(cls.line.stop)
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.stop)

    def setUp(self):
        self.account = self.id().rsplit(".", 1)[-1]
        self.store.ask("POST", "customers", {"environment": "Sandbox", "name": self.account})
        self.devices = {}
        self.browser.complaints()

    def tearDown(self):
        if has_failed(self):
            self.browser.picture(f"failed-{self.account}")
        # What the browser refused to do for a page is a fault of the page.
        self.assertEqual(self.browser.complaints(), [])
        lapses, self.browser.lapses = self.browser.lapses, []
        self.assertEqual(lapses, [])

    def was_refused(self):
        """The server refused one request, as it was to, and the browser has noted it."""
        [words] = self.browser.complaints()
        self.assertIn("the server responded with a status of 4", words)

    def device(self, name="phone"):
        """Starts a device, and opens its page."""
        if name not in self.devices:
            root = self.folder / f"{self.account}-{name}"
            arguments = ["--documents", self.folder / f"{self.account}-documents"]
            if self.line:
                arguments += ["--server", self.line.address]
            self.devices[name] = Program("device", "--end-with-input", "--name", name, "--port", "0", "--data", root,
                                         "--store", self.store.address, *arguments)
            self.addCleanup(self.devices[name].stop)
        self.browser.open(f"{self.devices[name].address}/?screen=credits")
        return self.devices[name]

    def tab(self, name):
        self.browser.press(name, within="nav.tabs")
        self.browser.find(f"#tab-{name.lower()}[aria-current]")

    def sign_in(self):
        """Answers the sign-in sheet."""
        self.browser.write("Account", self.account, within="dialog")
        self.browser.press("Sign in", within="dialog")

    def line_of(self, product):
        """Where a product is on the screen."""
        return f'li[data-product="{PREFIX}.{product}"]'

    def buy(self, product, signs_in=False):
        """Presses the button of a product, and confirms."""
        self.browser.press("Buy $", within=self.line_of(product))
        if signs_in:
            self.sign_in()
        self.browser.sees("Confirm your purchase", within="dialog")
        self.browser.press("Buy", within="dialog", exact=True)

    def close_alert(self):
        self.browser.press("OK", within="dialog")
        self.browser.gone("dialog")

    def transactions(self):
        """Those of this test's customer, newest first."""
        return self.store.transactions(f"?customer={self.account}")
