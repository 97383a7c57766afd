import AppStoreEmulator
import StoreModel
import WebSupport

/// Charges and refunds over the store's time: a bar chart of one currency, and a table of all currencies.
struct SalesChart {
  let sales: SalesHistory

  /// The currency of the bars: the one with the most purchases.
  var currency: String? {
    Dictionary(grouping: sales.entries, by: \.currency).mapValues { $0.reduce(0) { $0 + $1.purchases } }
      .max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
  }

  private static let (width, height) = (600.0, 72.0)

  var html: HTML {
    guard let currency, let first = sales.entries.first, let last = sales.entries.last else { return "" }
    let entries = sales.entries.filter { $0.currency == currency }
    let others = Set(sales.entries.map(\.currency)).count - 1
    let more: HTML =
      others > 0 ? ", and \(others == 1 ? "another currency" : "\(others) other currencies") in the table" : ""
    return """
      <svg class="sales" viewBox="0 0 600 72" preserveAspectRatio="none" role="img" aria-label="\(summary(entries, currency))">\(bars(entries))</svg>
      <p class="between small"><span>\(first.start.html)</span><span class="keys">\
      <span class="key"><span class="key-charged"></span>Charged, \(currency)</span>\
      <span class="key"><span class="key-refunded"></span>Refunded</span>\
      <span>per \(Self.interval(sales.intervalHours))\(more)</span></span><span>\(last.start.html)</span></p>
      <details id="sales-fold"><summary>Revenue as a table</summary>\(table)</details>
      """
  }

  /// The bars: charges up from the base line, refunds down.
  private func bars(_ entries: [SalesHistory.Entry]) -> [HTML] {
    let starts = sales.entries.map(\.start.millisecondsSince1970)
    guard let first = starts.min(), let last = starts.max() else { return [] }
    let length = sales.intervalHours * 3_600_000
    let slot = Self.width / Double((last - first) / length + 1)
    let charged = max(0, entries.map(\.charged.rawValue).max() ?? 0)
    let refunded = max(0, entries.map(\.refunded.rawValue).max() ?? 0)
    guard charged > 0 || refunded > 0 else { return [] }
    let scale = Self.height / (Double(charged) + Double(refunded))
    let base = Double(charged) * scale
    return entries.map { entry in
      let left = Double((entry.start.millisecondsSince1970 - first) / length) * slot
      func bar(_ style: String, _ amount: Milliunits, isDown: Bool) -> HTML {
        guard amount > .zero else { return "" }
        let height = Double(amount.rawValue) * scale
        return """
          <rect class="\(style)" x="\(SVGNumber.text(left + slot * 0.1))" y="\(SVGNumber.text(isDown ? base : base - height))" \
          width="\(SVGNumber.text(min(slot * 0.8, 40)))" height="\(SVGNumber.text(height))">\
          <title>\(text(entry))</title></rect>
          """
      }
      return "\(bar("charged", entry.charged, isDown: false))\(bar("refunded", entry.refunded, isDown: true))"
    }
  }

  private func text(_ entry: SalesHistory.Entry) -> String {
    let purchases = entry.purchases == 1 ? "1 purchase" : "\(entry.purchases) purchases"
    return "From \(entry.start.text) UTC: \(Money.text(entry.charged, entry.currency)) charged in \(purchases), "
      + "\(Money.text(entry.refunded, entry.currency)) refunded"
  }

  /// The sums as a sentence, for people who do not see the bars.
  private func summary(_ entries: [SalesHistory.Entry], _ currency: String) -> String {
    let purchases = entries.reduce(0) { $0 + $1.purchases }
    let (charged, refunded) = entries.reduce((Milliunits.zero, Milliunits.zero)) {
      ($0.0.addingClamped($1.charged), $0.1.addingClamped($1.refunded))
    }
    return "Revenue over the store’s time: \(Money.text(charged, currency)) charged in \(purchases) purchases, "
      + "\(Money.text(refunded, currency)) refunded, per \(Self.interval(sales.intervalHours)). A table follows."
  }

  private var table: HTML {
    DataTable(
      caption: "Revenue and purchases, newest first",
      columns: [
        .init("From"), .init("Purchases", isNumber: true), .init("Charged", isNumber: true),
        .init("Refunded", isNumber: true),
      ],
      rows: sales.entries.reversed().map {
        [
          $0.start.html, "\($0.purchases)", "\(Money.text($0.charged, $0.currency))",
          "\(Money.text($0.refunded, $0.currency))",
        ]
      }
    ).html
  }

  private static func interval(_ hours: Int64) -> String {
    switch hours {
    case 1: "hour"
    case 24: "day"
    case 168: "week"
    case ..<24: "\(hours) hours"
    default: "\(hours / 24) days"
    }
  }
}
