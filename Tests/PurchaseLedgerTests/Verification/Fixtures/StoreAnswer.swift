import Foundation
import StoreModel

/// Answers of `verifyReceipt`, written as the store writes them: nearly all values are strings.
enum StoreAnswer {
  static let app: BundleID = "org.example.teahouse"
  /// 2026-07-01T12:00:00Z
  static let bought: Int64 = 1_782_907_200_000
  /// A day later, with milliseconds.
  static let asked: Int64 = bought + 86_400_123

  static func purchase(_ id: String = "100", _ more: [String: Any] = [:]) -> [String: Any] {
    let fields: [String: Any] = [
      "quantity": "1", "product_id": "org.example.teahouse.oolong", "transaction_id": id,
      "original_transaction_id": id, "purchase_date_ms": String(bought), "original_purchase_date_ms": String(bought),
      "is_trial_period": "false",
    ]
    return fields.merging(more) { $1 }
  }

  static func app(
    _ inApp: [[String: Any]] = [purchase()], latest: Any? = nil, receipt: [String: Any] = [:],
    answer more: [String: Any] = [:]
  ) -> ScriptedReceiptServer.Answer {
    let fields: [String: Any] = [
      "receipt_type": "Production", "adam_id": 5, "bundle_id": app.rawValue, "request_date_ms": String(asked),
      "receipt_creation_date_ms": String(bought), "in_app": inApp,
    ]
    var answer: [String: Any] = [
      "status": 0, "environment": "Production", "receipt": fields.merging(receipt) { $1 },
    ]
    answer["latest_receipt_info"] = latest
    return Self.answer(answer.merging(more) { $1 })
  }

  static func legacy(
    _ record: [String: Any] = [:], status: Int = 0, answer more: [String: Any] = [:]
  ) -> ScriptedReceiptServer.Answer {
    let fields = purchase("100", ["bid": app.rawValue, "bvrs": "3.1"]).merging(record) { $1 }
    return answer(["status": status, "receipt": fields].merging(more) { $1 })
  }

  static func answer(_ object: [String: Any]) -> ScriptedReceiptServer.Answer {
    // An answer that is not valid JSON becomes an empty body, which the test then reports as unreadable.
    let data = (try? JSONSerialization.data(withJSONObject: object)) ?? Data()
    return .reply(.init(httpStatus: 200, body: data))
  }
}
