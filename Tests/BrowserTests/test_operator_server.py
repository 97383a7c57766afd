"""The operator's pages of products, notifications, refund requests, charts, health and keys."""
import json
import urllib.parse

from selenium.webdriver.common.keys import Keys

from hostile import HACKED, HOSTILE_NAME
from operator_test_case import OperatorTestCase
from programs import BUNDLE_ID
from browser_test_case import PREFIX, SMALL_PRINT

HOSTILE_ID = HOSTILE_NAME.strip()[:120]
PAGES = ("products", f"product?app={BUNDLE_ID}&id={SMALL_PRINT}", "offerings",
         f"offering?app={BUNDLE_ID}&id=summer", "notifications", "refund-requests",
         "charts", f"charts?app={BUNDLE_ID}&chart=trialsToPaid&environment=Sandbox", "webhooks", "health", "keys")


class OperatorServerTests(OperatorTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        address = f"{cls.server.address}/v1/apps/{BUNDLE_ID}/notifications"
        cls.store.ask("PUT", f"apps/{BUNDLE_ID}/notificationURLs", {"sandbox": address})
        cls.uuid = cls.store.ask("POST", "notifications", {
            "bundleId": BUNDLE_ID, "environment": "Sandbox", "type": "TEST"})["uuid"]
        path = f"operator/apps/{BUNDLE_ID}/notifications"
        cls.browser.until_true(lambda: cls.ask(cls, "GET", path)["notifications"])
        payload = cls.store.ask("GET", f"notifications/{cls.uuid}")["signedPayload"]
        # As if the ledger had refused it, with a hostile problem.
        cls.change_ledger("UPDATE notification SET state = 'setAside', problem = ?, payload = ? WHERE uuid = ?",
                          (HOSTILE_NAME, payload, cls.uuid))
        texts = {"en": {"name": HOSTILE_NAME, "description": HOSTILE_NAME}}
        cls.server_ask("PUT", f"operator/apps/{BUNDLE_ID}/products/{urllib.parse.quote(HOSTILE_ID, safe='')}",
                       {"type": "Non-Consumable", "localisations": texts, "reason": HOSTILE_NAME[:200]})
        cls.server_ask("PUT", f"operator/apps/{BUNDLE_ID}/offerings/summer",
                       {"products": [HOSTILE_ID, SMALL_PRINT], "metadata": {HOSTILE_ID[:60]: HOSTILE_NAME}, "isCurrent": True})
        script = "<script>document.documentElement.dataset.hacked=1</script>"
        cls.webhook = cls.server_ask("POST", "operator/webhooks", {
            "name": script, "url": "https://hooks.invalid/" + "w" * 200})["webhook"]["id"]
        cls.server_ask("POST", f"operator/webhooks/{cls.webhook}/test", {"reason": script})
        cls.server_ask("POST", "operator/keys",
                       {"name": "<script>document.documentElement.dataset.hacked=1</script>", "role": "read"})

    @classmethod
    def server_ask(cls, *arguments):
        return cls.ask(cls, *arguments)

    def test_pages(self):
        """Every page in light and dark, with axe, at 390 px and with hostile names"""
        pages = PAGES + (f"product?app={BUNDLE_ID}&id=" + urllib.parse.quote(HOSTILE_ID),
                         f"notification?app={BUNDLE_ID}&uuid={self.uuid}", f"webhook?id={self.webhook}")
        self.open()
        for width in (390, 768, 1280):
            self.browser.size(width, 900)
            for page in pages:
                self.browser.open(f"{self.server.address}/operator/{page}")
                self.assertIsNone(self.browser.driver.execute_script(HACKED), page)
                self.assertLessEqual(self.browser.overflow_pixels(), 0, f"{page} at {width}")
                if width != 768:
                    name = page.split("?")[0]
                    # The documentation has some of the pages, without hostile names.
                    is_shown = width == 1280 and page in (PAGES[1], "health")
                    other = f"checked/operator-{name}-{width}{'-hostile' if 'script' in page else ''}"
                    self.browser.picture(f"operator-{name}" if is_shown else other, whole=True)

    def test_key(self):
        """A key is created and its secret is shown once; it is revoked, and the last admin key stays"""
        self.open("keys")
        self.browser.write("Name", self.account, within="#create")
        self.browser.choose("Role", "support", within="#create")
        self.browser.write("Reason", "a new colleague", within="#create")
        self.browser.press("Create the key", within="#create")
        self.browser.sees("It is shown only once.", within="main")
        secret = self.browser.text("#revealed")
        # A change of the server does not exchange the page.
        self.browser.driver.execute_async_script("window.pages.look().then(arguments[0])")
        self.assertEqual(self.browser.text("#revealed"), secret)
        self.assertTrue(secret.startswith("operator_"))
        self.assertNotIn(secret, self.browser.driver.current_url)
        self.browser.picture("checked/operator-key-created")
        self.assertEqual(self.ask("GET", "operator/self", token=secret), {"name": self.account, "role": "support"})
        self.browser.press("Back")
        self.browser.sees(self.account, within="#keys")
        self.browser.sees_not(secret)
        self.browser.press("Revoke", within="#keys tbody tr:first-child")
        self.browser.write("Reason", "left", within="#keys tbody tr:first-child form")
        self.browser.press("Revoke", within="#keys tbody tr:first-child form")
        self.browser.sees("revoked", within="#keys tbody tr:first-child")

    def test_webhook(self):
        """A webhook is created and its secret is shown once; it is changed, tested, disabled and removed"""
        self.open("webhooks")
        self.browser.write("Name", self.account, within="#create")
        self.browser.write("URL", "https://hooks.invalid/a", within="#create")
        self.browser.find("#create input[value=REFUND]").click()
        self.browser.write("Reason", "a test", within="#create")
        self.browser.press("Create the webhook", within="#create")
        self.browser.sees("It is shown only once.", within="main")
        secret = self.browser.text("#revealed")
        self.assertTrue(secret.startswith("whsec_"))
        self.browser.press("Back")
        self.browser.sees_not(secret)
        self.browser.press(self.account, within="#webhooks")
        self.browser.sees("REFUND", within="#properties")
        self.assertTrue(self.browser.find("#change input[value=REFUND]").is_selected())
        # Without a box, it is sent messages of all types.
        self.browser.find("#change input[value=REFUND]").click()
        self.browser.write("Reason", "a test", within="#change")
        self.browser.press("Change", within="#change")
        self.browser.sees("all types", within="#properties")
        self.browser.write("Reason", "a test", within="#test")
        self.browser.press("Send a test", within="#test")
        self.browser.sees("TEST", within="#deliveries")
        self.browser.write("Reason", "a test", within="#switch")
        self.browser.press("Disable", within="#switch")
        self.browser.sees("disabled", within="#head")
        self.browser.write("Reason", "a test", within="#remove")
        self.browser.find("#remove-confirmed").click()
        self.browser.press("Remove", within="#remove .send")
        self.browser.sees("Webhooks", within="h1")
        names = [each["name"] for each in self.ask("GET", "operator/webhooks")["webhooks"]]
        self.assertNotIn(self.account, names)

    def test_publish(self):
        """A product is changed by its form, and its texts of another language are added"""
        product = f"{PREFIX}.consume5credits"
        self.open("products")
        self.browser.press(product, within="#products")
        self.browser.sees("5 monkey-credits", within="#details")
        self.browser.write("Another language", "pt-BR")
        self.browser.press("Add its texts")
        self.browser.write("Name (pt-BR)", "Cinco", within="#publish")
        self.browser.write("Credits", "6", within="#publish")
        self.browser.write("Reason", "a test", within="#publish")
        self.browser.press("Publish", within="#publish")
        self.browser.sees("6 monkey-credits", within="#details")
        self.browser.sees("Cinco", within="#details")
        self.browser.open(f"{self.server.address}/operator/product?app={BUNDLE_ID}&id={SMALL_PRINT}")
        self.browser.sees("can be delivered", within="#files")

    def test_replay(self):
        """A notification that is set aside is replayed with a reason, by a key that may"""
        address = f"notification?app={BUNDLE_ID}&uuid={self.uuid}"
        self.open(address, self.key("read"))
        self.browser.sees('"notificationType" : "TEST"', within="#contents")
        self.assertEqual(self.browser.driver.find_elements("css selector", "#replay"), [])
        self.open(address, self.key("support"))
        self.browser.write("Reason", "mended", within="#replay")
        self.browser.press("Replay", within="#replay")
        self.browser.sees("recorded", within="#head")
        entry = self.ask("GET", "operator/audit")["entries"][0]
        self.assertEqual(entry["action"], "replayNotification")
        self.assertTrue(entry["detail"].endswith("mended"), json.dumps(entry))

    def test_keyboard(self):
        """Two keys open each section, and the keyboard reaches the form of a key"""
        self.open()
        for key, title in (("p", "Products"), ("n", "Notifications"), ("r", "Refund requests"), ("t", "Charts"),
                           ("w", "Webhooks"), ("h", "Health"), ("k", "Keys")):
            self.browser.find("#shortcuts-open:not([hidden])")
            self.browser.type("g" + key)
            self.browser.sees(title, within="h1")
        self.browser.tab_to("Create the key", within="#create")
        self.browser.write("Name", self.account, within="#create")
        self.browser.write("Reason", "by keyboard", within="#create")
        self.browser.type(Keys.ENTER)
        self.browser.sees("It is shown only once.", within="main")
