import PurchaseLedger
import StoreModel

/// The response to a redemption or a restore.
struct RedemptionView: Encodable, Sendable {
  let customer: CustomerID
  let environment: StoreEnvironment
  let purchases: [RedeemedPurchaseView]
}

/// The result for one purchase: either `given` or `refusal`.
struct RedeemedPurchaseView: Encodable, Sendable {
  let transactionId: TransactionID
  let productId: ProductID?
  let given: GivenView?
  let refusal: RefusalView?
}

/// The reason for a refusal.
struct RefusalView: Encodable, Sendable {
  let code: String
  let message: String

  init(_ refusal: RedemptionRefusal) {
    code = refusal.code
    message = refusal.description
  }
}

/// The goods of a purchase.
struct GivenView: Encodable, Sendable {
  let claim: TransactionID
  let claimed: StoreDate
  let credits: LedgerProduct.Credits?
  let entitlement: EntitlementView?
  let delivery: DeliveryView?
}

/// A customer's right to a product, which may have ended.
struct EntitlementView: Encodable, Sendable {
  let productId: ProductID
  let source: String
  let origin: LedgerEntitlement.Origin
  let begun: StoreDate
  let accessUntil: StoreDate?
  let ended: StoreDate?
  let endReason: LedgerEntitlement.EndReason?
  /// Whether the customer has access now, by the server's clock.
  let isActive: Bool

  init(_ entitlement: LedgerEntitlement, at now: StoreDate) {
    productId = entitlement.product
    source = entitlement.source
    origin = entitlement.origin
    begun = entitlement.begun
    accessUntil = entitlement.accessUntil
    ended = entitlement.ended
    endReason = entitlement.endReason
    isActive = entitlement.isActive(at: now)
  }
}

/// A delivery, with its files.
struct DeliveryView: Encodable, Sendable {
  let id: String
  let productId: ProductID
  let source: String
  let version: Int64
  let files: [DeliveredFileView]
}

/// A file of a delivery, with either `inline` or `link`.
struct DeliveredFileView: Encodable, Sendable {
  let name: String
  /// The size in bytes.
  let size: Int64
  /// The digest as 64 lower-case hexadecimal digits.
  let sha256: String
  let mediaType: String
  /// The whole file in base64.
  let inline: String?
  /// The download link, relative to the server's address.
  let link: String?
  let linkExpires: StoreDate?
}
