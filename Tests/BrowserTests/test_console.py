"""The store's console: it shows the store's changes, and its actions have effect on devices."""
import os
import socket
import subprocess
import urllib.request

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
        self.browser.find("#details")
        self.browser.picture("console-transaction", whole=True)

    def test_tabs(self):
        """H1 The tabs of a transaction are links that survive reload, and their texts are copied and downloaded"""
        transaction = self.purchase("sepia")
        self.open(f"/console/transactions/{transaction}")
        for tab, title, text in (("timeline", "Timeline", "Bought"), ("responses", "API responses", "verifyReceipt"),
                                 ("signed", "Signed payloads", "ES256"), ("details", "Details", transaction)):
            self.browser.press(title, within="nav.tabs")
            self.browser.sees(text, within=f"#{tab}")
            self.assertEqual(self.browser.driver.current_url,
                             f"{self.store.address}/console/transactions/{transaction}?tab={tab}")
            self.browser.driver.refresh()
            self.browser.find(f"#tab-{tab}[aria-current]")
            self.assertTrue(self.browser.driver.find_elements("css selector", "#actions button[type=submit]"))
            # The details are in the documentation already: `console-transaction`.
            self.browser.picture(("checked/" if tab == "details" else "") + f"console-transaction-{tab}", whole=True)
            for width in (360, 768):
                self.browser.size(width, 900)
                self.assertLessEqual(self.browser.overflow_pixels(), 0, f"{tab} at {width}")
            self.browser.size(1280, 900)
        self.open(f"/console/transactions/{transaction}?tab=signed")
        self.browser.press("The whole JWS")
        self.browser.press("Copy The whole JWS")
        link = self.browser.find("#jws-fold a[download]").get_attribute("href")
        self.assertTrue(link.endswith(f"/console/transactions/{transaction}/files/jws"))

    def keys(self, keys):
        """Presses keys, once the page's script acts on them."""
        self.browser.find("#shortcuts-open:not([hidden])")
        self.browser.type(keys)

    def test_search_and_shortcuts(self):
        """The keyboard reaches the search, the sections and the Refund button, and acts on nothing by itself"""
        transaction = self.purchase()
        driver = self.browser.driver
        focus = "return document.activeElement.id"
        self.open("/console/customers")
        self.keys("/")
        self.assertEqual(driver.execute_script(focus), "search")
        # In a field, the keys are text.
        self.keys("g?r/")
        self.assertEqual(driver.execute_script("return document.getElementById('search').value"), "g?r/")
        self.assertFalse(driver.find_elements("css selector", "dialog[open]"))
        self.keys(Keys.ESCAPE)
        self.assertEqual(driver.execute_script("return document.activeElement.tagName"), "BODY")
        self.keys("/" + transaction + Keys.ENTER)
        self.browser.find("#details")
        self.assertTrue(driver.current_url.endswith(transaction))
        self.keys("r")
        self.assertEqual(driver.execute_script(focus), "refund-send")
        [listed] = self.transactions()
        self.assertIsNone(listed.get("revocationDate"))
        # The list takes the focus, and gives it back.
        self.keys("?")
        self.browser.find("dialog[open]")
        self.browser.picture("console-shortcuts")
        self.keys("gc")
        self.keys(Keys.ESCAPE)
        self.browser.gone("dialog[open]")
        self.assertEqual(driver.execute_script(focus), "refund-send")
        for key, heading in (("c", "Customers"), ("p", "Catalog"), ("n", "Notifications"), ("k", "The store’s clock"), ("f", "Faults"), ("r", "Requests"),
                             ("t", "Transactions")):
            self.keys("g" + key)
            self.browser.sees(heading, within="h1")
        self.browser.press("Keyboard shortcuts")
        self.browser.press("Close")
        self.browser.gone("dialog[open]")
        self.keys("/" + PREFIX + Keys.ENTER)
        self.browser.sees("Products", within="main")
        self.browser.picture("console-search")
        self.keys("/nothing of that name" + Keys.ENTER)
        self.browser.sees("No transaction, order, customer", within="main")

    def test_customer(self):
        """A customer's page shows sums, entitlements and the timeline, and changes with the store"""
        self.purchase("sepia")
        self.open(f"/console/customer?environment=sandbox&name={self.account}")
        self.browser.sees("owned", within="#entitlements")
        refunded = self.purchase(quantity=2)
        self.browser.sees("× 2", within="#timeline")
        self.store.ask("POST", f"transactions/{refunded}/refund", {})
        self.browser.sees("refunded", within="#timeline")
        self.browser.sees("Refunds 1", within="#totals")
        self.browser.picture("console-customer-timeline", whole=True)
        self.browser.find(f"#timeline a[href$='{refunded}']").click()
        self.browser.find("#details")

    def test_place_is_kept(self):
        """The list's filter and scroll position survive reload and Back"""
        for _ in range(PAGE + 20):
            self.purchase()
        driver = self.browser.driver
        self.open(f"/?customer={self.account}")
        # The end of the list loads more rows.
        driver.execute_script("scrollTo(0, document.documentElement.scrollHeight)")
        self.browser.until("return document.querySelectorAll('[id^=t-]').length > values.rows", rows=PAGE)
        address = driver.current_url
        self.assertIn("rows=", address)
        driver.execute_script("scrollTo(0, 1500)")

        def is_kept():
            self.browser.until("return document.readyState === 'complete' && document.documentElement.dataset.ready")
            self.browser.until("return Math.abs(scrollY - 1500) < 5")
            self.assertEqual(driver.current_url, address)

        driver.refresh()
        is_kept()
        row = driver.execute_script(
            "return [...document.querySelectorAll('[id^=t-]')].find((each) => each.getBoundingClientRect().top > 100)")
        row.click()
        self.browser.find("#details")
        driver.back()
        is_kept()

    def test_connect(self):
        """A store without transactions shows the lines that connect an app"""
        store = Emulator(CATALOG)
        self.addCleanup(store.stop)
        self.browser.open(store.address)
        self.browser.sees("Connect your app", within="main")
        self.assertIn(f"OPENSTOREKIT_URL={store.address}", self.browser.text("#connect-swift"))
        self.browser.press("Copy lines for: An app in Swift")
        self.browser.sees("Cop", within="#transactions")
        self.browser.picture("console-connect", whole=True)
        for width in (360, 768):
            self.browser.size(width, 900)
            self.assertLessEqual(self.browser.overflow_pixels(), 0, f"at {width}")
        self.browser.size(1280, 900)
        # The page must not reconnect to a store that has stopped: the browser reports that to the next test.
        self.browser.driver.get("about:blank")

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
            self.browser.change_while_pressed(
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
        self.browser.find("#details")
        self.assertEqual(len(self.transactions()), 1)
        # After going back, the form makes a new purchase.
        self.browser.driver.back()
        self.browser.write("Customer", self.account)
        self.browser.press("Buy", within="main form.call", exact=True)
        self.browser.find("#details")
        self.assertEqual(len(self.transactions()), 2)

    def test_touch(self):
        """A touch presses the element that was touched first, also if a new element appears at that position"""
        touched = self.purchase()
        self.open(f"/?customer={self.account}")
        self.browser.touch(self.browser.find(f"#t-{touched}"), lambda: self.browser.change_while_pressed(self.purchase))
        self.browser.find("#details")
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
        self.browser.find("#reverse-fold summary").click()
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
        self.browser.has_disabled("Waiting for approval")
        notification = self.notification()
        product = f"app={PREFIX}&product={PREFIX}.sepia"
        for name, path in (("customers", "/console/customers"), ("catalog", "/console/catalog"),
                           ("clock", "/console/clock"), ("faults", "/console/faults"),
                           ("requests", "/console/requests"), ("request", "/console/requests/1"),
                           ("store", "/console/store"), ("notifications", "/console/notifications"),
                           ("notification", f"/console/notifications/{notification}"), ("product", f"/console/product?{product}"),
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

    def notification(self):
        """Buys for a customer whose purchases are told to a server that does not listen, and returns the notification's UUID."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            closed = f"http://127.0.0.1:{listener.getsockname()[1]}/notifications"
        self.store.ask("PUT", f"apps/{PREFIX}/notificationURLs", {"production": None, "sandbox": closed})
        self.addCleanup(
            self.store.ask, "PUT", f"apps/{PREFIX}/notificationURLs", {"production": None, "sandbox": None})
        transaction = self.purchase("sepia")
        self.store.ask("POST", "notifications/settle")
        [listed] = self.store.ask("GET", f"notifications?transactionId={transaction}")["notifications"]
        return listed["uuid"]

    def test_notification(self):
        """A notification appears when it is made, its payload and attempts are shown, and it is sent again"""
        uuid = self.notification()
        self.open("/console/notifications")
        self.browser.sees("your server listens nowhere for production", within="#addresses")
        self.browser.sees("SOCKET_ISSUE", within="#notifications")
        count = len(self.browser.driver.find_elements("css selector", "[id^=n-]"))
        self.purchase()
        self.browser.until("return document.querySelectorAll('[id^=n-]').length > values.count", count=count)
        self.open(f"/console/notifications/{uuid}")
        self.browser.sees(f'"notificationUUID" : "{uuid}"', within="#contents")
        self.browser.press("Send again", within="#actions", exact=True)
        self.browser.until("return document.querySelectorAll('#attempts tbody tr').length === 2")
        # The addresses are changed by a form, and a live change leaves it open.
        self.open("/console/notifications")
        self.browser.find("#addresses details > summary").click()
        self.browser.write("Sandbox", "http://127.0.0.1:9/", within="#addresses")
        self.browser.press("Save", within="#addresses")
        self.browser.sees("http://127.0.0.1:9/ for the sandbox", within="#addresses")
        self.assertEqual(
            self.store.ask("GET", f"apps/{PREFIX}/notificationURLs"), {"production": None, "sandbox": "http://127.0.0.1:9/"})

    def test_refund_request(self):
        """A refund request is asked for and decided on the transaction's page"""
        transaction = self.purchase("sepia")
        self.open(f"/console/transactions/{transaction}")
        self.browser.press("Request a refund", within="#refund-requests", exact=True)
        self.browser.sees("waiting for a decision", within="#refund-requests")
        self.browser.choose("Decision", "Refund in part")
        self.browser.write("Share of the price, in percent", "25", within="#refund-requests")
        self.browser.picture("console-refund-request", whole=True)
        for width in (360, 768):
            self.browser.size(width, 900)
            self.assertLessEqual(self.browser.overflow_pixels(), 0, f"at {width}")
        self.browser.size(1280, 900)
        self.browser.press("Decide", within="#refund-requests", exact=True)
        self.browser.sees("refunded in part (25 %)", within="#refund-requests")

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
        self.browser.find("#advance-fold summary").click()
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
        self.browser.find("#any-fault > summary").click()
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
        self.browser.find("#any-fault > summary").click()
        self.browser.choose("What happens", "appError", starts=True)
        self.browser.choose("StoreKit error", "paymentInvalid", starts=True)
        self.browser.choose("Error domain", "SSServerErrorDomain")
        self.browser.write("Error code", "5020")
        self.command("fault", '"error":{"domain":"SSServerErrorDomain","code":5020}')
        self.browser.press("Card declined", exact=True)
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

    def test_clock_in_header(self):
        """The buttons in the header move the clock on every page; in a narrow window they are in a menu"""
        self.open("/console/store")
        before = self.store.ask("GET", "clock")["now"]
        self.browser.press("+1 day", within="header")
        self.browser.press("Pause", within="header")
        self.browser.sees("stands still", within="header")
        self.assertGreaterEqual(self.store.ask("GET", "clock")["now"], before + 86_400_000)
        self.browser.size(390, 844)
        self.browser.until("return !document.getElementById('clock-menu').open")
        self.browser.find("#clock-menu > summary").click()
        self.browser.press("Run", within="header")
        self.browser.sees("Pause", within="header")
        # A change of the page leaves the menu open.
        self.assertTrue(self.browser.driver.execute_script("return document.getElementById('clock-menu').open"))

    def test_store(self):
        """The store is reset after a confirmation, and restored from its snapshot"""
        bought = self.purchase()
        snapshot = self.folder / "store.sqlite"
        urllib.request.urlretrieve(f"{self.store.address}/console/store/snapshot", snapshot)
        self.open("/console/store")
        self.browser.find("#reset-confirmed").click()
        self.browser.press("Reset", within="#reset")
        self.browser.sees("The store is empty.", within="#reset")
        self.assertEqual(self.store.ask("GET", "transactions")["transactions"], [])
        # The box confirms one reset only.
        self.assertFalse(self.browser.driver.execute_script("return document.getElementById('reset-confirmed').checked"))
        self.browser.find("#restore-file").send_keys(snapshot)
        self.browser.find("#restore-confirmed").click()
        self.browser.press("Restore", within="#restore")
        self.browser.sees("The store is restored.", within="#restore")
        self.assertEqual(self.store.ask("GET", "transactions")["transactions"][0]["transactionId"], bought)

    def test_polls(self):
        """The polls of a device are hidden until they are asked for, and a request shows its body"""
        self.device()
        self.buy("consume5credits", signs_in=True)
        # A poll is recorded when it is answered.
        self.purchase()
        self.open(f"/console/requests?customer={self.account}")
        self.browser.sees("confirm", within="#requests tbody")
        self.browser.sees("hidden", within="#requests .count")
        self.browser.sees_not("changes", within="#requests tbody")
        self.browser.find("#requests .count a").click()
        self.browser.sees("changes", within="#requests tbody")
        [confirm] = self.store.ask("GET", f"requests?call=confirm&customer={self.account}")["requests"]
        self.open(f"/console/requests/{confirm['sequence']}")
        self.browser.sees("(redacted)", within="#request")
        self.browser.sees("purchased", within="#answer")
