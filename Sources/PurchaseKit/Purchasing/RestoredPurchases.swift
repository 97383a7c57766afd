/// The result of a restore.
public struct RestoredPurchases: Hashable, Sendable {
  /// The purchases that were delivered now or before, in the order of their arrival. Each original transaction occurs once.
  public let given: [PaidPurchase]
  /// The products that could not be delivered and are kept. See ``InAppPurchaseManager/keptTransactions``.
  public let keptProductIdentifiers: [String]
  /// The products of purchases that grant nothing (``RefusedPurchase``).
  public let refusedProductIdentifiers: [String]

  public init(
    given: [PaidPurchase], keptProductIdentifiers: [String] = [], refusedProductIdentifiers: [String] = []
  ) {
    self.given = given
    self.keptProductIdentifiers = keptProductIdentifiers
    self.refusedProductIdentifiers = refusedProductIdentifiers
  }

  /// Whether there was nothing to restore.
  public var isEmpty: Bool {
    given.isEmpty && keptProductIdentifiers.isEmpty && refusedProductIdentifiers.isEmpty
  }
}

/// The running restore: the transactions that StoreKit delivered for it, their outcomes, and the task that waits for its
/// end.
///
/// It ends when StoreKit has reported its end, and every transaction was delivered, kept or refused.
struct RestoreProgress: Sendable {
  /// The task that waits for the end.
  struct Waiting: Sendable {
    let ticket: Int
    let continuation: CheckedContinuation<RestoredPurchases, any Error>
  }

  /// The result, and the task that receives it.
  struct End: Sendable {
    let result: Result<RestoredPurchases, any Error>
    let waiting: Waiting?
  }

  /// Distinguishes this restore from the others of this run.
  let number: Int
  private(set) var waiting: Waiting?
  private var pending: Set<StoreTransaction.ID> = []
  private var given: [PaidPurchase] = []
  private var kept: [String] = []
  private var refused: [String] = []
  /// StoreKit's result; nil until StoreKit has reported the end of the restore.
  private var reported: Result<Void, any Error>?

  init(number: Int, waiting: Waiting?) {
    self.number = number
    self.waiting = waiting
  }

  /// Adds a transaction that is about to be delivered. StoreKit may deliver the same one twice, for instance when the app
  /// comes to the foreground.
  mutating func arrived(_ transaction: StoreTransaction) {
    pending.insert(transaction.id)
  }

  /// Records the outcome of a transaction. Transactions that do not belong to this restore change nothing.
  mutating func delivered(_ transaction: StoreTransaction, _ result: Result<PaidPurchase, any Error>) {
    guard pending.remove(transaction.id) != nil else { return }
    switch result {
    case .success(let purchase):
      let isKnown = given.contains { $0.originalTransactionIdentifier == purchase.originalTransactionIdentifier }
      if !isKnown { given.append(purchase) }
    case .failure(is RefusedPurchase):
      refused.append(transaction.productIdentifier)
    case .failure:
      kept.append(transaction.productIdentifier)
    }
  }

  /// Records what StoreKit reported at the end.
  mutating func ended(_ error: (any Error)?) { reported = error.map(Result.failure) ?? .success(()) }

  /// Removes the waiting task, and returns it. The restore continues.
  mutating func stopWaiting(_ ticket: Int) -> Waiting? {
    guard waiting?.ticket == ticket else { return nil }
    defer { waiting = nil }
    return waiting
  }

  /// The end of the restore; nil while it runs.
  var end: End? {
    guard let reported, pending.isEmpty else { return nil }
    let purchases = RestoredPurchases(
      given: given, keptProductIdentifiers: kept, refusedProductIdentifiers: refused)
    return End(result: reported.map { purchases }, waiting: waiting)
  }
}
