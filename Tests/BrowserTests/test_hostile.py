"""Names that mean no good, everywhere a name can stand."""
import json
import pathlib

from hostile import EVIL, HACKED
from programs import CATALOG, Emulator, Program, PurchaseServer
from story import PREFIX, SMALL_PRINT, Story

LONG = EVIL + "W" * 10_000


def evil_catalog(folder):
    """The sample's catalog, with names that mean no good."""
    document = json.loads(pathlib.Path(CATALOG).read_text())
    for product in document["products"]:
        for localization in product["localizations"]:
            localization["displayName"] = LONG
            localization["description"] = LONG
    target = folder / "Evil.storekit"
    pathlib.Path(target).write_text(json.dumps(document))
    return target


class HostileStory(Story):
    def check(self):
        self.assertIsNone(self.browser.driver.execute_script(HACKED))
        self.assertLessEqual(self.browser.runs_over(), 0, self.browser.driver.current_url)

    def test_names(self):
        """Hostile names of products, customers and devices break nothing: not the pages, not the sheets, not the purchase"""
        store = Emulator(evil_catalog(self.folder))
        self.addCleanup(store.stop)
        for name in (EVIL, "customer-" + "W" * 400):
            store.ask("POST", "customers", {"environment": "Sandbox", "name": name})
        server = PurchaseServer(self.folder, store, {SMALL_PRINT: (EVIL + "\n") * 100})
        self.addCleanup(server.stop)
        phone = Program("device", "--end-with-input", "--name", LONG[:300], "--port", "0",
                        "--data", self.folder / "evil-phone", "--store", store.address,
                        "--server", server.address)
        self.addCleanup(phone.stop)
        bought = store.ask("POST", "purchases", {
            "bundleId": PREFIX, "environment": "Sandbox", "customer": EVIL, "productId": f"{PREFIX}.sepia",
            "applicationUsername": EVIL})["transactionId"]
        for width in (1280, 360):
            self.browser.size(width, 900)
            for path in ("/", f"/console/transactions/{bought}", "/console/customers", "/console/catalog",
                         "/console/clock", "/console/faults", "/console/requests"):
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
        self.browser.write("Account", EVIL, within="dialog")
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
