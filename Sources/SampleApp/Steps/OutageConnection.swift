import StoreModel

/// A connection to the store that reports when a request of a purchase gets no answer, or only the answer that the store
/// is temporarily unavailable.
struct OutageConnection: AppStoreConnection {
  /// A request of a purchase. StoreKit repeats it until the store answers.
  private enum Request: Hashable, Sendable {
    case payment(PaymentRequest)
    case finish(TransactionID)
  }

  let base: any AppStoreConnection
  let steps: StepReporter
  /// The requests without an answer. Each is reported once, and not again when it is repeated.
  private let unanswered = LockedValue<Set<Request>>([])

  init(base: any AppStoreConnection, steps: StepReporter) {
    self.base = base
    self.steps = steps
  }

  func send<Call: StoreCall>(_ call: Call, for installation: InstallationID) async throws -> Call.Answer {
    guard let request = Self.request(of: call) else { return try await base.send(call, for: installation) }
    do {
      let answer = try await base.send(call, for: installation)
      noteAnswer(to: request)
      return answer
    } catch {
      if Self.isOutage(error) { report(request, "\(error)") } else { noteAnswer(to: request) }
      throw error
    }
  }

  private static func isOutage(_ error: any Error) -> Bool {
    switch error {
    case is StoreConnectionFailure: true
    case let refusal as StoreRefusal: refusal.code == .temporarilyUnavailable
    default: false
    }
  }

  private static func request(of call: some StoreCall) -> Request? {
    switch call {
    case let call as QuoteCall: .payment(call.payment)
    case let call as ConfirmCall: .payment(call.quote.payment)
    case let call as FinishCall: .finish(call.transactionID)
    default: nil
    }
  }

  private func noteAnswer(to request: Request) { unanswered.withLock { _ = $0.remove(request) } }

  private func report(_ request: Request, _ reason: String) {
    guard unanswered.withLock({ $0.insert(request).inserted }) else { return }
    switch request {
    case .payment(let payment): steps(.storeUnreachable, product: payment.productID.rawValue, detail: reason)
    case .finish(let transaction): steps(.storeUnreachable, transaction: transaction.rawValue, detail: reason)
    }
  }
}
