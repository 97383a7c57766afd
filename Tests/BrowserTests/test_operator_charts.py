"""The operator's page of charts: the choice of chart, environment and months, and that picture and table agree."""
import datetime

from operator_test_case import OperatorTestCase
from programs import BUNDLE_ID
from browser_test_case import PREFIX

GOLD, FREE = f"{PREFIX}.club.gold.monthly", f"{PREFIX}.club.free"
# The columns that are drawn, of a series with a currency or unit, or of the only series.
DRAWN = {
    "Active subscriptions": {"Paid", "Price unknown", "Free"}, "Recurring revenue": {"Net"},
    "Trials to paid": {"Converted", "Outcome unknown", "Running", "Lapsed"}, "Churn": {"Lost", "Price unknown, lost"},
    "Refunds": {"Amount"}, "Credits outstanding": {"Outstanding"},
}
# The drawing of a series: its bars with their texts, and what is written beside it.
DRAWING = """
const texts = (selector) => [...document.querySelectorAll(`${arguments[0]} ${selector}`)].map((each) => each.textContent);
return {
  bars: [...document.querySelectorAll(`${arguments[0]} svg rect`)].map((bar) => ({
    text: bar.querySelector("title").textContent, color: getComputedStyle(bar).fill,
    ...Object.fromEntries(["x", "y", "height"].map((name) => [name, Number(bar.getAttribute(name))])) })),
  keys: Object.fromEntries([...document.querySelectorAll(`${arguments[0]} .chart-legend li`)].map((key) =>
    [key.textContent, getComputedStyle(key.querySelector(".chart-key")).backgroundColor])),
  months: texts("svg text[text-anchor=middle]"), values: texts("svg text[text-anchor=end]"),
};
"""


def number(text):
    """The number of a value such as `1.5 USD`, without its currency."""
    return float(text.split(" ")[0].replace("−", "-"))


class OperatorChartTests(OperatorTestCase):
    # Signed transactions have prices.
    settings = {"apps": [{"bundleId": BUNDLE_ID, "verification": "offline"}]}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for plan in (GOLD, FREE):
            cls.ask(cls, "PUT", f"operator/apps/{BUNDLE_ID}/products/{plan}", {
                "type": "Auto-Renewable Subscription", "isListed": True})
        address = f"{cls.server.address}/v1/apps/{BUNDLE_ID}/notifications"
        cls.store.ask("PUT", f"apps/{BUNDLE_ID}/notificationURLs", {"production": address, "sandbox": address})
        # On the 10th of a month, so that trials of a week end in it.
        now = datetime.datetime.fromtimestamp(cls.store.ask("GET", "clock")["now"] / 1_000, datetime.timezone.utc)
        first = (now.replace(day=1) + datetime.timedelta(days=32)).replace(day=10, hour=12)
        second = (first + datetime.timedelta(days=32)).replace(day=20)
        cls.months = [each.strftime("%Y-%m") for each in (first, second)]
        cls.store.ask("PATCH", "clock", {"now": round(first.timestamp() * 1_000)})
        cls.buy("paying", GOLD)
        lapsing = cls.buy("lapsing", GOLD)
        cls.store.ask("PATCH", f"subscriptions/{lapsing}", {"isAutoRenewOn": False})
        cls.buy("free", FREE)
        cls.buy("refunded", GOLD)
        for name in ("first", "second"):
            cls.buy(name, GOLD, "Sandbox")
        cls.store.ask("PATCH", "clock", {"now": round(second.timestamp() * 1_000)})
        [newest, *_] = cls.store.transactions("?customer=refunded")
        cls.store.ask("POST", f"transactions/{newest['transactionId']}/refund", {})
        assert cls.store.ask("POST", "notifications/settle", {"timeoutMilliseconds": 30_000})["failed"] == 0

    @classmethod
    def buy(cls, name, plan, environment="Production"):
        """A customer buys a plan and redeems it. Returns the transaction's id."""
        cls.store.ask("POST", "customers", {"environment": environment, "name": name})
        bought = cls.store.ask("POST", "purchases", {
            "bundleId": BUNDLE_ID, "environment": environment, "customer": name, "productId": plan})["transactionId"]
        proof = cls.store.ask("GET", f"transactions/{bought}/proofs")["signedTransaction"]
        cls.ask(cls, "POST", f"apps/{BUNDLE_ID}/redemptions",
                {"proof": {"signedTransaction": proof}, "purchases": [{"transactionId": bought}]},
                cls.ask(cls, "POST", f"apps/{BUNDLE_ID}/installations", {})["token"])
        return bought

    def choose_chart(self, title):
        self.browser.press(title, within="nav.tabs", exact=True)
        self.browser.sees(title, within="nav.tabs a[aria-current=page]")
        self.browser.sees(title, within="#definition h2")
        self.browser.find("html[data-ready]")

    def choose_range(self, *months, environment=None):
        for name, month in zip(("From", "Until"), months):
            self.browser.write(name, month, within=".filters")
        if environment:
            self.browser.choose("Environment", environment, within=".filters")
        before = self.browser.driver.current_url
        self.browser.press("Show", within=".filters")
        self.browser.until("return location.href !== values.before && document.documentElement.dataset.ready", before=before)

    def chart(self, title):
        """Checks that the picture of the chart's first series has what its table has. Returns the rows of the table."""
        rows, drawing = self.rows("#series-0"), self.browser.driver.execute_script(DRAWING, "#series-0")
        drawn = DRAWN[title]
        months = [row["Month"] for row in rows]
        self.assertEqual(drawing["months"], months)
        self.assertEqual(set(drawing["keys"]), drawn if len(drawn) > 1 else set())
        # Each value that is not 0 has a bar with its text, in the order of the months.
        self.assertEqual(
            sorted(bar["text"] for bar in drawing["bars"]),
            sorted(f"{row['Month']}: {row[column]}, {column}" for row in rows for column in drawn if number(row[column]) != 0))
        # Its height is in proportion to the value, and the bars of a month stand on one another: the highest reach the upper line.
        sums = [sum(number(row[column]) for column in drawn) for row in rows]
        highest = max(sums)
        self.assertEqual([number(value) for value in drawing["values"]], [highest, 0] if highest else [0])
        for bar in drawing["bars"]:
            month, text = bar["text"].split(": ", 1)
            value, column = text.split(", ", 1)
            self.assertAlmostEqual(bar["height"], number(value) / highest * (224 - 16), delta=0.02, msg=bar["text"])
            if len(drawn) > 1:
                self.assertEqual(bar["color"], drawing["keys"][column])
        for month, total in zip(months, sums):
            stack = sorted((bar for bar in drawing["bars"] if bar["text"].startswith(month)), key=lambda bar: -bar["y"])
            bottom = 224
            for bar in stack:
                self.assertAlmostEqual(bar["y"] + bar["height"], bottom, delta=0.03, msg=bar["text"])
                self.assertEqual(bar["x"], stack[0]["x"])
                bottom = bar["y"]
        places = [bar["x"] for bar in sorted(drawing["bars"], key=lambda bar: bar["text"])]
        self.assertEqual(places, sorted(places))
        return rows

    def values(self, title, *columns):
        """The values of these columns, for each month of the chart."""
        return [tuple(row[column] for column in columns) for row in self.chart(title)]

    def test_charts(self):
        """Chart, environment and months are chosen, and stay; picture and table of each chart agree"""
        self.open()
        self.browser.press("Charts", within="header nav")
        self.browser.sees("Active subscriptions", within="#definition h2")
        self.browser.find("html[data-ready]")
        rows = self.chart("Active subscriptions")
        self.assertEqual((len(rows), rows[-1]["Month"]), (12, self.months[1]))
        self.assertEqual(self.browser.field("Environment").get_attribute("value"), "Production")
        self.choose_range(*self.months)
        # At the end of the first month: two pay, one has a free plan, and a trial has lapsed. Of those who pay, one is refunded.
        self.assertEqual(self.values("Active subscriptions", "Month", "Active", "Paid", "Free"), [
            (self.months[0], "3", "2", "1"), (self.months[1], "2", "1", "1")])
        self.check_page("operator-chart-activeSubscriptions")
        self.choose_chart("Trials to paid")
        # The months stay.
        self.assertEqual(self.values("Trials to paid", "Month", "Trials", "Converted", "Running", "Lapsed", "Share converted"), [
            (self.months[0], "4", "2", "1", "1", "66.666 %"), (self.months[1], "0", "0", "0", "0", "")])
        self.check_page("operator-chart-trialsToPaid")
        self.choose_chart("Churn")
        self.assertEqual(self.values("Churn", "Month", "Paying", "Lost", "Share lost"), [
            (self.months[0], "0", "0", ""), (self.months[1], "2", "1", "50 %")])
        self.check_page("operator-chart-churn")
        self.choose_chart("Refunds")
        self.assertEqual(self.values("Refunds", "Month", "Amount", "Refunds"), [
            (self.months[0], "0.00 USD", "0"), (self.months[1], "9.99 USD", "1")])
        self.check_page("operator-chart-refunds")
        self.choose_chart("Recurring revenue")
        rows = self.chart("Recurring revenue")
        for row in rows:
            self.assertAlmostEqual(number(row["Net"]), number(row["Gross"]) - number(row["Refunded"]), places=3)
        # Two plans, each with a renewal, of which one was refunded.
        self.assertEqual([number(row["Refunded"]) > 0 for row in rows], [False, True])
        self.check_page("operator-chart-recurringRevenue")
        # The other environment, and one month.
        production = rows[0]["Gross"]
        self.choose_range(self.months[0], self.months[0], environment="Sandbox")
        self.choose_chart("Active subscriptions")
        self.assertEqual(self.values("Active subscriptions", "Month", "Active", "Paid", "Free"), [(self.months[0], "2", "2", "0")])
        self.assertEqual(self.browser.field("Environment").get_attribute("value"), "Sandbox")
        self.choose_chart("Recurring revenue")
        self.assertEqual([row["Gross"] for row in self.chart("Recurring revenue")], [production])
        self.choose_chart("Refunds")
        self.browser.sees("There is nothing in these months.", within="main")
        # All: twelve months, of production.
        self.browser.press("All", within=".filters", exact=True)
        self.browser.sees("9.99 USD", within="#series-0")
        self.browser.find("html[data-ready]")
        self.assertEqual(len(self.chart("Refunds")), 12)
        # Another currency has zeros.
        for currency, last in (("eur", ("0.00 EUR", "0")), ("usd", ("9.99 USD", "1"))):
            self.browser.write("Currency", currency, within=".filters")
            self.browser.press("Show", within=".filters")
            self.browser.sees(f"Refunds, {currency.upper()}", within="#series-0 h2")
            self.browser.find("html[data-ready]")
            self.assertEqual(self.values("Refunds", "Amount", "Refunds")[-1], last)

    def test_credits(self):
        """The chart of credits has a series for each unit, and no environment"""
        for unit, amount in (("coins", 7), ("coins", 5), ("gems", 3)):
            customer = self.customer()["customer"]
            self.ask("POST", f"operator/apps/{BUNDLE_ID}/customers/{customer}/grants", {
                "key": customer, "reason": "a test", "credits": {"unit": unit, "amount": amount}})
        self.open("charts")
        self.choose_chart("Credits outstanding")
        self.assertEqual(self.browser.driver.find_elements("css selector", "#environment"), [])
        self.assertEqual(self.values("Credits outstanding", "Outstanding", "Owed", "Accounts")[-1], ("12", "0", "2"))
        self.browser.sees("Credits outstanding, coins", within="#series-0 h2")
        self.browser.sees("Credits outstanding, gems", within="#series-1 h2")
        self.assertEqual(self.rows("#series-1")[-1]["Outstanding"], "3")
        self.check_page("operator-chart-creditsOutstanding")

    def test_refused_range(self):
        """Months that a chart does not have are refused with the reason"""
        self.open("charts")
        for months, reason in ((self.months[::-1], self.months[1]), (("2020-13", self.months[1]), "2020-13"),
                               (("2000-01", self.months[1]), "36")):
            for name, month in zip(("From", "Until"), months):
                self.browser.write(name, month, within=".filters")
            self.browser.press("Show", within=".filters")
            self.browser.sees(reason, within="main .notice")
            self.expect_refusal()
            self.browser.driver.back()
            self.browser.find("#definition")
