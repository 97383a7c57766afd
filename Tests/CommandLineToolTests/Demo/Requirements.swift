/// The ids of the system's requirements, which tests name.
enum Requirements {
  /// A: products and prices. B: purchasing. C: failure, outage, restriction. D: non-consumables. E: restoring. F: keeping purchases safe.
  /// G: receipts and the developer's server. H: what goes beyond. I: the library on Linux.
  private static let counts: [(letter: Character, count: Int)] = [
    ("A", 7), ("B", 9), ("C", 6), ("D", 4), ("E", 5), ("F", 3), ("G", 6), ("H", 2), ("I", 3),
  ]

  /// All 45.
  static let all = counts.flatMap { letter, count in (1...count).map { "\(letter)\($0)" } }
}
