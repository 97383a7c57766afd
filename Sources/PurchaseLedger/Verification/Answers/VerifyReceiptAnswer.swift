import Foundation
import StoreModel

/// An answer of `verifyReceipt`, taken apart but not judged. Implements Apple's "responseBody" and, for legacy receipts,
/// the answer of iOS 6.
struct VerifyReceiptAnswer: Sendable {
  let status: Int
  /// Comes with 21100 to 21199 only, as `is_retryable` or `is-retryable`.
  let isRetryable: Bool?
  /// As it is written; old answers may lack it.
  let environment: String?
  /// The receipt that was sent: of an app receipt the app's part, of a legacy one the transaction.
  let receipt: AnswerRecord?
  /// `in_app` of an app receipt; nil for a legacy one.
  let inApp: [AnswerRecord]?
  /// `latest_receipt_info`: an array in the answer to an app receipt, one object in that to a legacy one; also
  /// `latest_expired_receipt_info`, which comes with 21006.
  let latest: [AnswerRecord]

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
      // Which of the two it is follows from the receipt's generation; old and new answers are not told apart before.
      if let one = try? container.decodeIfPresent(AnswerRecord.self, forKey: key) { return [one] }
      return try container.decodeIfPresent([AnswerRecord].self, forKey: key) ?? []
    }
  }
}
