/// Numbers in drawings, with two decimals.
enum SVGNumber {
  static func text(_ number: Double) -> String { "\((number * 100).rounded() / 100)" }
}
