"""Monkey credits on a device: buying, quantity, cancelling, restriction, the network, force-quit."""
from selenium.webdriver.common.keys import Keys

from browser_test_case import BrowserTestCase


class CreditsTests(BrowserTestCase):
    def test_buy(self):
        """A4 A7 B2 B4 B5: prices from the store, sign-in, confirmation, a balance that grows, and spending"""
        self.device()
        self.browser.sees("0 monkey credits")
        self.browser.press("Buy $0.99")
        self.browser.sees("Sign in to the App Store", within="dialog")
        self.browser.picture("device-sign-in")
        self.sign_in()
        self.browser.sees("Confirm your purchase", within="dialog")
        sheet = self.browser.text("dialog")
        for text in ("5 monkey credits", "Quantity", "Unit price", "$0.99", "Total", self.account):
            self.assertIn(text, sheet)
        self.browser.picture("device-confirmation")
        self.browser.press("Buy", within="dialog", exact=True)
        self.browser.sees("5 monkey credits", within="#credits-balance")
        self.browser.gone("dialog")
        self.buy("consume10credits")
        self.browser.sees("15 monkey credits", within="#credits-balance")
        self.browser.picture("device-credits")
        self.browser.write("Spend credits", "4")
        self.browser.press("Spend", exact=True)
        self.browser.sees("11 monkey credits", within="#credits-balance")
        self.browser.write("Spend credits", "12")
        self.browser.press("Spend", exact=True)
        self.browser.find("dialog[role=alertdialog]")
        self.browser.picture("device-alert")
        self.close_alert()
        self.browser.sees("11 monkey credits", within="#credits-balance")
        self.assertEqual([line["price"] for line in self.transactions()], [1990, 990])

    def test_keyboard(self):
        """Buying and spending work by keyboard alone: Tab to the button, Enter, and the sheets hold the focus"""
        self.device()
        self.browser.sees("Buy $", within=self.product_row("consume5credits"))
        self.browser.tab_to("Buy $0.99")
        self.browser.type(Keys.ENTER)
        self.browser.sees("Sign in", within="dialog")
        self.browser.tab_to("Account", within="dialog")
        self.browser.type(self.account + Keys.ENTER)
        self.browser.sees("Confirm your purchase", within="dialog")
        self.browser.tab_to("Cancel", within="dialog")
        self.browser.tab_to("Buy", within="dialog")
        self.browser.type(Keys.ENTER)
        self.browser.sees("5 monkey credits", within="#credits-balance")
        # The focus returns to the element that had it before the sheets.
        self.browser.until("return document.activeElement.textContent.includes('Buy')")
        self.browser.tab_to("Spend")
        self.browser.type(Keys.ENTER)
        self.browser.sees("4 monkey credits", within="#credits-balance")

    def test_quantity(self):
        """B6: a quantity of 3 is one charge of the total and one transaction, and grants three times the credits"""
        self.device()
        self.browser.choose("Quantity", "3", within=self.product_row("consume5credits"))
        self.browser.press("Buy $0.99")
        self.sign_in()
        self.browser.sees("$2.97", within="#sheet-total")
        self.assertEqual(self.browser.text("#sheet-quantity"), "3")
        self.browser.picture("device-quantity")
        self.browser.press("Buy", within="dialog", exact=True)
        self.browser.sees("15 monkey credits", within="#credits-balance")
        [transaction] = self.transactions()
        self.assertEqual((transaction["quantity"], transaction["price"]), (3, 2970))

    def test_cancel(self):
        """C1: a sheet that is cancelled by its button or by Escape charges nothing and shows no alert"""
        self.device()
        self.browser.press("Buy $0.99")
        self.browser.sees("Sign in", within="dialog")
        self.browser.escape()
        self.browser.gone("dialog")
        self.browser.press("Buy $0.99")
        self.sign_in()
        self.browser.sees("Confirm your purchase", within="dialog")
        self.browser.press("Cancel", within="dialog")
        self.browser.gone("dialog")
        # The Buy button is enabled again, and no alert is shown.
        self.browser.sees("Buy $0.99", within=self.product_row("consume5credits"))
        self.assertEqual(self.browser.driver.find_elements("css selector", "dialog"), [])
        self.browser.sees("0 monkey credits", within="#credits-balance")
        self.assertEqual(self.transactions(), [])

    def test_answers_in_another_order(self):
        """A form's response that arrives after a newer page does not remove that page's sheet"""
        self.device()
        self.browser.sees("Buy $0.99")
        # The response to the press is the old page. It arrives when it is released.
        self.browser.driver.execute_script(
            "const [real, before] = [window.fetch, document.documentElement.outerHTML];"
            "const held = new Promise((go) => { window.letGo = go; });"
            "window.fetch = async (address, options) => {"
            "  const reply = await real(address, options);"
            "  if (!options || options.method !== 'POST') return reply;"
            "  await held;"
            "  return { ok: true, redirected: false, url: reply.url, headers: reply.headers,"
            "    text: async () => { window.given = true; return before; } };"
            "};")
        self.browser.press("Buy $0.99")
        self.browser.sees("Sign in to the App Store", within="dialog")
        self.browser.driver.execute_script("letGo()")
        self.browser.until("return window.given && document.querySelector('dialog:modal')")

    def test_refused_sign_in(self):
        """B2: after a wrong password the sign-in sheet is shown again with a message"""
        self.store.ask("POST", "customers", {"environment": "Sandbox", "name": "careful", "password": "secret"})
        self.device()
        self.browser.press("Buy $0.99")
        self.browser.write("Account", "careful", within="dialog")
        self.browser.write("Password", "wrong", within="dialog")
        self.browser.press("Sign in", within="dialog")
        self.browser.find("dialog .sheet-refusal")
        # The refused password does not stay typed.
        self.assertEqual(self.browser.field("Password").get_attribute("value"), "")
        self.browser.picture("device-sign-in-refused")
        self.browser.write("Password", "secret", within="dialog")
        self.browser.press("Sign in", within="dialog")
        self.browser.sees("Confirm your purchase", within="dialog")

    def test_restrict(self):
        """C5 C6: if purchases are restricted, the buttons show that, and a payment that is added anyway fails"""
        self.device()
        self.browser.sees("Buy $0.99")
        self.browser.switch("Restrict purchases", True)
        self.browser.has_disabled("AppStore disabled")
        self.browser.sees("$0.99", within="#credits-shop")
        self.browser.picture("device-restricted")
        self.browser.press("Add a payment anyway")
        self.browser.sees("Purchases are restricted on this device", within="dialog")
        self.browser.picture("device-not-allowed")
        self.browser.press("OK", within="dialog")
        # The app shows no alert of its own.
        self.browser.gone("dialog")
        self.browser.switch("Restrict purchases", False)
        self.browser.sees("Buy $0.99")
        self.assertEqual(self.transactions(), [])

    def test_airplane_mode(self):
        """A5 A6 A7 C4: without a network the buttons show that; when it returns, the prices are loaded automatically"""
        self.device()
        self.browser.sees("Buy $0.99")
        self.browser.press("Force-quit")
        self.browser.switch("Airplane mode", True)
        self.browser.press("Open the app")
        self.browser.has_disabled("Network down?")
        self.browser.sees("5 monkey credits", within=self.product_row("consume5credits"))
        self.browser.picture("device-airplane-mode")
        for screen in ("club", "filters", "credits"):
            self.browser.open(f"{self.devices['phone'].address}/?screen={screen}")
            self.browser.has_disabled("Network down?")
            self.assertNotIn("xamarin", self.browser.text("body"))
            if screen == "club":
                for plan in ("Gold, monthly", "Gold, yearly", "Silver, monthly", "Silver, yearly", "Free"):
                    self.browser.sees(plan, within="#club-shop")
        self.browser.switch("Airplane mode", False)
        self.buy("consume5credits", signs_in=True)
        self.browser.sees("5 monkey credits", within="#credits-balance")

    def test_killed_between_charge_and_grant(self):
        """B9: force-quit between charge and grant, and opened again: one charge, one grant"""
        self.device()
        self.browser.switch("Stop between charge and grant", True)
        self.buy("consume5credits", signs_in=True)
        self.browser.sees("The store has charged", within="#hold-banner")
        self.browser.picture("device-between-charge-and-grant")
        self.assertEqual(len(self.transactions()), 1)
        self.browser.press("Force-quit now")
        self.browser.sees("The app is not running")
        self.browser.picture("device-home-after-force-quit")
        self.browser.press("Open the app")
        self.browser.sees("5 monkey credits", within="#credits-balance")
        self.assertEqual(len(self.transactions()), 1)

    def test_deleted_between_charge_and_grant(self):
        """B4 B9: a charge before the app was deleted is granted once by the app that is installed again"""
        self.device()
        self.browser.switch("Stop between charge and grant", True)
        self.buy("consume5credits", signs_in=True)
        self.browser.sees("The store has charged", within="#hold-banner")
        self.browser.press("Delete the app")
        self.browser.press("Install the app")
        self.browser.press("Open the app")
        self.browser.press("Sign in now")
        self.browser.write("Account", self.account)
        self.browser.press("Sign in", exact=True)
        self.browser.sees(f"Signed in as {self.account}")
        # The transaction stays pending while the credits are frozen, because a backup may already contain it.
        self.device()
        self.browser.sees("credits are frozen", within="dialog")
        self.close_alert()
        # Credits cannot be bought or spent meanwhile, and the possible loss is shown.
        self.browser.has_disabled("Credits are frozen")
        self.browser.has_disabled("Spend")
        self.browser.sees("you lose", within="#credits-frozen")
        self.browser.press("Start with 0 credits")
        self.browser.sees("5 monkey credits", within="#credits-balance")
        self.assertEqual(len(self.transactions()), 1)
        self.assertEqual(len(self.store.charges()), len(self.store.transactions()))

    def test_opened_stays(self):
        """Open sections and typed texts beside the phone stay while its app ends and starts"""
        self.device()
        self.browser.press("Sign in now")
        self.browser.write("Password, if there is one", "typed")
        for button, state in (("Force-quit", "The app is not running"), ("Open the app", "Buy $0.99")):
            self.browser.press(button)
            self.browser.sees(state)
            self.browser.until("const field = document.getElementById('account-password');"
                               "return field.value === 'typed' && field.closest('details').open")

    def test_declined(self):
        """C2: a purchase that the store refuses shows a message, and can be repeated"""
        self.store.ask("POST", "faults", {"kind": "declinedCard", "count": 1})
        self.device()
        self.buy("consume5credits", signs_in=True)
        self.browser.find("dialog[role=alertdialog]")
        self.browser.picture("device-declined")
        self.close_alert()
        self.buy("consume5credits")
        self.browser.sees("5 monkey credits", within="#credits-balance")

    def test_ask_to_buy(self):
        """B3: a purchase that is pending approval (Ask to Buy) shows that, and is granted after the approval"""
        self.store.ask("PATCH", f"customers/sandbox/{self.account}", {"needsApproval": True})
        self.device()
        self.buy("consume5credits", signs_in=True)
        self.browser.has_disabled("Waiting for approval")
        self.browser.picture("device-waiting-for-approval")
        [approval] = self.store.ask("GET", "approvals")["approvals"]
        self.store.ask("POST", f"approvals/{approval['installationId']}/{approval['paymentId']}",
                       {"decision": "approve"})
        self.browser.sees("5 monkey credits", within="#credits-balance")

    def test_narrow(self):
        """No page is wider than the viewport from 360 pixels on"""
        self.device()
        for width in (360, 768, 1280, 1920):
            self.browser.size(width, 900)
            for screen in ("credits", "filters", "books", "settings", "home"):
                self.browser.open(f"{self.devices['phone'].address}/?screen={screen}")
                self.assertLessEqual(self.browser.overflow_pixels(), 0, f"{screen} at {width}")
                if width == 360:
                    self.browser.picture(f"device-narrow-{screen}")
        self.browser.size(1280, 900)


class ServerCreditsTests(BrowserTestCase):
    has_server = True

    def test_second_device(self):
        """F2: monkey credits are stored by the server, the screen says so, and they reach the second device"""
        self.device()
        self.browser.sees("Stored by the developer’s server", within="#credits-place")
        self.buy("consume5credits", signs_in=True)
        self.browser.sees("5 monkey credits", within="#credits-balance")
        # The book shows the server that both devices are this customer's.
        self.tab("Books")
        self.buy("book.smallprint")
        self.browser.sees("Open", within=self.product_row("book.smallprint"))
        self.tab("Credits")
        self.browser.picture("device-server-credits")
        self.device("tablet")
        self.browser.sees("0 monkey credits", within="#credits-balance")
        self.tab("Books")
        self.browser.press("Restore purchases")
        self.sign_in()
        self.browser.sees("1 purchase was restored.", within="dialog")
        self.close_alert()
        self.tab("Credits")
        self.browser.sees("5 monkey credits", within="#credits-balance")
        self.browser.press("Spend", exact=True)
        self.browser.sees("4 monkey credits", within="#credits-balance")
        self.device()
        self.browser.press("Refresh", within="#credits-place")
        self.browser.sees("4 monkey credits", within="#credits-balance")
        # Nothing is lost with the app, so its deletion needs no question, and the next installation has the credits.
        self.browser.press("Delete the app")
        # This step is reported when the app's process has ended.
        self.browser.sees("App deleted", within="#steps")
        self.browser.press("Install the app", within=".owner")
        self.browser.press("Open the app")
        self.browser.sees("4 monkey credits", within="#credits-balance")

    def test_on_this_device(self):
        """F2: a new installation can store the credits on the device instead"""
        self.device()
        self.browser.press("Delete the app")
        self.browser.sees("App deleted", within="#steps")
        self.browser.choose("Monkey credits are stored", "on this device only")
        self.browser.press("Install the app", within=".owner")
        self.browser.press("Open the app")
        self.browser.sees("Stored on this device only", within="#credits-place")
