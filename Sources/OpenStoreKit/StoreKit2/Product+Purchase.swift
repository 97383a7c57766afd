import Foundation
import StoreModel

extension Product {
  /// How a purchase has ended. Implements Apple's `Product.PurchaseResult`.
  public enum PurchaseResult: Sendable {
    /// The customer owns the product. Finish the transaction after the customer has received it.
    case success(VerificationResult<Transaction>)
    case userCancelled
    /// The purchase waits for an approval, or for the customer. If it succeeds, the transaction arrives on
    /// `Transaction.updates`.
    case pending
  }

  /// Why a product could not be purchased. Implements Apple's `Product.PurchaseError`.
  public enum PurchaseError: Equatable, Hashable, LocalizedError {
    /// The quantity is not 1 to 10, or is more than 1 for a product that cannot be bought more than once.
    case invalidQuantity
    case productUnavailable
    /// Purchases are not allowed on this device, or for this customer.
    case purchaseNotAllowed
    case ineligibleForOffer
    case invalidOfferIdentifier
    case invalidOfferPrice
    case invalidOfferSignature
    /// An offer needs an identifier, a key and a signature.
    case missingOfferParameters
    // An app that switches over all cases must compile with the SDK that its compiler belongs to.
    #if compiler(>=6.3.2)
      /// It does not occur.
      case paymentMethodBindingConfigurationRequired
    #endif

    public var errorDescription: String? {
      switch self {
      case .invalidQuantity: "Invalid Quantity"
      case .productUnavailable: "Item Unavailable"
      case .purchaseNotAllowed: "Purchase Not Allowed"
      case .ineligibleForOffer: "Not Eligible for Offer"
      case .invalidOfferIdentifier, .invalidOfferPrice, .invalidOfferSignature, .missingOfferParameters: "Invalid Offer"
      #if compiler(>=6.3.2)
        case .paymentMethodBindingConfigurationRequired: "Payment Method Required"
      #endif
      }
    }

    public var failureReason: String? {
      switch self {
      case .invalidQuantity: "The quantity cannot be purchased."
      case .productUnavailable: "The item is not available in the App Store."
      case .purchaseNotAllowed: "In-App Purchases are not allowed."
      case .ineligibleForOffer: "The customer is not eligible for the offer."
      case .invalidOfferIdentifier: "The App Store has no offer with this identifier."
      case .invalidOfferPrice: "The price of the offer is not valid."
      case .invalidOfferSignature: "The signature of the offer is not valid."
      case .missingOfferParameters: "The identifier, the key or the signature of the offer is missing."
      #if compiler(>=6.3.2)
        case .paymentMethodBindingConfigurationRequired: "The customer must set up a payment method."
      #endif
      }
    }

    public var recoverySuggestion: String? {
      switch self {
      case .productUnavailable: "Try again later."
      case .purchaseNotAllowed: "Allow In-App Purchases in the settings of the device."
      default: nil
      }
    }
  }

  /// Purchases the product. The customer confirms it on a sheet.
  ///
  /// If the customer owns the product, the result is the transaction that the customer has, without a charge. If the task
  /// is cancelled, the purchase goes on, and its transaction arrives on `Transaction.updates`.
  ///
  /// - Parameter options: parameters of the purchase.
  /// - Throws: ``PurchaseError`` or ``StoreKitError``: Documentation/storekit2.md, "Errors".
  @MainActor public func purchase(options: Set<PurchaseOption> = []) async throws -> PurchaseResult {
    let parameters = try PurchaseParameters(options, of: listing)
    let device = try origin.resolved()
    // The queue makes the ids of all payments of a device.
    let id = device.paymentQueue.makePaymentID()
    let request = parameters.request(for: listing.productID, id: id)
    var mayContinue: (@Sendable (Territory) -> Bool)?
    if let change = parameters.storefrontChange { mayContinue = { change.shouldContinue(Storefront($0)) } }
    do {
      try device.simulatedErrors.check(.purchase)
      let outcome = try await device.engine.purchase(request, mayContinue: mayContinue)
      return try Self.result(of: outcome, on: device)
    } catch {
      throw StoreKitError.mapping(error)
    }
  }

  private static func result(of outcome: PurchaseOutcome, on device: StoreKitDevice) throws -> PurchaseResult {
    let transaction: VerificationResult<Transaction>?
    switch outcome {
    case .purchased(let stored): transaction = device.result(of: stored)
    case .unverified(let jws, let failure): transaction = device.result(of: jws, failure: failure)
    case .unreadable: throw StoreKitError.unknown
    case .pending: return .pending
    case .failed(let failure) where failure.isCancelled: return .userCancelled
    case .failed(let failure): throw failure
    }
    // Nil if the signed data cannot be read at all, or has an id that StoreKit 2 cannot show.
    guard let transaction else { throw StoreKitError.unknown }
    return .success(transaction)
  }
}

/// The parameters of a purchase, from its options.
private struct PurchaseParameters {
  /// The maximum length of a text that the store accepts, in bytes of UTF-8.
  private static let longestText = 512
  /// The maximum length of a developer's JWS, in bytes.
  private static let longestJWS = 16 << 10

  var appAccountToken: UUID?
  var quantity = 1
  var storefrontChange: Product.PurchaseOption.StorefrontChange?
  var simulatesAskToBuy = false
  var offer: PaymentOffer?
  var introductoryEligibility: String?

  /// Checks what can be checked before the payment is stored.
  ///
  /// - Throws: `Product.PurchaseError`; ``StoreKitError/unsupported``.
  init(_ options: Set<Product.PurchaseOption>, of listing: ProductListing) throws {
    for option in options.sorted(by: { $0.precedence < $1.precedence }) {
      switch option.kind {
      case .appAccountToken(let token): appAccountToken = token
      case .quantity(let number): quantity = number
      case .custom: break
      case .storefrontChange(let change): storefrontChange = change
      case .askToBuy(let isSimulated): simulatesAskToBuy = isSimulated
      case .promotional(let promotional): offer = promotional
      case .introductory(let jws): introductoryEligibility = jws
      case .winBack(let id): offer = PaymentOffer(kind: .winBack, identifier: id)
      case .billingPlan(let plan):
        guard plan == .upFront else { throw StoreKitError.unsupported }
      case .unsignedPromotional(let id): offer = PaymentOffer(kind: .promotional, identifier: id)
      case .codeOffer(let name): offer = PaymentOffer(kind: .offerCode, identifier: name)
      // Only `SKTestSession.buyProduct(identifier:options:)` can.
      case .purchaseDate: throw StoreKitError.unsupported
      }
    }
    guard PaymentRequest.quantityRange.contains(quantity), quantity == 1 || listing.type.allowsQuantity else {
      throw Product.PurchaseError.invalidQuantity
    }
    if let offer { try Self.check(offer) }
    if let introductoryEligibility, !Self.isAcceptable(introductoryEligibility, upTo: Self.longestJWS) {
      throw Product.PurchaseError.invalidOfferSignature
    }
  }

  /// The store refuses such offers. Here they fail before anything is stored.
  private static func check(_ offer: PaymentOffer) throws(Product.PurchaseError) {
    var texts = [offer.identifier]
    if let signature = offer.signature { texts += [signature.keyID, signature.signature] }
    if offer.kind == .promotional, let jws = offer.compactJWS { texts.append(jws) }
    if offer.kind == .promotional, texts.contains("") { throw .missingOfferParameters }
    guard isAcceptable(offer.identifier, upTo: longestText) else { throw .invalidOfferIdentifier }
    for text in texts.dropFirst() {
      guard isAcceptable(text, upTo: offer.compactJWS == nil ? longestText : longestJWS) else {
        throw .invalidOfferSignature
      }
    }
  }

  private static func isAcceptable(_ text: String, upTo length: Int) -> Bool {
    !text.isEmpty && text.utf8.count <= length
  }

  func request(for product: ProductID, id: PaymentID) -> PaymentRequest {
    PaymentRequest(
      paymentID: id, productID: product, quantity: quantity, applicationUsername: appAccountToken?.uuidString,
      simulatesAskToBuyInSandbox: simulatesAskToBuy ? true : nil, offer: offer,
      introductoryEligibility: introductoryEligibility)
  }
}

extension Product.PurchaseOption {
  /// The order in which options are read: later ones count if they contradict. The text makes the order of two options of
  /// the same kind the same in each run.
  fileprivate var precedence: (Int, String) {
    let place =
      switch kind {
      case .appAccountToken: 0
      case .quantity: 1
      case .custom: 2
      case .storefrontChange: 3
      case .askToBuy: 4
      case .promotional: 5
      case .introductory: 6
      case .winBack: 7
      case .billingPlan: 8
      case .unsignedPromotional: 9
      case .codeOffer: 10
      case .purchaseDate: 11
      }
    return (place, debugDescription)
  }
}
