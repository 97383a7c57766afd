import ControlAPI
import WebSupport

/// The store's clock in the header of every page, with buttons to travel in time.
struct ClockHeader {
  let date: HTML
  let rate: Double
  let calls: CallContext

  var html: HTML {
    """
    <span class="sr-only">The store’s clock: </span>\(date) UTC\
    \(" · stands still", if: rate == 0)\(" · \(Rate.text(rate))", if: rate != 0 && rate != 1)
    <details id="clock-menu" class="clock-menu" open><summary>Change the clock</summary>
    <div class="clock-buttons">\(buttons)</div></details>
    """
  }

  private var buttons: [HTML] {
    [
      button("hour", .constant("advanceMilliseconds", .duration, "1 h"), "+1 hour"),
      button("day", .constant("advanceMilliseconds", .duration, "1 d"), "+1 day"),
      button("month", .constant("advanceMilliseconds", .duration, "30 d"), "+1 month"),
      button("event", .constant("toNextEvent", .flag, "true"), "Next event"),
      rate == 0
        ? button("run", .constant("rate", .number, "1"), "Run")
        : button("pause", .constant("rate", .number, "0"), "Pause"),
    ]
  }

  private func button(_ name: String, _ field: FormField, _ title: String) -> HTML {
    CallButton(
      call: APICall("clock-\(name)", ControlEndpoints.changeClock, fields: [field]), title: title, calls: calls
    ).html
  }
}
