import Foundation
import StoreModel

/// A device's call with its rule: what this store does, and answers. Each call is documented at its type.
protocol DeviceCall: StoreCall {
  func answer(
    to installation: InstallationID, in store: StoreServices, _ context: OperationContext
  ) async throws -> Answer
  func decides(_ faultError: any Error) -> Bool
}

extension DeviceCall {
  func decides(_ faultError: any Error) -> Bool { false }
}

/// A device's call, and the installation that sends it.
struct DeviceOperation<Call: DeviceCall>: StoreOperation {
  let call: Call
  let installation: InstallationID

  func metadata(in store: StoreServices) async throws -> RequestMetadata {
    let subject = call.subject
    var scope: InstallationScope?
    if subject.environment == nil || subject.bundleID == nil {
      scope = try await store.installationDirectory.scope(
        of: installation, epoch: store.currentEpoch.value, in: store.database)
    }
    return RequestMetadata(Call.verb, subject, from: installation, scope)
  }

  func run(in store: StoreServices, _ context: OperationContext) async throws -> Call.Answer {
    try await call.answer(to: installation, in: store, context)
  }

  var unavailable: any Error {
    StoreRefusal(.temporarilyUnavailable, "The store is out of order. Try again later.")
  }

  func decides(_ faultError: any Error) -> Bool { call.decides(faultError) }

  /// The body without the installation, which ``RequestMetadata`` has.
  var recordedBody: RecordedBody { RecordedBody(call, heldBytes: RecordedBody.smallValue + call.listedBytes) }

  static func recordedBody(of answer: Call.Answer) -> RecordedBody {
    RecordedBody(answer, heldBytes: RecordedBody.smallValue + Call.listedBytes(of: answer))
  }

  static func isWithoutNews(_ answer: Call.Answer) -> Bool { Call.isWithoutNews(answer) }
}

/// A call that is answered from one access to the database. ``SynchronousStore`` answers it, too.
protocol OneStepCall: DeviceCall {
  associatedtype Contents: Sendable
  /// The answer before it is signed.
  func contents(for installation: InstallationID, _ work: StoreUnitOfWork) throws -> Contents
  /// Signs on the calling thread.
  static func answer(with contents: Contents, signedBy signer: TransactionSigner) throws -> Answer
  /// Signs on all cores. By default it signs on the calling thread.
  static func answer(with contents: Contents, signedOnAllCoresBy signer: TransactionSigner) async throws -> Answer
}

extension OneStepCall {
  func answer(
    to installation: InstallationID, in store: StoreServices, _ context: OperationContext
  ) async throws -> Answer {
    let unsigned = try await store.database.write { try contents(for: installation, $0) }
    return try await Self.answer(with: unsigned, signedOnAllCoresBy: store.signer)
  }

  static func answer(
    with contents: Contents, signedOnAllCoresBy signer: TransactionSigner
  ) async throws -> Answer { try answer(with: contents, signedBy: signer) }

  /// Answers on the calling thread.
  func answer(to installation: InstallationID, in store: StoreServices) throws -> Answer {
    let unsigned = try store.database.write { try contents(for: installation, $0) }
    return try Self.answer(with: unsigned, signedBy: store.signer)
  }
}

extension RegisterCall: OneStepCall {
  func contents(for installation: InstallationID, _ work: StoreUnitOfWork) throws -> StoreGreeting {
    guard installation == registration.installationID else {
      throw StoreRefusal(.malformedRequest, "An installation can only register itself.")
    }
    return try work.deviceRegistration.register(registration)
  }

  static func answer(with contents: StoreGreeting, signedBy signer: TransactionSigner) -> StoreGreeting { contents }
}

extension SignInCall: OneStepCall {
  func contents(for installation: InstallationID, _ work: StoreUnitOfWork) throws -> SignedInAccount {
    try work.deviceRegistration.signIn(credentials, on: installation)
  }

  static func answer(with contents: SignedInAccount, signedBy signer: TransactionSigner) -> SignedInAccount {
    contents
  }
}

extension SignOutCall: DeviceCall {
  func answer(
    to installation: InstallationID, in store: StoreServices, _ context: OperationContext
  ) async throws -> EmptyAnswer {
    _ = try await store.database.write { work in
      try work.installations.signOut(work.installations.registered(installation))
    }
    return EmptyAnswer()
  }
}

extension ProductsCall: DeviceCall {
  func answer(
    to installation: InstallationID, in store: StoreServices, _ context: OperationContext
  ) async throws -> ProductList {
    guard productIDs.count <= ProductList.maximumCount else {
      throw StoreRefusal(
        .malformedRequest, "At most \(ProductList.maximumCount) products can be asked for at once.")
    }
    return try await store.database.read { work in
      try work.products(productIDs, of: groupID, for: work.installations.registered(installation))
    }
  }
}

extension QuoteCall: DeviceCall {
  func answer(
    to installation: InstallationID, in store: StoreServices, _ context: OperationContext
  ) async throws -> PaymentQuote {
    try await store.database.read { work in
      let installation = try work.installations.registered(installation)
      guard let account = installation.account else {
        throw StoreRefusal(.signInRequired, "Sign in to buy \(payment.productID).")
      }
      let customer = try work.customers.find(account, installation.environment)
      return try work.quotes.quote(payment, for: account, customer, on: installation)
    }
  }
}

extension ConfirmCall: DeviceCall {
  func answer(
    to installation: InstallationID, in store: StoreServices, _ context: OperationContext
  ) async throws -> ConfirmationResult {
    enum Answer {
      case deliver(UnsignedDelivery)
      case other(ConfirmationResult)
      case refuse(StoreRefusal, isFault: Bool)
    }
    let fault = context.faultError as? StoreRefusal
    var isFaultUsed = false
    defer {
      if fault != nil, !isFaultUsed { context.ignoreFault() }
    }
    // Keys are made before the database transaction, because making them would block other transactions.
    try store.signer.authority.prepareForCharge(at: store.clock.now)
    let answer: Answer = try await store.database.write { work in
      let installation = try work.installations.registered(installation)
      return switch try work.paymentConfirmation(on: installation).confirm(quote, fault: fault) {
      case .deliver(let fulfilment): .deliver(try work.deliveries(to: installation).delivery(of: fulfilment))
      case .askAgain(let current): .other(.stale(current))
      case .wait: .other(.deferred)
      case .refuse(let refusal, let isFault): .refuse(refusal, isFault: isFault)
      }
    }
    switch answer {
    case .deliver(let delivery): return .purchased(try await store.signer.batch(delivery))
    case .other(let result): return result
    case .refuse(let refusal, let isFault):
      isFaultUsed = isFault
      throw refusal
    }
  }

  /// True if the fault's error is a refusal that ends the payment. This operation then decides whether to store that
  /// refusal as the payment's outcome.
  func decides(_ faultError: any Error) -> Bool { (faultError as? StoreRefusal)?.endsPayment == true }
}

extension UnfinishedCall: OneStepCall {
  func contents(for installation: InstallationID, _ work: StoreUnitOfWork) throws -> UnsignedDelivery {
    try work.deliveries(to: work.installations.registered(installation)).unfinished(after: after)
  }

  static func answer(with contents: UnsignedDelivery, signedBy signer: TransactionSigner) throws -> DeliveryBatch {
    try signer.batch(contents)
  }

  static func answer(
    with contents: UnsignedDelivery, signedOnAllCoresBy signer: TransactionSigner
  ) async throws -> DeliveryBatch { try await signer.batch(contents) }
}

extension FinishCall: DeviceCall {
  func answer(
    to installation: InstallationID, in store: StoreServices, _ context: OperationContext
  ) async throws -> EmptyAnswer {
    try await store.database.write { work in
      try work.deliveries(to: work.installations.registered(installation)).finish(transactionID)
    }
    return EmptyAnswer()
  }
}

extension TransactionsCall: OneStepCall {
  func contents(for installation: InstallationID, _ work: StoreUnitOfWork) throws -> UnsignedChanges {
    try work.deliveries(to: work.installations.registered(installation)).changed(
      after: after, limit: limit, withStatuses: withStatuses == true)
  }

  static func answer(with contents: UnsignedChanges, signedBy signer: TransactionSigner) throws -> TransactionChanges {
    try signer.changes(contents)
  }

  static func answer(
    with contents: UnsignedChanges, signedOnAllCoresBy signer: TransactionSigner
  ) async throws -> TransactionChanges { try await signer.changes(contents) }
}

extension RestoreCall: DeviceCall {
  func answer(
    to installation: InstallationID, in store: StoreServices, _ context: OperationContext
  ) async throws -> RestoredPage {
    let (delivery, next) = try await store.database.write { work in
      try work.deliveries(to: work.installations.registered(installation))
        .restore(after: after, applicationUsername: applicationUsername)
    }
    return RestoredPage(batch: try await store.signer.batch(delivery), next: next)
  }
}

extension RefreshReceiptCall: OneStepCall {
  func contents(for installation: InstallationID, _ work: StoreUnitOfWork) throws -> AppReceiptContents {
    let installation = try work.installations.registered(installation)
    guard installation.account != nil else {
      throw StoreRefusal(.signInRequired, "Sign in to refresh the receipt.")
    }
    return try work.appReceipt(of: installation).refreshed()
  }

  static func answer(with contents: AppReceiptContents, signedBy signer: TransactionSigner) throws -> Answer {
    Answer(receipt: try signer.sign(contents))
  }
}

extension ChangesCall: DeviceCall {
  /// The maximum time that one call waits, in seconds. The device then calls again.
  private static var longestWaitSeconds: Double { 60 }

  func answer(
    to installation: InstallationID, in store: StoreServices, _ context: OperationContext
  ) async throws -> DeviceChanges {
    let machine = store.clock.machine
    let end = machine.nanoseconds + Int64(min(max(waitSeconds, 0), Self.longestWaitSeconds) * 1e9)
    // The second signal is notified of the first one's changes, too.
    let signal = follows == nil ? store.database.deviceChanges : store.database.recordChanges
    while true {
      let count = signal.count
      let changes = try await changes(for: installation, in: store)
      let left = end - machine.nanoseconds
      guard Self.isWithoutNews(changes), left > 0, !Task.isCancelled else { return changes }
      let seconds = Double(left) / 1e9
      guard let caller = context.caller else {
        await signal.wait(beyond: count, seconds: seconds)
        continue
      }
      let isWaiting: Void? = await caller.whileWaiting { await signal.wait(beyond: count, seconds: seconds) }
      guard isWaiting != nil else { return changes }
    }
  }

  private func changes(for installation: InstallationID, in store: StoreServices) async throws -> DeviceChanges {
    let changes: DeviceChanges? = try await store.database.read { work in
      let registered = try work.installations.registered(installation)
      guard try work.missedChanges.isKnown(after, to: installation) else { return nil }
      return try following(
        DeviceChangeRow.fetch(after: after, of: installation, in: work.database), on: registered, work)
    }
    if let changes { return changes }
    return try await store.database.write { work in
      let registered = try work.installations.registered(installation)
      return try following(work.missedChanges.startOver(registered, after: after), on: registered, work)
    }
  }

  /// The same changes, with the news of the customer's records if the call follows them.
  private func following(
    _ changes: DeviceChanges, on installation: Installation, _ work: StoreUnitOfWork
  ) throws -> DeviceChanges {
    guard let follows else { return changes }
    return DeviceChanges(
      changes: changes.changes, cursor: changes.cursor,
      transactionsHaveChanged: try work.deliveries(to: installation).haveRecordsChanged(after: follows.after))
  }
}

extension SubscriptionsCall: DeviceCall {
  func answer(
    to installation: InstallationID, in store: StoreServices, _ context: OperationContext
  ) async throws -> SubscriptionOverview {
    try await store.database.read { work in
      let installation = try work.installations.registered(installation)
      return try work.subscriptionSettings(on: installation).overview()
    }
  }
}

extension ChangeSubscriptionCall: DeviceCall {
  func answer(
    to installation: InstallationID, in store: StoreServices, _ context: OperationContext
  ) async throws -> EmptyAnswer {
    // Keys are made before the database transaction, because making them would block other transactions.
    try store.signer.authority.prepareForCharge(at: store.clock.now)
    try await store.database.write { work in
      let installation = try work.installations.registered(installation)
      try work.subscriptionSettings(on: installation).change(originalTransactionID, setting)
    }
    return EmptyAnswer()
  }
}

extension AppTransactionCall: DeviceCall {
  func answer(
    to installation: InstallationID, in store: StoreServices, _ context: OperationContext
  ) async throws -> Answer {
    let (unsigned, registered, identity) = try await store.database.write { work in
      let installation = try work.installations.registered(installation)
      guard let account = installation.account else {
        throw StoreRefusal(.signInRequired, "Sign in to receive the app transaction.")
      }
      let unsigned = try work.appTransaction(
        of: Scope(account, on: installation), on: installation, work.catalog.app(installation.bundleID))
      return (unsigned, installation, work.identity)
    }
    return Answer(signedAppTransaction: try store.signer.appTransaction(unsigned, for: registered, identity))
  }
}

extension RequestRefundCall: DeviceCall {
  func answer(
    to installation: InstallationID, in store: StoreServices, _ context: OperationContext
  ) async throws -> EmptyAnswer {
    try await store.database.write { work in
      try work.refundRequests.ask(
        transactionID, reason: reason, on: work.installations.registered(installation))
    }
    return EmptyAnswer()
  }
}
