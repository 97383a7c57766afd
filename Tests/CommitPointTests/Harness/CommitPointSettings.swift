import Foundation

/// The number of random runs, the first of them and the seed, from the environment. `make prove` sets them.
struct CommitPointSettings: Sendable {
  static let usualCount = 60
  private static let variables = ProcessInfo.processInfo.environment

  /// Whether `make prove` runs, with all variants of each interruption.
  static var isLong: Bool { number("COMMIT_POINT_KILLS") ?? usualCount > usualCount }

  /// Whether an app of StoreKit 2 also delivers by StoreKit 1: with `make prove`, both; else only that, which has both loops.
  static var usesBothStoreKits: [Bool] { isLong ? [false, true] : [true] }

  let count: Int
  let first = number("COMMIT_POINT_FIRST") ?? 0
  let seed = UInt64(number("COMMIT_POINT_SEED") ?? 1)

  /// - Parameters:
  ///   - variable: the environment variable with the number of runs.
  ///   - usualCount: the number of runs without it.
  init(variable: String = "COMMIT_POINT_KILLS", usualCount: Int = CommitPointSettings.usualCount) {
    self.variable = variable
    count = Self.number(variable) ?? usualCount
  }

  private let variable: String

  func reproduction(of index: Int) -> String {
    "COMMIT_POINT_SEED=\(seed) COMMIT_POINT_FIRST=\(index) \(variable)=1 swift test --filter CommitPointTests.*AtRandom"
  }

  private static func number(_ name: String) -> Int? { variables[name].flatMap { Int($0) } }
}
