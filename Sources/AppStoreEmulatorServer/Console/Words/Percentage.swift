import StoreModel

/// Thousandths of a percent.
enum Percentage {
  static func words(_ thousandths: Int) -> String { Money.number(Milliunits(Int64(thousandths)), "JPY") + " %" }
}
