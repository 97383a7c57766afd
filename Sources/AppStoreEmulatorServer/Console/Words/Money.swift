import Foundation
import StoreModel

/// Amounts as the console's lists write them: `3.49 USD`. Many currencies share a sign, so the code is written.
enum Money {
  private static let withoutDecimals: Set = ["CLP", "JPY", "KRW", "VND"]

  static func text(_ amount: Milliunits, _ currency: String) -> String { "\(number(amount, currency)) \(currency)" }

  /// With as many decimals as it has, and as its currency usually has.
  static func number(_ amount: Milliunits, _ currency: String) -> String {
    let magnitude = amount.rawValue.magnitude
    var decimals = String(1000 + magnitude % 1000).dropFirst()
    let usual = withoutDecimals.contains(currency) ? 0 : 2
    while decimals.count > usual, decimals.last == "0" { decimals.removeLast() }
    return (amount.rawValue < 0 ? "−" : "") + "\(magnitude / 1000)" + (decimals.isEmpty ? "" : ".\(decimals)")
  }

  /// As a form's field has it: no sign of a currency, no more decimals than there are.
  static func field(_ amount: Milliunits) -> String { number(amount, "USD").replacing("−", with: "-") }
}
