import Foundation
import SignedData
import StoreModel

/// The answer of `verifyReceipt`. Implements Apple's "responseBody" (App Store Receipts).
public struct VerifyReceiptResponse: Sendable {
  public let status: VerifyReceiptStatus
  /// The answer in JSON. Members have a fixed order, so that the same answer always has the same bytes.
  public let bytes: [UInt8]
  /// The answer in JSON, as `Data`. A copy of ``bytes``.
  public var body: Data { Data(bytes) }
  /// The app of the receipt; nil if no receipt was read.
  let bundleID: BundleID?
  /// The reason of a refusal, for the request journal. The answer itself does not contain it, so that it does not help
  /// a forger.
  private(set) var reason: String?

  /// An answer with a status and without a receipt.
  ///
  /// - Parameters:
  ///   - isRetryable: `true` if the request may be retried. Written with statuses 21100 to 21199, unless it is nil.
  ///   - environment: the environment that was asked. Written with 21003 and 21004, as from Apple's endpoint.
  ///   - reason: the reason of a refusal, for the request journal.
  public init(
    status: VerifyReceiptStatus, isRetryable: Bool? = nil, in environment: StoreEnvironment? = nil,
    because reason: String? = nil
  ) {
    var writer = JSONWriter()
    let hasEnvironment = status == .notAuthenticated || status == .wrongSharedSecret
    writer.member("environment", hasEnvironment ? environment?.rawValue : nil)
    // Apple has documented both `is_retryable` and `is-retryable`, and does not publish which one it sends. The
    // underscore is newer, and all other fields of an answer have it.
    writer.member("is_retryable", status.isInternalError ? isRetryable : nil)
    writer.member("status", Int64(status.rawValue))
    self.init(status, writer, of: nil)
    self.reason = reason
  }

  /// An answer to a genuine legacy receipt.
  ///
  /// - Parameters:
  ///   - fields: the transaction of the receipt.
  ///   - latest: nil for a receipt that is not of an auto-renewable subscription.
  init(
    legacy fields: [String: String], in environment: StoreEnvironment, latest: LegacyRenewalFields? = nil
  ) {
    let status: VerifyReceiptStatus = latest?.isExpired == true ? .subscriptionExpired : .valid
    var writer = JSONWriter(status: status)
    // According to reports, the oldest answers of Apple had no `environment`; newer ones have it.
    writer.member("environment", environment.rawValue)
    writer.object("receipt") { $0.members(fields) }
    latest?.write(to: &writer)
    self.init(status, writer, of: fields["bid"].map(BundleID.init))
  }

  /// Makes the answer to a genuine app receipt. With subscriptions, the answer contains a new receipt, which is signed
  /// while the rest of the answer is written.
  ///
  /// - Parameters:
  ///   - latest: nil for a receipt without subscriptions.
  ///   - sign: signs the new receipt.
  static func app(
    _ fields: AppReceiptFields, in environment: StoreEnvironment, latest: LatestAppReceipt?,
    sign: @escaping @Sendable (AppReceipt) throws -> Data
  ) async throws -> VerifyReceiptResponse {
    let (receipt, transactions) = (fields.receipt, fields.transactions)
    async let latestReceipt = latest.map { latest in
      var receipt = receipt
      receipt.creationDate = latest.creationDate
      receipt.requestDate = receipt.requestDate == nil ? nil : latest.creationDate
      receipt.inAppPurchases = latest.current.map { AppReceipt.InAppPurchase(record: transactions.records[$0].record) }
      return try sign(receipt)
    }
    var inApp = InAppFields()
    let objects = WrittenObjects(of: transactions.records, bytesPerElement: 1000) { writer, stored in
      inApp.write(stored.record) { writer.member($0, $1) }
    }
    // Each transaction takes about 1,000 bytes in the answer, and about 400 more in the new receipt.
    let count = receipt.inAppPurchases.count + (latest?.latest.count ?? 0)
    var writer = JSONWriter(status: .valid, capacity: 4096 + 1500 * count)
    writer.member("environment", environment.rawValue)
    writer.object("receipt") { fields.write(to: &$0, objects) }
    latest?.write(to: &writer, objects, transactions.records)
    writer.member("latest_receipt", base64: try await latestReceipt)
    return VerifyReceiptResponse(.valid, writer, of: receipt.bundleID)
  }

  private init(_ status: VerifyReceiptStatus, _ writer: consuming JSONWriter, of bundleID: BundleID?) {
    self.status = status
    self.bundleID = bundleID
    bytes = writer.finished()
  }
}

extension JSONWriter {
  fileprivate init(status: VerifyReceiptStatus, capacity: Int = 1024) {
    self.init(capacity: capacity)
    member("status", Int64(status.rawValue))
  }
}
