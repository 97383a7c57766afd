"""Measures the time from a click on the demo's pages to the change that it makes visible. Prints the median of each.

Run it from the root of the repository, after `make program`: /usr/bin/python3 Benchmarks/page_times.py
"""
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Tests/BrowserTests"))

from browser import Browser  # noqa: E402
from programs import Program  # noqa: E402

REPETITIONS = 15

# Clicks the first element of a selector. Calls back with the milliseconds until a condition, a function's body, is true and
# painted.
CLICK = """
const [selector, body, done] = arguments;
const condition = new Function(body);
const begin = performance.now();
let isDone = false;
const look = () => {
  if (isDone || !condition()) return;
  isDone = true;
  observer.disconnect();
  requestAnimationFrame(() => setTimeout(() => done(performance.now() - begin)));
};
const observer = new MutationObserver(look);
observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
document.querySelector(selector).click();
look();
"""


def click(browser, selector, body):
    browser.find(selector)
    return browser.driver.execute_async_script(CLICK, selector, body)


def measure(name, act):
    """Prints the median of a function's results, in milliseconds."""
    times = [act() for _ in range(REPETITIONS)]
    print(f"{statistics.median(times):6.0f} ms  {max(times):6.0f} ms  {name}", flush=True)


def main():
    demo = Program("demo", "--port", "0")
    browser = Browser(width=1440, height=900)
    try:
        browser.open(demo.address)
        print("   median   longest")
        measure("Next station of the tour", lambda: next_station(browser))
        browser.into("Phone")
        browser.press("Buy $0.99")
        browser.write("Account", "customer", within="dialog")
        browser.press("Sign in", within="dialog")
        browser.press("Buy", within="dialog", exact=True)
        browser.sees("5 monkey credits", within="#credits-balance")
        measure("Buy, until the sheet is shown", lambda: open_sheet(browser))
        measure("Buy on the sheet, until the credits are added", lambda: confirm(browser))
        browser.out()
        store = browser.find("iframe[title='App Store']").get_attribute("src")
        browser.open(store)
        measure("A section of the store's console, as a new page", lambda: open_page(browser, store))
    finally:
        browser.stop()
        demo.stop()


def text_of(browser, selector):
    """The text of an element, read in one step, because the page may exchange the element."""
    browser.find(selector)
    return browser.driver.execute_script("return document.querySelector(arguments[0]).textContent", selector)


def next_station(browser):
    title = text_of(browser, "#tour-title")
    return click(browser, "#tour-next", f"return document.querySelector('#tour-title').textContent !== {title!r}")


def open_sheet(browser):
    time = click(browser, "form[action='/app/buy'] button", "return document.querySelector('dialog:modal [value=confirm]')")
    browser.press("Cancel", within="dialog")
    browser.gone("dialog")
    return time


def confirm(browser):
    browser.press("Buy $0.99")
    browser.find("dialog:modal [value=confirm]")
    balance = text_of(browser, "#credits-balance")
    time = click(
        browser, "dialog:modal [value=confirm]",
        f"return document.querySelector('#credits-balance')?.textContent !== {balance!r}")
    browser.gone("dialog")
    return time


def open_page(browser, store):
    """A page load: from the navigation's start to the end of its load event, by the browser's own measure."""
    browser.open(store + "console/requests")
    return browser.driver.execute_script(
        "const [entry] = performance.getEntriesByType('navigation'); return entry.loadEventEnd || performance.now();")


main()
