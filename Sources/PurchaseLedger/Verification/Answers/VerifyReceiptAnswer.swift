import Foundation
import StoreModel

/// A decoded but unchecked answer of `verifyReceipt`. Implements Apple's "responseBody" and, for legacy receipts, the format of
/// iOS 6.
struct VerifyReceiptAnswer: Sendable {
  let status: Int
  /// The value of `is_retryable` or `is-retryable`, which the store sends only with the statuses 21100 to 21199.
  let isRetryable: Bool?
  /// The environment as the store writes it; nil if the answer does not contain it, as in the oldest format.
  let environment: String?
  /// The receipt: for an app receipt the app's properties, for a legacy receipt the transaction.
  let receipt: AnswerRecord?
  /// `in_app` of an app receipt; nil for a legacy receipt.
  let inApp: [AnswerRecord]?
  /// The records of `latest_receipt_info` and of `latest_expired_receipt_info`, which the store sends with status
  /// 21006. For an app receipt they are arrays, for a legacy receipt single objects.
  let latest: [AnswerRecord]
  /// `pending_renewal_info`; empty if the answer does not contain it, nil if it cannot be read. No purchase depends on it, so it does
  /// not make the answer unreadable.
  let pending: [AnswerRecord]?

  /// - Parameter body: a JSON object with `status`.
  init(_ body: Data) throws(AnswerFault) {
    do {
      self = try BoundedJSON.decode(Self.self, from: body, within: .file)
    } catch {
      throw .unreadable("it is no answer of verifyReceipt (\(body.count) bytes)")
    }
  }
}

extension VerifyReceiptAnswer: Decodable {
  private enum CodingKeys: String, CodingKey {
    case status, environment, receipt
    case isRetryable = "is_retryable"
    case oldIsRetryable = "is-retryable"
    case latest = "latest_receipt_info"
    case latestExpired = "latest_expired_receipt_info"
    case pending = "pending_renewal_info"
  }

  private struct InApp: Decodable {
    let records: [AnswerRecord]?

    private enum CodingKeys: String, CodingKey { case records = "in_app" }
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard let status = try container.decode(AnswerValue.self, forKey: .status).asNumber.flatMap(Int.init(exactly:))
    else {
      throw DecodingError.dataCorruptedError(forKey: .status, in: container, debugDescription: "status is no number")
    }
    self.status = status
    let flag =
      try container.decodeIfPresent(AnswerValue.self, forKey: .isRetryable)
      ?? container.decodeIfPresent(AnswerValue.self, forKey: .oldIsRetryable)
    isRetryable = flag?.asFlag
    environment = try container.decodeIfPresent(AnswerValue.self, forKey: .environment)?.asText
    receipt = try container.decodeIfPresent(AnswerRecord.self, forKey: .receipt)
    inApp = try container.decodeIfPresent(InApp.self, forKey: .receipt)?.records
    latest = try [CodingKeys.latest, .latestExpired].flatMap { key -> [AnswerRecord] in
      // The value is an object for legacy receipts, and an array for app receipts. The answer does not contain the kind
      // of receipt.
      if let one = try? container.decodeIfPresent(AnswerRecord.self, forKey: key) { return [one] }
      return try container.decodeIfPresent([AnswerRecord].self, forKey: key) ?? []
    }
    do {
      pending = try container.decodeIfPresent([AnswerRecord].self, forKey: .pending) ?? []
    } catch {
      pending = nil
    }
  }
}
