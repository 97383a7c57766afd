"""The sample app on StoreKit 2: the same screens, buttons and sheets."""
import test_credits
from browser_test_case import BrowserTestCase


class StoreKit2Tests(BrowserTestCase):
    storekit = "2"

    def test_buy(self):
        """A4 B4 B5: prices, sign-in, confirmation, credits; the home screen says which StoreKit the app uses"""
        self.device()
        self.browser.sees("0 monkey credits")
        self.buy("consume5credits", signs_in=True)
        self.browser.sees("5 monkey credits", within="#credits-balance")
        self.browser.gone("dialog")
        self.buy("consume10credits")
        self.browser.sees("15 monkey credits", within="#credits-balance")
        self.assertEqual([line["price"] for line in self.transactions()], [1990, 990])
        self.browser.open(f"{self.devices['phone'].address}/?screen=home")
        self.browser.sees("StoreKit 2", within="#app-storekit")
        self.browser.picture("device-storekit2-home")

    def test_killed_between_charge_and_grant(self):
        """B9: force-quit between charge and grant, and opened again by StoreKit 1: one charge, one grant"""
        self.device()
        self.browser.switch("Stop between charge and grant", True)
        self.buy("consume5credits", signs_in=True)
        self.browser.sees("The store has charged", within="#hold-banner")
        self.browser.press("Force-quit now")
        self.browser.sees("The app is not running")
        self.browser.switch("Use StoreKit 2", False)
        self.browser.press("Open the app")
        self.browser.sees("5 monkey credits", within="#credits-balance")
        self.assertEqual(len(self.transactions()), 1)

    def test_cancel(self):
        """C1: a cancelled purchase shows no message, and can be repeated"""
        self.device()
        self.browser.press("Buy $", within=self.product_row("consume5credits"))
        self.sign_in()
        self.browser.sees("Confirm your purchase", within="dialog")
        self.browser.press("Cancel", within="dialog")
        self.browser.gone("dialog")
        self.buy("consume5credits")
        self.browser.sees("5 monkey credits", within="#credits-balance")

    def test_ask_to_buy(self):
        """B3: a purchase that waits for approval blocks its button, and is granted after the approval"""
        self.store.ask("PATCH", f"customers/sandbox/{self.account}", {"needsApproval": True})
        self.device()
        self.buy("consume5credits", signs_in=True)
        self.browser.until_true(lambda: self.store.ask("GET", "approvals")["approvals"])
        self.browser.gone("dialog")
        self.browser.sees("Waiting for approval", within=self.product_row("consume5credits"))
        [approval] = self.store.ask("GET", "approvals")["approvals"]
        self.store.ask("POST", f"approvals/{approval['installationId']}/{approval['paymentId']}",
                       {"decision": "approve"})
        self.browser.sees("5 monkey credits", within="#credits-balance")

    def test_app_store(self):
        """B4 A1: a purchase that begins in the App Store is continued by the app, also with a win-back offer"""
        phone = self.device()
        self.browser.sees("0 monkey credits")
        self.browser.open(f"{phone.address}/?screen=home")
        self.browser.press("App Store")
        self.browser.sees("Gold, monthly", within="#plans")
        self.browser.picture("device-app-store")
        self.browser.press("Get for $0.99", within=self.product_row("consume5credits"))
        self.sign_in()
        self.browser.sees("Confirm your purchase", within="dialog")
        self.browser.press("Buy", within="dialog", exact=True)
        self.browser.gone("dialog")
        self.screen("credits")
        self.browser.sees("5 monkey credits", within="#credits-balance")

        # A plan that the customer has cancelled ends, and the App Store shows its offer.
        self.screen("club")
        self.browser.press("Join", within=self.product_row("club.silver.monthly"))
        self.browser.sees("Confirm your purchase", within="dialog")
        self.browser.press("Buy", within="dialog", exact=True)
        self.browser.sees("You are a member: Silver, monthly", within="#membership")
        self.screen("appStore")
        self.browser.press("Subscriptions and offer codes")
        self.browser.press("Cancel subscription")
        self.browser.sees("It does not renew", within="#subscription-state")
        self.store.ask("PATCH", "clock", {"toNextEvent": True})
        # The app does not receive messages, so the device shows this one.
        self.browser.sees("There is an offer for you", within="dialog")
        self.close_alert()
        self.screen("appStore")
        self.browser.sees("Come back")
        self.browser.press("Silver, monthly: $5.99 for 3 months")
        self.browser.sees("$5.99", within="#sheet-total")
        self.browser.press("Buy", within="dialog", exact=True)
        self.browser.gone("dialog")
        self.screen("club")
        self.browser.sees("You are a member: Silver, monthly", within="#membership")
        self.assertEqual(self.transactions()[0]["offerId"], "silver.welcome.back")

    def screen(self, screen):
        """Opens a screen of the phone."""
        self.browser.open(f"{self.devices['phone'].address}/?screen={screen}")

    def test_refund(self):
        """D2 E1: a filter is restored on the second device; the customer requests its refund, and it is locked on both"""
        self.device()
        self.tab("Filters")
        self.buy("sepia", signs_in=True)
        self.browser.sees("Use sepia")
        self.device("tablet")
        self.tab("Filters")
        self.browser.press("Restore purchases")
        self.sign_in()
        self.browser.sees("1 purchase was restored.", within="dialog")
        self.close_alert()
        self.browser.sees("Use sepia")

        self.browser.open(f"{self.devices['tablet'].address}/?screen=purchases")
        self.browser.sees("Bought on", within="#purchases")
        self.browser.picture("device-purchases")
        self.browser.press("Request a refund")
        self.browser.sees("Reason", within="dialog")
        self.browser.picture("device-refund-request")
        self.browser.press("Request the refund", within="dialog")
        self.browser.sees("The App Store decides later", within="dialog")
        self.close_alert()
        [transaction] = self.transactions()
        self.store.ask("POST", f"transactions/{transaction['transactionId']}/refund")
        for device in ("tablet", "phone"):
            self.device(device)
            self.tab("Filters")
            self.browser.sees("Buy $", within=self.product_row("sepia"))


class StoreKit2ServerTests(BrowserTestCase):
    has_server = True
    storekit = "2"

    def test_book(self):
        """D4: the purchase server redeems the signed transaction, and delivers the book"""
        self.device()
        self.tab("Books")
        self.buy("book.smallprint", signs_in=True)
        self.browser.press("Open", within=self.product_row("book.smallprint"))
        self.browser.sees("It was a quiet receipt", within="#book")


class StoreKit2ServerCreditsTests(test_credits.ServerCreditsTests):
    """F2: the same with signed transactions as proofs, of credits and of the restored book"""
    storekit = "2"
