"""A real browser, Debian's Chromium. It waits for changes of a page, not for a time."""
import os
import pathlib
import time

from selenium import webdriver
from selenium.common.exceptions import (ElementNotInteractableException, StaleElementReferenceException, TimeoutException,
                                        WebDriverException)
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.keys import Keys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURES = pathlib.Path(os.environ.get("SCREENSHOTS", ROOT / ".build/screenshots"))
# The timeout of every wait. It is reached only if a test fails.
TIMEOUT_SECONDS = int(os.environ.get("TIMEOUT_SECONDS", "120"))
# The timeout of one script, after which it is run again: the driver does not always notice that another page was loaded.
SCRIPT_TIMEOUT_SECONDS = 5

# Calls back when the condition, a function's body, is true. Checks it whenever the page changes.
WAIT = """
const [body, values, done] = [arguments[0], arguments[1], arguments[2]];
const condition = new Function("values", body);
let observer = null;
const look = () => {
  const found = condition(values);
  if (!found) return false;
  if (observer) observer.disconnect();
  done(found);
  return true;
};
if (!look()) {
  observer = new MutationObserver(look);
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  document.addEventListener("page-changed", look);
  new PerformanceObserver(look).observe({ type: "resource" });
}
"""

# Finds visible elements by their accessible names.
FIND = """
const name = values.name;
const textOf = (ids) => ids.split(" ").map((id) => document.getElementById(id)?.textContent || "").join(" ");
const spoken = (element) => {
  const copy = element.cloneNode(true);
  for (const hidden of copy.querySelectorAll("[aria-hidden=true]")) hidden.remove();
  return copy.textContent;
};
const nameOf = (element) => (element.getAttribute("aria-label") || (element.hasAttribute("aria-labelledby") && textOf(element.getAttribute("aria-labelledby"))) || (element.labels && [...element.labels].map((label) => label.textContent).join(" ")) || spoken(element) || element.value || "").replace(/\\s+/g, " ").trim();
const fits = (element) => values.exact ? nameOf(element) === name : nameOf(element).startsWith(name);
const modal = document.querySelector("dialog:modal");
const scope = values.within ? document.querySelector(values.within) : modal || document;
if (!scope || !document.documentElement.dataset.ready) return null;
const found = [...scope.querySelectorAll(values.kinds)].filter((element) => fits(element) && element.checkVisibility());
"""


# Runs axe on the page, without the frames in it, whose pages are tested by themselves.
AXE_RUN = """
const [rules, done] = arguments;
axe.run(document, { iframes: false, resultTypes: ["violations"], ...rules }).then((result) => done(result.violations.flatMap((rule) =>
  rule.nodes.map((node) => [rule.id, node.target.join(" "), node.failureSummary]))));
"""
# axe is a JavaScript library that PyPI has as a Python package. The Makefile installs it.
AXE = ROOT / ".build/axe"


def has_failed(test):
    """Whether the test that is ending has failed."""
    result = test._outcome.result
    return any(each is test for each, _ in result.errors + result.failures)


class Browser:
    def __init__(self, width=1280, height=900, is_dark=False):
        options = Options()
        options.binary_location = "/usr/bin/chromium"
        for argument in ("--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                         f"--window-size={width},{height}", "--lang=en-US", "--force-prefers-reduced-motion"):
            options.add_argument(argument)
        if os.geteuid() == 0:
            options.add_argument("--no-sandbox")
        # The browser's own messages about a page: refused scripts, failed requests.
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        self.driver.set_script_timeout(SCRIPT_TIMEOUT_SECONDS)
        # The accessibility errors of the pages of which pictures were taken.
        self.accessibility_errors = []
        self.size(width, height)
        self.paint(is_dark)

    def stop(self):
        self.driver.quit()

    def open(self, address):
        self.driver.get(address)
        self.until("return document.documentElement.dataset.ready")

    def size(self, width, height):
        """Sets the size of the viewport."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def paint(self, is_dark):
        """Sets the colour scheme that the system prefers."""
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"}]})

    # ---- Waiting ----

    def until(self, body, **values):
        """Waits until the body of a function returns something, and returns that."""
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while True:
            try:
                return self.driver.execute_async_script(WAIT, body, values)
            except WebDriverException as error:
                # Another page was loaded meanwhile. The driver reports that by several errors; one of them is a script
                # timeout.
                is_gone = any(text in str(error) for text in ("document unloaded", "aborted by navigation"))
                if not is_gone and (not isinstance(error, TimeoutException) or time.monotonic() > deadline):
                    raise

    def until_true(self, condition):
        """Waits until a function returns something true. For what is not on the page; each call is a request."""
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while not condition():
            if time.monotonic() > deadline:
                raise TimeoutException("the condition stays false")

    def sees(self, text, within="body"):
        """Waits until a text is visible."""
        return self.until(
            "const element = document.querySelector(values.within);"
            "return element && element.innerText.replace(/\\s+/g, ' ').includes(values.text);", text=text, within=within)

    def sees_not(self, text, within="body"):
        """Waits until a text is no longer visible."""
        return self.until(
            "const element = document.querySelector(values.within);"
            "return !element || !element.innerText.replace(/\\s+/g, ' ').includes(values.text);", text=text, within=within)

    def find(self, selector):
        """Waits for an element."""
        return self.until("return document.querySelector(values.selector)", selector=selector)

    def gone(self, selector):
        self.until("return !document.querySelector(values.selector)", selector=selector)

    def text(self, selector):
        return self.find(selector).text

    def change_while_pressed(self, act):
        """Runs an action that changes the page while a button is held down, and returns when a change waits for the release.

        It does not wait for a request that begins after the action: an earlier answer may wait for the release, too, and then the
        page makes its next request only after that.
        """
        act()
        self.until("return document.documentElement.dataset.held")

    def ground(self, selector):
        """The colour behind an element's text, as three numbers from 0 to 255: its own, or that of the nearest element around it."""
        return self.driver.execute_script(
            "let element = document.querySelector(arguments[0]);"
            "for (; element; element = element.parentElement) {"
            "  const parts = getComputedStyle(element).backgroundColor.match(/[\\d.]+/g).map(Number);"
            "  if (parts.length === 3 || parts[3] === 1) return parts.slice(0, 3);"
            "  if (parts[3] > 0) throw new Error('a translucent ground');"
            "}"
            "return [255, 255, 255];", selector)

    # ---- Actions of a person ----

    def press(self, name, within=None, exact=False):
        """Waits until a button or link of this name is enabled, and presses it. If a sheet is open, looks only inside it."""
        self._steadily(lambda: self.until(
            FIND + "return found.find((element) => !element.disabled) || null;", name=name, within=within, exact=exact,
            kinds="button, a[href], summary, input[type=submit], [role=button]"), self._click)

    def _click(self, element):
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def type(self, keys):
        """Presses keys on the focused element."""
        ActionChains(self.driver).send_keys(keys).perform()

    def touch(self, element, meanwhile):
        """Touches an element with a finger, and runs an action before the finger is lifted."""
        position = self.driver.execute_script(
            "const box = arguments[0].getBoundingClientRect();"
            "return { x: box.x + box.width / 2, y: box.y + box.height / 2 }", element)
        self.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [position]})
        meanwhile()
        self.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    def tab_to(self, name, within=None):
        """Presses Tab until the element of this name has the focus."""
        for _ in range(80):
            has_focus = self.driver.execute_script(
                "const values = arguments[0];" + FIND + "return found[0] === document.activeElement && !found[0].disabled;",
                {"name": name, "within": within, "exact": False, "kinds": "button, a[href], input, select, summary"})
            if has_focus:
                return
            self.type(Keys.TAB)
        raise AssertionError(f"{name} cannot be reached by Tab")

    def has_disabled(self, name, within=None):
        """Waits until there is a disabled button of this name."""
        self.until(FIND + "return found.some((element) => element.disabled);", name=name, within=within, exact=False,
                   kinds="button")

    def field(self, name, within=None):
        return self.until(FIND + "return found[0] || null;", name=name, within=within, exact=False,
                          kinds="input, select, textarea")

    def write(self, name, text, within=None):
        """Replaces the text of a field."""
        def rewrite(field):
            field.clear()
            field.send_keys(text)

        self._steadily(lambda: self.field(name, within), rewrite)

    def _steadily(self, find, act):
        """Runs an action on an element, and repeats it if the element was replaced meanwhile."""
        while True:
            element = find()
            try:
                return act(element)
            except StaleElementReferenceException:
                continue
            except ElementNotInteractableException:
                # The driver also reports this for an element that was replaced while it got the focus.
                if not self._is_replaced(element):
                    raise

    def _is_replaced(self, element):
        try:
            element.is_enabled()
        except StaleElementReferenceException:
            return True
        return False

    def choose(self, name, value, within=None, starts=False):
        """Chooses from a list, by the text of an option or its beginning."""
        field = self.field(name, within)
        for option in field.find_elements("tag name", "option"):
            if option.text == value or starts and option.text.startswith(value):
                option.click()
                return
        raise AssertionError(f"{name} does not offer {value}")

    def switch(self, name, is_on):
        """Turns a switch on or off, and waits until it shows that."""
        self.press(name)
        self.until(FIND + "return found.some((element) => element.getAttribute('aria-checked') === values.state);",
                   name=name, within=None, exact=False, kinds="[role=switch]", state="true" if is_on else "false")

    def escape(self):
        self.driver.switch_to.active_element.send_keys(Keys.ESCAPE)

    def into(self, title):
        """Switches to a frame; `out` switches back."""
        self.driver.switch_to.default_content()
        frame = self.find(f"iframe[title='{title}']")
        self.driver.switch_to.frame(frame)

    def out(self):
        self.driver.switch_to.default_content()

    # ---- Checks ----

    def picture(self, name, whole=False):
        """Takes a picture, in light and in dark, and checks the page's accessibility."""
        for is_dark in (False, True):
            self.paint(is_dark)
            # In dark, only what differs.
            rules = {"runOnly": ["color-contrast"]} if is_dark else {}
            self.accessibility_errors += [("dark" if is_dark else "light", name, *each) for each in self.axe(rules)]
            target = f"{name}-{'dark' if is_dark else 'light'}"
            if whole:
                height = self.driver.execute_script("return document.documentElement.scrollHeight")
                width = self.driver.execute_script("return innerWidth")
                before = self.driver.execute_script("return innerHeight")
                self.size(width, min(height, 4000))
                self.snapshot(target)
                self.size(width, before)
            else:
                self.snapshot(target)
        self.paint(False)

    def snapshot(self, name):
        """Takes a picture as the page is. A name with a folder keeps the picture out of the documentation."""
        target = PICTURES / f"{name}.png"
        target.parent.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(target))

    def log_messages(self):
        """Returns the browser's warnings and errors since the last call."""
        entries = [entry for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
        # A sheet in a frame of another origin must not take the focus from the page, so this warning is expected.
        return [entry["message"] for entry in entries if "Blocked autofocusing" not in entry["message"]]

    def axe(self, rules):
        """Returns what axe finds on the page: the rule, the element, and what would mend it."""
        [script] = AXE.glob("lib/*/site-packages/axe_core_python/axe.min.js")
        self.driver.set_script_timeout(TIMEOUT_SECONDS)
        try:
            if not self.driver.execute_script("return Boolean(window.axe)"):
                self.driver.execute_script(script.read_text())
            return self.driver.execute_async_script(AXE_RUN, rules)
        finally:
            self.driver.set_script_timeout(SCRIPT_TIMEOUT_SECONDS)

    def is_in_view(self, selector):
        """Waits for an element, and returns whether all of it is inside the viewport of its page or frame."""
        return self.driver.execute_script(
            "const box = arguments[0].getBoundingClientRect();"
            "return box.height > 0 && box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth;",
            self.find(selector))

    def overflow_pixels(self):
        """Returns by how many pixels the page is wider than the viewport."""
        return self.driver.execute_script(
            "return document.documentElement.scrollWidth - document.documentElement.clientWidth")
