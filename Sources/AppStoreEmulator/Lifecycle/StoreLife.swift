import Crypto
import Foundation
import GRDB
import StoreModel

/// The life of the store that a call happens in.
///
/// A reset or a restore begins another one at any time, so it is read in the transaction that does the call's work, and
/// everything the call makes follows from it.
struct StoreLife: Sendable {
  /// Begins every transaction id made in this life.
  let epoch: StoreEpoch
  let identity: InventedIdentity
  private let quoteKey: SymmetricKey

  static func fetch(_ database: Database) throws -> StoreLife {
    guard
      let row = try Row.fetchOne(try database.cachedStatement(sql: "SELECT epoch, seed, quoteKey FROM store"))
    else { throw AppStoreEmulatorError.storeNotCreated }
    return StoreLife(
      epoch: StoreEpoch(row["epoch"]), identity: InventedIdentity(seed: row["seed"]),
      quoteKey: SymmetricKey(data: row["quoteKey"] as Data))
  }

  var quoteMaker: QuoteMaker { QuoteMaker(key: quoteKey, epoch: epoch) }

  /// The id of the `sequence`th transaction of this store.
  func transactionID(sequence: Int64) throws -> TransactionID {
    guard StoreRow.sequences.contains(sequence),
      let id = TransactionID(rawValue: epoch.rawValue + String(format: "%09d", Int(sequence)))
    else { throw AppStoreEmulatorError.epochExhausted }
    return id
  }
}
