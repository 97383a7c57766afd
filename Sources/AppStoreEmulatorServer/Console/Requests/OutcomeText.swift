import AppStoreEmulator
import Foundation

enum OutcomeText {
  static func text(_ outcome: RequestOutcome) -> String {
    switch outcome {
    case .underWay: "under way"
    case .answered: "answered"
    case .refused(let code): "refused: \(code.rawValue)"
    case .status(let status): "status \(status)"
    case .serverError(let status): "HTTP \(status)"
    case .noAnswer: "no answer"
    case .failed: "the store failed"
    }
  }

  static func title(_ name: RequestOutcome.Name) -> String {
    switch name {
    case .underWay: "under way"
    case .answered: "answered"
    case .refused: "refused"
    case .status: "verifyReceipt's status"
    case .serverError: "server error"
    case .noAnswer: "no answer"
    case .failed: "failed"
    }
  }
}

enum DurationText {
  /// A duration in a fitting unit, such as `850 µs`, `12.3 ms` or `3.00 s`. From 1 ms it has at least three significant
  /// digits.
  static func text(microseconds: Int64) -> String {
    guard microseconds >= 1_000 else { return "\(microseconds) µs" }
    // A duration that would be rounded to a thousand milliseconds is in seconds.
    let (value, unit) =
      microseconds < 999_500 ? (Double(microseconds) / 1e3, "ms") : (Double(microseconds) / 1e6, "s")
    let decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0
    return String(format: "%.\(decimals)f", value) + " \(unit)"
  }
}
