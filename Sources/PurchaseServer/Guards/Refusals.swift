import HTTPTypes
import Logging
import PurchaseLedger
import WebSupport

/// The HTTP status of each refusal. Documentation/purchase-server.md lists them.
extension RedemptionRefusal {
  var status: HTTPResponse.Status {
    switch self {
    case .notInProof, .otherProduct, .unknownProduct, .otherType, .environmentNotAllowed: .unprocessableContent
    case .namesAnotherCustomer, .claimedByAnotherCustomer, .otherPurchase: .conflict
    case .refunded, .revoked: .gone
    }
  }
}

extension ProofRefusal {
  /// The reason as an identifier for programs.
  var code: String {
    switch self {
    case .unreadable: "unreadableProof"
    case .forged: "forgedProof"
    case .wrongApp: "wrongApp"
    case .wrongEnvironment: "wrongEnvironment"
    case .accountNotFound: "accountNotFound"
    case .kindNotAccepted: "kindNotAccepted"
    case .unknownApp: "unknownApp"
    case .purchaseNotKnownYet: "purchaseNotKnownYet"
    case .storeUnavailable: "storeUnavailable"
    case .misconfigured: "misconfigured"
    }
  }

  /// The response, with a general message. The details are only logged.
  var errorResponse: ErrorResponse {
    switch self {
    case .unreadable: ErrorResponse(.unprocessableContent, code, "The proof cannot be read.")
    case .forged: ErrorResponse(.unprocessableContent, code, "The proof is not genuine.")
    case .wrongApp: ErrorResponse(.unprocessableContent, code, "The proof is of another app.")
    case .wrongEnvironment:
      ErrorResponse(.unprocessableContent, code, "The proof is from an environment that is not accepted here.")
    case .accountNotFound:
      ErrorResponse(.unprocessableContent, code, "The store does not know the account of this proof any more.")
    case .kindNotAccepted: ErrorResponse(.unprocessableContent, code, description)
    case .unknownApp: ErrorResponse(.notFound, code, "There is no such app here.")
    case .purchaseNotKnownYet(let seconds):
      ErrorResponse(
        .serviceUnavailable, code, "The store does not know the purchase yet. Send the same proof again later.",
        headers: [.retryAfter: String(seconds)])
    case .storeUnavailable(let seconds):
      ErrorResponse(
        .serviceUnavailable, code, "The store cannot verify the proof just now. Send it again later.",
        headers: [.retryAfter: String(seconds)])
    case .misconfigured:
      ErrorResponse(
        .serviceUnavailable, code, "The purchase cannot be verified just now. Send it again later.",
        headers: [.retryAfter: "300"])
    }
  }
}

extension ProofRefusal {
  /// The response to a notification, with a general message. The details are only logged.
  var notificationResponse: ErrorResponse {
    switch self {
    case .unreadable: ErrorResponse(.unprocessableContent, notificationCode, "The notification cannot be read.")
    case .forged: ErrorResponse(.unprocessableContent, notificationCode, "The notification is not genuine.")
    case .wrongApp: ErrorResponse(.unprocessableContent, notificationCode, "The notification is of another app.")
    case .wrongEnvironment:
      ErrorResponse(
        .unprocessableContent, notificationCode,
        "The notification is from an environment that is not accepted here.")
    case .storeUnavailable(let seconds):
      ErrorResponse(
        .serviceUnavailable, notificationCode, "The notification cannot be verified just now. Send it again later.",
        headers: [.retryAfter: String(seconds)])
    default: errorResponse
    }
  }
}

extension LedgerError {
  var errorResponse: ErrorResponse {
    let (status, code): (HTTPResponse.Status, String) =
      switch self {
      case .otherAnchors: (.internalServerError, "otherAnchors")
      case .unknownApp: (.notFound, "unknownApp")
      case .unknownProduct: (.notFound, "unknownProduct")
      case .unknownOffering: (.notFound, "unknownOffering")
      case .unknownCustomer: (.notFound, "unknownCustomer")
      case .tokenRefused: (.unauthorized, "tokenRefused")
      case .proofNotNewer: (.conflict, "proofNotNewer")
      case .insufficientCredits: (.conflict, "insufficientCredits")
      case .spendingBlocked: (.conflict, "spendingBlocked")
      case .keyReused: (.conflict, "keyReused")
      case .amountOutOfRange: (.unprocessableContent, "amountOutOfRange")
      case .invalid: (.unprocessableContent, "invalid")
      case .productTypeFixed: (.conflict, "productTypeFixed")
      case .unknownClaim: (.notFound, "unknownClaim")
      case .unknownDelivery: (.notFound, "unknownDelivery")
      case .deliveryEnded: (.forbidden, "deliveryEnded")
      case .unknownOperatorKey: (.unauthorized, "tokenRefused")
      case .roleRequired: (.forbidden, "roleRequired")
      case .lastAdminKey: (.conflict, "lastAdminKey")
      case .unknownNotification: (.notFound, "unknownNotification")
      case .unknownCursor: (.conflict, "unknownCursor")
      case .unknownWebhook: (.notFound, "unknownWebhook")
      case .unknownWebhookDelivery: (.notFound, "unknownWebhookDelivery")
      case .webhookDeliveryNotSettled: (.conflict, "webhookDeliveryNotSettled")
      case .tooManyWebhooks: (.conflict, "tooManyWebhooks")
      case .unknownConsumptionRequest: (.notFound, "unknownConsumptionRequest")
      case .consumptionRequestNotWaiting: (.conflict, "consumptionRequestNotWaiting")
      }
    if case .roleRequired(let role) = self {
      let error = RefusalView(code: code, message: description)
      return ErrorResponse(status, body: RoleRequiredView(error: error, neededRole: role))
    }
    return ErrorResponse(status, code, description, member: member, headers: headers(status))
  }

  /// The member of an operator's request that has to be corrected; nil if it is none.
  private var member: String? {
    switch self {
    case .insufficientCredits, .amountOutOfRange: "credits.amount"
    case .unknownProduct: "productId"
    case .unknownClaim: "transactionId"
    default: nil
    }
  }

  private func headers(_ status: HTTPResponse.Status) -> HTTPFields {
    switch self {
    case .proofNotNewer(let seconds): [.retryAfter: String(seconds)]
    default: status == .unauthorized ? [.wwwAuthenticate: "Bearer"] : [:]
    }
  }
}

extension LedgerDatabaseError {
  /// The response. The client may repeat the request: a repeated redemption, spend or grant changes nothing. A repeated
  /// registration creates another customer, and a repeated request for an operator key another key.
  var errorResponse: ErrorResponse {
    switch self {
    case .overloaded, .unavailable, .closed:
      ErrorResponse(
        .serviceUnavailable, "temporarilyUnavailable", "The server has too much to do, or is about to stop. Ask again.",
        headers: [.retryAfter: "2"])
    case .full:
      ErrorResponse(
        .serviceUnavailable, "notWritable",
        "The server's storage cannot be read or written just now. Ask again: purchases already given stay given.",
        headers: [.retryAfter: "30"])
    case .notUsable:
      ErrorResponse(
        .serviceUnavailable, "notWritable",
        "The server cannot store anything just now. Ask again: purchases already given stay given.",
        headers: [.retryAfter: "30"])
    case .failed, .unexpectedRow, .newerSchema, .noClientLibrary, .notDurable:
      ErrorResponse(.internalServerError, "internalError", "The server failed. Purchases already given stay given.")
    }
  }
}

extension ContentStoreError {
  /// The response. It has details only about errors that the sender of the content can correct; others are only logged.
  func errorResponse(_ logger: Logger) -> ErrorResponse {
    switch self {
    case .tooLarge: return ErrorResponse(.contentTooLarge, "tooLarge", description)
    case .sizeDiffers, .digestDiffers: return ErrorResponse(.unprocessableContent, "contentDiffers", description)
    case .full:
      logger.error("The content store is full", metadata: ["error": "\(self)"])
      return ErrorResponse(.init(code: 507), "contentStoreFull", "There is no space left for content.")
    case .missing, .damaged, .failed, .otherLedger, .stopped:
      logger.error("The content store failed", metadata: ["error": "\(self)"])
      return ErrorResponse(
        .serviceUnavailable, "contentUnavailable", "The content is not to be had just now. Ask again.",
        headers: [.retryAfter: "5"])
    }
  }
}
