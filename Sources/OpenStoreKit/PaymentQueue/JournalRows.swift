import Foundation
import GRDB
import StoreModel

/// The identity of this installation, and the store that it is bound to.
struct InstallationRow: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "installation"

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

  init(installationID: InstallationID, bundleID: BundleID, environment: StoreEnvironment, deviceID: String) {
    self.installationID = installationID
    self.bundleID = bundleID
    self.environment = environment
    self.deviceID = deviceID
  }
}

/// A ``QueueEntry`` as a row: the whole state as JSON, and columns for lookups.
struct EntryRow: Codable, FetchableRecord, MutablePersistableRecord {
  static let databaseTableName = "queueEntry"

  private var sequence: Int64?
  private let paymentID: PaymentID?
  private var transactionID: TransactionID?
  private var stage: String
  private var payment: PaymentRequest
  private var state: PaymentState
  /// The date at which the app added the payment; nil for a transaction without a payment of this app, and for a payment
  /// that an earlier version of the journal stored.
  private let addedDate: StoreDate?

  init(payment: PaymentRequest, paymentID: PaymentID?, state: PaymentState, addedDate: StoreDate? = nil) {
    self.payment = payment
    self.paymentID = paymentID
    self.state = state
    self.addedDate = addedDate
    stage = ""
    set(state)
  }

  /// Replaces the product of the payment that the app sees. See ``PaymentJournal/Arrival/answers(_:)``.
  mutating func show(_ productID: ProductID) {
    guard payment.productID != productID else { return }
    payment = PaymentRequest(
      paymentID: payment.paymentID, productID: productID, quantity: payment.quantity,
      applicationUsername: payment.applicationUsername,
      simulatesAskToBuyInSandbox: payment.simulatesAskToBuyInSandbox)
  }

  mutating func set(_ state: PaymentState) {
    self.state = state
    stage = Self.stage(of: state)
    switch state {
    case .purchased(let transaction), .restored(let transaction): transactionID = transaction.transactionID
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
      return QueueEntry(sequence: sequence, payment: payment, state: state, addedDate: addedDate)
    }
  }
}
