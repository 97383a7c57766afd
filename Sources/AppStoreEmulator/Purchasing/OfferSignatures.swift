import Crypto
import Foundation
import GRDB
import SignedData
import StoreModel

extension StoreUnitOfWork {
  var offerSignatures: OfferSignatures { OfferSignatures(work: self) }
}

/// The developer's signatures about offers in payments: of promotional offers, and whether the customer may have the
/// introductory offer. Each can be used for one purchase.
struct OfferSignatures {
  let work: StoreUnitOfWork

  /// The largest difference between a signature's date and now, in milliseconds: 24 hours.
  private static let lifetime: Int64 = 86_400_000

  /// Checks the signatures of a payment.
  ///
  /// - Throws: ``StoreRefusal`` if the signature of a promotional offer is missing, or if a signature is invalid, is for
  ///   another purchase or customer, has a date more than 24 hours from now, or was used by another payment.
  func check(_ payment: PaymentRequest, of scope: Scope) throws {
    if let statement = payment.introductoryEligibility {
      let token = try token(statement, for: payment, of: scope)
      guard case .introductoryOffer = token.purpose else {
        throw StoreRefusal.invalidSignature("The JWS is not one for the eligibility for an introductory offer.")
      }
    }
    guard let offer = payment.offer, offer.kind == .promotional else { return }
    if let compactJWS = offer.compactJWS {
      let token = try token(compactJWS, for: payment, of: scope)
      guard token.purpose == .promotionalOffer(identifier: offer.identifier) else {
        throw StoreRefusal.invalidSignature("The JWS is not one for the promotional offer \(offer.identifier).")
      }
    } else {
      try checkOriginalForm(of: offer, payment, scope)
    }
  }

  /// Checks a signature that is no JWS.
  private func checkOriginalForm(of offer: PaymentOffer, _ payment: PaymentRequest, _ scope: Scope) throws {
    guard let signature = offer.signature else {
      // `PurchaseOption.promotionalOffer(id:)` of StoreKitTest needs none.
      if work.isOfXcode { return }
      throw StoreRefusal.offer(.missingOfferParams, "The promotional offer has no signature.")
    }
    guard let key = try work.catalog.app(scope.bundleID).offerKey, key.id == signature.keyID,
      let publicKey = try? P256.Signing.PublicKey(x963Representation: key.publicKey)
    else {
      throw StoreRefusal.invalidSignature(
        "The store does not know the key \(signature.keyID). It is the id of subscriptionOffersKeyPair in the .storekit file."
      )
    }
    let content = PromotionalOfferContent(
      bundleID: scope.bundleID.rawValue, keyID: key.id, productID: payment.productID.rawValue,
      offerID: offer.identifier, applicationUsername: payment.applicationUsername ?? "", nonce: signature.nonce,
      timestamp: signature.timestamp)
    guard content.isSigned(signature.signature, by: publicKey) else {
      throw StoreRefusal.invalidSignature("The signature of the promotional offer is not valid for this payment.")
    }
    try check(
      date: StoreDate(millisecondsSince1970: signature.timestamp), nonce: signature.nonce, of: scope,
      "The timestamp of the promotional offer's signature")
  }

  /// The verified token of a compact JWS for a payment.
  private func token(_ compactJWS: String, for payment: PaymentRequest, of scope: Scope) throws -> OfferToken {
    let token: OfferToken
    do {
      let unverified = try UnverifiedOfferToken(compactJWS)
      guard let key = try key(unverified.keyID, issuer: unverified.issuerID, of: scope.bundleID) else {
        throw StoreRefusal.invalidSignature(
          "The store does not know the key \(unverified.keyID.prefix(80)) of the issuer \(unverified.issuerID.prefix(80))."
        )
      }
      token = try unverified.verified(by: key)
    } catch let failure as VerificationFailure {
      throw StoreRefusal.invalidSignature("The JWS of the offer is not valid: \(failure.detail).")
    }
    guard token.bundleID == scope.bundleID, token.productID == payment.productID else {
      throw StoreRefusal.invalidSignature(
        "The JWS of the offer is for \(token.productID) of \(token.bundleID), not for \(payment.productID).")
    }
    if let transactionID = token.transactionID, try !isCustomer(scope, of: transactionID) {
      throw StoreRefusal.invalidSignature("The JWS of the offer is for another customer.")
    }
    try check(
      date: token.issueDate, nonce: token.nonce.uuidString, of: scope, "The claim iat of the offer's JWS")
    return token
  }

  /// The public key that verifies tokens of an app's developer: that of the configuration file, or a key of the App Store
  /// Server API. Nil if there is no such key.
  private func key(_ keyID: String, issuer: String, of bundleID: BundleID) throws -> P256.Signing.PublicKey? {
    let app = try work.catalog.app(bundleID)
    if let key = app.offerKey, key.id == keyID {
      return try? P256.Signing.PublicKey(x963Representation: key.publicKey)
    }
    guard issuer == app.issuerID else { return nil }
    if keyID == (try work.authority.apiKeyID()) { return try work.authority.apiPublicKey() }
    let added = try APIKeyRow.lookUp(["keyID": keyID], in: work.database)
    guard let row = added, row.issuerID == issuer else { return nil }
    return try P256.Signing.PublicKey(x963Representation: row.publicKey)
  }

  /// Whether an id is the customer's `appTransactionId`, or the id of one of the customer's transactions.
  private func isCustomer(_ scope: Scope, of id: TransactionID) throws -> Bool {
    if id.rawValue == work.identity.appTransactionID(of: scope) { return true }
    let stored = try StoredTransaction.lookUp(["transactionID": id.rawValue], in: work.database)
    return stored.map(Scope.init) == scope
  }

  private func check(date: StoreDate, nonce: String, of scope: Scope, _ name: StaticString) throws {
    // Compares with the wall clock, because the developer's server does not use the store's clock.
    let now = work.clock.wallNow
    guard (now.adding(milliseconds: -Self.lifetime)...now.adding(milliseconds: Self.lifetime)).contains(date) else {
      throw StoreRefusal.invalidSignature("\(name) is more than 24 hours from now.")
    }
    let isUsed = try Bool.fetchOne(
      try work.database.cachedStatement(
        sql: "SELECT EXISTS (SELECT 1 FROM offerNonce WHERE bundleID = ? AND nonce = ?)"),
      arguments: [scope.bundleID.rawValue, nonce.lowercased()])
    guard isUsed != true else {
      throw StoreRefusal.invalidSignature("The signature of the offer was used before. Sign again.")
    }
  }

  // MARK: Nonces

  /// Records whether the outcome of a payment uses its signatures. It does not, and the app can use them again, if the
  /// payment was refused and the store does not buy the interrupted purchase later, or if a product that the customer owned
  /// was redelivered without the offer.
  ///
  /// - Parameters:
  ///   - earlier: the payment's outcome before; nil if it had none.
  ///   - isOwned: whether the customer owned the product already.
  func settle(
    _ payment: PaymentRequest, _ outcome: PaymentRow.Outcome, after earlier: PaymentRow.Outcome?, isOwned: Bool,
    _ scope: Scope
  ) throws {
    let isUsed =
      switch outcome {
      case .waiting: true
      case .purchased: !isOwned
      case .refused(let refusal): refusal.code == .purchaseInterrupted
      }
    if isUsed {
      for nonce in payment.offerNonces {
        try work.database.cachedStatement(
          sql: "INSERT OR IGNORE INTO offerNonce (bundleID, nonce) VALUES (?, ?)"
        ).execute(arguments: [scope.bundleID.rawValue, nonce])
      }
    } else if earlier != nil {
      try release(payment, scope)
    }
  }

  /// Lets the app use the signatures of a payment again, because the payment that used them is not bought any more.
  func release(_ payment: PaymentRequest, _ scope: Scope) throws {
    for nonce in payment.offerNonces {
      try work.database.cachedStatement(sql: "DELETE FROM offerNonce WHERE bundleID = ? AND nonce = ?").execute(
        arguments: [scope.bundleID.rawValue, nonce])
    }
  }
}

extension PaymentRequest {
  /// The developer's statement whether the customer may have the introductory offer; nil for none. The signature of a
  /// confirmed payment was checked when its quote was made (``OfferSignatures/check(_:of:)``).
  var isIntroductoryOfferAllowed: Bool? {
    guard let token = introductoryEligibility.flatMap({ try? UnverifiedOfferToken($0) }),
      case .introductoryOffer(let isAllowed) = token.purpose
    else { return nil }
    return isAllowed
  }

  /// The nonces of the payment's signatures, in lower case.
  fileprivate var offerNonces: [String] {
    let isPromotional = offer?.kind == .promotional
    let tokens = [isPromotional ? offer?.compactJWS : nil, introductoryEligibility].compactMap(\.self)
    let nonces = tokens.compactMap { try? UnverifiedOfferToken($0).nonce.uuidString }
    let signature = offer?.compactJWS == nil || !isPromotional ? offer?.signature?.nonce : nil
    return (nonces + [signature].compactMap(\.self)).map { $0.lowercased() }
  }
}

extension StoreRefusal {
  /// The raw values are those of `SKError.Code`.
  enum OfferError: Int {
    case invalidOfferIdentifier = 11
    case invalidSignature = 12
    case missingOfferParams = 13
    case invalidOfferPrice = 14
    case ineligibleForOffer = 18
  }

  static func offer(_ error: OfferError, _ message: String) -> StoreRefusal {
    StoreRefusal(
      .offerNotAvailable, "\(message) Nothing was charged.",
      appError: AppError(domain: "SKErrorDomain", code: error.rawValue, message: message))
  }

  fileprivate static func invalidSignature(_ message: String) -> StoreRefusal { offer(.invalidSignature, message) }
}
