import StoreModel

/// A connection to the store that reports the steps of purchases.
struct StepConnection: AppStoreConnection {
  let base: any AppStoreConnection
  let steps: StepReporter

  func send<Call: StoreCall>(_ call: Call, for installation: InstallationID) async throws -> Call.Answer {
    let answer: Call.Answer
    do {
      answer = try await base.send(call, for: installation)
    } catch let refusal as StoreRefusal where refusal.code == .signInRefused {
      steps(.signInRefused, detail: refusal.message)
      throw refusal
    }
    if let quote = answer as? PaymentQuote { report(.quoted, quote) }
    if let confirmation = call as? ConfirmCall, case .purchased(let batch)? = answer as? ConfirmationResult {
      let isRedelivered = batch.deliveries.contains { $0.redelivery != nil }
      let isFree = confirmation.quote.total.amount == .zero
      report(isRedelivered ? .redelivered : isFree ? .free : .charged, confirmation.quote)
    }
    if let account = answer as? SignedInAccount {
      steps(.signedIn, detail: account.account.rawValue)
      steps.account(account.account.rawValue)
    }
    if call is SignOutCall { steps.account(nil) }
    if let finish = call as? FinishCall { steps(.finished, transaction: finish.transactionID.rawValue) }
    if let changes = answer as? DeviceChanges { report(changes) }
    return answer
  }

  private func report(_ changes: DeviceChanges) {
    for change in changes.changes where change.kind == .entitlementsRevoked {
      for product in change.productIDs { steps(.revoked, product: product.rawValue) }
    }
  }

  private func report(_ step: PurchaseStep, _ quote: PaymentQuote) {
    steps(
      step, product: quote.payment.productID.rawValue, detail: step == .redelivered ? nil : quote.totalText)
  }
}
