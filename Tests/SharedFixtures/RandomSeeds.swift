import Foundation

/// The seeds of tests that play random histories. A few are played for every change; `RANDOM_SEEDS` is their number in
/// `make prove`.
public enum RandomSeeds {
  private static let count = ProcessInfo.processInfo.environment["RANDOM_SEEDS"].flatMap { UInt64($0) }

  /// Whether these tests take longer than usual.
  public static let isLong = count != nil

  /// - Parameter usual: the number of seeds, unless the environment has another one.
  public static func first(_ usual: UInt64) -> [UInt64] { Array(1...max(1, count ?? usual)) }
}
