"""Hostile names in every place for a name."""
import json
import pathlib

from hostile import HOSTILE_NAME, HACKED
from programs import CATALOG, Emulator, Program, PurchaseServer
from browser_test_case import PREFIX, SMALL_PRINT, BrowserTestCase

LONG = HOSTILE_NAME + "W" * 10_000


def hostile_catalog(folder):
    """Returns the path of the sample's catalog with hostile names."""
    document = json.loads(pathlib.Path(CATALOG).read_text())
    for product in document["products"]:
        for localization in product["localizations"]:
            localization["displayName"] = LONG
            localization["description"] = LONG
    target = folder / "Evil.storekit"
    pathlib.Path(target).write_text(json.dumps(document))
    return target


class HostileTests(BrowserTestCase):
    def check(self):
        self.assertIsNone(self.browser.driver.execute_script(HACKED))
        self.assertLessEqual(self.browser.overflow_pixels(), 0, self.browser.driver.current_url)

    def test_names(self):
        """Hostile names of products, customers and devices are escaped on pages and sheets, and the purchase succeeds"""
        store = Emulator(hostile_catalog(self.folder))
        self.addCleanup(store.stop)
        for name in (HOSTILE_NAME, "customer-" + "W" * 400):
            store.ask("POST", "customers", {"environment": "Sandbox", "name": name})
        server = PurchaseServer(self.folder, store, {SMALL_PRINT: (HOSTILE_NAME + "\n") * 100})
        self.addCleanup(server.stop)
        phone = Program("device", "--end-with-input", "--name", LONG[:300], "--port", "0",
                        "--data", self.folder / "evil-phone", "--store", store.address,
                        "--server", server.address)
        self.addCleanup(phone.stop)
        bought = store.ask("POST", "purchases", {
            "bundleId": PREFIX, "environment": "Sandbox", "customer": HOSTILE_NAME, "productId": f"{PREFIX}.sepia",
            "applicationUsername": HOSTILE_NAME})["transactionId"]
        for width in (1280, 360):
            self.browser.size(width, 900)
            for path in ("/", f"/console/transactions/{bought}", "/console/customers", "/console/catalog",
                         "/console/clock", "/console/faults", "/console/requests", "/console/notifications"):
                self.browser.open(store.address + path)
                self.check()
                for link in [each.get_attribute("href") for each in
                             self.browser.driver.find_elements("css selector", "main td a[href], main th a[href]")][:6]:
                    self.browser.open(link)
                    self.check()
            for screen in ("credits", "filters", "books", "settings", "home"):
                self.browser.open(f"{phone.address}/?screen={screen}")
                self.check()
        self.browser.size(1280, 900)
        self.browser.open(f"{phone.address}/?screen=filters")
        self.browser.press("Buy $")
        self.browser.write("Account", HOSTILE_NAME, within="dialog")
        self.browser.press("Sign in", within="dialog")
        self.browser.sees("Confirm your purchase", within="dialog")
        self.check()
        self.browser.picture("device-hostile-names")
        self.browser.press("Buy", within="dialog", exact=True)
        self.browser.gone("#sheet-confirm")
        self.browser.sees("Use greyscale")
        self.check()
        self.browser.open(f"{phone.address}/?screen=books")
        self.browser.press("Buy $", within=f'li[data-product="{SMALL_PRINT}"]')
        self.browser.press("Buy", within="dialog", exact=True)
        self.browser.press("Open", within=f'li[data-product="{SMALL_PRINT}"]')
        self.browser.sees("onmouseover", within="#book")
        self.check()
        self.browser.open(store.address)
        self.browser.picture("console-hostile-names")
