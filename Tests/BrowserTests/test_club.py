"""The photo club on a device: subscribing, changing the plan, failing to pay, cancelling and coming back."""
from browser_test_case import BrowserTestCase


class ClubTests(BrowserTestCase):
    def club(self):
        """Opens the club's screen."""
        self.browser.open(f"{self.device().address}/?screen=club")

    def settings(self):
        """Opens the phone's settings, and the subscriptions in it."""
        self.browser.open(f"{self.devices['phone'].address}/?screen=settings")
        self.browser.press("Subscriptions", within="#phone-screen")

    def console(self):
        """Opens the store's page of the subscription."""
        [subscription] = self.store.ask("GET", f"customers/sandbox/{self.account}/subscriptions")["subscriptions"]
        self.browser.open(f"{self.store.address}/console/subscriptions/{subscription['originalTransactionId']}")
        self.browser.sees("Timeline")

    def travel(self):
        """Puts the store's clock forward to the subscription's next event, with the button on the store's page."""
        self.console()
        # Not the driver's text, which separates the cells of a table in another way.
        history = "return document.querySelector('#history').innerText"
        before = self.browser.driver.execute_script(history)
        self.browser.press("Travel to the next event")
        self.browser.until(f"{history} !== values.before;", before=before)

    def choose(self, plan, button, signs_in=False):
        self.browser.press(button, within=self.product_row(f"club.{plan}"))
        if signs_in:
            self.sign_in()
        self.browser.sees("Confirm your purchase", within="dialog")

    def confirm(self):
        self.browser.press("Buy", within="dialog", exact=True)
        self.browser.gone("dialog")

    def has_prices(self, *expected):
        """Waits until this customer has as many transactions; they have these prices, oldest first."""
        self.browser.until_true(lambda: len(self.transactions()) >= len(expected))
        self.assertEqual([transaction["price"] for transaction in reversed(self.transactions())], list(expected))

    def test_life(self):
        """A1: subscribe, upgrade, fail to pay, keep access in the grace period, recover, cancel, lapse, be won back"""
        self.club()
        self.browser.sees("🔒 For members")
        self.choose("silver.monthly", "Join", signs_in=True)
        self.browser.sees("free for 1 week", within="#sheet-offer")
        self.browser.sees("$0.00", within="#sheet-total")
        self.browser.picture("device-subscription")
        self.confirm()
        self.browser.sees("You are a member: Silver, monthly", within="#membership")
        self.browser.sees("an edge of gold", within="#lessons")
        self.browser.sees("Your plan", within=self.product_row("club.silver.monthly"))

        # The free week ends, and the first month is paid.
        self.travel()
        self.has_prices(0, 3990)
        self.club()
        self.browser.sees("You are a member: Silver, monthly", within="#membership")
        self.choose("gold.monthly", "Change")
        self.browser.sees("$9.99", within="#sheet-total")
        self.confirm()
        self.browser.sees("You are a member: Gold, monthly", within="#membership")
        self.browser.sees("what to try next", within="#lessons")
        self.browser.picture("device-club")
        self.has_prices(0, 3990, 9990)

        # The card is declined at the renewal. Access goes on, and ends neither on the page nor in the settings.
        self.console()
        self.browser.press("Decline the payment method")
        self.browser.sees("Make the payment method valid")
        self.travel()
        self.club()
        self.browser.sees("Your payment was declined. Your lessons stay open until", within="#membership")
        self.browser.sees("what to try next", within="#lessons")
        self.settings()
        self.browser.sees("You keep access until", within="#subscription-state")

        self.console()
        self.browser.press("Make the payment method valid")
        self.browser.sees("Decline the payment method")
        self.club()
        self.browser.sees("You are a member: Gold, monthly", within="#membership")
        self.has_prices(0, 3990, 9990, 9990)
        self.console()
        self.browser.picture("console-subscription")

        self.settings()
        self.browser.sees("Renews on", within="#subscription-state")
        self.browser.press("Cancel subscription")
        self.browser.sees("It does not renew", within="#subscription-state")
        self.browser.sees("Renew again")
        self.club()
        self.browser.sees("You are a member: Gold, monthly", within="#membership")

        self.travel()
        self.club()
        self.browser.sees("Your membership ended on", within="#membership")
        self.browser.sees("🔒 For members", within="#lessons")

        self.settings()
        self.browser.sees("Gold, monthly: $4.99 a month for 3 months")
        self.browser.picture("device-settings-subscriptions")
        self.browser.press("Silver, monthly: $5.99 for 3 months")
        self.browser.sees("$5.99", within="#sheet-total")
        self.confirm()
        self.browser.sees("Renews on", within="#subscription-state")
        self.club()
        self.browser.sees("You are a member: Silver, monthly", within="#membership")
        self.has_prices(0, 3990, 9990, 9990, 5990)
        self.assertEqual(self.transactions()[0]["offerId"], "silver.welcome.back")

    def test_later_plan(self):
        """A1: a lower plan begins with the next period; keeping the current plan cancels the choice"""
        self.club()
        self.choose("gold.monthly", "Join", signs_in=True)
        self.confirm()
        self.browser.sees("You are a member: Gold, monthly", within="#membership")
        self.choose("silver.monthly", "Change")
        self.browser.sees("Begins", within="dialog")
        self.browser.press("Buy", within="dialog", exact=True)
        self.browser.sees("Your plan changes later", within="dialog")
        self.close_alert()
        self.browser.sees("Begins next", within=self.product_row("club.silver.monthly"))
        self.settings()
        self.browser.sees("Changes to Silver, monthly on", within="#subscription-state")
        self.club()
        self.choose("gold.monthly", "Keep")
        self.browser.press("Buy", within="dialog", exact=True)
        self.browser.sees("Your plan", within=self.product_row("club.gold.monthly"))

    def test_code(self):
        """A1: an offer code of the App Store begins a subscription; a code that does not exist is refused"""
        self.club()
        self.browser.press("Restore purchases")
        self.sign_in()
        self.browser.sees("There is nothing to restore", within="dialog")
        self.close_alert()
        self.browser.sees("Join the club", within="#membership")
        self.browser.sees("first week free", within=self.product_row("club.silver.monthly"))
        self.settings()
        self.browser.write("Redeem an offer code", "NONE")
        self.browser.press("Redeem", exact=True)
        self.browser.sees("There is no offer code NONE", within="dialog")
        self.close_alert()
        self.browser.write("Redeem an offer code", "MONKEY")
        self.browser.press("Redeem", exact=True)
        self.browser.sees("free for 1 month", within="#sheet-offer")
        self.confirm()
        self.browser.sees("Renews on", within="#subscription-state")
        self.club()
        self.browser.sees("You are a member: Silver, monthly", within="#membership")
        self.assertEqual([t["offerType"] for t in self.transactions()], ["offerCode"])

    def test_price_increase(self):
        """A1: a price increase that needs consent is shown in the settings, and applies after the consent"""
        self.club()
        self.choose("gold.yearly", "Join", signs_in=True)
        self.confirm()
        self.browser.sees("You are a member: Gold, yearly", within="#membership")
        product = "com.xamarin.storekit.testing.club.gold.yearly"
        self.addCleanup(self.store.ask, "PATCH", f"apps/com.xamarin.storekit.testing/products/{product}",
                        {"price": 99990})
        self.store.ask("PATCH", f"apps/com.xamarin.storekit.testing/products/{product}", {"price": 119990})
        self.console()
        self.browser.press("Announce the catalog’s higher price")
        self.browser.sees("Agree to the announced price")
        self.settings()
        self.browser.sees("it costs $119.99", within="#price-increase")
        self.browser.press("Agree to $119.99")
        self.browser.sees("Renews on", within="#subscription-state")
        self.browser.gone("#price-increase")
        self.travel()
        self.has_prices(0, 119990)
