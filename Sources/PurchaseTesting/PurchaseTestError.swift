import OpenStoreKit
import StoreModel

/// Thrown when a test's store or device cannot do what the test asks for.
public enum PurchaseTestError: DescribedError, Hashable, Sendable {
  /// The awaited event did not occur in time. `observed` lists what the payment queue reported, and `problems` what
  /// StoreKit wrote to its log.
  case timeout(awaited: String, observed: [String], problems: [StoreKitProblem])
  /// No payment waits for approval.
  case noPendingApproval
  /// The store has no transaction of the product that can be refunded.
  case nothingToRefund(ProductID)
  /// The device keeps nothing that a new launch could read.
  case keptInMemory

  public var description: String {
    switch self {
    case .timeout(let awaited, let observed, let problems):
      let events =
        observed.isEmpty ? "The queue reported nothing" : "The queue reported: \(observed.joined(separator: ", "))"
      let log = problems.isEmpty ? "" : " StoreKit's log: \(problems.map(\.description).joined(separator: "; "))"
      return "There was no \(awaited) in time. \(events).\(log)"
    case .noPendingApproval:
      return "No payment waits for approval. Turn Ask to Buy on with setAskToBuy(_:for:), and await the deferred "
        + "transaction first."
    case .nothingToRefund(let product):
      return "The store has no transaction of \(product.rawValue) that can be refunded."
    case .keptInMemory:
      return "The device of a test session is kept in memory, so its app cannot be launched again. Make a TestDevice."
    }
  }
}
