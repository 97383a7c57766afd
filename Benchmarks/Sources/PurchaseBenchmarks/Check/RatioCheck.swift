import Foundation

/// Checks that an operation takes at most a given multiple of the time of a bare operation.
///
/// The two run alternately in one process, so that a change of the machine's speed concerns both. Rounds are added until
/// the median of their ratios is known to within ``precision``.
struct RatioCheck {
  /// The work of one round.
  struct Block {
    let repetitions: Int
    /// Is called before the work, and not measured.
    var prepare: (() async throws -> Void)?
    let work: () async throws -> Void

    /// The duration of one repetition in seconds.
    func duration() async throws -> Double {
      try await prepare?()
      let start = ContinuousClock.now
      for _ in 0..<repetitions { try await work() }
      let seconds = (ContinuousClock.now - start).inSeconds
      // Without this, a clock that does not run would let every check pass.
      guard seconds > 0 else { throw RatioCheckFailure.noTimePassed }
      return seconds / Double(repetitions)
    }
  }

  struct Result {
    let median: Double
    /// The median is in this range with a probability of 95 %.
    let range: ClosedRange<Double>
    let rounds: Int

    var isPrecise: Bool { range.upperBound - range.lowerBound <= RatioCheck.precision * median }
  }

  /// The largest allowed width of the range that contains the median, as a fraction of the median.
  static let precision = 0.05
  private static let rounds = 20...300

  let name: String
  /// The largest allowed ratio.
  let limit: Double
  let bare: Block
  let measured: Block

  func run() async throws -> Result {
    // The first rounds fill caches, and are not counted.
    for _ in 0..<3 { _ = try await ratio(bareFirst: true) }
    var ratios: [Double] = []
    while true {
      ratios.append(try await ratio(bareFirst: ratios.count % 2 == 0))
      guard ratios.count >= Self.rounds.lowerBound else { continue }
      let result = Self.result(ratios.sorted())
      if result.isPrecise || ratios.count >= Self.rounds.upperBound { return result }
    }
  }

  private func ratio(bareFirst: Bool) async throws -> Double {
    if bareFirst {
      let bare = try await bare.duration()
      return try await measured.duration() / bare
    }
    let measured = try await measured.duration()
    return try await measured / bare.duration()
  }

  /// The range is between two order statistics: of n independent values, the number below the median has the mean n / 2
  /// and the standard deviation √n / 2.
  private static func result(_ sorted: [Double]) -> Result {
    let reach = Int((1.96 * Double(sorted.count).squareRoot() / 2).rounded(.up))
    let middle = sorted.count / 2
    return Result(
      median: sorted[middle], range: sorted[max(0, middle - reach)]...sorted[min(sorted.count - 1, middle + reach)],
      rounds: sorted.count)
  }
}

enum RatioCheckFailure: Error {
  case noTimePassed
}
