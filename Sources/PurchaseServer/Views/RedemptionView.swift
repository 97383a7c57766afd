import PurchaseLedger
import StoreModel

/// The answer to a redemption or a restore.
struct RedemptionView: Encodable, Sendable {
  let customer: CustomerID
  let environment: StoreEnvironment
  let purchases: [RedeemedPurchaseView]
}

/// What came of one purchase: either `given` or `refusal`.
struct RedeemedPurchaseView: Encodable, Sendable {
  let transactionId: TransactionID
  let productId: ProductID?
  let given: GivenView?
  let refusal: RefusalView?
}

/// Why something was not given.
struct RefusalView: Encodable, Sendable {
  let code: String
  let message: String

  init(_ refusal: RedemptionRefusal) {
    code = refusal.code
    message = refusal.description
  }
}

/// What a purchase gave.
struct GivenView: Encodable, Sendable {
  let claim: TransactionID
  let claimed: StoreDate
  let credits: LedgerProduct.Credits?
  let entitlement: EntitlementView?
  let delivery: DeliveryView?
}

/// That a customer has, or had, a product.
struct EntitlementView: Encodable, Sendable {
  let productId: ProductID
  let source: String
  let origin: LedgerEntitlement.Origin
  let begun: StoreDate
  let accessUntil: StoreDate?
  let ended: StoreDate?
  let endReason: LedgerEntitlement.EndReason?
  /// Whether the customer has it now, by the server's clock.
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

/// What can be downloaded.
struct DeliveryView: Encodable, Sendable {
  let id: String
  let productId: ProductID
  let source: String
  let version: Int64
  let files: [DeliveredFileView]
}

/// A file: either `inline` or `link`.
struct DeliveredFileView: Encodable, Sendable {
  let name: String
  /// In bytes.
  let size: Int64
  /// 64 lower-case hexadecimal digits.
  let sha256: String
  let mediaType: String
  /// Base64 of the whole file.
  let inline: String?
  /// Relative to the server's address.
  let link: String?
  let linkExpires: StoreDate?
}
