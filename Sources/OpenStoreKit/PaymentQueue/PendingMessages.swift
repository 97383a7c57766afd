import GRDB
import SignedData
import StoreModel

/// The messages for the customer that verified renewal information has raised. A delivered one stays, so that it is not
/// raised again.
enum PendingMessageTable {
  /// Stores the messages of a verified status, as part of a commit. Messages that were not delivered, and whose cause has
  /// ended, leave.
  ///
  /// - Returns: the new messages.
  static func keep(_ status: VerifiedStatus, in database: Database) throws -> [MessageUpdate] {
    let original = status.originalTransactionID
    let causes = causes(of: status)
    for reason in [StoreMessage.priceIncreaseConsent, .billingIssue, .winBackOffer] {
      try database.cachedStatement(
        sql: """
          DELETE FROM pendingMessage WHERE originalTransactionID = ? AND reason = ? AND NOT isDelivered AND subject <> ?
          """
      ).execute(arguments: [original.rawValue, reason.rawValue, causes[reason] ?? ""])
    }
    return try causes.sorted { $0.key.rawValue < $1.key.rawValue }.compactMap { reason, subject in
      try database.cachedStatement(
        sql: "INSERT OR IGNORE INTO pendingMessage (reason, originalTransactionID, subject) VALUES (?, ?, ?)"
      ).execute(arguments: [reason.rawValue, original.rawValue, subject])
      return database.changesCount > 0 ? MessageUpdate(message: reason, originalTransactionID: original) : nil
    }
  }

  /// The messages that a status gives a cause for, with the price or the date that each is about: the same message is
  /// raised again for another one.
  private static func causes(of status: VerifiedStatus) -> [StoreMessage: String] {
    guard status.transaction.revocationDate == nil else { return [:] }
    let info = status.renewalInfo
    let end = (info.renewalDate ?? status.transaction.expiresDate).map { "\($0.millisecondsSince1970)" } ?? "none"
    var causes: [StoreMessage: String] = [:]
    if info.priceIncreaseStatus == .pending {
      causes[.priceIncreaseConsent] = info.renewalPrice.map { "\($0.rawValue)" } ?? end
    }
    if info.isInBillingRetryPeriod == true {
      causes[.billingIssue] = status.transaction.expiresDate.map { "\($0.millisecondsSince1970)" } ?? end
    }
    if status.state == .expired, info.eligibleWinBackOfferIDs?.isEmpty == false {
      causes[.winBackOffer] = status.transaction.expiresDate.map { "\($0.millisecondsSince1970)" } ?? end
    }
    return causes
  }

  /// Called when another account has signed in, or another epoch has begun.
  static func removeUndelivered(in database: Database) throws {
    try database.execute(sql: "DELETE FROM pendingMessage WHERE NOT isDelivered")
  }
}

extension PaymentJournal {
  /// The messages that no iterator of `Message.messages` has received, as they arose.
  func pendingMessages() throws -> [MessageUpdate] {
    try database.read { database in
      let rows = try Row.fetchAll(
        database.cachedStatement(
          sql: "SELECT reason, originalTransactionID FROM pendingMessage WHERE NOT isDelivered ORDER BY sequence"))
      return rows.compactMap { row in
        guard let message = StoreMessage(rawValue: row["reason"]),
          let original = TransactionID(rawValue: row["originalTransactionID"])
        else { return nil }
        return MessageUpdate(message: message, originalTransactionID: original)
      }
    }
  }

  /// Marks a message as delivered.
  ///
  /// - Returns: false if it was delivered already, or its cause has ended. It must then not be shown.
  func markDelivered(_ message: MessageUpdate) throws -> Bool {
    try database.write { database in
      try database.execute(
        sql: """
          UPDATE pendingMessage SET isDelivered = TRUE
          WHERE reason = ? AND originalTransactionID = ? AND NOT isDelivered
          """,
        arguments: [message.message.rawValue, message.originalTransactionID.rawValue])
      return database.changesCount > 0
    }
  }
}
