/// The rate of the store's clock as text.
enum Rate {
  static func text(_ rate: Double) -> String {
    rate == 0 ? "stands still" : rate == 1 ? "as fast as time" : "\(field(rate)) times as fast as time"
  }

  /// The rate for a form field.
  static func field(_ rate: Double) -> String { rate == rate.rounded() ? "\(Int(rate))" : "\(rate)" }
}
