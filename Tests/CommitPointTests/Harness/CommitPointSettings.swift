import Foundation

/// The number of random runs, the first of them and the seed, from the environment. `make prove` sets them.
struct CommitPointSettings: Sendable {
  private static let usualCount = 60
  private static let variables = ProcessInfo.processInfo.environment

  /// Whether `make prove` runs, with all variants of each interruption.
  static var isLong: Bool { number("COMMIT_POINT_KILLS") ?? usualCount > usualCount }

  let count = number("COMMIT_POINT_KILLS") ?? usualCount
  let first = number("COMMIT_POINT_FIRST") ?? 0
  let seed = UInt64(number("COMMIT_POINT_SEED") ?? 1)

  func reproduction(of index: Int) -> String {
    "COMMIT_POINT_SEED=\(seed) COMMIT_POINT_FIRST=\(index) COMMIT_POINT_KILLS=1 swift test --filter CommitPointTests.*AtRandom"
  }

  private static func number(_ name: String) -> Int? { variables[name].flatMap { Int($0) } }
}
