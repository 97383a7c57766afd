"""The operator's pages of offerings and of the names of entitlements: the forms, and what apps and customers then have."""
import json
import urllib.request

from operator_test_case import OperatorTestCase
from programs import BUNDLE_ID
from browser_test_case import PREFIX, SMALL_PRINT

GREYSCALE = f"{PREFIX}.greyscale"
# Products of offerings.
TEA, COFFEE = "tea", "coffee"


class OperatorCatalogTests(OperatorTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for product in (TEA, COFFEE):
            cls.ask(cls, "PUT", f"operator/apps/{BUNDLE_ID}/products/{product}", {"type": "Non-Consumable", "isListed": True})

    def published(self, *names):
        """What apps get: the current offering, and the products and metadata of those of these that are published."""
        with urllib.request.urlopen(f"{self.server.address}/v1/apps/{BUNDLE_ID}/offerings") as reply:
            document = json.loads(reply.read())
        return document.get("current"), {
            each["id"]: (each["products"], each["metadata"]) for each in document["offerings"] if each["id"] in names}

    def write_offering(self, products, metadata):
        self.browser.write("Products", " ".join(products), within="#publish")
        self.browser.write("Metadata", metadata, within="#publish")

    def add_offering(self, name):
        self.browser.open(f"{self.server.address}/operator/products")
        self.browser.press("Offerings", within="main")
        self.browser.write("New offering’s id", name)
        self.browser.press("Add", exact=True)
        self.browser.sees("It is not published yet.", within="#details")

    def typed(self):
        return [self.browser.find(f"#publish-{name}").get_attribute("value") for name in ("products", "metadata", "reason")]

    def test_offering(self):
        """An offering is published with its products in order and its metadata, changed, and removed"""
        self.open()
        self.add_offering("summer")
        self.write_offering([TEA, COFFEE], '{"headline": "Sun & <b>fun</b>", "columns": 2}')
        self.browser.find("#publish-isCurrent").click()
        self.send("#publish", "Publish", "it is summer")
        self.browser.sees("current", within="#head")
        self.assertNotIn("new=", self.browser.driver.current_url)
        products = "return [...document.querySelectorAll('#details dd a')].map((link) => link.textContent)"
        self.assertEqual(self.browser.driver.execute_script(products), [TEA, COFFEE])
        summer = {"headline": "Sun & <b>fun</b>", "columns": 2}
        self.assertEqual(json.loads(self.browser.text("#metadata")), summer)
        self.assertEqual(self.published("summer", "winter"), ("summer", {"summer": ([TEA, COFFEE], summer)}))
        self.check_page("operator-offering-published")
        # Another one becomes the current one.
        self.add_offering("winter")
        self.write_offering([COFFEE], "")
        self.browser.find("#publish-isCurrent").click()
        self.send("#publish", "Publish", "it is winter")
        self.browser.sees("current", within="#head")
        self.browser.press("Offerings", within="main .crumb")
        self.browser.sees("winter", within="#offerings")
        self.browser.find("html[data-ready]")
        rows = {row["Offering"]: row for row in self.rows("#offerings")}
        self.assertEqual((rows["summer"]["State"], rows["winter"]["State"]), ("", "current"))
        self.assertEqual(rows["summer"]["Products"].split(), [TEA, COFFEE])
        self.check_page("operator-offerings")
        # The first one gets the other order and other metadata. What the form does not have is replaced as well.
        self.browser.press("summer", within="#offerings")
        self.browser.sees("Change", within="#publish-title")
        self.assertEqual(self.typed()[0].split(), [TEA, COFFEE])
        self.assertEqual(json.loads(self.typed()[1]), summer)
        self.assertFalse(self.browser.find("#publish-isCurrent").is_selected())
        self.write_offering([COFFEE, TEA], '{"highlighted": []}')
        self.send("#publish", "Publish", "coffee first")
        self.browser.sees("highlighted", within="#metadata")
        self.assertEqual(self.browser.driver.execute_script(products), [COFFEE, TEA])
        self.assertEqual(self.published("summer", "winter"), ("winter", {
            "summer": ([COFFEE, TEA], {"highlighted": []}), "winter": ([COFFEE], {})}))
        self.send("#remove", "Remove", "summer is over", is_confirmed=True)
        self.browser.sees("Offerings", within="h1")
        self.browser.sees_not("summer", within="#offerings")
        self.assertEqual(self.published("summer", "winter"), ("winter", {"winter": ([COFFEE], {})}))
        summer, winter = f"{BUNDLE_ID} summer", f"{BUNDLE_ID} winter"
        self.assert_audited(
            ("removeOffering", summer, "summer is over"),
            ("publishOffering", summer, f"{COFFEE} {TEA}: coffee first"),
            ("publishOffering", winter, f"{COFFEE} current: it is winter"),
            ("publishOffering", summer, f"{TEA} {COFFEE} current: it is summer"))

    def test_refused_offering(self):
        """Metadata or products that are refused show the reason, what was typed stays, and apps get what was published before"""
        before = {"headline": "before"}
        self.ask("PUT", f"operator/apps/{BUNDLE_ID}/offerings/refused", {"products": [COFFEE], "metadata": before})
        self.open(f"offering?app={BUNDLE_ID}&id=refused")
        # No JSON object: the reason is beside the field.
        products, broken = f"{TEA} {COFFEE}", '{"headline": "Sun",\n  "columns": }'
        self.write_offering(products.split(), broken)
        self.send("#publish", "Publish", "a test")
        self.browser.sees("is not a JSON object", within="#publish-metadata ~ .refusal")
        self.browser.find("#publish-metadata[aria-invalid=true]:focus")
        self.assertEqual(self.typed(), [products, broken, "a test"])
        self.expect_refusal()
        self.check_page("operator-offering-refused")
        # What only the server finds.
        for metadata, reason in (('{"headline": "a", "headline": "b"}', "the name headline occurs twice"),
                                 (json.dumps({"text": "ä" * 8_192}, ensure_ascii=False), "at most 16384 are stored")):
            self.browser.driver.execute_script(
                "const field = document.getElementById('publish-metadata'); field.value = arguments[0];"
                "field.dispatchEvent(new Event('input', { bubbles: true }));", metadata)
            self.browser.press("Publish", within="#publish .send")
            self.browser.sees(reason)
            self.browser.gone("#publish[aria-busy]")
            self.assertEqual(self.typed(), [products, metadata, "a test"])
            self.expect_refusal()
        self.write_offering([COFFEE, "water"], "{}")
        self.browser.press("Publish", within="#publish .send")
        self.browser.sees("The product water was not published.")
        self.browser.gone("#publish[aria-busy]")
        self.assertEqual(self.typed(), [f"{COFFEE} water", "{}", "a test"])
        self.expect_refusal()
        self.assertEqual(self.published("refused")[1]["refused"], ([COFFEE], before))
        # What is corrected is published, and the reason of the refusal is gone.
        self.write_offering(products.split(), '{"headline": "after"}')
        self.browser.press("Publish", within="#publish .send")
        self.browser.sees("after", within="#metadata")
        self.assertEqual(self.published("refused")[1]["refused"], (products.split(), {"headline": "after"}))
        self.browser.gone("#notice:not([hidden])")
        self.browser.gone("#publish .refusal")
        self.assert_audited(("publishOffering", f"{BUNDLE_ID} refused", f"{products}: a test"))

    def publish_names(self, product, names, reason):
        """Changes the names of a product by the form of its page."""
        self.browser.open(f"{self.server.address}/operator/product?app={BUNDLE_ID}&id={product}")
        self.browser.write("Entitlements", names, within="#publish")
        self.send("#publish", "Publish", reason)
        if names:
            self.browser.sees(f"Entitlements {names}", within="#details")
        else:
            self.browser.sees_not("Entitlements", within="#details")

    def grant(self, product, until, reason):
        form = f"[id='product-{BUNDLE_ID}.']"
        self.browser.write("Product id", product, within=form)
        self.browser.write("Access until", until, within=form)
        self.send(form, "Grant the product", reason)
        self.browser.sees(product, within="#entitlements")

    def named(self, customer):
        """The rows of the customer's page about what the customer has under a name: state, end and products."""
        self.browser.open(f"{self.server.address}/operator/customer?id={customer}")
        self.browser.find("#entitlements")
        rows = self.browser.driver.execute_script(
            "return [...document.querySelectorAll('#entitlements h3 ~ .table-wrap tbody tr')].map((row) =>"
            "  [...row.cells].map((cell) => cell.innerText.trim()))")
        return {name: (state, end.split(" ")[0], products.split()) for name, state, end, products, _ in rows}

    def test_names(self):
        """Products get names of entitlements, and a customer's page has what the customer has under each name, at once"""
        self.open("products")
        self.browser.write("New product’s id", GREYSCALE)
        self.browser.press("Add", exact=True)
        self.browser.sees("It is not published yet.", within="#details")
        # A name that is not accepted.
        self.browser.write("Entitlements", "club/gold", within="#publish")
        self.send("#publish", "Publish", "a club")
        self.browser.sees('"club/gold" is not allowed')
        self.browser.gone("#publish[aria-busy]")
        self.assertEqual(self.browser.find("#publish-entitlements").get_attribute("value"), "club/gold")
        self.assertEqual(self.browser.find("#publish-reason").get_attribute("value"), "a club")
        self.expect_refusal()
        self.browser.write("Entitlements", "club gold", within="#publish")
        self.browser.press("Publish", within="#publish .send")
        self.browser.sees("Entitlements club gold", within="#details")
        self.check_page("operator-product-named")
        customer = self.customer()["customer"]
        self.assertEqual(self.named(customer), {})
        self.grant(GREYSCALE, "2099-01-01", "until 2099")
        self.assertEqual(self.named(customer), {
            "club": ("owned", "2099-01-01", [GREYSCALE]), "gold": ("owned", "2099-01-01", [GREYSCALE])})
        # A product without names. When it gets one, the customer has it at once: it never ends.
        self.grant(SMALL_PRINT, "", "a gift")
        self.assertNotIn(SMALL_PRINT, str(self.named(customer)))
        self.publish_names(SMALL_PRINT, "club", "books are in the club")
        self.assertEqual(self.named(customer), {
            "club": ("owned", "never", [SMALL_PRINT, GREYSCALE]), "gold": ("owned", "2099-01-01", [GREYSCALE])})
        self.check_page("operator-customer-named")
        # What is revoked ends under its names.
        self.browser.press(f"Revoke {GREYSCALE}", within="#entitlements", exact=True)
        self.send("#entitlements details[open] form", "Revoke", "a mistake")
        self.browser.sees("revoked", within="#entitlements")
        named = self.named(customer)
        self.assertEqual(named["club"], ("owned", "never", [SMALL_PRINT]))
        self.assertEqual((named["gold"][0], named["gold"][2]), ("ended", [GREYSCALE]))
        # A product loses its names.
        self.publish_names(SMALL_PRINT, "", "books are not in the club")
        self.assertEqual((self.named(customer)["club"][0], self.named(customer)["club"][2]), ("ended", [GREYSCALE]))
        grey, book = f"{BUNDLE_ID} {GREYSCALE}", f"{BUNDLE_ID} {SMALL_PRINT}"
        self.assert_audited(
            ("publishProduct", book, "{}: books are not in the club"), ("revoke", customer, ": a mistake"),
            ("publishProduct", book, "{} club: books are in the club"), ("grant", customer, ": a gift"),
            ("grant", customer, ": until 2099"), ("publishProduct", grey, "{} club gold: a club"))
