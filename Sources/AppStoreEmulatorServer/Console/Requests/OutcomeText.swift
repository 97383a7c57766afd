import AppStoreEmulator

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
