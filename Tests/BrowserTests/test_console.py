"""The store's console: it shows the store's changes, and its actions have effect on devices."""
import os
import subprocess

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from programs import CATALOG, Emulator
from browser_test_case import PREFIX, BrowserTestCase

# The length of the list that is scrolled. With TRANSACTIONS=100000 filling it takes minutes.
TRANSACTIONS = int(os.environ.get("TRANSACTIONS", 620))
# The number of rows that are added at once, and the maximum number.
PAGE, LARGEST_PAGE = 100, 500


class ConsoleTests(BrowserTestCase):
    def purchase(self, product="consume5credits", quantity=1, customer=None):
        """Buys a product for a customer with the control API."""
        return self.store.ask("POST", "purchases", {
            "bundleId": PREFIX, "environment": "Sandbox", "customer": customer or self.account,
            "productId": f"{PREFIX}.{product}", "quantity": quantity})["transactionId"]

    def open(self, path="/"):
        self.browser.open(self.store.address + path)

    def test_transactions(self):
        """Transactions appear when they are made, can be searched, and show their record, timeline and signed data"""
        self.open()
        self.browser.sees("Transactions", within="main")
        first = self.purchase()
        self.browser.find(f"#t-{first}")
        second = self.purchase("consume10credits", quantity=2)
        self.browser.find(f"#t-{second}")
        self.browser.picture("console-transactions")
        self.browser.write("Search", "consume10")
        self.browser.press("Find")
        self.browser.sees("found", within="#transactions")
        self.browser.find(f"#t-{second}")
        self.browser.gone(f"#t-{first}")
        self.browser.find(f"#t-{second}").click()
        self.browser.sees("What happened", within="#timeline")
        for part in ("#doors", "#signed"):
            self.browser.find(part)
        self.browser.picture("console-transaction", whole=True)

    def test_growing_list(self):
        """The list of transactions grows at its end, shows each transaction once, adds new ones, and continues on a next page"""
        bought = [self.purchase() for _ in range(TRANSACTIONS)]
        listed = "return [...document.querySelectorAll('[id^=t-]')].map((each) => each.id.slice(2))"

        def is_shown(transactions):
            self.browser.find(f"#t-{transactions[0]}")
            self.assertEqual(self.browser.driver.execute_script(listed), transactions[::-1])

        self.open(f"/?customer={self.account}")
        self.browser.sees(f"{len(bought):,} transactions found")
        for rows in range(PAGE, LARGEST_PAGE, PAGE):
            is_shown(bought[-rows:])
            self.browser.driver.execute_script("scrollTo(0, document.documentElement.scrollHeight)")
        is_shown(bought[-LARGEST_PAGE:])
        self.assertFalse(self.browser.driver.find_elements("css selector", "[data-more]"))
        bought.append(self.purchase())
        self.browser.find(f"#t-{bought[-1]}")
        is_shown(bought[-LARGEST_PAGE:])
        self.browser.press("Older")
        is_shown(bought[-LARGEST_PAGE - PAGE:-LARGEST_PAGE])

    def test_press(self):
        """A button that is held down during a change of the page is pressed on release: by mouse, with other keys, and by space bar"""
        for name in ("first", "second", "third", "fourth"):
            self.store.ask("POST", "faults", {"kind": "outage", "id": name, "scope": {"customer": "nobody"}})
        self.open("/console/faults")
        driver = self.browser.driver

        def changes():
            self.browser.after_fetching(
                lambda: self.store.ask("POST", "faults", {"kind": "outage", "scope": {"customer": "nobody"}}))

        # The pressed button takes the focus.
        driver.execute_script("document.querySelector('nav a').focus()")
        ActionChains(driver).click_and_hold(self.row("first")).perform()
        changes()
        ActionChains(driver).release().perform()
        self.browser.sees_not("first", within="#faults")
        ActionChains(driver).key_down(Keys.SHIFT).click_and_hold(self.row("second")).key_up(Keys.SHIFT).perform()
        changes()
        ActionChains(driver).release().perform()
        self.browser.sees_not("second", within="#faults")
        driver.execute_script("arguments[0].focus()", self.row("third"))
        ActionChains(driver).key_down(" ").perform()
        changes()
        ActionChains(driver).key_up(" ").perform()
        self.browser.sees_not("third", within="#faults")
        # A message at the top of the page would move the content below it.
        ActionChains(driver).click_and_hold(self.row("fourth")).perform()
        driver.execute_script("window.pages.showNotice('Something else happened. '.repeat(40))")
        ActionChains(driver).release().perform()
        self.browser.sees_not("fourth", within="#faults")

    def test_pressed_again(self):
        """A purchase for a customer is made once, also if the button is pressed again before the next page is loaded"""
        self.open(f"/console/purchase?app={PREFIX}&product={PREFIX}.consume5credits")
        self.browser.write("Customer", self.account)
        self.browser.driver.execute_script(
            "const form = document.querySelector('main form.call');"
            "new MutationObserver(() => 'sending' in form.dataset || !form.isConnected || form.requestSubmit())"
            ".observe(form, { attributeFilter: ['data-sending'] });")
        self.browser.press("Buy", within="main form.call", exact=True)
        self.browser.find("#timeline")
        self.assertEqual(len(self.transactions()), 1)
        # After going back, the form makes a new purchase.
        self.browser.driver.back()
        self.browser.write("Customer", self.account)
        self.browser.press("Buy", within="main form.call", exact=True)
        self.browser.find("#timeline")
        self.assertEqual(len(self.transactions()), 2)

    def test_touch(self):
        """A touch presses the element that was touched first, also if a new element appears at that position"""
        touched = self.purchase()
        self.open(f"/?customer={self.account}")
        self.browser.touch(self.browser.find(f"#t-{touched}"), lambda: self.browser.after_fetching(self.purchase))
        self.browser.find("#timeline")
        self.assertTrue(self.browser.driver.current_url.endswith(touched))

    def row(self, fault):
        """Returns the button that removes a fault."""
        return self.browser.until(
            "const row = [...document.querySelectorAll('#faults tbody tr')].find((each) => each.innerText.includes(values.fault));"
            "const button = row && row.querySelector('form[id^=remove] button');"
            "return button && !button.disabled ? button : null", fault=fault)

    def test_refund(self):
        """A refund in the console revokes the product on the device, and its curl command does the same"""
        self.device()
        self.tab("Filters")
        self.buy("sepia", signs_in=True)
        self.browser.sees("Use sepia")
        [transaction] = self.transactions()
        address = f"/console/transactions/{transaction['transactionId']}"
        phone = self.browser.driver.current_window_handle
        self.browser.driver.switch_to.new_window("tab")
        self.open(address)
        self.browser.press("Refund", within="#actions", exact=True)
        self.browser.sees("Reverse refund", within="#actions")
        self.browser.picture("console-refunded")
        self.browser.driver.close()
        self.browser.driver.switch_to.window(phone)
        self.browser.sees("Buy $", within=self.product_row("sepia"))
        self.browser.picture("device-refunded")
        # Runs the command beside the button unchanged.
        self.open(address)
        command = self.browser.text("#reverse-command")
        answer = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True).stdout
        self.assertIn(transaction["transactionId"], answer)
        self.browser.sees("Refund", within="#actions-title")
        [again] = self.transactions()
        self.assertIsNone(again.get("revocationDate"))

    def test_pages(self):
        """Every page of the console is shown without errors, wide and narrow"""
        self.purchase()
        self.store.ask("PATCH", f"customers/sandbox/{self.account}", {"needsApproval": True})
        self.device()
        self.buy("consume5credits", signs_in=True)
        self.browser.has_disabled("waiting for approval")
        product = f"app={PREFIX}&product={PREFIX}.sepia"
        for name, path in (("customers", "/console/customers"), ("catalog", "/console/catalog"),
                           ("clock", "/console/clock"), ("faults", "/console/faults"),
                           ("requests", "/console/requests"), ("product", f"/console/product?{product}"),
                           ("customer", f"/console/customer?environment=sandbox&name={self.account}"),
                           ("purchase", f"/console/purchase?{product}"),
                           ("waiting-for-approval", "/?state=waiting")):
            self.open(path)
            self.browser.find("nav a[aria-current]")
            self.browser.picture(f"console-{name}")
            for width in (360, 768, 1920):
                self.browser.size(width, 900)
                self.assertLessEqual(self.browser.overflow_pixels(), 0, f"{name} at {width}")
            self.browser.size(1280, 900)

    def test_sign_in(self):
        """An emulator with a control token asks for it once, and then accepts the pages' requests"""
        store = Emulator(CATALOG, "--control-token", "the right one")
        self.addCleanup(store.stop)
        self.browser.open(f"{store.address}/console/clock")
        self.browser.picture("console-sign-in")
        self.browser.write("Control token", "a wrong one")
        self.browser.press("Sign in")
        self.browser.sees("That is not the control token.")
        self.browser.write("Control token", "the right one")
        self.browser.press("Sign in")
        self.browser.press("Put forward")
        self.browser.until("return [...document.querySelectorAll('output')].some((each) => each.textContent)")
        self.assertIn("$OPENSTOREKIT_CONTROL_TOKEN", self.browser.text("main"))
        self.assertNotIn("the right one", self.browser.driver.page_source)
        # Without the token no data are shown.
        self.assertEqual([message for message in self.browser.log_messages() if "status of 401" not in message], [])
        # After a restart of the store the sign-in is lost, and the page asks for the token again.
        store.stop()
        again = Emulator(CATALOG, "--control-token", "the right one", port=store.address.rsplit(":", 1)[1])
        self.addCleanup(again.stop)
        self.browser.write("Control token", "the right one")
        self.browser.press("Sign in")
        self.browser.find("#advance-command")
        gone = ("status of 401", "ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING")
        self.assertEqual([message for message in self.browser.log_messages() if not any(word in message for word in gone)], [])

    def test_clock(self):
        """The console advances the store's clock, and cannot set it back"""
        before = self.store.ask("GET", "clock")
        self.open("/console/clock")
        self.browser.press("Put forward")
        self.browser.until("return document.querySelector('output') && [...document.querySelectorAll('output')].some((each) => each.textContent)")
        after = self.store.ask("GET", "clock")
        self.assertGreater(after["now"], before["now"])
        self.browser.write("To", "2020-01-01 00:00:00")
        self.browser.press("Set", exact=True)
        self.browser.until("return !document.getElementById('notice').hidden || "
                           "[...document.querySelectorAll('output')].some((each) => /back/.test(each.textContent))")
        self.assertGreaterEqual(self.store.ask("GET", "clock")["now"], after["now"])
        self.expect_refusal()

    def command(self, form, text):
        """Waits until the command beside a form contains a text, with the same spaces."""
        self.browser.until("return document.querySelector(values.command).textContent.includes(values.text)",
                           command=f"#{form}-command", text=text)

    def test_typed_time(self):
        """Typed durations and dates have the same meaning as on the command line"""
        self.open("/console/clock")
        for text, value in (("90 s", 90_000), ("1d12h30m", 131_400_000), ("1 d 12 h", 129_600_000), ("2 min", 120_000),
                            ("soon", '"soon"'), ("1d  2h", '"1d  2h"'), ("9223372036854775807ms1ms",
                                                                        '"9223372036854775807ms1ms"')):
            self.browser.write("By", text)
            self.command("advance", f'{{"advanceMilliseconds":{value}}}')
        self.open("/console/faults")
        for text, value in (("90 s", 90), ("1d", 86_400), ("1999ms", '"1999ms"'), ("90", '"90"')):
            self.browser.write("How long it lasts", text)
            self.command("fault", f'"durationSeconds":{value}')
        self.open("/console/clock")
        for text, value in (("2026-12-24", 1_798_070_400_000), ("2026-12-24 18:00", 1_798_135_200_000),
                            ("2026-12-24T18:00:00.25Z", 1_798_135_200_250), ("0050-01-01 00:00", -60_589_296_000_000),
                            ("2026-12-24T18:00:00+02:00", 1_798_128_000_000), ("2026-02-30", '"2026-02-30"'),
                            ("2026-12-24T18:00:00-0200", 1_798_142_400_000), ("2026-12-24 24:00", '"2026-12-24 24:00"')):
            self.browser.write("To", text)
            self.command("set", f'{{"now":{value}}}')

    def test_typed_text(self):
        """Invisible characters in a command are escaped, as on the command line"""
        self.open("/console/customers")
        for text, value in (
                (' "a\\b" ', r'" \"a\\b\" "'),
                ("\u3164\ufe0fa b\u00a0\u0378\ue000é", r'"\u3164\ufe0fa b\u00a0\u0378\ue000é"'),
                ("\u202ex\u200b\u2028\U000e0041\U0001d518", r'"\u202ex\u200b\u2028\udb40\udc41' + '\U0001d518"')):
            self.browser.driver.execute_script(
                "arguments[0].value = arguments[1];"
                "arguments[0].dispatchEvent(new Event('input', { bubbles: true }));", self.browser.field("Name"), text)
            self.command("customer", f'{{"name":{value},')

    def test_faults(self):
        """A fault is set in the console, affects a device, and is removed"""
        self.open("/console/faults")
        self.browser.choose("What happens", "declinedCard", starts=True)
        self.browser.press("Set the fault")
        self.browser.find("#faults tbody tr")
        self.browser.picture("console-faults-set")
        self.device()
        self.buy("consume5credits", signs_in=True)
        self.browser.find("dialog[role=alertdialog]")
        self.assertEqual(self.transactions(), [])
        self.open("/console/faults")
        self.browser.press("Remove", within="#faults")
        self.browser.gone("#faults tbody tr")
        self.assertEqual(self.store.ask("GET", "faults")["faults"], [])
