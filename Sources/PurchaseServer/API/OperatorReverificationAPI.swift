import APIDescription
import PurchaseLedger
import StoreModel

extension ServiceEndpoints {
  static let reverify = OperatorEndpoint<NoMembers, NoMembers, ReverificationRequest, ReverificationView>(
    .post, "/v1/operator/reverify", role: .support, name: "reverify",
    summary:
      "Asks the store again about purchases that were redeemed, and records refunds: of a customer, of a product, or one purchase.",
    answers: "A page of purchases, by what came of them")

  static let reverification: [any DescribedEndpoint] = [reverify]
}

struct ReverificationRequest: APIObject {
  let bundleId: BundleID
  let customer: CustomerID?
  let productId: ProductID?
  let transactionId: TransactionID?
  let after: PurchasePosition?
  let limit: Int64?
  let reason: String?

  static let schemaDescription: String? = "Exactly one of customer, productId and transactionId."
  static let notes: [String: MemberNote] = [
    "transactionId": "Of a consumable its transaction id, of other products the original transaction id.",
    "after": "`next` of the previous page.",
    "limit": .init(
      "The maximum number of purchases on a page. A page is shorter if the store answers slowly.", minimum: 1,
      maximum: 100, defaultValue: .integer(20)),
    "reason": .reason,
  ]
}

/// The position after which the next page of a reverification begins: the last purchase of the previous page.
struct PurchasePosition: APIObject {
  let environment: StoreEnvironment
  let transactionId: TransactionID
}

/// A page of a reverification. The purchases on the page are `checked`, `failed` or `unverifiable`.
struct ReverificationView: APIObject {
  var checked: Int64 = 0
  var changed: Int64 = 0
  var failed: Int64 = 0
  var unverifiable: Int64 = 0
  var next: PurchasePosition?

  static let schemaName = "Reverification"
  static let notes: [String: MemberNote] = [
    "checked": "Purchases about which the store has answered.",
    "changed":
      "Purchases that are refunded now, or no longer refunded. Other purchases of the same receipts are counted as well.",
    "failed": "Purchases that could not be verified; the log says why.",
    "unverifiable":
      "Purchases that the store cannot be asked about: no proof is stored, or the app's method does not fit it: offline, or a transaction id is stored and the method is not serverAPI.",
    "next": "`after` for the next page; missing on the last page.",
  ]
}
