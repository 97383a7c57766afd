import AppStoreServerAPI
import Foundation
import SignedData
import StoreModel

/// The decoded contents of a notification: its payload, and the signed data in it.
struct NotificationContents {
  let payload: NotificationPayload
  let transactionInfo: SignedTransaction?
  let renewalInfo: SignedRenewalInfo?
}

extension StoreUnitOfWork {
  /// The contents of a notification about a transaction, with the records of now.
  ///
  /// - Parameters:
  ///   - stored: nil for a notification without a purchase.
  ///   - row: the transaction's subscription; nil if it has none.
  ///   - reason: why the customer asks for a refund.
  func notificationContents(
    _ cause: NotificationCause, uuid: String, app: StoreApp, _ environment: StoreEnvironment,
    about stored: StoredTransaction?, _ row: SubscriptionRow?, reason: ConsumptionRequestReason? = nil
  ) throws -> NotificationContents {
    let transactionInfo = try stored.map { SignedTransaction(record: $0.record, signedDate: try takeSignedDate()) }
    var renewalInfo: SignedRenewalInfo?
    var data = NotificationData(environment: OpenEnum(environment), bundleId: app.bundleID)
    data.appAppleId = environment == .production ? app.appAppleID : nil
    data.consumptionRequestReason = reason.map { OpenEnum($0) }
    if let stored {
      data.bundleVersion = try receiptInstallations.registered(for: stored)?.applicationVersion
      data.signedTransactionInfo = NotificationRow.transactionMark
      if let row {
        renewalInfo = try self.renewalInfo(of: row, for: stored, signedDate: try takeSignedDate())
        data.signedRenewalInfo = NotificationRow.renewalMark
        data.status = OpenEnum(subscriptionStatus(of: row, for: stored))
      }
    }
    return NotificationContents(
      payload: NotificationPayload(
        notificationType: OpenEnum(cause.type), subtype: cause.subtype.map { OpenEnum($0) }, notificationUUID: uuid,
        signedDate: try takeSignedDate(), content: .data(data)),
      transactionInfo: transactionInfo, renewalInfo: renewalInfo)
  }
}

// MARK: Signing

extension NotificationRow {
  /// Signs the contents: with one chain, that of the payload's date and of one context, so that all signatures have the same header.
  ///
  /// - Returns: the JWS header, and the signatures as ``signatures`` has them.
  func signed(by authority: IssuingAuthority) throws -> (header: String, signatures: String) {
    let authority = authority.issuingInPresentContext()
    var header = ""
    var signatures: [Substring] = []
    func sign(_ json: String) throws -> String {
      let jws = try authority.signJWS(payload: Array(json.utf8), at: signedDate)
      let parts = jws.split(separator: ".")
      header = String(parts[0])
      signatures.append(parts[2])
      return jws
    }
    let (transaction, renewal) = (try transactionInfo.map(sign), try renewalInfo.map(sign))
    _ = try sign(payload(with: transaction, renewal))
    return (header, signatures.joined(separator: "."))
  }

  /// The signed payload, put together from its parts; nil if it is not signed.
  ///
  /// - Parameter header: the header of the row's number.
  func signedPayload(header: String) -> String? {
    guard let signatures else { return nil }
    var parts = signatures.split(separator: ".")[...]
    func assembled(_ json: String) -> String? {
      guard let signature = parts.popFirst() else { return nil }
      return "\(header).\(Self.base64URL(json)).\(signature)"
    }
    let (transaction, renewal) = (transactionInfo.flatMap(assembled), renewalInfo.flatMap(assembled))
    return assembled(payload(with: transaction, renewal))
  }

  /// The JSON to sign: the payload with the signed data in it.
  private func payload(with transaction: String?, _ renewal: String?) -> String {
    func member(_ name: String, _ value: String) -> String { "\"\(name)\":\"\(value)\"" }
    var json = payload
    // The marks are found with their names, because other values can contain the same text.
    for (name, mark, value) in [
      ("signedTransactionInfo", Self.transactionMark, transaction), ("signedRenewalInfo", Self.renewalMark, renewal),
    ] {
      guard let value, let range = json.range(of: member(name, mark)) else { continue }
      json.replaceSubrange(range, with: member(name, value))
    }
    return json
  }

  private static func base64URL(_ text: String) -> String {
    String(decoding: Base64.encode(Array(text.utf8), .url), as: UTF8.self)
  }
}
