import HTTPDoors
import HTTPTypes
import Logging
import PurchaseLedger

/// What each refusal is over HTTP, as Documentation/purchase-server.md lists it.
extension RedemptionRefusal {
  var status: HTTPResponse.Status {
    switch self {
    case .notInProof, .otherProduct, .unknownProduct, .otherType, .environmentNotAllowed: .unprocessableContent
    case .namesAnotherCustomer, .claimedByAnotherCustomer: .conflict
    case .refunded, .revoked: .gone
    }
  }
}

extension ProofRefusal {
  /// A word for programs.
  var code: String {
    switch self {
    case .unreadable: "unreadableProof"
    case .forged: "forgedProof"
    case .wrongApp: "wrongApp"
    case .wrongEnvironment: "wrongEnvironment"
    case .accountNotFound: "accountNotFound"
    case .kindNotAccepted: "kindNotAccepted"
    case .unknownApp: "unknownApp"
    case .storeUnavailable: "storeUnavailable"
    case .misconfigured: "misconfigured"
    }
  }

  /// The reason in general words; the exact one is for the log.
  var doorRefusal: DoorRefusal {
    switch self {
    case .unreadable: DoorRefusal(.unprocessableContent, code, "The proof cannot be read.")
    case .forged: DoorRefusal(.unprocessableContent, code, "The proof is not genuine.")
    case .wrongApp: DoorRefusal(.unprocessableContent, code, "The proof is of another app.")
    case .wrongEnvironment:
      DoorRefusal(.unprocessableContent, code, "The proof is from an environment that is not accepted here.")
    case .accountNotFound:
      DoorRefusal(.unprocessableContent, code, "The store does not know the account of this proof any more.")
    case .kindNotAccepted: DoorRefusal(.unprocessableContent, code, description)
    case .unknownApp: DoorRefusal(.notFound, code, "There is no such app here.")
    case .storeUnavailable(let seconds):
      DoorRefusal(
        .serviceUnavailable, code, "The store cannot say just now whether the proof is good. Send it again later.",
        headers: [.retryAfter: String(seconds)])
    case .misconfigured:
      DoorRefusal(
        .serviceUnavailable, code, "The purchase cannot be verified just now. Send it again later.",
        headers: [.retryAfter: "300"])
    }
  }
}

extension LedgerError {
  var doorRefusal: DoorRefusal {
    let (status, code): (HTTPResponse.Status, String) =
      switch self {
      case .otherAnchors: (.internalServerError, "otherAnchors")
      case .unknownApp: (.notFound, "unknownApp")
      case .unknownProduct: (.notFound, "unknownProduct")
      case .unknownCustomer: (.notFound, "unknownCustomer")
      case .tokenRefused: (.unauthorized, "tokenRefused")
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
      }
    return DoorRefusal(
      status, code, description, headers: status == .unauthorized ? [.wwwAuthenticate: "Bearer"] : [:])
  }
}

extension LedgerDatabaseError {
  /// Whoever asked may ask again: nothing is done twice.
  var doorRefusal: DoorRefusal {
    switch self {
    case .overloaded, .unavailable, .closed:
      DoorRefusal(
        .serviceUnavailable, "temporarilyUnavailable", "The server has too much to do, or is about to stop. Ask again.",
        headers: [.retryAfter: "2"])
    default: DoorRefusal(.internalServerError, "internalError", "The server failed. Nothing was changed.")
    }
  }
}

extension ContentStoreError {
  /// What whoever brings content can do something about is told; the rest is for the log.
  func doorRefusal(_ logger: Logger) -> DoorRefusal {
    switch self {
    case .tooLarge: return DoorRefusal(.contentTooLarge, "tooLarge", description)
    case .sizeDiffers, .digestDiffers: return DoorRefusal(.unprocessableContent, "contentDiffers", description)
    case .full:
      logger.error("The content store is full", metadata: ["error": "\(self)"])
      return DoorRefusal(.init(code: 507), "contentStoreFull", "There is no space left for content.")
    case .missing, .damaged, .failed, .otherLedger, .stopped:
      logger.error("The content store failed", metadata: ["error": "\(self)"])
      return DoorRefusal(
        .serviceUnavailable, "contentUnavailable", "The content is not to be had just now. Ask again.",
        headers: [.retryAfter: "5"])
    }
  }
}
