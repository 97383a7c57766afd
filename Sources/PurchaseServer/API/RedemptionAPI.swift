import APIDescription
import Foundation
import PurchaseLedger
import StoreModel
import WebSupport

extension ServiceEndpoints {
  private static let refusedRedemptions = [
    OtherResponse(409, "Nothing was given: another customer has the purchase", .json(RefusedRedemptionView.self)),
    OtherResponse(410, "Nothing was given: the purchase was refunded or revoked", .json(RefusedRedemptionView.self)),
    OtherResponse(422, "Nothing was given: the proof does not prove it", .json(RefusedRedemptionView.self)),
  ]

  static let redeem = Endpoint<AppPath, NoMembers, RedemptionRequestBody, RedemptionView>(
    .post, "/v1/apps/{bundleId}/redemptions", name: "redeem",
    summary:
      "Redeems purchases of a proof. A repeated request has the same answer and gives nothing more; links are new.",
    answers: "The result of each purchase. At least one was given, or none was requested.",
    otherResponses: refusedRedemptions)
  static let restore = Endpoint<AppPath, NoMembers, RestoreRequest, RedemptionView>(
    .post, "/v1/apps/{bundleId}/restores", name: "restore",
    summary: "Redeems all purchases of a proof except consumables.",
    answers: "The result of each purchase. At least one was given, or none was requested.",
    otherResponses: refusedRedemptions)
  static let entitlements = Endpoint<AppPath, PageQuery, NoMembers, EntitlementList>(
    .get, "/v1/apps/{bundleId}/entitlements", name: "entitlements",
    summary: "Lists the customer's entitlements, also those that have ended.", answers: "The entitlements")

  static let redemptions: [any DescribedEndpoint] = [redeem, restore, entitlements]
}

/// A proof of purchases: exactly one of the four members.
struct ProofRequest: APIObject {
  let appReceipt: String?
  let legacyReceipt: String?
  let signedTransaction: String?
  let transactionId: String?

  static let schemaName = "Proof"
  static let schemaDescription: String? = "Exactly one of the four."
  static let notes: [String: MemberNote] = [
    "appReceipt": "The app receipt in base64.",
    "legacyReceipt": "A transactionReceipt in base64.",
    "signedTransaction":
      """
    A JWS. Refused (kindNotAccepted) for an app whose receipts are verified by verifyReceipt, unless the operator's configuration accepts it.
    """,
    "transactionId": .init(
      """
      Refused (kindNotAccepted) unless the customer is identified, the App Store Server API verifies the app's purchases, and the \
      purchase's appAccountToken is the customer's id.
      """, pattern: "^[0-9]{1,20}$"),
  ]

  /// - Throws: ``ErrorResponse``.
  func proof() throws(ErrorResponse) -> PurchaseProof {
    switch (appReceipt, legacyReceipt, signedTransaction, transactionId) {
    case (let text?, nil, nil, nil): return .appReceipt(try Self.data(text))
    case (nil, let text?, nil, nil): return .legacyReceipt(try Self.data(text))
    case (nil, nil, let jws?, nil) where !jws.isEmpty: return .signedTransaction(jws)
    case (nil, nil, nil, let text?):
      guard let id = TransactionID(rawValue: text) else {
        throw ErrorResponse(
          .unprocessableContent, "unreadableProof", "A transaction id has 1 to 20 decimal digits.")
      }
      return .transactionID(id)
    default:
      throw ErrorResponse(
        .unprocessableContent, "unreadableProof",
        "Send one proof: appReceipt or legacyReceipt in base64, or signedTransaction as it is.")
    }
  }

  private static func data(_ text: String) throws(ErrorResponse) -> Data {
    // Some clients wrap base64 in lines.
    guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters), !data.isEmpty else {
      throw ErrorResponse(.unprocessableContent, "unreadableProof", "The receipt is not base64, or empty.")
    }
    return data
  }
}

struct RedemptionRequestBody: APIObject {
  struct Purchase: APIObject {
    let transactionId: String
    let productId: String?

    static let schemaName = "RedemptionItem"
    static let notes: [String: MemberNote] = [
      "transactionId": .init(pattern: "^[0-9]{1,20}$"),
      "productId": "The product that the app expects. The purchase is refused if it is another.",
    ]
  }

  let proof: ProofRequest
  let purchases: [Purchase]

  static let schemaName = "RedemptionRequest"

  static let notes: [String: MemberNote] = ["purchases": .init(minItems: 1, maxItems: 1000)]

  /// - Throws: ``ErrorResponse``.
  func items() throws(ErrorResponse) -> [RedemptionRequest.Item] {
    guard (1...1000).contains(purchases.count) else {
      throw ErrorResponse(
        .badRequest, "malformedRequest", "Name 1 to 1,000 purchases. To get all that is owned, restore.")
    }
    var items: [RedemptionRequest.Item] = []
    for purchase in purchases {
      guard let id = TransactionID(rawValue: purchase.transactionId) else {
        throw ErrorResponse(
          .badRequest, "malformedRequest",
          "\(purchase.transactionId.prefix(40)) is no transaction id; those are 1 to 20 decimal digits.")
      }
      items.append(RedemptionRequest.Item(transactionID: id, productID: purchase.productId.map { ProductID($0) }))
    }
    return items
  }
}

struct RestoreRequest: APIObject {
  let proof: ProofRequest
}

/// The answer to a redemption or a restore.
struct RedemptionView: APIObject {
  let customer: CustomerID
  let environment: StoreEnvironment
  let purchases: [RedeemedPurchaseView]

  static let schemaDescription: String? =
    "The customer is not the caller's if the installation was joined with the customer of an earlier installation."
}

/// The response to a refused redemption. If all its purchases were refused, the error is the first refusal.
struct RefusedRedemptionView: APIObject {
  let error: RefusalView
  let customer: CustomerID?
  let environment: StoreEnvironment?
  let purchases: [RedeemedPurchaseView]?

  static let schemaName = "RefusedRedemption"
  static let schemaDescription: String? = "If the proof itself was refused, only the error is present."

  init(_ view: RedemptionView, _ refusal: RedemptionRefusal) {
    error = RefusalView(refusal)
    customer = view.customer
    environment = view.environment
    purchases = view.purchases
  }
}

/// The result of one purchase: either `given` or `refusal`.
struct RedeemedPurchaseView: APIObject {
  let transactionId: TransactionID
  let productId: ProductID?
  let given: GivenView?
  let refusal: RefusalView?

  static let schemaName = "RedeemedPurchase"
  static let schemaDescription: String? = "Either given or refusal."
}

/// The reason for a refusal.
struct RefusalView: APIObject {
  let code: String
  let message: String

  static let notes: [String: MemberNote] = [
    "code": "For programs.", "message": "For people: what is wrong, and what to do.",
  ]

  init(code: String, message: String) {
    self.code = code
    self.message = message
  }

  init(_ refusal: RedemptionRefusal) { self.init(code: refusal.code, message: refusal.description) }
}

/// The credits, entitlement and files that a customer received for a purchase.
struct GivenView: APIObject {
  let claim: TransactionID
  let claimed: StoreDate
  let credits: LedgerProduct.Credits?
  let entitlement: EntitlementView?
  let delivery: DeliveryView?

  static let schemaName = "Given"
}

struct EntitlementList: APIObject {
  let entitlements: [EntitlementView]
  let named: [NamedEntitlement]?
  let next: PageCursor?

  static let notes: [String: MemberNote] = ["named": .namedEntitlements, "next": .nextPageAfter]

  init(_ page: EntitlementPage) {
    entitlements = page.page.elements.map { EntitlementView($0, at: page.date) }
    named = page.named
    next = page.page.next.map(PageCursor.init)
  }
}

/// An entitlement of a customer.
struct EntitlementView: APIObject {
  let productId: ProductID
  let source: String
  let origin: LedgerEntitlement.Origin
  let begun: StoreDate
  let accessUntil: StoreDate?
  let expires: StoreDate?
  let renewal: LedgerEntitlement.Renewal?
  let ended: StoreDate?
  let endReason: LedgerEntitlement.EndReason?
  let isActive: Bool

  static let schemaDescription: String? = "Without accessUntil it never ends by itself."
  static let notes: [String: MemberNote] = [
    "source": "The original transaction id, or grant: and the key of an operator's grant.",
    "accessUntil": "The end of the access. For an auto-renewable subscription it includes a grace period.",
    "expires":
      "The expiration date of an auto-renewable subscription's current period. It has passed in a grace period.",
    "isActive": "Whether the customer has access now, by the server's clock.",
  ]

  init(_ entitlement: LedgerEntitlement, at now: StoreDate) {
    productId = entitlement.product
    source = entitlement.source
    origin = entitlement.origin
    begun = entitlement.begun
    accessUntil = entitlement.accessUntil
    expires = entitlement.expires
    renewal = entitlement.renewal
    ended = entitlement.ended
    endReason = entitlement.endReason
    isActive = entitlement.isActive(at: now)
  }
}
