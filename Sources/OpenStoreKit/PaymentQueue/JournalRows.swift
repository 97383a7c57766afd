import Foundation
import GRDB
import StoreModel

/// The identity of this installation, and the store that it is bound to.
struct InstallationRow: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "installation"

  /// The only row; nil in a new journal.
  static func ofJournal(_ database: Database) throws -> InstallationRow? {
    try fetchOne(database.cachedStatement(sql: "SELECT * FROM installation"))
  }

  var id = 1
  let installationID: InstallationID
  let bundleID: BundleID
  let environment: StoreEnvironment
  let deviceID: String
  var epoch: StoreEpoch?
  var rootFingerprint: String?
  var receipt: Data?
  /// The creation date of the receipt; nil for a receipt that the first version of the journal stored.
  var receiptDate: StoreDate?
  /// The cursor of the last processed change; nil before the first contact with the store.
  var changeCursor: ChangeCursor?
  /// The settings that the store's control API has set; nil if it has set none.
  var isRestricted: Bool?
  var isOffline: Bool?
  /// The account that was signed in last; nil before the first one is known.
  var account: AccountName?

  init(installationID: InstallationID, bundleID: BundleID, environment: StoreEnvironment, deviceID: String) {
    self.installationID = installationID
    self.bundleID = bundleID
    self.environment = environment
    self.deviceID = deviceID
  }
}

/// A ``QueueEntry`` as a row: the whole state as JSON, and columns for lookups.
///
/// The state has no JWS if the row refers to a signed transaction. ``select`` joins it.
struct EntryRow: Codable, FetchableRecord, MutablePersistableRecord {
  static let databaseTableName = "queueEntry"

  /// The entries, with the signed transactions to which they refer.
  static let select = """
    SELECT queueEntry.*, \(DeviceTransactionTable.jws) AS signedTransaction FROM queueEntry
    LEFT JOIN deviceTransaction ON deviceTransaction.transactionID = signedTransactionID
    LEFT JOIN signatureHeader ON signatureHeader.id = headerID
    """

  private enum CodingKeys: String, CodingKey {
    case sequence, paymentID, transactionID, signedTransactionID, stage, payment, state, addedDate, interface
    case signedTransaction
  }

  private var sequence: Int64?
  private let paymentID: PaymentID?
  private var transactionID: TransactionID?
  /// The signed transaction of ``DeviceTransactionTable``; nil if the row has none, or has its JWS in the state.
  private(set) var signedTransactionID: TransactionID?
  private var stage: String
  private var payment: PaymentRequest
  private var state: PaymentState
  /// The date at which the app added the payment; nil for a transaction without a payment of this app, and for a payment
  /// that an earlier version of the journal stored.
  private let addedDate: StoreDate?
  /// 2 for a payment of StoreKit 2, otherwise nil.
  private let interface: Int?
  private var signedTransaction: String?

  /// - Parameter signed: the signed transaction of the state, if it is kept.
  init(
    payment: PaymentRequest, paymentID: PaymentID?, state: PaymentState, addedDate: StoreDate? = nil,
    signed: TransactionID? = nil, interface: Int? = nil
  ) {
    self.payment = payment
    self.paymentID = paymentID
    self.state = state
    self.addedDate = addedDate
    self.interface = interface
    stage = ""
    set(state, signed: signed)
  }

  /// Whether the payment was added by `Product.purchase(options:)`.
  var isOfStoreKit2: Bool { interface == QueueEntry.storeKit2 }

  /// Whether the payment is confirmed, and the store has not decided on it as far as this device knows.
  var isUndecided: Bool {
    switch state {
    case .confirmed, .deferred: true
    case .added, .purchased, .restored, .failed, .finishing: false
    }
  }

  /// The account that confirmed the payment; nil if it was not confirmed.
  var account: AccountName? {
    switch state {
    case .confirmed(let quote), .deferred(let quote): quote.account
    case .added, .purchased, .restored, .failed, .finishing: nil
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(sequence, forKey: .sequence)
    try container.encode(paymentID, forKey: .paymentID)
    try container.encode(transactionID, forKey: .transactionID)
    try container.encode(signedTransactionID, forKey: .signedTransactionID)
    try container.encode(stage, forKey: .stage)
    try container.encode(payment, forKey: .payment)
    try container.encode(signedTransactionID == nil ? state : state.signed(by: ""), forKey: .state)
    try container.encode(addedDate, forKey: .addedDate)
    try container.encode(interface, forKey: .interface)
  }

  /// Replaces the product of the payment that the app sees. See ``PaymentJournal/Arrival/answers(_:)``.
  mutating func show(_ productID: ProductID) {
    guard payment.productID != productID else { return }
    payment = PaymentRequest(
      paymentID: payment.paymentID, productID: productID, quantity: payment.quantity,
      applicationUsername: payment.applicationUsername,
      simulatesAskToBuyInSandbox: payment.simulatesAskToBuyInSandbox, offer: payment.offer,
      introductoryEligibility: payment.introductoryEligibility)
  }

  /// - Parameter signed: the signed transaction of a purchase, if it is kept.
  mutating func set(_ state: PaymentState, signed: TransactionID?) {
    self.state = state
    stage = Self.stage(of: state)
    switch state {
    case .purchased(let transaction), .restored(let transaction):
      transactionID = transaction.transactionID
      signedTransactionID = signed
    case .finishing(let id): transactionID = id
    case .added, .confirmed, .deferred, .failed: break
    }
  }

  private static func stage(of state: PaymentState) -> String {
    switch state {
    case .added: "added"
    case .confirmed: "confirmed"
    case .deferred: "deferred"
    case .purchased: "purchased"
    case .restored: "restored"
    case .failed: "failed"
    case .finishing: "finishing"
    }
  }

  mutating func didInsert(_ inserted: InsertionSuccess) { sequence = inserted.rowID }

  var entry: QueueEntry {
    get throws {
      guard let sequence, stage == Self.stage(of: state) else {
        throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "an entry's stage is not that of its state")
      }
      var state = state
      if state.purchase?.signedTransaction.isEmpty == true {
        guard let signedTransaction else {
          throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "an entry's signed transaction is missing")
        }
        state = state.signed(by: signedTransaction)
      }
      return QueueEntry(
        sequence: sequence, payment: payment, state: state, addedDate: addedDate, interface: interface,
        signedTransactionID: signedTransactionID)
    }
  }
}
