"""The operator's pages of the purchase server: sign-in, roles, a customer, and what can be done for the customer."""
import urllib.request

from selenium.webdriver.common.keys import Keys

from hostile import HACKED, HOSTILE_NAME
from operator_test_case import SUBJECT, SUBJECT_ID, OperatorTestCase
from programs import BUNDLE_ID
from browser_test_case import SMALL_PRINT

# The forms of the app on a customer's page.
CREDITS, PRODUCT = (f"[id='{action}-{BUNDLE_ID}.']" for action in ("credits", "product"))


class OperatorTests(OperatorTestCase):
    def test_sign_in(self):
        """A wrong key is refused; a right one opens the pages until it is revoked"""
        self.browser.driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
        self.browser.open(f"{self.server.address}/operator/audit")
        self.browser.picture("checked/operator-sign-in")
        self.expect_refusal()
        self.browser.write("Operator’s key", "operator_wrong")
        self.browser.press("Sign in")
        self.browser.sees("That is not a valid key.")
        self.expect_refusal()
        made = self.ask("POST", "operator/keys", {"name": self.account, "role": "read"})
        self.browser.write("Operator’s key", made["token"])
        self.browser.press("Sign in")
        # The page that was asked for.
        self.browser.sees("Audit log", within="h1")
        self.browser.sees("read", within="#status")
        cookie = self.browser.driver.get_cookies()[0]
        self.assertTrue(cookie["httpOnly"] and cookie["sameSite"] == "Strict" and cookie["path"] == "/operator")
        self.assertNotIn(made["token"], cookie["value"])
        self.ask("DELETE", f"operator/keys/{made['id']}")
        self.browser.open(f"{self.server.address}/operator/audit")
        self.browser.sees("Operator’s key")
        self.expect_refusal()

    def test_customer(self):
        """A customer's credits with their causes, and one timeline of purchases and operators' changes"""
        customer, bought = self.buy()
        self.open()
        self.browser.write("Customer or transaction", bought)
        self.browser.press("Find")
        self.browser.sees(customer, within="#head")
        self.browser.sees("5 monkey-credits", within="#credits")
        self.browser.sees("purchase", within="#credits")
        self.browser.sees("bought", within="#timeline")
        # What the ledger refuses is said beside the field, and what was typed stays.
        self.browser.write("Amount", "-50", within=CREDITS)
        self.browser.write("Reason", "a test", within=CREDITS)
        self.browser.press("Grant credits", within=CREDITS)
        self.browser.sees("The balance is 5", within=f"{CREDITS} .refusal")
        self.assertEqual(self.browser.driver.execute_script("return document.activeElement.id"),
                         f"credits-{BUNDLE_ID}.-credits-amount")
        self.expect_refusal()
        self.browser.picture("checked/operator-refused", whole=True)
        self.browser.write("Amount", "7", within=CREDITS)
        self.browser.press("Grant credits", within=CREDITS)
        self.browser.sees("12 monkey-credits", within="#credits")
        self.browser.sees("a test", within="#timeline")
        self.browser.gone(f"{CREDITS} .refusal")
        # The same again is another grant.
        self.browser.press("Grant credits", within=CREDITS)
        self.browser.sees("19 monkey-credits", within="#credits")
        self.browser.picture("operator-customer", whole=True)
        for width in (390, 768):
            self.browser.size(width, 900)
            self.assertLessEqual(self.browser.overflow_pixels(), 0, f"at {width}")
        self.browser.size(1280, 900)
        self.browser.press("All 3 movements")
        self.browser.sees("grant", within="#movements")
        self.browser.open(f"{self.server.address}/operator/audit")
        self.browser.sees("a test", within="main")
        self.browser.picture("checked/operator-audit")

    def test_revoke_and_erase(self):
        """A product is granted and revoked, and a customer is erased, each with a reason; erasing needs the box"""
        customer = self.customer()
        address = f"customer?id={customer['customer']}"
        self.open(address)
        self.browser.write("Product id", SMALL_PRINT, within=PRODUCT)
        self.browser.write("Reason", "a gift", within=PRODUCT)
        self.browser.press("Grant the product", within=PRODUCT)
        self.browser.sees("owned", within="#entitlements")
        self.browser.press("Revoke", within="#entitlements")
        opened = "#entitlements details[open] form"
        self.browser.write("Reason", "a mistake", within=opened)
        form = self.browser.find(opened).get_attribute("id")
        # Another row appears before this one. The open form, and what was typed in it, stay with their row.
        self.browser.press("Grant the product", within=PRODUCT)
        self.browser.find("#entitlements tbody tr:nth-child(2)")
        forms = self.browser.driver.find_elements("css selector", opened)
        self.assertEqual([each.get_attribute("id") for each in forms], [form])
        self.browser.press("Revoke", within=opened)
        self.browser.sees("revoked", within="#entitlements tbody tr:nth-child(2)")
        self.browser.sees("owned", within="#entitlements tbody tr:first-child")
        self.browser.write("Reason", "asked for by mail", within="#erase")
        self.browser.press("Erase", within="#erase .send")
        # The browser itself asks for the box.
        self.assertTrue(self.browser.driver.execute_script("return document.querySelector('#erase:invalid') !== null"))
        self.browser.find("#erase-confirmed").click()
        self.browser.press("Erase", within="#erase .send")
        self.browser.sees("Look up a customer", within="main")
        entries = self.ask("GET", "operator/audit")["entries"]
        self.assertEqual([(each["action"], each["detail"].rsplit(": ", 1)[-1]) for each in entries
                          if each["subject"] == customer["customer"]],
                         [("erase", "asked for by mail"), ("revoke", "a mistake"), ("grant", "a gift"),
                          ("grant", "a gift")])

    def test_roles(self):
        """A page offers what the key's role allows, and the API refuses the rest"""
        customer = self.customer()
        address = f"customer?id={customer['customer']}"
        for role, forms in (("read", []), ("support", [CREDITS]), ("admin", [CREDITS, "#erase"])):
            self.open(address, self.key(role))
            self.browser.sees(role, within="#status")
            self.browser.find("#export")
            for form in (CREDITS, "#erase"):
                self.assertEqual(bool(self.browser.driver.find_elements("css selector", form)), form in forms,
                                 f"{role}: {form}")

    def test_keyboard(self):
        """The keyboard reaches the search, the sections and every form"""
        customer = self.customer()
        self.open()
        self.browser.find("#shortcuts-open:not([hidden])")
        self.browser.type("/")
        self.browser.type(customer["customer"] + Keys.ENTER)
        self.browser.sees(customer["customer"], within="#head")
        self.browser.tab_to("Reason", within=CREDITS)
        self.browser.find("#shortcuts-open:not([hidden])")
        self.browser.driver.execute_script("document.activeElement.blur()")
        self.browser.type("ga")
        self.browser.sees("Audit log", within="h1")
        self.browser.find("#shortcuts-open:not([hidden])")
        self.browser.type("?")
        self.browser.find("dialog[open]")
        self.browser.picture("checked/operator-shortcuts")

    def test_hostile_names(self):
        """Hostile names of customers, products and reasons are escaped on every page"""
        path = f"operator/apps/{BUNDLE_ID}/customers/{SUBJECT_ID}"
        for number in range(3):
            self.ask("POST", f"{path}/grants", {
                "key": HOSTILE_NAME.strip()[:40] + str(number), "reason": HOSTILE_NAME,
                "credits": {"unit": "monkey-credits", "amount": 3}})
        self.ask("POST", f"{path}/grants", {"key": "b", "reason": "W" * 900, "productId": SMALL_PRINT})
        self.open()
        for width in (1280, 390):
            self.browser.size(width, 900)
            for page in (f"customer?id={SUBJECT_ID}", "audit",
                         f"movements?id={SUBJECT_ID}&app={BUNDLE_ID}&unit=monkey-credits",
                         "search?q=" + urllib.request.quote(HOSTILE_NAME)):
                self.browser.open(f"{self.server.address}/operator/{page}")
                self.assertIsNone(self.browser.driver.execute_script(HACKED), page)
                self.assertLessEqual(self.browser.overflow_pixels(), 0, f"{page} at {width}")
        self.browser.size(1280, 900)
        self.browser.open(f"{self.server.address}/operator/search?q=" + urllib.request.quote(SUBJECT))
        self.browser.sees("onmouseover", within="#details")
        self.browser.picture("checked/operator-hostile-names", whole=True)
