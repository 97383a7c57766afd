"""The whole guided tour, done as its instructions say and played by the demo: its end agrees with the store's records."""
import functools
import json
import re
import subprocess
import unittest
import urllib.parse
import urllib.request

from browser import Browser
from programs import BUNDLE_ID, PROGRAM, Program, request_store

FIVE = f"{BUNDLE_ID}.consume5credits"
SEPIA = f"{BUNDLE_ID}.sepia"
# The stages of the drawing that are requests to the store: the call in the store's journal, and its outcome.
STAGES = {
    "signInRefused": ("signIn", "signInRefused"), "signedIn": ("signIn", "answered"), "quoted": ("quote", "answered"),
    # Also if it is not answered.
    "confirmed": ("confirm", "arrived"), "deferred": ("confirm", "deferred"), "finished": ("finish", "answered"),
    # Of a receipt, which the devices' StoreKit 1 sends.
    "verified": ("getRefundHistory", "answered"),
}


class Device:
    """A device of the demo: a browser that shows its page, and the forms of that page."""

    def __init__(self, test, address):
        self.test = test
        self.address = address.rstrip("/")

    @functools.cached_property
    def browser(self):
        browser = Browser(width=420, height=900)
        self.test.addCleanup(browser.stop)
        browser.open(self.address)
        return browser

    def send(self, path, **fields):
        """Sends a form of the device's page."""
        origin = "/".join(self.address.split("/")[:3])
        data = urllib.parse.urlencode({"screen": "settings", **fields}).encode()
        request = urllib.request.Request(f"{self.address}/{path}", data=data, headers={"Origin": origin})
        with urllib.request.urlopen(request) as reply:
            return reply.read().decode()

    def show(self, screen):
        self.browser.open(f"{self.address}/?screen={screen}")

    def answer(self, *answers, password=""):
        """Answers the sheets that come, in this order."""
        for answer in answers:
            number = self.browser.until(
                "const dialog = document.querySelector('dialog[id^=sheet-]');"
                "return dialog && dialog.querySelector(`[value=${values.answer}]`) ? dialog.id.slice(6) : null;",
                answer=answer)
            self.send("app/sheet", number=number, screen="credits", answer=answer, account="customer",
                      password=password)

    def press_buy(self, product, screen="credits", quantity=1):
        self.show(screen)
        self.send("app/buy", screen=screen, product=product, quantity=quantity)

    def buy(self, product, *answers, screen="credits", quantity=1):
        self.press_buy(product, screen, quantity)
        self.answer(*(answers or ("confirm",)))

    def sign_out(self):
        self.send("phone/sign-out")
        self.show("settings")
        self.browser.find("#account-none")

    def reinstall(self):
        self.send("phone/remove")
        self.send("phone/install")
        self.launch()

    def launch(self):
        self.send("phone/launch")
        self.show("credits")
        # Of the pages: credits are frozen after a reinstallation.
        self.browser.sees("Buy $0.49")


class Journal:
    """The store's records since the last comparison with the drawing: requests, charges and refunds."""

    def __init__(self, store):
        self.store = store
        self.begin()

    def begin(self):
        self.last = request_store(self.store, "GET", "requests?limit=1")["last"]
        self.charged, self.refunded = len(self.records("charges")), len(self.records("refunds"))
        # A device's request for changes may have arrived before, and is answered when there is a change.
        self.earlier_changes = {one["sequence"] for one in self.answered_changes()}

    def records(self, kind):
        """All charges, or all refunds."""
        return request_store(self.store, "GET", f"{kind}?limit=1000")[kind]

    def is_charged(self):
        return len(self.records("charges")) > self.charged

    def is_refunded(self):
        return len(self.records("refunds")) > self.refunded

    def requests(self):
        return request_store(self.store, "GET", f"requests?after={self.last}&limit=1000")["requests"]

    def outcomes(self):
        """The calls, and their outcomes or the codes of refusals. Each call also has "arrived", and a confirmation may
        have "deferred"."""
        requests = self.requests()
        found = {(one["call"], outcome) for one in requests for outcome in (one.get("code", one["outcome"]), "arrived")}
        if any(self.answer(one) == {"deferred": True} for one in requests if one["call"] == "confirm"):
            found.add(("confirm", "deferred"))
        return found

    def unanswered(self):
        """The calls of purchases that got no answer, or only the answer that the store is temporarily unavailable."""
        return {call for call, outcome in self.outcomes()
                if call in ("quote", "confirm", "finish") and outcome in ("temporarilyUnavailable", "noAnswer")}

    def answered_changes(self):
        return request_store(self.store, "GET", "requests?call=changes&outcome=answered&limit=1000")["requests"]

    def revoked(self):
        """The products of whose revocation a device was notified."""
        answers = [self.answer(one) for one in self.answered_changes() if one["sequence"] not in self.earlier_changes]
        return {product for answer in answers for change in answer["changes"]
                if change["kind"] == "entitlementsRevoked" for product in change["productIDs"]}

    def answer(self, request):
        """The body of the answer to a request; None if there is none, or if the store keeps only a part of it."""
        body = request_store(self.store, "GET", f"requests/{request['sequence']}").get("answerBody")
        return json.loads(body["json"]) if body and not body["isCut"] else None


class TourTestCase(unittest.TestCase):
    """A demo, its page, and its devices."""

    def setUp(self):
        # Without pauses between the steps of a play.
        demo = Program("demo", "--port", "0", environment={"OPENSTOREKIT_DEMO_PAUSE_MILLISECONDS": "0"})
        self.addCleanup(demo.stop)
        self.page = Browser(width=1440, height=900)
        self.addCleanup(self.page.stop)
        self.page.open(demo.address)
        source = {title: self.page.find(f"iframe[title='{title}']").get_attribute("src")
                  for title in ("Phone", "Tablet", "App Store")}
        self.store = source["App Store"].rstrip("/")
        self.journal = Journal(self.store)
        self.phone = Device(self, source["Phone"])
        self.tablet = Device(self, source["Tablet"])

    def run_command(self, *arguments):
        """Runs a command for the store."""
        return subprocess.run([PROGRAM, *arguments, "--store", self.store], check=True, capture_output=True, text=True).stdout

    def ends_in_truth(self):
        """The table at the tour's end has the store's charges and refunds; only what the app does not know is not granted."""
        self.page.driver.execute_script("document.getElementById('tour-all').open = true")
        self.page.press("Backup")
        self.page.press("Result")
        charges = request_store(self.store, "GET", "charges?limit=1000")["charges"]
        refunds = request_store(self.store, "GET", "refunds?limit=1000")["refunds"]
        expected = {}
        for charge in charges:
            row = expected.setdefault(charge["productId"].rsplit(".", 1)[-1], [0, 0, 0])
            row[0] += 1
            row[1] += charge["amount"]
        for refund in refunds:
            expected[refund["productId"].rsplit(".", 1)[-1]][2] += 1
        for name, (count, amount, refunded) in expected.items():
            granted = 0 if name == "consume20credits" else count
            self.page.sees(f"{count} ${amount / 1000:.2f} {refunded} {granted}",
                           within=f"#tour-accounts [data-product='{name}']")
        rows = self.page.driver.execute_script(
            "return [...document.querySelectorAll('#tour-accounts tbody tr')].map((row) => row.dataset.product);")
        # The subscription has begun with its free trial, which is not charged.
        self.assertEqual(sorted(rows), sorted([*expected, "monthly"]))
        self.page.sees("Gold, monthly 0 – 0 0 1", within="#tour-accounts")
        self.page.sees("Charged and not granted yet: 20 monkey credits", within="#tour")
        self.page.picture("tour/accounts")
        self.assertEqual(self.page.accessibility_errors, [])
        self.assertTrue(re.fullmatch(r"22 of 22 done", self.page.text("[data-tour-done]")))


class TourTests(TourTestCase):
    def passes(self, stop, product):
        """Waits until the drawing marks a stage as the last one of a product's purchase."""
        self.page.until(
            "return document.querySelector('#flow [data-product]')?.dataset.product === values.product"
            " && document.querySelector(`[data-stop=${values.stop}][data-state=last]`);", stop=stop, product=product)

    def agrees(self, way, is_over=True):
        """The drawing of the last purchase shows this way, and what the store's records say since the last comparison.

        If the purchase is not over, the next comparison includes these records.
        """
        self.page.find(f".flow[data-way={way}]")
        passed = set(self.page.driver.execute_script(
            "return [...document.querySelectorAll('[data-stop]:not([data-state=ahead], [data-state=aside])')]"
            ".map((stop) => stop.dataset.stop);"))
        if "finished" in passed:
            # The app reports its finish before the store has answered it.
            self.page.until_true(lambda: ("finish", "answered") in self.journal.outcomes())
        outcomes = self.journal.outcomes()
        drawn = {outcome for stop, outcome in STAGES.items() if stop in passed}
        if way == "restored":
            self.assertIn(("restore", "answered"), outcomes)
        self.assertEqual(drawn - outcomes, set(), f"{way}: drawn, but not in the store's journal")
        if way != "restored":
            certain = {STAGES[stop] for stop in ("signInRefused", "signedIn", "quoted", "confirmed", "deferred")}
            self.assertEqual(certain & outcomes - drawn, set(), f"{way}: in the journal, but not drawn")
        is_charged = way == "bought" and "charged" in passed
        self.assertEqual(is_charged, self.journal.is_charged(), f"{way}: {passed}")
        self.assertEqual("revoked" in passed, self.journal.is_refunded(), f"{way}: {passed}")
        revoked = {self.product()} if "revoked" in passed else set()
        self.assertEqual(revoked, {product.rsplit(".", 1)[-1] for product in self.journal.revoked()})
        if is_over:
            self.journal.begin()

    def product(self):
        return self.page.find("#flow [data-product]").get_attribute("data-product")

    def waits(self, unanswered):
        """The drawing shows that the store does not answer, and its journal has these calls without an answer."""
        self.says("No answer from the store.")
        self.page.find("[data-stop=waiting][data-state=waiting]")
        self.agrees("waiting", is_over=False)
        self.assertEqual(self.journal.unanswered(), unanswered)

    def says(self, text):
        """Waits for the drawing's remark."""
        self.page.sees(text, within="#flow .remark")

    def done(self, title):
        """Waits until a step of the tour is marked as done."""
        self.page.until(
            "return [...document.querySelectorAll('.stations li')].some((item) =>"
            " item.dataset.state === 'done' && item.querySelector('.link').textContent === values.title);", title=title)

    def test_whole_tour(self):
        """A1 to H2: each step of the tour is done; its end shows the store's charges and refunds, and one grant for each charge"""
        phone, tablet = self.phone, self.tablet
        phone.buy(FIVE, "sign-in", "confirm")
        self.says("Done: charged once, granted once.")
        self.agrees("bought")
        self.done("Buy something")
        phone.buy(FIVE, quantity=3)
        self.done("Quantity")
        self.passes("finished", "consume5credits")
        self.journal.begin()
        phone.buy(FIVE, "cancel")
        self.says("Cancelled. Nothing was charged.")
        self.page.find("[data-way=cancelled]")
        self.agrees("cancelled")
        self.done("Cancel a purchase")

        self.run_command("faults", "set", "appError", "--error", "SSServerErrorDomain:5002", "--count", "1")
        phone.buy(FIVE)
        self.says("Failed. Nothing was charged")
        self.agrees("failed")
        self.done("An error of the store")
        for appearance in ("unavailable", "unreachable"):
            self.run_command("faults", "set", "outage", "--id", "down", "--appearance", appearance)
            phone.press_buy(FIVE)
            self.waits(unanswered={"quote"})
            self.run_command("faults", "remove", "down")
            phone.answer("confirm")
            self.says("Done: charged once, granted once.")
            self.agrees("bought")
        self.run_command("customers", "change", "customer", "--payment-method", "declined")
        phone.buy(FIVE)
        self.says("The payment method was declined.")
        self.agrees("failed")
        self.run_command("customers", "change", "customer", "--payment-method", "valid")
        phone.buy(FIVE)
        self.done("A declined card")
        self.passes("finished", "consume5credits")
        self.journal.begin()
        self.refuse_password()
        self.run_command("customers", "change", "customer", "--ask-to-buy", "on")
        phone.buy(FIVE)
        self.says("Pending approval (Ask to Buy). Nothing is charged yet.")
        self.agrees("deferred", is_over=False)
        [waiting] = request_store(self.store, "GET", "approvals")["approvals"]
        self.run_command("approvals", "approve", waiting["paymentId"])
        self.done("Ask to Buy")
        self.run_command("customers", "change", "customer", "--ask-to-buy", "off")

        self.says("Done: charged once, granted once.")
        self.agrees("bought")
        phone.send("phone/hold", on="true")
        phone.buy(FIVE)
        self.says("Charged, but not granted yet: force-quit the app now.")
        phone.send("phone/force-quit")
        phone.send("phone/hold", on="false")
        phone.launch()
        self.says("Done: charged once, granted once.")
        self.agrees("bought")
        self.done("Killed between charge and grant")
        phone.send("phone/airplane", on="true")
        phone.press_buy(FIVE)
        self.waits(unanswered=set())
        phone.send("phone/airplane", on="false")
        phone.answer("confirm")
        self.says("Done: charged once, granted once.")
        self.agrees("bought")
        self.done("No network")

        phone.buy(SEPIA, screen="filters")
        self.done("A non-consumable product")
        self.journal.begin()
        phone.buy(f"{BUNDLE_ID}.club.gold.monthly", screen="club")
        self.done("A subscription")
        self.says("Done: granted once, free of charge.")
        self.agrees("free")
        tablet.show("filters")
        tablet.send("app/restore", screen="filters")
        tablet.answer("sign-in")
        self.done("Restore on the second device")
        self.says("Done: restored, and not charged.")
        self.agrees("restored")
        phone.reinstall()
        self.journal.begin()
        phone.buy(SEPIA, "sign-in", "confirm", "acknowledge", screen="filters")
        self.done("Bought before")
        self.page.sees_not("charged once", within="#flow")
        self.agrees("boughtBefore")

        phone.send("phone/restrict", on="true")
        phone.send("app/buy-anyway", screen="credits", product=FIVE)
        self.says("Failed. Nothing was charged")
        phone.show("credits")
        phone.answer("acknowledge")
        phone.send("phone/restrict", on="false")
        self.done("Purchases restricted")
        self.run_command("transactions", "buy", f"{BUNDLE_ID}.consume20credits", "--customer", "customer")
        self.done("Bought outside the app")
        self.page.until("return !document.querySelector('[data-stop=granted][data-state=passed]')")

        phone.show("books")
        phone.browser.sees("Buy $")
        self.journal.begin()
        phone.buy(f"{BUNDLE_ID}.book.smallprint", screen="books")
        self.done("Delivered by your server")
        self.says("Done: charged once, granted once.")
        self.agrees("bought")
        self.share_credits()
        phone.buy(f"{BUNDLE_ID}.book.encyclopedia", screen="books")
        self.passes("finished", "encyclopedia")
        phone.send("app/books/download", screen="books", product=f"{BUNDLE_ID}.book.encyclopedia")
        self.page.find("[data-stop=content]:is([data-state=passed], [data-state=last])")
        phone.send("phone/airplane", on="true")
        phone.send("phone/airplane", on="false")
        self.done("An interrupted download")
        phone.buy(f"{BUNDLE_ID}.consume50pages")
        self.passes("finished", "consume50pages")
        phone.reinstall()
        phone.show("books")
        phone.send("app/restore", screen="books")
        phone.answer("sign-in")
        self.done("What the server keeps")

        self.journal.begin()
        sold = request_store(self.store, "GET", f"transactions?productId={SEPIA}")["transactions"]
        self.run_command("transactions", "refund", sold[-1]["transactionId"])
        self.done("Refund")
        self.says("Refunded, or no longer shared: the product is locked.")
        self.agrees("revoked")
        self.refund_credits()
        phone.send("phone/back-up")
        phone.show("settings")
        key, name = phone.browser.text("#backup-key"), phone.browser.text("#backup-name")
        tablet.send("phone/restore-backup", file=name, key=key)
        self.done("Backup")

        self.ends_in_truth()

    def share_credits(self):
        """The station of credits on both devices: bought on the phone, and seen and spent on the tablet."""
        phone, tablet = self.phone, self.tablet
        phone.buy(FIVE)
        self.passes("finished", "consume5credits")
        phone.show("credits")
        [owned] = re.findall(r"\d+", phone.browser.text("#credits-balance"))
        tablet.send("app/restore", screen="books")
        tablet.show("books")
        tablet.browser.sees("Open", within="#books-shop")
        tablet.show("credits")
        tablet.send("app/credits/refresh", screen="credits")
        tablet.browser.sees(f"{owned} monkey credits", within="#credits-balance")
        tablet.send("app/spend", screen="credits", amount=1)
        tablet.browser.sees(f"{int(owned) - 1} monkey credits", within="#credits-balance")
        phone.send("app/credits/refresh", screen="credits")
        phone.browser.sees(f"{int(owned) - 1} monkey credits", within="#credits-balance")
        self.done("Credits on both devices")

    def refund_credits(self):
        """The station of refunded credits: the store notifies the server, which takes them back, and the app learns of it."""
        phone = self.phone
        phone.buy(FIVE)
        self.passes("finished", "consume5credits")
        sold = request_store(self.store, "GET", f"transactions?productId={FIVE}")["transactions"]
        # One credit was spent on the tablet. The app was deleted before, so its balance is the server's.
        owned = sum(each["quantity"] for each in sold) * 5 - 1
        phone.send("app/credits/refresh", screen="credits")
        phone.show("credits")
        phone.browser.sees(f"{owned} monkey credits", within="#credits-balance")
        self.run_command("transactions", "refund", sold[0]["transactionId"])
        self.done("A refund of credits")
        phone.send("app/credits/refresh", screen="credits")
        phone.browser.sees(f"{owned - 5} monkey credits", within="#credits-balance")

    def refuse_password(self):
        """The station of a refused password: given up once, and then bought with the right password."""
        phone = self.phone
        self.run_command("customers", "change", "customer", "--password", "coffee")
        for is_last in (False, True):
            phone.sign_out()
            self.journal.begin()
            phone.press_buy(FIVE)
            phone.answer("sign-in", password="tea")
            self.says("Sign-in refused. Nothing is charged: This App Store has no account “customer” with that password")
            phone.browser.sees("with that password", within="dialog")
            if is_last:
                phone.answer("sign-in", password="coffee")
                phone.answer("confirm")
                self.says("Done: charged once, granted once.")
                self.agrees("bought")
            else:
                phone.answer("cancel")
                self.says("Failed. Nothing was charged")
                self.agrees("failed")
        self.done("A refused password")
        self.run_command("customers", "change", "customer", "--password", "")


# What the page shows after the play of each step: the window, the screen of the device, and an element with its text.
SHOWN = [
    ("Buy something", "Phone", "credits", "#credits-balance", "5 monkey credits"),
    ("Quantity", "Phone", "credits", "#credits-balance", "20 monkey credits"),
    ("Cancel a purchase", "Phone", "credits", "#credits-balance", "20 monkey credits"),
    ("An error of the store", "Phone", "credits", "#credits-balance", "20 monkey credits"),
    ("A declined card", "Phone", "credits", "#credits-balance", "25 monkey credits"),
    ("A refused password", "Phone", "credits", "#credits-balance", "30 monkey credits"),
    ("Ask to Buy", "Phone", "credits", "#credits-balance", "35 monkey credits"),
    ("Killed between charge and grant", "Phone", "credits", "#credits-balance", "40 monkey credits"),
    ("A non-consumable product", "Phone", "filters", "#photograph:has(#photograph-filter)", ""),
    ("A subscription", "Phone", "subscriptions", "#subscription-state", "Renews on"),
    ("Restore on the second device", "Tablet", "filters", "#filters-shop", "Use sepia"),
    ("Bought before", "Phone", "filters", "#filters-shop", "Use sepia"),
    ("No network", "Phone", "credits", "#credits-shop", "Buy $0.99"),
    ("Purchases restricted", "Phone", "credits", "#credits-shop", "Buy $0.99"),
    ("Bought outside the app", "App Store", None, "main", "20 monkey credits"),
    ("Delivered by your server", "Phone", "books", ".book-title", "The Small Print"),
    ("Credits on both devices", "Phone", "credits", "#credits-balance", "44 monkey credits"),
    ("An interrupted download", "Phone", "books", "#books-shop", "Open"),
    ("What the server keeps", "Phone", "credits", "#pages-balance", "50 pages"),
    ("Refund", "Phone", "filters", "#filters-shop", "Buy $3.99"),
    ("A refund of credits", "Phone", "credits", "#credits-balance", "44 monkey credits"),
    ("Backup", "Tablet", "settings", "#owner-message", "Restored purchases: Greyscale"),
]
# What the store's window shows after the play of a step, if the play has shown a page there before it went on with a device.
SHOWN_IN_STORE = {4: "Faults", 5: "Total spent", 15: "20 monkey credits", 16: "getRefundHistory", 20: "refunded", 21: "Notifications"}
# The title of the drawing after the play of a step: the device, the product, or both.
DRAWN = {**dict.fromkeys((*range(1, 9), 14), "Phone: 5 monkey credits"), 9: "Phone: Sepia", 10: "Phone: Gold, monthly", 11: "Tablet: ", 12: "Phone: Sepia", 15: ": 20 monkey credits",
         16: "Phone: The Small Print", 17: "Tablet: ", 18: "Phone: Encyclopedia", 20: ": Sepia", 21: "Phone: 5 monkey credits", 22: "Phone: Greyscale"}
SIZES = ((1440, 900), (1024, 768), (390, 844))
# Whether the instructions and their explanation are in view above the drawing, without scrolling.
IS_EXPLAINED = """
const [tour, text] = [document.getElementById("tour"), document.querySelector("#tour > p.muted")];
return text.getBoundingClientRect().bottom + tour.scrollTop <= tour.getBoundingClientRect().bottom;
"""
# The number of lines of the title, with its link.
LINES_OF_TITLE = """
const title = document.getElementById("tour-title");
return Math.round(title.getBoundingClientRect().height / parseFloat(getComputedStyle(title).lineHeight));
"""


class PlayedTourTests(TourTestCase):
    def test_played_tour(self):
        """Each station does by itself what it says, and is seen; its end agrees with the store's records, and the phone has what was paid for"""
        self.page.driver.execute_script("document.getElementById('tour-all').open = true")
        self.page.press("Restore on the second device")
        self.page.sees("Step 11 of 22", within="#tour")
        self.page.press("Do this for me")
        self.page.sees("There is nothing to restore: buy a filter on the other device first.", within="#play-message")
        self.assertEqual(self.page.driver.switch_to.active_element.get_attribute("id"), "play-station")
        self.page.picture("demo-tour-play")
        self.page.press("Buy something")
        self.page.gone("#play-message")
        for number, shown in enumerate(SHOWN, start=1):
            self.page.sees(f"Step {number} of {len(SHOWN)}: {shown[0]}", within="#tour")
            self.assertFalse(self.page.driver.find_elements("css selector", ".tour-head .badge-good"), number)
            self.page.press("Do this for me")
            message = self.page.until(
                "const message = document.getElementById('play-message');"
                "const isOver = document.querySelector('#play-station:not([aria-disabled])');"
                "const isDone = document.querySelector('.tour-head .badge-good');"
                "return isOver && (isDone || message) ? message ? message.textContent : 'done' : null;")
            self.assertEqual(message, "done", f"step {number}")
            self.is_shown(number, *shown)
            self.page.press("Result" if number == len(SHOWN) else "Next")
        self.pictures("end")
        self.page.size(390, 844)
        self.assertLessEqual(*self.page.driver.execute_script(
            "const box = document.querySelector('.table-wrap'); return [box.scrollWidth, box.clientWidth];"))
        self.page.size(*SIZES[0])
        self.ends_in_truth()
        self.has_what_was_paid()
        self.is_as_before()
        self.restarts()
        self.assertEqual(self.page.log_messages(), [])

    def is_shown(self, number, title, window, screen, selector, text):
        """The page shows where the last play ended, at each size."""
        self.page.into(window)
        if screen:
            self.page.find(f".screen-{screen}")
        self.page.sees(text, within=selector)
        self.page.out()
        if text := SHOWN_IN_STORE.get(number):
            self.page.into("App Store")
            self.page.sees(text, within="main")
            self.page.out()
        if text := DRAWN.get(number):
            self.page.sees(text, within="#flow .about")
        self.pictures(f"{number:02}", window, selector)

    def pictures(self, name, window=None, selector=None):
        """Takes pictures at each size. No page is wider than its window, and the element of the window is in view."""
        for width, height in SIZES:
            with self.subTest(step=name, width=width):
                self.page.size(width, height)
                self.assertLessEqual(self.page.overflow_pixels(), 0)
                if window and width >= 1000:
                    self.assertTrue(self.page.driver.execute_script(IS_EXPLAINED), "the explanation is cut off")
                if window and width < 1000:
                    self.assertEqual(self.page.driver.execute_script(LINES_OF_TITLE), 1)
                if window:
                    self.assertTrue(self.page.find(f"iframe[title='{window}']").is_displayed())
                    self.page.driver.execute_script(
                        "document.querySelector(`iframe[title='${arguments[0]}']`).scrollIntoView({ block: 'nearest' })", window)
                    self.page.into(window)
                    self.assertLessEqual(self.page.overflow_pixels(), 0)
                    self.page.driver.execute_script(
                        "document.querySelector(arguments[0]).scrollIntoView({ block: 'nearest' })", selector)
                    self.page.out()
                for is_dark in (False, True):
                    self.page.paint(is_dark)
                    self.page.snapshot(f"tour/{name}-{width}-{'dark' if is_dark else 'light'}")
                self.page.paint(False)
        # On a small page, the tour and the drawing are below.
        self.page.driver.execute_script("document.getElementById('tour').scrollIntoView()")
        self.page.snapshot(f"tour/{name}-390-below")
        self.page.size(*SIZES[0])

    def restarts(self):
        """Restart begins anew: nothing is done or drawn, no alert is left, and the phone shows its first screen."""
        self.phone.send("app/restore", screen="filters")
        self.phone.show("filters")
        self.phone.browser.find("#alert")
        self.page.press("Restart")
        self.page.sees("Step 1 of 22: Buy something", within="#tour")
        self.page.find("#play-station:not([aria-disabled])")
        self.page.find("[data-tour-done='0']")
        self.page.sees("Waiting for Buy", within="#flow .remark")
        self.page.into("Phone")
        self.page.find(".screen-credits")
        self.page.gone("dialog")
        self.page.out()
        # A change of the store's records completes no station that was done before.
        self.page.press("Do this for me")
        self.page.sees("Done. Press Next.", within="#tour")
        self.assertEqual(self.page.text("[data-tour-done]"), "1 of 22 done")

    def has_what_was_paid(self):
        """The phone's balances are what the store has sold: the server kept them when the app was deleted."""
        def units(product, unit):
            sold = request_store(self.store, "GET", f"transactions?productId={product}")["transactions"]
            return sum(each["quantity"] for each in sold if "revocationDate" not in each) * unit

        self.phone.show("credits")
        # One credit was spent on the tablet.
        self.phone.browser.sees(f"{units(FIVE, 5) - 1} monkey credits", within="#credits-balance")
        self.phone.browser.sees(f"{units(f'{BUNDLE_ID}.consume50pages', 50)} pages", within="#pages-balance")

    def is_as_before(self):
        """The plays have changed back what they changed in the store and on the phone."""
        [customer] = [each for each in request_store(self.store, "GET", "customers")["customers"]
                      if (each["name"], each["environment"]) == ("customer", "Sandbox")]
        self.assertEqual((customer["paymentMethod"], customer["needsApproval"], customer.get("password")),
                         ("valid", False, None))
        self.assertEqual(request_store(self.store, "GET", "faults")["faults"], [])
        self.phone.show("settings")
        for switch in ("airplane", "restrict", "hold"):
            self.assertEqual(self.phone.browser.find(f"#{switch}").get_attribute("aria-checked"), "false", switch)
