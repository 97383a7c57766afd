import Foundation
import GRDB
import SignedData
import StoreModel

extension EmulatedAppStore {
  func quote(_ payment: PaymentRequest, from installationID: InstallationID) async throws -> PaymentQuote {
    try await database.read { database in
      let installation = try Self.registered(installationID, in: database)
      guard let account = installation.account else {
        throw StoreRefusal(.signInRequired, "Sign in to buy \(payment.productID).")
      }
      return try self.currentQuote(payment, account: account, installation: installation, in: database)
    }
  }

  /// - Parameter trouble: a fault that refuses it, unless it ends otherwise.
  func confirm(
    _ quote: PaymentQuote, from installationID: InstallationID, trouble: ConfirmationTrouble? = nil
  ) async throws -> ConfirmationResult {
    enum Answer {
      case deliver([Rendering], AppReceiptContents?)
      case askAgain(PaymentQuote)
      case wait
      case refuse(StoreRefusal)
    }
    try prepareSigners()
    // One commit: the payment's outcome, the transaction and the charge. Refusals are returned rather than
    // thrown, because throwing would roll back the record that this payment id was refused.
    let answer: Answer = try await database.write { database in
      let now = try StoreRow.takeDate(database, clock: self.clock)
      let installation = try Self.registered(installationID, in: database)
      let decision = try self.decide(
        quote, installation: installation, trouble: trouble?.refusal, now: now, in: database)
      if let trouble, decision == .refuse(trouble.refusal) { trouble.takeEffect() }
      switch decision {
      case .asBefore(.refused(let refusal)), .reject(let refusal):
        return .refuse(refusal)
      case .asBefore(.purchased(let id)):
        let provision = try Self.provision(id, in: database)
        if !provision.stored.record.isDeliverable {
          return .refuse(
            StoreRefusal(.purchaseRevoked, "What this payment bought was refunded or taken back since."))
        }
        return .deliver(
          try self.render([provision], for: installation, now: now, in: database),
          try self.receiptContents(for: installation, now: now, in: database))
      case .asBefore(.waiting):
        return .wait
      case .waitForApproval:
        try PaymentRow(installationID: installationID, quote: quote, decisionDate: now, outcome: .waiting)
          .insert(database)
        return .wait
      case .askAgain(let current):
        return .askAgain(current)
      case .refuse(let refusal):
        try PaymentRow(installationID: installationID, quote: quote, decisionDate: now, outcome: .refused(refusal))
          .insert(database)
        if refusal.code == .purchaseInterrupted {
          try Self.interrupt(quote.payment.paymentID, on: installationID, in: database)
        }
        return .refuse(refusal)
      case .charge, .deliverAgain:
        let provision = try self.provide(quote, for: installation, now: now, in: database)
        try PaymentRow(
          installationID: installationID, quote: quote, decisionDate: now,
          outcome: .purchased(provision.transactionID)
        ).insert(database)
        return .deliver(
          try self.render([provision], for: installation, now: now, in: database),
          try self.receiptContents(for: installation, now: now, in: database))
      }
    }
    switch answer {
    case .deliver(let renderings, let contents):
      return .purchased(try await batch(renderings, contents))
    case .askAgain(let current):
      return .stale(current)
    case .wait:
      return .deferred
    case .refuse(let refusal):
      throw refusal
    }
  }

  /// Buys on a customer's behalf, as if outside the app: charged at once, without a sheet.
  ///
  /// It is delivered to `installationID`, or, where none is named, to the first installation of the app on which the
  /// customer is signed in that asks for its unfinished transactions.
  ///
  /// - Parameter paymentID: names the purchase, so that asking again is the same purchase: charged once, and answered with the
  ///   transaction as it is by then. Nil: each call is a purchase of its own.
  /// - Throws: ``StoreRefusal`` as a payment would be refused, with `paymentConflict` where `paymentID` was used for another purchase;
  ///   or ``AppStoreEmulatorError``.
  public func purchase(
    _ productID: ProductID, quantity: Int = 1, of bundleID: BundleID, for account: AccountName,
    in environment: StoreEnvironment, applicationUsername: String? = nil, installationID: InstallationID? = nil,
    paymentID: PaymentID? = nil
  ) async throws -> StoredTransaction {
    try prepareSigners()
    let order = OrderedPurchase.Order(
      bundleID: bundleID, environment: environment, account: account, productID: productID, quantity: quantity,
      applicationUsername: applicationUsername, installationID: installationID)
    let stored = try await database.write { database in
      if let paymentID, let earlier = try OrderedPurchase.lookUp(["paymentID": paymentID.rawValue], in: database) {
        guard earlier.request == order else {
          throw StoreRefusal(
            .paymentConflict,
            "The paymentId \(paymentID) was used for another purchase. A new purchase needs a new one; nothing was charged."
          )
        }
        return try Self.transaction(earlier.transactionID, in: database)
      }
      let now = try StoreRow.takeDate(database, clock: self.clock)
      let customer = try Self.customer(account, environment, in: database)
      _ = try Self.app(bundleID, in: database)
      if let installationID {
        let installation = try Self.installation(installationID, in: database)
        guard installation.bundleID == bundleID, installation.environment == environment else {
          throw AppStoreEmulatorError.unknownInstallation(installationID)
        }
      }
      let payment = PaymentRequest(
        paymentID: "", productID: productID, quantity: quantity, applicationUsername: applicationUsername)
      let held = try Self.held(
        productID, by: account, of: bundleID, in: environment, at: now, database: database)
      if let held {
        throw StoreRefusal(
          .alreadyOwned, "\(account) has \(productID) by transaction \(held.record.transactionID). Nothing was charged."
        )
      }
      let quote = try self.quote(
        payment, customer: customer, bundleID: bundleID, installationID: installationID ?? "", in: database)
      if customer.paymentMethod == .needsAttention {
        throw StoreRefusal(
          .purchaseInterrupted,
          "\(account) has something to settle with the store first. Nothing was charged, and nothing will be: order again."
        )
      }
      if let refusal = PurchaseDecision.refusal(for: customer.paymentMethod) { throw refusal }
      let stored = try self.charge(
        quote, environment: environment, bundleID: bundleID, installationID: installationID, now: now, in: database)
      if let paymentID {
        try OrderedPurchase(paymentID: paymentID, request: order, transactionID: stored.record.transactionID)
          .insert(database)
      }
      if let installationID {
        try DeviceChangeRow(StoreChange(.transactionsWaiting), for: installationID).insert(database)
      } else {
        try Self.tell(StoreChange(.transactionsWaiting), to: account, of: bundleID, environment, in: database)
      }
      return stored
    }
    changeBell.ring()
    return stored
  }

  /// What is charged must be deliverable, so nothing is charged that could not be signed.
  func prepareSigners() throws {
    do {
      try authority.prepare(at: clock.now)
    } catch {
      throw StoreRefusal(.temporarilyUnavailable, "Nothing was charged, because it could not be signed: \(error)")
    }
  }

  private func decide(
    _ quote: PaymentQuote, installation: Installation, trouble: StoreRefusal?, now: StoreDate, in database: Database
  ) throws -> PurchaseDecision {
    let life = try StoreLife.fetch(database)
    let current: Result<PaymentQuote, StoreRefusal>
    let customer = try Self.find(quote.account, installation.environment, in: database)
    let owner = try life.quoteMaker.owner(of: quote, installation: installation.installationID)
    do {
      current = .success(
        try currentQuote(quote.payment, account: quote.account, installation: installation, in: database))
    } catch let refusal as StoreRefusal {
      current = .failure(refusal)
    }
    let held = try Self.held(
      quote.payment.productID, by: quote.account, of: installation.bundleID, in: installation.environment, at: now,
      database: database)
    return PurchaseDecision(
      confirming: quote,
      earlier: try PaymentRow.fetch(quote.payment.paymentID, of: installation.installationID, in: database),
      epoch: life.epoch, isGenuine: owner != nil,
      isOfCustomer: owner?.isCustomer(
        try CustomerNumber.find(quote.account, installation.environment, in: database)) == true,
      isHeld: held != nil, current: current, paymentMethod: customer?.paymentMethod ?? .declined,
      needsApproval: customer?.needsApproval == true
        || installation.environment == .sandbox && quote.payment.simulatesAskToBuyInSandbox == true,
      trouble: trouble)
  }

  private func currentQuote(
    _ payment: PaymentRequest, account: AccountName, installation: Installation, in database: Database
  ) throws -> PaymentQuote {
    guard !payment.paymentID.rawValue.isEmpty else {
      throw StoreRefusal(.paymentInvalid, "A payment needs an id.")
    }
    guard let customer = try Self.find(account, installation.environment, in: database) else {
      throw StoreRefusal(.signInRequired, "There is no customer \(account) in this environment any more.")
    }
    return try quote(
      payment, customer: customer, bundleID: installation.bundleID, installationID: installation.installationID,
      in: database)
  }

  private func quote(
    _ payment: PaymentRequest, customer: Customer, bundleID: BundleID, installationID: InstallationID,
    in database: Database
  ) throws -> PaymentQuote {
    let product = try ProductRow.definition(payment.productID, of: bundleID, in: database)
    if let product,
      let refusal = try Self.refusalOfSecondSubscription(
        to: product, of: customer.name, bundleID, customer.environment, at: clock.now, in: database)
    {
      throw refusal
    }
    guard let number = try CustomerNumber.find(customer.name, customer.environment, in: database) else {
      throw AppStoreEmulatorError.unknownCustomer(customer.name, customer.environment)
    }
    return try StoreLife.fetch(database).quoteMaker.quote(
      payment, product: product, customer: customer, number: number,
      storefront: try Self.storefront(of: customer), catalog: try Self.app(bundleID, in: database).catalogDefaults,
      installation: installationID)
  }

  /// Writes the transaction and the charge. The caller's commit makes both true together.
  func charge(
    _ quote: PaymentQuote, environment: StoreEnvironment, bundleID: BundleID, installationID: InstallationID?,
    now: StoreDate, in database: Database
  ) throws -> StoredTransaction {
    guard let product = try ProductRow.definition(quote.payment.productID, of: bundleID, in: database),
      let storefront = Storefront(countryCode: quote.storefrontCountryCode)
    else { throw StoreRefusal(.productNotAvailable, "\(quote.payment.productID) is not for sale.") }
    let sequence = try StoreRow.takeSequence(database)
    let life = try StoreLife.fetch(database)
    let id = try life.transactionID(sequence: sequence)
    // Whole seconds, as receipts can only say it: every door then shows the same instant.
    let now = now.wholeSeconds
    // A customer who subscribed to the group before goes on from there.
    let first = try product.subscription.flatMap {
      try Self.subscriptions(of: quote.account, to: $0.groupID, of: bundleID, in: environment, database: database)
        .first { $0.sharedTransactionID == nil }?.record
    }
    var record = TransactionRecord(
      environment: environment, bundleID: bundleID, transactionID: id,
      originalTransactionID: first?.originalTransactionID ?? id, productID: product.productID, type: product.type,
      purchaseDate: now, originalPurchaseDate: first?.originalPurchaseDate ?? now, quantity: quote.payment.quantity,
      price: quote.total.amount, currency: quote.total.currency,
      storefrontCountryCode: storefront.countryCode, storefrontID: storefront.identifier, reason: .purchase,
      appTransactionID: life.identity.appTransactionID(
        account: quote.account, environment: environment, bundleID: bundleID))
    record.itemID = environment == .production ? life.identity.itemID(product.productID, of: bundleID) : 0
    record.begin(product.subscription, webOrderLineItemID: life.identity.webOrderLineItemID(of: id))
    record.applicationUsername = quote.payment.applicationUsername
    record.appAccountToken = quote.payment.applicationUsername.flatMap(UUID.init(uuidString:))
    let stored = StoredTransaction(
      sequence: sequence, record: record, account: quote.account, installationID: installationID,
      paymentID: quote.payment.paymentID.rawValue.isEmpty ? nil : quote.payment.paymentID, finishedDate: nil)
    try stored.insert(database)
    // What is free is no line on a bank statement.
    if quote.total.amount > .zero {
      try Charge(
        transactionID: id, environment: environment, account: quote.account, bundleID: bundleID,
        productID: product.productID, amount: quote.total.amount, currency: quote.total.currency, date: now
      ).insert(database)
    }
    try share(stored, in: database)
    return stored
  }
}
