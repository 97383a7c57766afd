import AppStoreEmulator
import ControlAPI
import Hummingbird
import StoreModel
import WebSupport

/// The page of the store's clock, with the forms to move it.
struct ClockPage {
  let now: StoreDate
  let rate: Double
  let calls: CallContext

  /// The date when the page was made. The page's script then updates it.
  static func running(_ now: StoreDate, rate: Double) -> HTML {
    "<span data-clock=\"\(now.millisecondsSince1970)\" data-rate=\"\(Rate.field(rate))\">\(now.wholeSeconds.html)</span>"
  }

  private var span: FormField {
    FormField(
      "advanceMilliseconds", .duration, "By", text: "1 h",
      input: .suggestions(["1 min", "1 h", "1 d", "1 w", "30 d", "365 d"]),
      hint: "Whole numbers and ms, s, min, h, d or w: 90 s, 1d12h.", isRequired: true)
  }

  private var date: FormField {
    FormField(
      "now", .date, "To", text: now.wholeSeconds.text,
      hint: "In UTC, as 2026-07-01 12:00:00; up to 2063, where the certificates end.", isRequired: true)
  }

  private var speed: FormField {
    FormField(
      "rate", .number, "Store seconds in a second", text: Rate.field(rate),
      input: .suggestions(["0", "1", "60", "3600", "86400"]), hint: "0 stops it; at most 1000000.", isRequired: true)
  }

  private func form(_ id: String, _ field: FormField, _ title: String) -> HTML {
    CallForm(
      call: APICall(id, ControlEndpoints.changeClock, fields: [field]), title: title, calls: calls,
      style: "button-primary",
      done: "The clock goes on from there."
    ).html
  }

  var html: HTML {
    """
    <h1>The store’s clock</h1>
    <section class="card" id="clock" data-live aria-label="What it shows"><p class="clock-face">\(Self.running(now, rate: rate)) UTC</p>
    <p class="muted">It goes \(Rate.text(rate)). Purchases, receipts and signatures have its dates. It never goes backwards, except by a reset of a store in memory.</p></section>
    <div class="grid">
    <section class="card" aria-labelledby="advance-title"><h2 id="advance-title">Put it forward</h2>
    \(form("advance", span, "Put forward"))</section>
    <section class="card" aria-labelledby="set-title"><h2 id="set-title">Set it to a date</h2>
    \(form("set", date, "Set"))</section>
    <section class="card" aria-labelledby="rate-title"><h2 id="rate-title">How fast it goes</h2>
    \(form("rate", speed, "Change"))</section>
    </div>
    """
  }
}

/// The route of `/console/clock`.
struct ClockPages: Sendable {
  let console: ConsoleContext

  func add(to router: Router<EmulatorRequestContext>) {
    router.get("/console/clock") { request, _ in
      let clock = console.store.clock
      let page = ClockPage(now: clock.now, rate: clock.rate, calls: console.calls(for: request))
      return console.page("Clock", in: .clock, for: request, page.html)
    }
  }
}
