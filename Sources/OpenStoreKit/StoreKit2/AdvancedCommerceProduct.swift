/// Thrown when a request of the Advanced Commerce API is invalid. It does not occur. Implements Apple's
/// `InvalidRequestError`.
public struct InvalidRequestError {
  public let code: Int64
  public let message: String
}

// Apple's error has no text, so it is no `DescribedError`. An app may add one.
extension InvalidRequestError: Error {}

/// A product of the Advanced Commerce API. Implements Apple's `AdvancedCommerceProduct`.
///
/// The emulated store does not sell such products, so none can be made.
public struct AdvancedCommerceProduct: Identifiable, Equatable, Hashable, Sendable, CustomDebugStringConvertible {
  public typealias ID = String
  public typealias ProductType = Product.ProductType
  public typealias PurchaseResult = Product.PurchaseResult

  public let id: String
  public let type: ProductType

  /// - Throws: ``StoreKitError/unsupported``, always.
  public init(id: String) async throws { throw StoreKitError.unsupported }

  /// As ``Transaction/latest(for:)``.
  public var latestTransaction: VerificationResult<Transaction>? {
    get async { await Transaction.latest(for: id) }
  }

  /// As ``Transaction/all(for:)``.
  public var allTransactions: Transaction.Transactions { Transaction.all(for: id) }
  /// As ``Transaction/currentEntitlements(for:)``.
  public var currentEntitlements: Transaction.Transactions { Transaction.currentEntitlements(for: id) }

  public var debugDescription: String { "\(type.rawValue) \(id)" }

  /// A parameter of a purchase. Implements Apple's `AdvancedCommerceProduct.PurchaseOption`.
  public struct PurchaseOption: Equatable, Hashable, Sendable, CustomDebugStringConvertible {
    private let option: Product.PurchaseOption

    public var debugDescription: String { option.debugDescription }

    /// As `Product.PurchaseOption.onStorefrontChange(shouldContinuePurchase:)`.
    public static func onStorefrontChange(
      shouldContinuePurchase: @escaping @Sendable (Storefront) -> Bool
    ) -> PurchaseOption {
      PurchaseOption(option: .onStorefrontChange(shouldContinuePurchase: shouldContinuePurchase))
    }
  }
}
