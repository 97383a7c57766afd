"""The whole guided tour: every step is done as its instructions say, and the tour's end agrees with the store's records."""
import re
import subprocess
import unittest
import urllib.parse
import urllib.request

from browser import Browser
from programs import BUNDLE_ID, PROGRAM, Program, request_store

FIVE = f"{BUNDLE_ID}.consume5credits"
SEPIA = f"{BUNDLE_ID}.sepia"


class Device:
    """A device of the demo: a browser that shows its page, and the forms of that page."""

    def __init__(self, test, address):
        self.address = address.rstrip("/")
        self.browser = Browser(width=420, height=900)
        test.addCleanup(self.browser.stop)
        self.browser.open(self.address)

    def send(self, path, **fields):
        """Sends a form of the device's page."""
        origin = "/".join(self.address.split("/")[:3])
        data = urllib.parse.urlencode({"screen": "settings", **fields}).encode()
        request = urllib.request.Request(f"{self.address}/{path}", data=data, headers={"Origin": origin})
        with urllib.request.urlopen(request) as reply:
            return reply.read().decode()

    def show(self, screen):
        self.browser.open(f"{self.address}/?screen={screen}")

    def answer(self, *answers):
        """Answers the sheets that come, in this order."""
        for answer in answers:
            number = self.browser.until(
                "const dialog = document.querySelector('dialog[id^=sheet-]');"
                "return dialog && dialog.querySelector(`[value=${values.answer}]`) ? dialog.id.slice(6) : null;",
                answer=answer)
            self.send("app/sheet", number=number, screen="credits", answer=answer, account="customer", password="")

    def buy(self, product, *answers, screen="credits", quantity=1):
        self.show(screen)
        self.send("app/buy", screen=screen, product=product, quantity=quantity)
        self.answer(*(answers or ("confirm",)))

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
    """What reached the store since the last comparison with the drawing: requests of one product's purchase, and charges."""

    def __init__(self, store):
        self.store = store
        self.begin()

    def begin(self):
        self.last = request_store(self.store, "GET", "requests?limit=1")["last"]
        self.charged = len(self.charges())

    def charges(self):
        return request_store(self.store, "GET", "charges?limit=1000")["charges"]

    def answered(self):
        """The names of the calls that were answered, and of the confirmations that arrived."""
        requests = request_store(self.store, "GET", f"requests?after={self.last}&limit=1000")["requests"]
        return {one["call"] for one in requests if one["outcome"] == "answered" or one["call"] == "confirm"}


class TourTests(unittest.TestCase):
    def setUp(self):
        demo = Program("demo", "--port", "0")
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

    def passes(self, stop, product):
        """Waits until the drawing marks a stage as the last one of a product's purchase."""
        self.page.until(
            "return document.querySelector('#flow .about code').textContent === values.product"
            " && document.querySelector(`[data-stop=${values.stop}][data-state=last]`);", stop=stop, product=product)

    def agrees(self, way):
        """The drawing of the last purchase shows this way, and what the store's records say since the last comparison."""
        self.page.find(f".flow[data-way={way}]")
        passed = set(self.page.driver.execute_script(
            "return [...document.querySelectorAll('[data-stop]:is([data-state=passed], [data-state=last], [data-state=failed])')]"
            ".map((stop) => stop.dataset.stop);"))
        if "finished" in passed:
            # The app reports its finish before the store has answered it.
            self.page.until_true(lambda: "finish" in self.journal.answered())
        answered = self.journal.answered()
        drawn = {call for stop, call in (("quoted", "quote"), ("confirmed", "confirm"), ("finished", "finish"))
                 if stop in passed}
        if way == "restored":
            self.assertIn("restore", answered)
            drawn.add("restore")
        self.assertEqual(drawn - answered, set(), f"{way}: drawn, but not in the store's journal")
        if way != "restored":
            self.assertEqual({"quote", "confirm"} & answered - drawn, set(), f"{way}: in the journal, but not drawn")
        is_charged = len(self.journal.charges()) > self.journal.charged
        self.assertEqual(way == "bought" and "charged" in passed, is_charged, f"{way}: {passed}")
        self.journal.begin()

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
        self.run_command("customers", "change", "customer", "--payment-method", "declined")
        phone.buy(FIVE)
        self.says("The payment method was declined.")
        self.agrees("failed")
        self.run_command("customers", "change", "customer", "--payment-method", "valid")
        phone.buy(FIVE)
        self.done("A declined card")
        self.passes("finished", "consume5credits")
        self.journal.begin()
        self.run_command("customers", "change", "customer", "--ask-to-buy", "on")
        phone.buy(FIVE)
        self.says("Pending approval (Ask to Buy). Nothing is charged yet.")
        self.agrees("bought")
        [waiting] = request_store(self.store, "GET", "approvals")["approvals"]
        self.run_command("approvals", "approve", waiting["paymentId"])
        self.done("Ask to Buy")
        self.run_command("customers", "change", "customer", "--ask-to-buy", "off")

        self.says("Done: charged once, granted once.")
        self.journal.begin()
        phone.send("phone/hold", on="true")
        phone.buy(FIVE)
        self.says("Charged, but not granted yet: force-quit the app now.")
        phone.send("phone/force-quit")
        phone.send("phone/hold", on="false")
        phone.launch()
        self.says("Done: charged once, granted once.")
        self.agrees("bought")
        self.done("Killed between charge and grant")

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

        phone.send("phone/airplane", on="true")
        phone.send("phone/airplane", on="false")
        self.done("No network")
        phone.send("phone/restrict", on="true")
        phone.send("phone/restrict", on="false")
        self.done("Purchases restricted")
        self.run_command("transactions", "buy", f"{BUNDLE_ID}.consume20credits", "--customer", "customer")
        self.done("Bought outside the app")
        self.page.until("return !document.querySelector('[data-stop=granted][data-state=passed]')")

        phone.show("books")
        phone.browser.sees("Buy $")
        phone.buy(f"{BUNDLE_ID}.book.smallprint", screen="books")
        self.done("Delivered by your server")
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
        self.done("Credits on the server")

        sold = request_store(self.store, "GET", f"transactions?productId={SEPIA}")["transactions"]
        self.run_command("transactions", "refund", sold[-1]["transactionId"])
        self.done("Refund")
        phone.send("phone/back-up")
        phone.show("settings")
        key, name = phone.browser.text("#backup-key"), phone.browser.text("#backup-name")
        tablet.send("phone/restore-backup", file=name, key=key)
        self.done("Backup")

        self.ends_in_truth()

    def ends_in_truth(self):
        """The table at the tour's end has the store's charges and refunds; only what the app does not know is not granted."""
        self.page.driver.execute_script("document.getElementById('tour-all').open = true")
        self.page.press("Backup")
        self.page.press("Next")
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
            self.page.sees(f"{name} {count} ${amount / 1000:.2f} {refunded} {granted}", within="#tour-accounts")
        rows = self.page.driver.execute_script(
            "return [...document.querySelectorAll('#tour-accounts tbody th')].map((cell) => cell.textContent);")
        # The subscription has begun with its free trial, which is not charged.
        self.assertEqual(sorted(rows), sorted([*expected, "monthly"]))
        self.page.sees("monthly 0 – 0 0 1", within="#tour-accounts")
        self.page.sees("Charged and not granted yet: consume20credits", within="#tour")
        self.page.picture("demo-tour-end")
        self.assertEqual(self.page.accessibility_errors, [])
        self.assertTrue(re.fullmatch(r"19 of 19 done", self.page.text("[data-tour-done]")))
