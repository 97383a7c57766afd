import Foundation
import GRDB
import StoreModel

/// Who this installation is and which store it belongs to.
struct InstallationRow: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "installation"

  var id = 1
  let installationID: InstallationID
  let deviceID: String
  var epoch: StoreEpoch?
  var rootFingerprint: String?
  var receipt: Data?

  init(installationID: InstallationID, deviceID: String) {
    self.installationID = installationID
    self.deviceID = deviceID
  }
}

/// A ``QueueEntry`` as a row: the state whole as JSON, and of it what is looked up by.
struct EntryRow: Codable, FetchableRecord, MutablePersistableRecord {
  static let databaseTableName = "queueEntry"

  private var sequence: Int64?
  private let paymentID: PaymentID?
  private var transactionID: TransactionID?
  private var stage: String
  private let payment: PaymentRequest
  private var state: PaymentState

  init(payment: PaymentRequest, paymentID: PaymentID?, state: PaymentState) {
    self.payment = payment
    self.paymentID = paymentID
    self.state = state
    stage = ""
    set(state)
  }

  mutating func set(_ state: PaymentState) {
    self.state = state
    switch state {
    case .added: stage = "added"
    case .confirmed: stage = "confirmed"
    case .purchased(let transaction): (stage, transactionID) = ("purchased", transaction.transactionID)
    case .failed: stage = "failed"
    case .finishing(let id): (stage, transactionID) = ("finishing", id)
    }
  }

  mutating func didInsert(_ inserted: InsertionSuccess) { sequence = inserted.rowID }

  var entry: QueueEntry {
    get throws {
      guard let sequence else { throw RecordError.recordNotFound(databaseTableName: Self.databaseTableName, key: [:]) }
      return QueueEntry(sequence: sequence, payment: payment, state: state)
    }
  }
}
