import Foundation
import SignedData
import StoreModel

/// Signs transactions and receipts, outside of any database transaction.
struct TransactionSigner: Sendable {
  let authority: IssuingAuthority
  /// The certificates with which transactions and receipts are signed. A fault can change them.
  var chain = SigningChain.valid
  /// Whether the device proofs are of another device. A fault can cause that.
  var isForAnotherDevice = false

  /// Signs a delivery on all cores. An RSA signature takes longer than the rest of a purchase, and a purchase needs
  /// two: for its legacy receipt and for the app receipt.
  func batch(_ delivery: UnsignedDelivery) async throws -> DeliveryBatch {
    async let receipt = delivery.receipt.map { try sign($0) }
    let deliveries = try await Self.onAllCores(delivery.transactions) { try self.delivery($0) }
    return DeliveryBatch(deliveries: deliveries, receipt: try await receipt, next: delivery.next)
  }

  /// Signs a delivery on the calling thread.
  func batch(_ delivery: UnsignedDelivery) throws -> DeliveryBatch {
    DeliveryBatch(
      deliveries: try delivery.transactions.map(self.delivery), receipt: try delivery.receipt.map(sign),
      next: delivery.next)
  }

  /// Signs a page of changed transactions, and of statuses, on all cores.
  func changes(_ page: UnsignedChanges) async throws -> TransactionChanges {
    var statuses: [SignedStatus]?
    if let unsigned = page.statuses { statuses = try await Self.onAllCores(unsigned) { try status($0) } }
    return page.signed(
      transactions: try await Self.onAllCores(page.transactions) { try changed($0, in: page) }, statuses: statuses)
  }

  /// Signs a page on the calling thread.
  func changes(_ page: UnsignedChanges) throws -> TransactionChanges {
    page.signed(
      transactions: try page.transactions.map { try changed($0, in: page) }, statuses: try page.statuses?.map(status))
  }

  private func changed(_ input: SigningInput, in page: UnsignedChanges) throws -> TransactionChanges.Transaction {
    let stored = input.fulfilment.stored
    return TransactionChanges.Transaction(
      signedTransaction: try signedTransaction(input, forDevice: true),
      revision: StoreRevision(epoch: page.revision.epoch, number: stored.record.revision),
      isFinished: stored.finishedDate != nil)
  }

  private func status(_ unsigned: UnsignedDeviceStatus) throws -> SignedStatus {
    let (installation, identity) = (unsigned.installation, unsigned.identity)
    var (transaction, renewalInfo) = (unsigned.transaction, unsigned.renewalInfo)
    transaction.bind(
      to: try DeviceProof(
        of: transaction.transactionID.rawValue, signedAt: transaction.signedDate, for: installation, identity,
        isForAnotherDevice: isForAnotherDevice))
    renewalInfo.bind(
      to: try DeviceProof(
        of: renewalInfo.originalTransactionID.rawValue, signedAt: renewalInfo.signedDate, for: installation, identity,
        isForAnotherDevice: isForAnotherDevice))
    return SignedStatus(
      groupID: unsigned.groupID, signedTransaction: try sign(transaction), signedRenewalInfo: try sign(renewalInfo))
  }

  /// Signs an app transaction for the device of an installation.
  func appTransaction(
    _ unsigned: SignedAppTransaction, for installation: Installation, _ identity: InventedIdentity
  ) throws -> String {
    var transaction = unsigned
    transaction.bind(
      to: try DeviceProof(
        of: "appTransaction \(transaction.appTransactionID ?? "")", signedAt: transaction.receiptCreationDate,
        for: installation, identity, isForAnotherDevice: isForAnotherDevice))
    return try sign(transaction)
  }

  static func onAllCores<Input: Sendable, Signed: Sendable>(
    _ inputs: [Input], _ sign: @escaping @Sendable (Input) throws -> Signed
  ) async throws -> [Signed] {
    guard inputs.count > 1 else { return try inputs.map(sign) }
    let lanes = max(1, min(inputs.count, ProcessInfo.processInfo.activeProcessorCount))
    return try await withThrowingTaskGroup(of: [(Int, Signed)].self) { group in
      for lane in 0..<lanes {
        group.addTask { try stride(from: lane, to: inputs.count, by: lanes).map { ($0, try sign(inputs[$0])) } }
      }
      return try await group.reduce(into: []) { $0 += $1 }.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }

  /// Signs a transaction as a JWS. For a redelivery, signs the record that is redelivered.
  ///
  /// - Parameter forDevice: whether the JWS has a proof for the device of the input's installation.
  func signedTransaction(_ input: SigningInput, forDevice: Bool) throws -> String {
    var transaction = SignedTransaction(record: input.fulfilment.stored.record, signedDate: input.signedDate)
    if forDevice {
      transaction.bind(
        to: try DeviceProof(
          of: transaction.transactionID.rawValue, signedAt: input.signedDate, for: input.installation, input.identity,
          isForAnotherDevice: isForAnotherDevice))
    }
    return try sign(transaction)
  }

  func sign(_ transaction: SignedTransaction) throws -> String {
    try authority.signTransaction(transaction, chain: chain)
  }

  /// Signs on all cores.
  func sign(_ transactions: [SignedTransaction]) async throws -> [String] {
    try await Self.onAllCores(transactions) { try sign($0) }
  }

  func sign(_ info: SignedRenewalInfo) throws -> String {
    try authority.signJWS(payload: info.payloadBytes(), at: info.signedDate, chain: chain)
  }

  func sign(_ transaction: SignedAppTransaction) throws -> String {
    try authority.signJWS(payload: transaction.payloadBytes(), at: transaction.receiptCreationDate, chain: chain)
  }

  private func delivery(_ input: SigningInput) throws -> TransactionDelivery {
    let stored = input.fulfilment.stored
    let account = stored.account == input.installation.account ? nil : stored.account
    guard let redelivery = input.fulfilment.redelivery else {
      return TransactionDelivery(
        paymentID: stored.paymentID, signedTransaction: try signedTransaction(input, forDevice: true),
        applicationUsername: stored.record.applicationUsername,
        transactionReceipt: try deliveredLegacyReceipt(of: stored.record, input), account: account)
    }
    return TransactionDelivery(
      paymentID: redelivery.paymentID, signedTransaction: try signedTransaction(input, forDevice: true),
      applicationUsername: redelivery.applicationUsername,
      transactionReceipt: try deliveredLegacyReceipt(
        of: stored.record.redelivered(as: redelivery.transactionID, on: redelivery.date), input), account: account,
      redelivery: TransactionDelivery.Redelivery(
        transactionID: redelivery.transactionID, date: redelivery.date,
        originalReceipt: try input.original.flatMap { try deliveredLegacyReceipt(of: $0, input) }))
  }

  /// The transaction as a receipt of iOS 6 for a delivery. StoreKit testing in Xcode makes none [?].
  private func deliveredLegacyReceipt(of record: TransactionRecord, _ input: SigningInput) throws -> Data? {
    input.installation.environment == .xcode ? nil : try legacyReceipt(of: record, input)
  }

  /// The transaction as a receipt of iOS 6. It contains the app's version on the installation.
  func legacyReceipt(of record: TransactionRecord, _ input: SigningInput) throws -> Data {
    let (installation, identity) = (input.installation, input.identity)
    let receipt = LegacyReceipt(
      record: record, applicationVersion: installation.applicationVersion,
      vendorIdentifier: UUID(uuidString: installation.deviceID), appItemID: input.appAppleID,
      versionExternalIdentifier: identity.versionExternalIdentifier(
        installation.bundleID, version: installation.applicationVersion),
      uniqueIdentifier: identity.uniqueIdentifier(deviceID: installation.deviceID))
    // Verifiers check the certificate at the purchase date, so the leaf certificate of that date is used.
    return try authority.signLegacyReceipt(receipt, at: record.purchaseDate, chain: chain)
  }

  func sign(_ contents: AppReceiptContents) throws -> Data {
    let installation = contents.installation
    guard let deviceID = UUID(uuidString: installation.deviceID) else {
      throw AppStoreEmulatorError.unknownInstallation(installation.installationID)
    }
    if installation.environment == .xcode { return try signOfXcode(contents, on: deviceID) }
    let isProduction = installation.environment == .production
    var receipt = AppReceipt(
      receiptType: AppReceipt.receiptType(for: installation.environment), bundleID: installation.bundleID,
      applicationVersion: installation.applicationVersion, device: .vendorIdentifier(deviceID),
      opaqueValue: contents.identity.receiptOpaqueValue(installation: installation.installationID),
      creationDate: contents.creationDate,
      inAppPurchases: contents.transactions.map(AppReceipt.InAppPurchase.init(record:)))
    // In the sandbox, these numbers are 0, the request date is empty, and the original version is always 1.0.
    receipt.appItemID = isProduction ? contents.app.appAppleID : 0
    receipt.developerID = isProduction ? contents.identity.developerID() : 0
    receipt.downloadID = isProduction ? contents.identity.downloadID(installation: installation.installationID) : 0
    receipt.versionExternalIdentifier =
      isProduction
      ? contents.identity.versionExternalIdentifier(installation.bundleID, version: installation.applicationVersion) : 0
    receipt.requestDate = isProduction ? contents.creationDate : nil
    receipt.ageRating = "4+"
    (receipt.originalPurchaseDate, receipt.originalApplicationVersion) = installation.original
    receipt.unknownAttributes = AppReceipt.undocumentedAttributes
    return try authority.signAppReceipt(receipt, at: contents.creationDate, chain: chain)
  }

  /// A receipt of Xcode has fewer attributes, and its purchases name no original transaction.
  private func signOfXcode(_ contents: AppReceiptContents, on deviceID: UUID) throws -> Data {
    let installation = contents.installation
    var receipt = AppReceipt(
      receiptType: AppReceipt.receiptType(for: .xcode), bundleID: installation.bundleID,
      applicationVersion: installation.applicationVersion, device: .vendorIdentifier(deviceID),
      opaqueValue: Array(contents.identity.receiptOpaqueValue(installation: installation.installationID).prefix(8)),
      creationDate: contents.creationDate,
      inAppPurchases: contents.transactions.map(AppReceipt.InAppPurchase.init(xcode:)))
    receipt.expirationDate = StoreDate(millisecondsSince1970: 64_092_211_200_000)
    return try authority.signAppReceipt(receipt, at: contents.creationDate, chain: chain)
  }
}

/// A delivery to a device before it is signed.
struct UnsignedDelivery: Sendable {
  let transactions: [SigningInput]
  /// Nil if the device receives no receipt.
  let receipt: AppReceiptContents?
  /// Where the next page of unfinished transactions begins; nil if there is no other page.
  var next: UnfinishedCursor?
}

/// A page of changed transactions before it is signed.
struct UnsignedChanges: Sendable {
  let account: AccountName
  let transactions: [SigningInput]
  let revision: StoreRevision
  let hasMore: Bool
  /// The statuses of all subscriptions of the customer; nil if the page has none.
  let statuses: [UnsignedDeviceStatus]?

  fileprivate func signed(
    transactions: [TransactionChanges.Transaction], statuses: [SignedStatus]?
  ) -> TransactionChanges {
    TransactionChanges(
      account: account, transactions: transactions, revision: revision, hasMore: hasMore, statuses: statuses)
  }
}

/// The status of a subscription for a device before it is signed.
struct UnsignedDeviceStatus: Sendable {
  let groupID: SubscriptionGroupID
  /// The customer's last transaction of the subscription.
  let transaction: SignedTransaction
  let renewalInfo: SignedRenewalInfo
  let installation: Installation
  let identity: InventedIdentity
}
