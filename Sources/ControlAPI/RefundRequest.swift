import APIDescription
import StoreModel

package struct RefundRequest: APIObject {
  package let reason: RevocationReason?
  package let percentage: Int?

  package static let notes: [String: MemberNote] = [
    "reason": .init("1: an issue with the app; 0: another reason.", defaultValue: .integer(0)),
    "percentage": .init(
      "The share of the price, in thousandths of a percent.", minimum: 1, maximum: 100_000,
      defaultValue: .integer(100_000)),
  ]

  package init(reason: RevocationReason? = nil, percentage: Int? = nil) {
    self.reason = reason
    self.percentage = percentage
  }
}
