"""What happens at the store reaches the developer's server, its pages for operators, and the phone: by notifications, or by the history."""
import os
import signal
import subprocess
import unittest

from browser import Browser, has_failed
from programs import BUNDLE_ID, Program, request_store
from test_tour import FIVE, Device

GOLD = f"{BUNDLE_ID}.club.gold.monthly"
HOUR = 3_600_000


class NotifiedTests(unittest.TestCase):
    """A demo, its phone, and its pages for operators."""

    def setUp(self):
        self.demo = Program("demo", "--port", "0", environment={"OPENSTOREKIT_DEMO_PAUSE_MILLISECONDS": "0"})
        self.addCleanup(self.demo.stop)
        self.page = Browser(width=1440, height=900)
        self.addCleanup(self.page.stop)
        self.addCleanup(lambda: self.page.picture(f"failed-{self.id().rsplit('.', 1)[-1]}") if has_failed(self) else None)
        self.page.open(self.demo.address)
        source = {title: self.page.find(f"iframe[title='{title}']").get_attribute("src") for title in ("Phone", "App Store")}
        self.store = source["App Store"].rstrip("/")
        self.phone = Device(self, source["Phone"])

    def sign_in(self):
        """Follows the link of the demo's page, and signs in with the key that it leads to."""
        self.page.open(self.page.find(".window-store a[href='/operators']").get_attribute("href"))
        key = self.page.text("#operator-key")
        for width in (390, 1440):
            self.page.size(width, 900)
            self.assertLessEqual(self.page.overflow_pixels(), 0, f"at {width}")
            self.page.picture(f"checked/demo-operators-{width}")
        self.page.press("Open the pages")
        self.page.write("Operator’s key", key)
        self.page.press("Sign in")
        self.page.sees("Customers", within="h1")
        # The sign-in page itself is an answer with status 401.
        [message] = self.page.log_messages()
        self.assertIn("the server responded with a status of 401", message)
        self.operators = self.page.driver.current_url

    def ask(self, method, path, document=None):
        return request_store(self.store, method, path, document)

    def sold(self, product):
        """The transactions of a product, newest first."""
        return self.ask("GET", f"transactions?productId={product}")["transactions"]

    def buy(self):
        """The phone's customer buys credits twice, and a plan of the club. The operators find the customer."""
        self.phone.buy(FIVE, "sign-in", "confirm")
        self.page.find("[data-stop=finished][data-state=last]")
        self.phone.buy(FIVE)
        self.phone.buy(GOLD, screen="club")
        self.phone.show("club")
        self.phone.browser.sees("You are a member: Gold, monthly", within="#membership")
        self.phone.show("credits")
        self.phone.browser.sees("10 monkey credits", within="#credits-balance")
        self.sign_in()
        [plan] = self.sold(GOLD)

        def is_found():
            self.page.open(f"{self.operators}search?q={plan['transactionId']}")
            return self.page.text("h1") == "Customer"

        # The app redeems the plan after its purchase.
        self.page.until_true(is_found)
        self.customer = self.page.driver.current_url
        self.page.sees("10 monkey-credits", within="#credits")
        self.assertNotIn("refunded", self.page.text("#timeline"))
        self.assertNotIn("renewed", self.page.text("#timeline"))

    def refund(self):
        self.ask("POST", f"transactions/{self.sold(FIVE)[0]['transactionId']}/refund", {})

    def subscription(self):
        [found] = self.ask("GET", "customers/sandbox/customer/subscriptions")["subscriptions"]
        return found

    def renew(self):
        """The store's clock goes to an hour after the next renewal."""
        self.ask("PATCH", "clock", {"now": self.subscription()["renewalDate"] + HOUR})

    def enter_grace_period(self):
        self.ask("PATCH", "customers/sandbox/customer", {"paymentMethod": "declined"})
        self.renew()
        self.assertEqual(self.subscription()["state"], "gracePeriod")

    def operators_see(self, text, within):
        """Loads the customer's page until it shows a text."""
        def is_shown():
            self.page.open(self.customer)
            return text in self.page.text(within)

        self.page.until_true(is_shown)

    def all_see_refund(self):
        self.operators_see("refunded", "#timeline")
        self.operators_see("5 monkey-credits", "#credits")
        # The app asks its server when the customer returns to it.
        self.phone.launch()
        self.phone.browser.sees("5 monkey credits", within="#credits-balance")

    def all_see_renewal(self):
        self.operators_see("renewed", "#timeline")
        self.phone.show("club")
        self.phone.browser.sees("You are a member: Gold, monthly", within="#membership")

    def all_see_grace_period(self):
        self.operators_see("the store retries the charge", "#timeline")
        self.phone.show("club")
        self.phone.browser.sees("Your payment was declined. Your lessons stay open until", within="#membership")

    def pictures(self, name):
        for width in (390, 1440):
            self.page.size(width, 900)
            self.assertLessEqual(self.page.overflow_pixels(), 0, f"at {width}")
            self.page.picture(f"checked/{name}-{width}", whole=True)
        self.assertEqual(self.page.log_messages(), [])
        self.assertEqual(self.page.accessibility_errors, [])

    def notified(self):
        """The types of the notifications, and whether the server has received them."""
        return {(each["type"], each["state"]) for each in self.ask("GET", "notifications")["notifications"]}

    def test_notified(self):
        """G6 H1: a refund, a renewal and a grace period at the store are on the phone and on the operators' page, by notifications"""
        self.buy()
        self.refund()
        self.all_see_refund()
        self.renew()
        self.all_see_renewal()
        self.enter_grace_period()
        self.all_see_grace_period()
        self.assertLessEqual({("REFUND", "sent"), ("DID_RENEW", "sent"), ("DID_FAIL_TO_RENEW", "sent")}, self.notified())
        self.pictures("demo-notified")

    def test_history(self):
        """G6 H1: what the store could not deliver is on both after the server was killed and started again, by the store's history"""
        self.buy()
        self.ask("PATCH", "notifications/policy", {"drop": True})
        self.refund()
        self.renew()
        self.enter_grace_period()
        self.ask("POST", "notifications/settle", {})
        self.assertLessEqual({("REFUND", "failed"), ("DID_RENEW", "failed"), ("DID_FAIL_TO_RENEW", "failed")}, self.notified())
        self.ask("PATCH", "notifications/policy", {"drop": False})
        self.page.open(self.customer)
        self.assertNotIn("refunded", self.page.text("#timeline"))
        self.restart_server()
        self.all_see_refund()
        # The phone shows the newest state only.
        self.operators_see("renewed", "#timeline")
        self.all_see_grace_period()
        self.pictures("demo-history")

    def restart_server(self):
        """Kills the purchase server, which the demo starts again, and waits until it runs."""
        self.page.open(self.demo.address)
        # The status element is replaced as a whole, so its parent is observed.
        self.page.driver.execute_script(
            "window.seen = [];"
            "new MutationObserver(() => seen.push(document.getElementById('status').textContent))"
            ".observe(document.querySelector('header'), { subtree: true, childList: true });")
        [server] = subprocess.run(["pgrep", "-P", str(self.demo.process.pid), "-f", " server run "], capture_output=True,
                                  text=True, check=True).stdout.split()
        os.kill(int(server), signal.SIGKILL)
        self.page.until("const down = seen.findIndex((text) => text.includes('server: starting again'));"
                        "return down >= 0 && seen.slice(down).some((text) => text.includes('4 services running'));")
        self.page.log_messages()
