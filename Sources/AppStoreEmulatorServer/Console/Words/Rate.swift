/// How fast the store's clock goes, in words.
enum Rate {
  static func words(_ rate: Double) -> String {
    rate == 0 ? "stands still" : rate == 1 ? "as fast as time" : "\(field(rate)) times as fast as time"
  }

  /// As a form's field has it.
  static func field(_ rate: Double) -> String { rate == rate.rounded() ? "\(Int(rate))" : "\(rate)" }
}
