import Foundation
import StoreModel

/// The content of the store's answer about a valid receipt.
struct VerifiedAnswer: Hashable, Sendable {
  let environment: StoreEnvironment
  /// The date of the answer, by the store's clock.
  let statedDate: StoreDate
  let purchases: [ProvenPurchase]
  /// How the subscriptions continue, by original transaction; empty for a legacy receipt.
  let renewals: [TransactionID: ProvenRenewal]
  /// The `identifierForVendor` in a legacy receipt; nil for an app receipt.
  let vendorIdentifier: UUID?
  /// Describes a part that cannot be read, and that no purchase depends on; nil if there is none. It is reported to the
  /// operator.
  var unreadablePart: String?
}

extension VerifiedAnswer {
  /// Checks that no date of the answer is later than `latest`. Expiration dates are not checked.
  ///
  /// - Throws: ``AnswerFault/dateAhead(_:)``.
  func check(isBefore latest: StoreDate) throws(AnswerFault) {
    let newest = purchases.map(\.newestDate).reduce(statedDate, max)
    guard newest <= latest else { throw .dateAhead("it contains the date \(newest.text)") }
  }
}

extension VerifyReceiptAnswer {
  /// Returns the answer's content, after checking that it is about the expected app.
  ///
  /// - Parameters:
  ///   - kind: what was sent, an app receipt or a legacy receipt.
  ///   - app: the expected app.
  ///   - environment: the environment of the endpoint.
  func verifiedAnswer(
    on kind: PurchaseProof.Kind, of app: BundleID, from environment: StoreEnvironment
  ) throws(AnswerFault) -> VerifiedAnswer {
    let receipt = try required(receipt, "receipt")
    switch (kind, inApp) {
    case (.appReceipt, let inApp?):
      try Self.check(app, receipt, "bundle_id")
      let purchases = try Self.merged(inApp + latest, expires: "expires_date_ms")
      let (renewals, unreadable) = renewals(after: LastPeriods(of: purchases))
      return VerifiedAnswer(
        environment: environment,
        statedDate: try required(receipt.date("request_date_ms"), "request_date_ms"),
        purchases: purchases, renewals: renewals, vendorIdentifier: nil, unreadablePart: unreadable)
    case (.legacyReceipt, nil):
      for record in [receipt] + latest { try Self.check(app, record, "bid") }
      let purchases = try Self.merged([receipt] + latest, expires: "expires_date")
      return VerifiedAnswer(
        environment: environment, statedDate: try Self.newestDate(of: purchases), purchases: purchases, renewals: [:],
        vendorIdentifier: try receipt.uuid("unique_vendor_identifier"))
    default:
      throw .unreadable("it is the answer to another kind of receipt")
    }
  }

  /// Returns the readable elements of `pending_renewal_info`, and what is wrong with the others.
  private func renewals(
    after periods: LastPeriods
  ) -> (renewals: [TransactionID: ProvenRenewal], unreadable: String?) {
    guard let pending else { return ([:], "pending_renewal_info is no list of objects") }
    var renewals: [TransactionID: ProvenRenewal] = [:]
    var unreadable: String?
    for record in pending {
      do throws(AnswerFault) {
        // If a subscription has several elements, that of its last product is used.
        guard let (renewal, isOfLastProduct) = try record.renewal(after: periods),
          isOfLastProduct || renewals[renewal.originalTransactionID] == nil
        else { continue }
        renewals[renewal.originalTransactionID] = renewal
      } catch {
        unreadable = "pending_renewal_info: \(error)"
      }
    }
    return (renewals, unreadable)
  }

  private static func check(_ app: BundleID, _ record: AnswerRecord, _ name: String) throws(AnswerFault) {
    let found = try required(record.text(name), name)
    guard found == app.rawValue else {
      throw .wrongApp("it is for \(found.prefix(200)), expected was \(app)")
    }
  }

  /// Removes duplicate transactions: each has the position of its first record and the content of its last one.
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

  /// Returns the date of an answer about a legacy receipt. The answer contains no date of its own, so the newest date
  /// of its purchases is used: the refund date if there is a refund, otherwise the purchase date.
  ///
  /// This server's clock must not be used instead. If the clock is ahead of the store's clock, the store's next answers
  /// would have earlier dates than this answer, and would be ignored.
  private static func newestDate(of purchases: [ProvenPurchase]) throws(AnswerFault) -> StoreDate {
    try required(purchases.map(\.newestDate).max(), "a date")
  }
}

extension ProvenPurchase {
  /// The newest of the dates that must lie in the past.
  fileprivate var newestDate: StoreDate {
    max(purchaseDate, originalPurchaseDate, revocation?.date ?? purchaseDate)
  }
}
