"""The demo's page: devices, store and purchase flow in one browser."""
import os
import signal
import socket
import subprocess
import unittest
import urllib.parse
import urllib.request

from browser import Browser, has_failed
from hostile import HOSTILE_NAME, HACKED
from programs import BUNDLE_ID, PROGRAM, Program, request_store


def contrast(first, second):
    """The ratio of two colours, as WCAG 2.1 defines it: 1 to 21."""
    def luminance(colour):
        parts = [part / 255 for part in colour]
        parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    dark, light = sorted((luminance(first), luminance(second)))
    return (light + 0.05) / (dark + 0.05)


class DemoTests(unittest.TestCase):
    """A browser for all tests, and a demo for each test."""

    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.stop)

    def setUp(self):
        # The browser still shows the previous test's demo, which has been stopped.
        self.browser.driver.get("about:blank")
        self.browser.log_messages()
        self.browser.accessibility_errors = []

    def start_demo(self, environment=None):
        demo = Program("demo", "--port", "0", environment=environment)
        self.addCleanup(demo.stop)
        return demo

    def open_demo(self, host="127.0.0.1", environment=None):
        """Starts a demo, and opens its page, by a host name of this machine."""
        demo, browser = self.start_demo(environment), self.browser
        self.addCleanup(lambda: browser.picture(f"failed-{self.id().rsplit('.', 1)[-1]}") if has_failed(self) else None)
        browser.size(1440, 900)
        browser.open(demo.address.replace("127.0.0.1", host))
        return browser

    def test_demo(self):
        """The page shows both devices, the store and the flow; a purchase highlights its stages, and appears in the store"""
        browser = self.open_demo()
        browser.sees("0 of 22 done", within="#tour")
        browser.into("Phone")
        browser.press("Buy $0.99")
        browser.write("Account", "customer", within="dialog")
        browser.press("Sign in", within="dialog")
        browser.sees("Confirm your purchase", within="dialog")
        browser.out()
        browser.find("[data-stop=asked][data-state=last]")
        browser.picture("demo-sheet")
        browser.into("Phone")
        browser.press("Buy", within="dialog", exact=True)
        browser.sees("5 monkey credits", within="#credits-balance")
        browser.out()
        browser.find("[data-stop=finished][data-state=last]")
        browser.find("[data-tour-done='1']")
        browser.sees("Done. Press Next.", within="#tour")
        browser.into("App Store")
        browser.sees("1 transaction", within="#transactions")
        browser.out()
        browser.picture("demo", whole=True)
        for width in (360, 1000):
            browser.size(width, 900)
            self.assertLessEqual(browser.overflow_pixels(), 0, f"at {width}")
        browser.picture("demo-narrow", whole=True)
        self.assertEqual(browser.log_messages(), [])
        self.assertEqual(browser.accessibility_errors, [])

    def test_prompt_elsewhere(self):
        """B7: a sheet on a device that is not shown has a mark at the device's button, and a line that names the device"""
        browser = self.open_demo()
        browser.into("Phone")
        browser.press("Buy $0.99")
        browser.find("dialog")
        browser.out()
        browser.until("return document.querySelector('#mark-phone').textContent.includes('a sheet is open')")
        # It is seen on the device itself.
        browser.until("return !document.querySelector('#mark-phone').checkVisibility()")
        browser.until("return !document.querySelector('.prompt-phone').checkVisibility()")
        browser.find(".choice-tablet").click()
        browser.sees("a sheet is open", within=".choice-phone")
        browser.sees("Phone: a sheet is open. Sign in to the App Store", within="#flow")
        browser.picture("demo-prompt")
        for width in (1024, 390):
            browser.size(width, 844)
            self.assertLessEqual(browser.overflow_pixels(), 0, f"at {width}")
        browser.picture("demo-prompt-narrow")
        browser.size(1440, 900)
        browser.find(".choice-phone").click()
        browser.into("Phone")
        browser.press("Cancel", within="dialog")
        browser.gone("dialog")
        browser.out()
        browser.gone(".prompt-phone")
        browser.gone("#mark-phone > *")
        self.assertEqual(browser.log_messages(), [])
        self.assertEqual(browser.accessibility_errors, [])

    def test_below(self):
        """On a narrow page, the word "below" of the first sentence leads to the drawing"""
        browser = self.open_demo()
        browser.size(390, 844)
        self.assertFalse(browser.is_in_view("#flow-title"))
        browser.press("below", within=".lead", exact=True)
        browser.until("const box = document.querySelector('#flow-title').getBoundingClientRect();"
                      "return box.top >= 0 && box.bottom <= innerHeight")
        self.assertEqual(browser.accessibility_errors, [])

    def test_chosen(self):
        """The chosen device differs from the others with a contrast of 3 at least, in light and in dark"""
        browser = self.open_demo()
        for is_dark in (False, True):
            browser.paint(is_dark)
            for chosen, other in (("phone", "tablet"), ("tablet", "phone")):
                with self.subTest(is_dark=is_dark, chosen=chosen):
                    browser.find(f".choice-{chosen}").click()
                    browser.until(f"return document.querySelector('#show-{chosen}').checked")
                    grounds = [browser.ground(f".choice-{name} > span") for name in (chosen, other)]
                    self.assertGreaterEqual(contrast(*grounds), 3, grounds)
        browser.paint(False)

    def test_first_view(self):
        """At three sizes, without scrolling: what this is, a Buy button, the sheet's buttons; at the two larger ones also the drawing"""
        demo, browser = self.start_demo(), self.browser
        for width, height, has_drawing in ((1440, 900, True), (1024, 768, True), (390, 844, False)):
            with self.subTest(width=width):
                browser.size(width, height)
                browser.open(demo.address)
                browser.into("Phone")
                browser.sees("Buy $0.99")
                browser.out()
                browser.sees("Waiting for Buy", within="#flow .remark")
                self.assertTrue(browser.is_in_view(".lead"))
                # Where the drawing is not in view, the first sentence says that it is below, and leads to it.
                below = browser.find(".lead .below")
                self.assertEqual(below.is_displayed(), not has_drawing)
                self.assertEqual(below.text.strip(), "" if has_drawing else "below")
                self.assertEqual(browser.is_in_view(".lead .below"), not has_drawing)
                # The largest size is in the documentation already: `demo` and `demo-sheet`.
                folder = "checked/" if width == 1440 else ""
                browser.picture(f"{folder}demo-first-{width}")
                self.assertTrue(browser.is_in_view("iframe[title='Phone']"))
                browser.into("Phone")
                self.assertTrue(browser.is_in_view("form[action='/app/buy'] button"))
                browser.press("Buy $0.99")
                browser.until("return document.querySelector('dialog:modal button')")
                for button in ("[value=cancel]", "[value=sign-in], [value=confirm]"):
                    self.assertTrue(browser.is_in_view(f"dialog {button}"), button)
                browser.out()
                browser.find("[data-stop=signIn][data-state=last]")
                for part in ("[data-stop=pressed]", "[data-stop=finished]", ".remark") if has_drawing else ():
                    self.assertTrue(browser.is_in_view(part), part)
                self.assertLessEqual(browser.overflow_pixels(), 0)
                browser.picture(f"{folder}demo-first-sheet-{width}")
                self.assertEqual(browser.accessibility_errors, [])
                browser.into("Phone")
                browser.press("Cancel", within="dialog")
                browser.gone("dialog")
                browser.out()
                self.restart(demo)

    def restart(self, demo):
        """Begins anew, as the button at the tour's end does. The page of the demo must be open."""
        address = urllib.parse.urljoin(demo.address, "/tour")
        urllib.request.urlopen(urllib.request.Request(
            address, data=b"turn=restart", headers={"Origin": "/".join(address.split("/")[:3])}))
        self.browser.sees("Waiting for Buy", within="#flow .remark")
        self.browser.find("#play-station:not([aria-disabled])")

    def test_windows(self):
        """On a page that is not wide, each window is one press away; on a wide one, the store is beside the phone"""
        browser = self.open_demo()
        self.assertTrue(browser.find("iframe[title='App Store']").is_displayed())
        browser.size(1024, 768)
        for name, choice in (("App Store", "store"), ("Tablet", "tablet"), ("Phone", "phone")):
            browser.find(f".choice-{choice}").click()
            shown = [title for title in ("Phone", "Tablet", "App Store")
                     if browser.find(f"iframe[title='{title}']").is_displayed()]
            self.assertEqual(shown, [name])

    def test_tour(self):
        """A station stays until Next; each is one press away; the end shows what was charged and granted; Restart begins anew"""
        # Shorter pauses than those for a reader, but the page shows that it plays.
        browser = self.open_demo(environment={"OPENSTOREKIT_DEMO_PAUSE_MILLISECONDS": "200"})
        browser.sees("Step 1 of 22: Buy something", within="#tour")
        browser.press("Do this for me")
        browser.find("#play-station[aria-disabled=true]")
        browser.find("[data-stop=finished][data-state=last]")
        browser.sees("charged once, granted once", within="#flow")
        browser.find("#play-station:not([aria-disabled])")
        browser.sees("Step 1 of 22: Buy something", within="#tour")
        browser.sees("Done. Press Next.", within="#tour")
        # A screen reader announces the outcome, and the button that was pressed has kept the focus.
        browser.until("return [...document.querySelectorAll('body > [role=status]')].some((status) => status.textContent.includes('Done'))")
        self.assertEqual(browser.driver.switch_to.active_element.get_attribute("id"), "play-station")
        phone = browser.find("iframe[title='Phone']")
        browser.press("Next")
        browser.sees("Step 2 of 22: Quantity", within="#tour")
        browser.press("All steps")
        browser.press("Backup")
        browser.sees("Step 22 of 22: Backup", within="#tour")
        browser.press("Result")
        browser.sees("5 monkey credits 1 $0.99 0 1", within="#tour-accounts")
        browser.sees("Each charge was granted.", within="#tour")
        browser.picture("demo-end")
        self.assertEqual(browser.find("iframe[title='Phone']"), phone, "the tour loads no frame again")
        browser.press("Restart")
        browser.sees("Step 1 of 22: Buy something", within="#tour")
        browser.find("[data-tour-done='0']")
        self.assertEqual(browser.log_messages(), [])
        self.assertEqual(browser.accessibility_errors, [])

    def test_hostile_names(self):
        """A hostile customer name is escaped in the flow and in the pages beside it"""
        browser = self.open_demo("localhost")
        store = browser.find("iframe[title='App Store']").get_attribute("src")
        request_store(store.rstrip("/"), "POST", "customers", {"environment": "Sandbox", "name": HOSTILE_NAME})
        browser.into("Phone")
        browser.press("Buy $0.99")
        browser.write("Account", HOSTILE_NAME, within="dialog")
        browser.press("Sign in", within="dialog")
        browser.press("Buy", within="dialog", exact=True)
        browser.sees("5 monkey credits", within="#credits-balance")
        browser.out()
        browser.find("[data-stop=finished][data-state=last]")
        browser.into("App Store")
        browser.sees("onmouseover", within="#transactions")
        self.assertIsNone(browser.driver.execute_script(HACKED))
        browser.out()
        self.assertIsNone(browser.driver.execute_script(HACKED))
        for width in (360, 1440):
            browser.size(width, 900)
            self.assertLessEqual(browser.overflow_pixels(), 0, f"at {width}")
        self.assertEqual(browser.log_messages(), [])

    def test_keyboard_stays(self):
        """A sheet that opens on a device does not take the focus from a field in the store's console"""
        browser = self.open_demo()
        phone = browser.find("iframe[title='Phone']").get_attribute("src")
        origin = "/".join(phone.split("/")[:3])
        browser.into("Phone")
        browser.sees("Buy $0.99")
        browser.out()
        browser.into("App Store")
        browser.field("Search").click()
        browser.type("abc")
        urllib.request.urlopen(urllib.request.Request(
            f"{origin}/app/buy", method="POST", headers={"Origin": origin},
            data=f"screen=credits&product={BUNDLE_ID}.consume5credits".encode()))
        browser.out()
        browser.into("Phone")
        browser.find("dialog:modal")
        browser.out()
        browser.into("App Store")
        browser.type("xyz")
        browser.until("return document.getElementById('q').value === 'abcxyz'")

    def test_end(self):
        """Ctrl-C ends all processes of the demo"""
        demo = Program("demo", "--port", "0")
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(demo.process.pid)], capture_output=True,
                                  text=True, check=True).stdout.split()
        self.assertGreaterEqual(len(children), 4)
        grandchildren = subprocess.run(["ps", "-o", "pid=", "--ppid", ",".join(children)], capture_output=True,
                                       text=True).stdout.split()
        demo.process.send_signal(signal.SIGINT)
        self.assertEqual(demo.process.wait(timeout=120), 0)
        demo.stop()
        for pid in children + grandchildren:
            self.assertFalse(os.path.exists(f"/proc/{pid}"), pid)

    def test_taken_port(self):
        """A port that is in use is a clear message, and exit status 1"""
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            ended = subprocess.run([PROGRAM, "demo", "--port", str(port)], capture_output=True, text=True)
        self.assertEqual(ended.returncode, 1)
        self.assertIn(f"Port {port} is in use", ended.stderr)

    def test_restart(self):
        """A killed program of the demo is started again at the same address"""
        demo, browser = self.start_demo(), self.browser
        browser.open(demo.address)
        # The status element is replaced as a whole, so its parent is observed.
        browser.driver.execute_script(
            "window.seen = [];"
            "new MutationObserver(() => seen.push(document.getElementById('status').textContent))"
            ".observe(document.querySelector('header'), { subtree: true, childList: true });")
        [store] = subprocess.run(["pgrep", "-P", str(demo.process.pid), "-f", " emulator "], capture_output=True,
                                 text=True, check=True).stdout.split()
        address = browser.find("iframe[title='App Store']").get_attribute("src")
        os.kill(int(store), signal.SIGKILL)
        browser.until("const down = seen.findIndex((text) => text.includes('store: starting again'));"
                      "return down >= 0 && seen.slice(down).some((text) => text.includes('4 services running'));")
        self.assertEqual(urllib.request.urlopen(address).status, 200)
