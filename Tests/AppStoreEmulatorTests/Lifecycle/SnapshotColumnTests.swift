import AppStoreServerAPI
import Foundation
import GRDB
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("The columns of a snapshot", .timeLimit(.minutes(30)))
struct SnapshotColumnTests {
  /// Values that make no sense in most columns. The last are valid, but belong to something else.
  private static let nonsense: [DatabaseValue] = [
    .null, (-1).databaseValue, "".databaseValue, Int64.max.databaseValue, "foreign".databaseValue,
    1.5.databaseValue, "ATL".databaseValue, "JPY".databaseValue, "stranger".databaseValue,
    "org.example.other".databaseValue, "Production".databaseValue,
  ]

  /// The columns that may have some of these values, and why.
  private static let free: [String: (values: Set<DatabaseValue>, why: String)] = {
    let texts = Set(nonsense.filter { $0.storage.value is String })
    let null: Set<DatabaseValue> = [.null]
    // A number becomes a text in a column of texts.
    let writtenNumbers: Set<DatabaseValue> = [(-1).databaseValue, Int64.max.databaseValue, 1.5.databaseValue]
    let anyText = texts.union(writtenNumbers)
    return [
      "store.seed": ([(-1).databaseValue, Int64.max.databaseValue], "Every number is a seed."),
      "store.firstChange": ([Int64.max.databaseValue], "A restore replaces it."),
      "store.locale": (null, "Null means the languages of each storefront."),
      "store.notificationURL": (anyText.union(null), "A restore keeps the store's own."),
      "app.productionNotificationURL": (anyText.union(null), "A restore keeps the store's own."),
      "app.sandboxNotificationURL": (anyText.union(null), "A restore keeps the store's own."),
      "app.catalogLocale": (anyText.union(null), "A catalog may name any locale, or none."),
      "app.appAppleID": ([Int64.max.databaseValue], "The developer chooses it in a catalog."),
      "app.renewalRules": (null, "Null means the usual rules."),
      "app.offerKey": (null, "A catalog may have no key."),
      "customer.password": (anyText.union(null), "The customer's own."),
      "customer.family": (anyText.subtracting(["".databaseValue]).union(null), "Any name, or none."),
      "customer.number": ([(-1).databaseValue], "Customers of earlier versions have negative numbers."),
      "installation.applicationVersion": (anyText, "The app's own."),
      "installation.originalApplicationVersion": (anyText, "The app's own."),
      "installation.account": (null.union(["stranger".databaseValue]), "Another customer may be signed in, or none."),
      "installation.isRestricted": (null, "Null leaves the setting to the device."),
      "installation.isOffline": (null, "Null leaves the setting to the device."),
      "payment.quote": (null, "The first version did not store it."),
      "payment.approvalDate": (null, "Nil in rows of earlier versions."),
      "payment.approvalDeadline": (null, "Nil if the payment was postponed."),
      "interruptedPurchase.dueDate": (null, "Nil while the payment method is not valid."),
      "transactionRecord.searchText": (anyText, "Only the search reads it."),
      "transactionRecord.paymentID": (null, "A later installation takes over transactions without it."),
      "transactionRecord.finishedDate": (null, "The app has not finished it."),
      "transactionRecord.finishRevision": (null, "An earlier version recorded the finish without a number."),
      "transactionRecord.applicationUsername": (anyText, "The app's own, unless it is the account token."),
      "orderedPurchase.paymentID": (anyText.subtracting(["".databaseValue]), "The operator's own."),
      "offerNonce.bundleID": (["org.example.other".databaseValue], "Two apps may use one nonce."),
      "redelivery.applicationUsername": (anyText.union(null), "The app's own."),
      "redelivery.finishedDate": (null, "The app has not finished it."),
      "storeEvent.kind": (anyText.subtracting(["".databaseValue]), "Events of unknown kinds are kept."),
      "storeEvent.transactionID": (null, "Steps that an earlier version stored do not name their period."),
      "storeEvent.audience": (anyText.union(null), "A restore removes it."),
      "massExtension.environment": (["Production".databaseValue], "Each environment has its own."),
      "massExtension.bundleID": (["org.example.other".databaseValue], "Each app has its own."),
      "massExtension.productID": (anyText.subtracting(["".databaseValue]), "The product may not be sold any more."),
      "massExtension.storefronts": (null, "Null means all storefronts."),
      "massExtension.cursor": (["".databaseValue, Int64.max.databaseValue], "A place between transaction ids."),
      "offerNonce.nonce": (anyText.subtracting(["".databaseValue]), "The developer's own."),
    ]
  }()

  /// Returns a store that has rows in each table.
  private func shop() async throws -> TeaShop {
    let shop = try await TeaShop.lasting()
    let store = shop.store
    try await store.serve("org.example.other", catalog: [TeaShop.file(TeaShop.catalog())])
    try await store.addCustomer(Customer(environment: .sandbox, name: "stranger"))
    try await store.changeCustomer("customer", .sandbox) { $0.family = "Tea" }
    try await store.addCustomer(Customer(environment: .sandbox, name: "relative", family: "Tea"))
    let phone = try await shop.phone()
    try await shop.buy(as: "refunded", username: "6F6A3A1C-7B7B-4F3E-9E33-0A1B2C3D4E5F", on: phone)
    _ = try await store.refund(shop.newestTransaction().record.transactionID)
    try await shop.buy(TeaShop.yearly, as: "club", on: phone)
    try await shop.buy(TeaShop.samovar, as: "owned", on: phone)
    try await shop.buy(TeaShop.samovar, as: "again", on: phone)
    try await store.changeCustomer("customer", .sandbox) { $0.needsApproval = true }
    _ = try await store.confirm(shop.quote(as: "waiting", on: phone), for: phone.id)
    try await store.changeCustomer("customer", .sandbox) {
      ($0.needsApproval, $0.paymentMethod) = (false, .needsAttention)
    }
    let interrupted = try await shop.quote(as: "interrupted", on: phone)
    _ = try await refusal { _ = try await store.confirm(interrupted, for: phone.id) }
    _ = try await store.addAPIKey(for: TeaShop.app)
    let server = try await TeaServer(shop)
    let owned = try #require(
      try await store.transactions().first { $0.record.productID == TeaShop.samovar && $0.sharedTransactionID == nil }
    ).record.transactionID
    let request = try await store.requestRefund(of: owned)
    try await store.decideRefundRequest(request.number, of: owned, .declined)
    try await server.send(
      SendConsumptionInformation(
        transactionId: owned,
        ConsumptionRequest(
          customerConsented: true, sampleContentProvided: false, deliveryStatus: OpenEnum(.delivered))))
    try await server.send(
      ExtendRenewalDatesForAllActiveSubscribers(
        MassExtendRenewalDateRequest(
          requestIdentifier: UUID(), extendByDays: 1, extendReasonCode: OpenEnum(.other), productId: TeaShop.yearly,
          storefrontCountryCodes: ["USA"])))
    try await store.beginPromotedPurchase(of: TeaShop.sencha, on: phone.id)
    _ = try await store.purchase(
      TeaShop.season, of: TeaShop.app, for: "stranger", in: .sandbox, paymentID: "ordered")
    try await store.database.write { work in
      try work.database.execute(
        sql: "INSERT INTO offerNonce VALUES (?, '0a1b2c3d-4e5f')", arguments: [TeaShop.app.rawValue])
    }
    return shop
  }

  /// Whether a restore would refuse the records of `database`, whose only change is in `table`.
  private func isRefused(_ database: Database, changedIn table: String) -> Bool {
    do {
      if try Row.fetchOne(database, sql: "PRAGMA foreign_key_check") != nil { return true }
      // The rows of other tables are unchanged.
      let identity = try SnapshotCheck.checkStore(database)
      if table != "store" { try SnapshotCheck.checkRows(of: table, identity, database) }
      try SnapshotCheck.checkRules(database)
      return false
    } catch {
      return true
    }
  }

  @Test("nonsense in any column of any table is refused, except where a store may have any value")
  func columns() async throws {
    let shop = try await shop()
    let folder = try ScratchFolder()
    defer { folder.remove() }
    let file = folder.url.appending(path: "snapshot.sqlite")
    try await shop.store.snapshot().write(to: file)
    try expectRefusals(of: try DatabaseQueue.inMemoryCopy(fromPath: file.path))
  }

  private func expectRefusals(of queue: DatabaseQueue) throws {
    try queue.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA foreign_keys = OFF")
      try SnapshotCheck.checkRows(database)
      var unneeded = Self.free.mapValues(\.values)
      for table in ["store"] + StoreTables.catalog + StoreTables.trade {
        let row = try #require(
          try Int64.fetchOne(database, sql: "SELECT max(rowid) FROM \(table)"), "\(table) has no rows")
        for column in try database.columns(in: table) {
          let path = "\(table).\(column.name)"
          // `current` are the values that the row has already.
          var (accepted, current): (Set<DatabaseValue>, Set<DatabaseValue>) = ([], [])
          // Columns of other types refuse other valid texts as they refuse "foreign".
          for value in column.type == "TEXT" ? Self.nonsense : Array(Self.nonsense.prefix(6)) {
            try database.inSavepoint {
              do {
                let old = try DatabaseValue.fetchOne(
                  database, sql: "SELECT \(column.name) FROM \(table) WHERE rowid = ?", arguments: [row])
                try database.execute(
                  sql: "UPDATE \(table) SET \(column.name) = ? WHERE rowid = ?", arguments: [value, row])
                let new = try DatabaseValue.fetchOne(
                  database, sql: "SELECT \(column.name) FROM \(table) WHERE rowid = ?", arguments: [row])
                if old == new {
                  current.insert(value)
                } else if !isRefused(database, changedIn: table) {
                  accepted.insert(value)
                }
              } catch let error as DatabaseError
                where [.SQLITE_CONSTRAINT, .SQLITE_MISMATCH].contains(error.resultCode)
              {
                // SQLite's own check refuses it.
              }
              return .rollback
            }
          }
          let allowed = Self.free[path]?.values ?? []
          #expect(accepted.isSubset(of: allowed), "\(path): \(accepted.subtracting(allowed))")
          unneeded[path]?.subtract(accepted.union(current))
        }
      }
      unneeded = unneeded.filter { !$0.value.isEmpty }
      #expect(unneeded.isEmpty, "These values are refused, or the column does not exist.")
    }
  }
}
