import Dispatch
import DurableSQLite
import Foundation
import GRDB
import SignedData
import StoreModel

/// Checks snapshots before they are restored.
enum SnapshotCheck {
  /// Returns a copy of the snapshot in which every row can be read.
  ///
  /// - Throws: ``AppStoreEmulatorError/unusableSnapshot(reason:)``.
  static func checkedCopy(of snapshot: Data) async throws -> DurableDatabase {
    // On a dispatch queue, because checking a large file takes long and would block a thread of the concurrency pool.
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(with: Result { try check(snapshot) })
      }
    }
  }

  private static func check(_ snapshot: Data) throws -> DurableDatabase {
    func unusable(_ reason: String) -> AppStoreEmulatorError { .unusableSnapshot(reason: reason) }
    let source: DurableDatabase
    do {
      source = try DurableSQLite.openCopy(of: snapshot, migrator: StoreSchema.migrator)
    } catch {
      switch error {
      case .newerVersion: throw unusable("a newer version of this software made it")
      case .damaged(_, let reason), .cannotOpen(_, let reason): throw unusable(reason)
      case .inUse, .closed: throw error
      }
    }
    do {
      try source.read { database in
        let row = try StoreRow.fetch(database)
        guard StoreRow.generations.contains(row.generation),
          StoreRow.restorableSequences.contains(row.nextSequence),
          try Int64.fetchOne(database, sql: "SELECT max(sequence) FROM transactionRecord") ?? 0 < row.nextSequence,
          try Int64.fetchOne(database, sql: "SELECT max(number) FROM customer") ?? 0 < row.nextCustomerNumber
        else { throw unusable("its counters are damaged") }
        // Its approval would charge it again.
        let isPaidPaymentWaiting = try Bool.fetchOne(
          database,
          sql: """
            SELECT EXISTS (
              SELECT 1 FROM payment JOIN transactionRecord AS record
                ON record.installationID = payment.installationID AND record.paymentID = payment.paymentID
              WHERE payment.transactionID IS NULL AND payment.refusal IS NULL)
            """)
        guard isPaidPaymentWaiting == false else { throw unusable("a payment that was charged has no transaction") }
        guard Storefront(countryCode: row.storefrontCountryCode) != nil else {
          throw unusable("\(row.storefrontCountryCode) is not a storefront known here")
        }
        guard row.latestDate <= IssuingAuthority.signableDates.upperBound else {
          throw unusable("its clock is at \(row.latestDate), when nothing can be signed any more")
        }
        guard (try? row.settings.checked()) != nil else {
          throw unusable("\(row.settings.locale ?? "") in its settings is not a locale")
        }
        try StoreTables.readThrough(database) { try SnapshotValues.check($0, path: $1) }
        for app in try StoreApp.fetchAll(database) where Storefront(countryCode: app.catalogStorefront) == nil {
          throw unusable(
            "the prices of its app \(app.bundleID) are for \(app.catalogStorefront), which is not a storefront known here"
          )
        }
        for customer in try Customer.fetchAll(database)
        where Storefront(countryCode: customer.storefrontCountryCode) == nil {
          throw unusable(
            "its customer “\(customer.name)” is in \(customer.storefrontCountryCode), which is not a storefront known here"
          )
        }
      }
    } catch let error as AppStoreEmulatorError {
      if case .storeNotCreated = error { throw unusable("it is not a store's database") }
      throw error
    } catch {
      throw unusable("it holds what cannot be read: \(error)")
    }
    return source
  }
}
