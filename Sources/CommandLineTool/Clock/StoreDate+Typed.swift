import Foundation
import StoreModel

extension StoreDate {
  /// A date as it is typed: `2026-12-01T12:00:00Z`, with another offset, or with a blank for the T; `2026-12-01` for midnight.
  /// Without an offset it is in UTC. Nil where `text` is none.
  init?(typed text: String) {
    var text = text.uppercased()
    if let blank = text.firstIndex(of: " ") { text.replaceSubrange(blank...blank, with: "T") }
    if text.count == 10 { text += "T00:00:00" }
    let time = text.dropFirst(11)
    if !time.hasSuffix("Z"), !time.contains("+"), !time.contains("-") { text += "Z" }
    let style =
      text.contains(".")
      ? Date.ISO8601FormatStyle(includingFractionalSeconds: true) : Date.ISO8601FormatStyle()
    // Foundation counts on from the 32nd of a month and the 25th hour of a day.
    let local = text.prefix(19)
    guard let plain = try? Date("\(local)Z", strategy: .iso8601), StoreDate(plain).description.hasPrefix(local),
      let date = try? Date(text, strategy: style)
    else { return nil }
    self.init(date)
  }
}
