import Foundation
import GRDB
import SignedData
import StoreModel

// The store to which the journal is bound, and how far the device has processed its changes.
extension PaymentJournal {
  /// Binds the journal to the roots of the store permanently, and to the store's epoch until the store begins another
  /// epoch.
  ///
  /// In another epoch, changes are received from the beginning of the epoch. Confirmed payments stay confirmed: a
  /// restored store may have charged them, and a store that was reset refuses them.
  ///
  /// The account and the settings of the greeting are part of the same commit.
  ///
  /// - Parameters:
  ///   - account: the account that is signed in; nil if there is none, so that the stored one stays.
  ///   - settings: the settings that the store's control API has set; nil to keep the stored ones.
  /// - Returns: whether the store has begun another epoch since the last contact.
  /// - Throws: ``StoreKitDeviceError/storeRootChanged`` if the store's roots are not those of the first contact.
  func adopt(
    epoch: StoreEpoch, rootFingerprints: [String], changeCursor: ChangeCursor, account: AccountName? = nil,
    settings: InstallationSettings? = nil
  ) throws -> Bool {
    try database.write { database in
      try adopt(epoch, rootFingerprints, changeCursor, account, settings, in: database)
    }
  }

  /// As ``adopt(epoch:rootFingerprints:changeCursor:account:settings:)``.
  func adopt(_ greeting: StoreGreeting) throws -> Bool { try database.write { try adopt(greeting, in: $0) } }

  /// The same, as part of a commit.
  func adopt(_ greeting: StoreGreeting, in database: Database) throws -> Bool {
    let roots = [greeting.rootCertificate, greeting.receiptRootCertificate]
    return try adopt(
      greeting.epoch, roots.map { SHA256Fingerprint(of: [UInt8]($0)).description }, greeting.changeCursor,
      greeting.account, greeting.settings ?? InstallationSettings(), in: database)
  }

  private func adopt(
    _ epoch: StoreEpoch, _ rootFingerprints: [String], _ changeCursor: ChangeCursor, _ account: AccountName?,
    _ settings: InstallationSettings?, in database: Database
  ) throws -> Bool {
    let isAnotherEpoch = try Self.adopt(
      epoch, rootFingerprints.joined(separator: " "), changeCursor, in: database)
    if isAnotherEpoch { unverifiedStatuses.value = [:] }
    if let settings { try Self.keep(settings, in: database) }
    if let account { try adopt(account: account, in: database) }
    return isAnotherEpoch
  }

  private static func adopt(
    _ epoch: StoreEpoch, _ rootFingerprint: String, _ changeCursor: ChangeCursor, in database: Database
  ) throws -> Bool {
    guard var installation = try InstallationRow.ofJournal(database) else { return false }
    let isFirstContact = installation.epoch == nil
    guard isFirstContact || installation.rootFingerprint == rootFingerprint else {
      throw StoreKitDeviceError.storeRootChanged
    }
    if installation.epoch == epoch, installation.changeCursor != nil { return false }
    let isAnotherEpoch = !isFirstContact && installation.epoch != epoch
    installation.changeCursor = changeCursor
    installation.epoch = epoch
    // After a restore or reset, the store's clock may be behind the date of the stored receipt. The store's next
    // receipt must replace the stored one.
    if isAnotherEpoch { installation.receiptDate = nil }
    installation.rootFingerprint = rootFingerprint
    try installation.update(database)
    if isAnotherEpoch { try startTransactionsOver(in: database) }
    return isAnotherEpoch
  }

  /// The fingerprints of the roots to which this journal is bound; empty before the first contact.
  func rootFingerprints() throws -> [String] {
    let text = try database.read { try String.fetchOne($0, sql: "SELECT rootFingerprint FROM installation") }
    return text?.split(separator: " ").map(String.init) ?? []
  }

  /// The cursor of the last processed change; nil before the first contact.
  func changeCursor() throws -> ChangeCursor? {
    try database.read { try Int64.fetchOne($0, sql: "SELECT changeCursor FROM installation") }
      .map(ChangeCursor.init(rawValue:))
  }

  /// Stores `cursor` as the cursor of the last processed change, adds the payments that the app accepted for the changes,
  /// and stores the purchase intents of the changes. All of it happens in one commit.
  ///
  /// - Parameter date: the current date.
  /// - Returns: the entries of the added payments.
  func advance(
    to cursor: ChangeCursor, adding payments: [PaymentRequest], intents: [IntentUpdate] = [], at date: StoreDate
  ) throws -> [QueueEntry] {
    try database.write { database in
      for intent in intents { try PendingIntentTable.keep(intent, in: database) }
      try database.cachedStatement(sql: "UPDATE installation SET changeCursor = ?").execute(
        arguments: [cursor.rawValue])
      return try payments.map { payment in
        var row = EntryRow(payment: payment, paymentID: payment.paymentID, state: .added, addedDate: date)
        try row.insert(database)
        return try row.entry
      }
    }
  }

  /// Whether an app has used StoreKit 2 on this installation, in this launch or an earlier one.
  func usesStoreKit2() throws -> Bool {
    try database.read { try Bool.fetchOne($0, sql: "SELECT usesStoreKit2 FROM installation") == true }
  }

  /// Stores that an app has used StoreKit 2. From then on, transactions are announced.
  func setUsesStoreKit2() throws {
    try database.write { try $0.execute(sql: "UPDATE installation SET usesStoreKit2 = TRUE WHERE NOT usesStoreKit2") }
  }

  /// The verified app transaction as a compact JWS; nil if none has arrived.
  func appTransaction() throws -> String? {
    try database.read { try String.fetchOne($0, sql: "SELECT appTransaction FROM installation") }
  }

  /// Stores a verified app transaction.
  ///
  /// - Parameter account: the account that was signed in when it was requested. If another one has signed in since then, it
  ///   is not stored.
  func keep(appTransaction jws: String, requestedBy account: AccountName?) throws {
    try database.write { database in
      let stored = try String.fetchOne(database, sql: "SELECT account FROM installation").map { AccountName($0) }
      guard stored == nil || stored == account else { return }
      try database.execute(sql: "UPDATE installation SET appTransaction = ?", arguments: [jws])
    }
  }

  /// Stores the settings that the store's control API has set. They apply at the next launch, before the first contact.
  private static func keep(_ settings: InstallationSettings, in database: Database) throws {
    guard try self.settings(in: database) != settings else { return }
    try database.execute(
      sql: "UPDATE installation SET isRestricted = ?, isOffline = ?",
      arguments: [settings.isRestricted, settings.isOffline])
  }

  /// The settings that the store's control API has set, as far as they are known.
  func settings() throws -> InstallationSettings { try database.read { try Self.settings(in: $0) } }

  private static func settings(in database: Database) throws -> InstallationSettings {
    let row = try Row.fetchOne(database, sql: "SELECT isRestricted, isOffline FROM installation")
    return InstallationSettings(isRestricted: row?["isRestricted"], isOffline: row?["isOffline"])
  }
}
