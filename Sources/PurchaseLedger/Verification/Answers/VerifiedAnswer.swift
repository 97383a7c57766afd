import Foundation
import StoreModel

/// What the store said of a receipt that it vouched for.
struct VerifiedAnswer: Hashable, Sendable {
  let environment: StoreEnvironment
  /// By the store's own clock.
  let statedDate: StoreDate
  let purchases: [ProvenPurchase]
  /// The installation that a legacy receipt names.
  let vendorIdentifier: UUID?
}

extension VerifiedAnswer {
  /// - Throws: ``AnswerFault/dateAhead(_:)`` where a date that must lie in the past lies after `latest`.
  func check(isBefore latest: StoreDate) throws(AnswerFault) {
    let newest = purchases.map(\.newestDate).reduce(statedDate, max)
    guard newest <= latest else { throw .dateAhead("it speaks of \(newest.words)") }
  }
}

extension VerifyReceiptAnswer {
  /// What it says, if it is about the expected app.
  ///
  /// - Parameters:
  ///   - kind: what was sent, an app receipt or a legacy receipt.
  ///   - app: whose receipt it must be.
  ///   - environment: of the door it came from.
  func statement(
    on kind: PurchaseProof.Kind, of app: BundleID, from environment: StoreEnvironment
  ) throws(AnswerFault) -> VerifiedAnswer {
    let receipt = try required(receipt, "receipt")
    switch (kind, inApp) {
    case (.appReceipt, let inApp?):
      try Self.check(app, receipt, "bundle_id")
      return VerifiedAnswer(
        environment: environment,
        statedDate: try required(receipt.date("request_date_ms"), "request_date_ms"),
        purchases: try Self.merged(inApp + latest, expires: "expires_date_ms"),
        vendorIdentifier: nil)
    case (.legacyReceipt, nil):
      for record in [receipt] + latest { try Self.check(app, record, "bid") }
      let purchases = try Self.merged([receipt] + latest, expires: "expires_date")
      return VerifiedAnswer(
        environment: environment, statedDate: try Self.newestDate(of: purchases), purchases: purchases,
        vendorIdentifier: try receipt.uuid("unique_vendor_identifier"))
    default:
      throw .unreadable("it is the answer to another kind of receipt")
    }
  }

  private static func check(_ app: BundleID, _ record: AnswerRecord, _ name: String) throws(AnswerFault) {
    let found = try required(record.text(name), name)
    guard found == app.rawValue else {
      throw .wrongApp("it is for \(found.prefix(200)), expected was \(app)")
    }
  }

  /// Each transaction once, where it came first, as it was described last.
  private static func merged(_ records: [AnswerRecord], expires: String) throws(AnswerFault) -> [ProvenPurchase] {
    var purchases: [ProvenPurchase] = []
    var places: [TransactionID: Int] = [:]
    for record in records {
      let purchase = try record.purchase(expires: expires)
      if let place = places[purchase.transactionID] {
        purchases[place] = purchase
      } else {
        places[purchase.transactionID] = purchases.count
        purchases.append(purchase)
      }
    }
    return purchases
  }

  /// The date of a statement that bears none: the newest thing it speaks of.
  ///
  /// The answer to a legacy receipt does not say when it was made. This machine's clock must not stand in: hours ahead of
  /// the store's, it would make the store's next statements look old. So a legacy answer that tells of a refund is as new
  /// as that refund, and one that tells of none is as old as the purchase, which contradicts nobody.
  private static func newestDate(of purchases: [ProvenPurchase]) throws(AnswerFault) -> StoreDate {
    try required(purchases.map(\.newestDate).max(), "a date")
  }
}

extension ProvenPurchase {
  /// The newest date in the past that it bears.
  fileprivate var newestDate: StoreDate {
    max(purchaseDate, originalPurchaseDate, revocation?.date ?? purchaseDate)
  }
}
