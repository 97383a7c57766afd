import Foundation
import SignedData
import StoreModel

// What the store sends is verified here, before it is stored.
extension StoreSession {
  /// The dates that are accepted in transactions: the years 1970 to 9999. Other dates may not work with an app's
  /// calendar.
  private static let plausibleDates =
    StoreDate(millisecondsSince1970: 0)...StoreDate(millisecondsSince1970: 253_402_300_799_999)

  /// A transaction that was not verified, but whose payload can be read.
  struct UnverifiedTransaction: Sendable {
    /// The id that the payload names. It is not trusted.
    let transactionID: TransactionID
    let jws: String
    let failure: VerificationFailure
    /// The payment that the delivery names; nil if it names none.
    var payment: PaymentID?

    /// Nil if the payload cannot be read: the answer is then unreadable.
    init?(_ jws: String, _ error: any Error, payment: PaymentID? = nil) {
      guard let failure = error as? VerificationFailure,
        let transaction = try? SignedTransaction(payload: try JWSPayload.bytes(ofJWS: jws))
      else { return nil }
      transactionID = transaction.transactionID
      self.jws = jws
      self.failure = failure
      self.payment = payment
    }
  }

  /// The verified parts of a delivery, and the errors of the other parts.
  struct VerifiedBatch: Sendable {
    var arrivals: [PaymentJournal.Arrival] = []
    /// All verified transactions, also those that the queue cannot show.
    var transactions: [DeviceTransaction] = []
    var receipt: VerifiedReceipt?
    var unverified: [UnverifiedTransaction] = []
    var problems: [any Error] = []
  }

  /// Verifies each transaction of a delivery, and the receipt, independently of each other. Only signed values are
  /// trusted.
  ///
  /// The payment id of a transaction is not signed, so the journal compares the transaction with the payment.
  ///
  /// - Parameter asked: when the delivery was requested.
  func verify(_ batch: DeliveryBatch, askedAt asked: ReceiptOrder.Moment) async throws -> VerifiedBatch {
    let serverState = try await serverState()
    let transactions = await Self.results(of: batch.deliveries.map(\.signedTransaction)) {
      try await verify($0, serverState)
    }
    var receipt: Result<VerifiedReceipt, any Error>?
    if let data = batch.receipt {
      do {
        receipt = .success(try await verify(data, askedAt: asked, serverState))
      } catch {
        receipt = .failure(error)
      }
    }
    return Self.assemble(batch, transactions: Self.lookUp(transactions), receipt: receipt)
  }

  /// Verifies each transaction of a page of changes by itself. Only signed values are trusted, and from the store also the
  /// revision and whether it is finished.
  ///
  /// The statuses of the last page are verified, too.
  func verify(_ page: TransactionChanges) async throws -> VerifiedPage {
    let serverState = try await serverState()
    let statuses = page.statuses ?? []
    let transactions = await Self.results(
      of: page.transactions.map(\.signedTransaction) + statuses.map(\.signedTransaction)
    ) { try await verify($0, serverState) }
    let infos = await Self.results(of: statuses.map(\.signedRenewalInfo)) {
      try await serverState.transactions.verifyRenewalInfo($0, expecting: deviceExpectation).value
    }
    return Self.assemble(page, transactions: Self.lookUp(transactions), renewalInfos: Self.lookUp(infos))
  }

  /// Verifies texts one after the other.
  nonisolated(nonsending)
    private static func results<Value: Sendable>(
      of texts: [String], _ verify: (String) async throws -> Value
    ) async -> [String: Result<Value, any Error>]
  {
    var results: [String: Result<Value, any Error>] = [:]
    for text in texts where results[text] == nil {
      do {
        results[text] = .success(try await verify(text))
      } catch {
        results[text] = .failure(error)
      }
    }
    return results
  }

  private static func lookUp<Value>(
    _ results: [String: Result<Value, any Error>]
  ) -> (String) throws -> Value {
    { text in
      guard let result = results[text] else {
        throw VerificationFailure(fault: .structure, detail: "it was not verified")
      }
      return try result.get()
    }
  }

  // MARK: Without verification

  /// Reads a delivery without verifying it. Only for what this process has signed itself.
  ///
  /// - Throws: ``VerificationFailure`` if the receipt cannot be read.
  static func read(_ batch: DeliveryBatch, askedAt asked: ReceiptOrder.Moment) throws -> VerifiedBatch {
    assemble(
      batch, transactions: readTransaction,
      receipt: try batch.receipt.map { data in .success(try read(receipt: data, askedAt: asked)) })
  }

  /// Reads a page of changes without verifying it. Only for what this process has signed itself.
  static func read(_ page: TransactionChanges) -> VerifiedPage {
    assemble(page, transactions: readTransaction) { try SignedRenewalInfo(payload: try JWSPayload.bytes(ofJWS: $0)) }
  }

  /// Reads a receipt without verifying it. Only for what this process has signed itself.
  static func read(receipt: Data, askedAt asked: ReceiptOrder.Moment) throws -> VerifiedReceipt {
    VerifiedReceipt(receipt, try UnverifiedAppReceipt(receipt).receipt, askedAt: asked)
  }

  private static func readTransaction(_ jws: String) throws -> SignedTransaction {
    try SignedTransaction(payload: try JWSPayload.bytes(ofJWS: jws))
  }

  // MARK: Putting together

  /// - Parameters:
  ///   - transactions: returns the content of a signed transaction, or throws why it is not verified.
  ///   - receipt: the receipt, or why it is not verified; nil if the delivery has none.
  private static func assemble(
    _ batch: DeliveryBatch, transactions: (String) throws -> SignedTransaction,
    receipt: Result<VerifiedReceipt, any Error>?
  ) -> VerifiedBatch {
    var result = VerifiedBatch()
    for delivery in batch.deliveries {
      do {
        let signed = try transactions(delivery.signedTransaction)
        var transaction = DeviceTransaction(signed, in: delivery.signedTransaction)
        transaction.account = delivery.account
        result.transactions.append(transaction)
        result.arrivals.append(try Self.arrival(of: delivery, signed))
      } catch {
        result.problems.append(error)
        if let unverified = UnverifiedTransaction(delivery.signedTransaction, error, payment: delivery.paymentID) {
          result.unverified.append(unverified)
        }
      }
    }
    switch receipt {
    case .success(let receipt): result.receipt = receipt
    case .failure(let error): result.problems.append(error)
    case nil: break
    }
    return result
  }

  /// - Parameters: as those of the other function, and the same for renewal information.
  private static func assemble(
    _ page: TransactionChanges, transactions: (String) throws -> SignedTransaction,
    renewalInfos: (String) throws -> SignedRenewalInfo
  ) -> VerifiedPage {
    var result = VerifiedPage()
    for changed in page.transactions {
      do {
        var transaction = DeviceTransaction(
          try transactions(changed.signedTransaction), in: changed.signedTransaction)
        transaction.account = page.account
        transaction.revision = changed.revision.number
        transaction.finishState = changed.isFinished ? .finished : .undelivered
        result.transactions.append(transaction)
      } catch {
        result.problems.append(error)
        if let unverified = UnverifiedTransaction(changed.signedTransaction, error) {
          result.unverified.append(unverified)
        }
      }
    }
    for status in page.statuses ?? [] { add(status, of: page.account, transactions, renewalInfos, to: &result) }
    return result
  }

  private static func add(
    _ status: SignedStatus, of account: AccountName, _ transactions: (String) throws -> SignedTransaction,
    _ renewalInfos: (String) throws -> SignedRenewalInfo, to result: inout VerifiedPage
  ) {
    let transaction: DeviceTransaction
    do {
      var verified = DeviceTransaction(try transactions(status.signedTransaction), in: status.signedTransaction)
      guard verified.subscriptionGroupID == status.groupID else {
        throw StoreKitDeviceError.deliveryMismatch("a status of another group than that of its transaction")
      }
      verified.account = account
      // Only a page and a delivery say whether it is finished.
      verified.finishState = .undelivered
      transaction = verified
    } catch {
      result.areStatusesComplete = false
      return result.problems.append(error)
    }
    do {
      let info = try renewalInfos(status.signedRenewalInfo)
      guard info.originalTransactionID == transaction.originalTransactionID else {
        throw VerificationFailure(fault: .structure, detail: "the renewal information is of another subscription")
      }
      result.statuses.append(
        VerifiedStatus(
          groupID: status.groupID, transaction: transaction, renewalInfo: info,
          signedRenewalInfo: status.signedRenewalInfo))
    } catch {
      result.problems.append(error)
      if let failure = error as? VerificationFailure,
        (try? SignedRenewalInfo(payload: try JWSPayload.bytes(ofJWS: status.signedRenewalInfo))) != nil
      {
        result.unverifiedStatuses.append(
          UnverifiedStatus(
            groupID: status.groupID, transaction: transaction, signedRenewalInfo: status.signedRenewalInfo,
            failure: failure))
      } else {
        result.areStatusesComplete = false
      }
    }
  }

  func verify(
    _ receipt: Data, askedAt asked: ReceiptOrder.Moment, _ serverState: ServerState
  ) async throws -> VerifiedReceipt {
    let verified = try await serverState.receipts.verifyAppReceipt(receipt, expecting: deviceExpectation).value
    return VerifiedReceipt(receipt, verified, askedAt: asked)
  }

  private func verify(_ jws: String, _ serverState: ServerState) async throws -> SignedTransaction {
    let transaction = try await serverState.transactions.verifyTransaction(jws, expecting: deviceExpectation).value
    guard Self.plausibleDates.contains(transaction.purchaseDate) else {
      throw StoreKitDeviceError.deliveryMismatch("a purchase on \(transaction.purchaseDate)")
    }
    return transaction
  }

  /// The delivery for the queue. Throws if the queue cannot show it.
  private static func arrival(
    of delivery: TransactionDelivery, _ transaction: SignedTransaction
  ) throws -> PaymentJournal.Arrival {
    let revocation = try revocation(of: transaction)
    let redelivery = delivery.redelivery
    // The id of a redelivery is not signed. For restorable products this is harmless, because the app identifies them
    // by the original transaction. A consumable would be granted again for each invented id.
    guard redelivery == nil || transaction.type?.isRestorable == true else {
      throw StoreKitDeviceError.deliveryMismatch("\(transaction.productID) once more, which is not owned for ever")
    }
    if let redelivery, !plausibleDates.contains(redelivery.date) {
      throw StoreKitDeviceError.deliveryMismatch("a delivery on \(redelivery.date)")
    }
    let isFirst = redelivery == nil && transaction.originalTransactionID == transaction.transactionID
    return PaymentJournal.Arrival(
      payment: delivery.paymentID,
      transaction: PurchasedTransaction(
        transactionID: redelivery?.transactionID ?? transaction.transactionID, productID: transaction.productID,
        quantity: transaction.quantity, purchaseDate: redelivery?.date ?? transaction.purchaseDate,
        signedTransaction: delivery.signedTransaction, transactionReceipt: delivery.transactionReceipt,
        original: isFirst
          ? nil
          : OriginalTransaction(
            transactionID: transaction.originalTransactionID, purchaseDate: transaction.originalPurchaseDate,
            transactionReceipt: redelivery?.originalReceipt),
        revocation: revocation, signedDate: transaction.signedDate),
      signed: transaction.transactionID, appAccountToken: transaction.appAccountToken,
      applicationUsername: delivery.applicationUsername,
      isRedelivered: redelivery != nil, isSubscription: transaction.type == .autoRenewableSubscription)
  }

  /// The revocation of a delivered transaction, which must be a partial refund of a consumable; nil if it was not
  /// revoked.
  private static func revocation(of transaction: SignedTransaction) throws -> PurchaseRevocation? {
    guard let date = transaction.revocationDate else { return nil }
    guard transaction.type == .consumable, let percentage = transaction.revocationPercentage,
      (1..<Int64(Percentage.whole)).contains(percentage), plausibleDates.contains(date)
    else {
      throw StoreKitDeviceError.deliveryMismatch("transaction \(transaction.transactionID), which was refunded")
    }
    return PurchaseRevocation(date: date, percentage: Int(percentage))
  }

  /// What is signed for this device must be of this app and environment, and prove the device.
  var deviceExpectation: Expectation {
    Expectation(
      bundleID: registration.bundleID, environments: [registration.environment],
      device: .vendorIdentifier(registration.deviceID))
  }
}

/// The verified parts of a page of changes, and the errors of the other parts.
struct VerifiedPage: Sendable {
  var transactions: [DeviceTransaction] = []
  var statuses: [VerifiedStatus] = []
  var unverifiedStatuses: [UnverifiedStatus] = []
  /// Whether the subscription of each status is known.
  var areStatusesComplete = true
  var unverified: [StoreSession.UnverifiedTransaction] = []
  var problems: [any Error] = []
}

extension VerifiedReceipt {
  fileprivate init(_ data: Data, _ content: AppReceipt, askedAt asked: ReceiptOrder.Moment) {
    self.init(
      data: data, creationDate: content.creationDate,
      transactionIDs: Set(content.inAppPurchases.map(\.transactionID)), askedAt: asked)
  }
}
