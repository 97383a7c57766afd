import Foundation
import StoreModel

/// Requests products from the store, in the language and currency of the customer's storefront. Implements Apple's
/// `SKProductsRequest`.
open class SKProductsRequest: SKRequest {
  private let productIdentifiers: Set<String>
  private let device: StoreKitDevice?

  /// The delegate of `SKRequest`, with the type for product requests. Nil if the delegate was set through `SKRequest`
  /// and is not an `SKProductsRequestDelegate`.
  ///
  /// Apple declares the property again with a narrower type. Swift allows this only for a declaration that is not an
  /// override.
  @_nonoverride open weak var delegate: (any SKProductsRequestDelegate)? {
    get { super.delegate as? any SKProductsRequestDelegate }
    set { super.delegate = newValue }
  }

  /// A request to the store of the current device.
  public init(productIdentifiers: Set<String>) {
    self.productIdentifiers = productIdentifiers
    device = nil
    super.init()
  }

  /// A request to the store of `device`. Not part of Apple's API.
  public init(productIdentifiers: Set<String>, device: StoreKitDevice) {
    self.productIdentifiers = productIdentifiers
    self.device = device
    super.init()
  }

  public override init() {
    productIdentifiers = []
    device = nil
    super.init()
  }

  override func makeTask(run: Int) -> Task<Void, Never> {
    let identifiers = productIdentifiers.sorted().map(ProductID.init(rawValue:))
    let device = device
    nonisolated(unsafe) let request = self
    return Task {
      let result: Result<ProductList, any Error>
      do {
        let device = try device ?? StoreKitDevice.resolved()
        try device.simulatedErrors.check(.loadProducts)
        result = .success(try await device.session.perform { try await $0.products(identifiers, for: $1) })
      } catch {
        result = .failure(error)
      }
      request.conclude(run: run) { request.report(result) }
    }
  }

  private func report(_ result: Result<ProductList, any Error>) {
    switch result {
    case .success(let list):
      let response = SKProductsResponse(list)
      delegate?.productsRequest(self, didReceive: response)
      anyDelegate?.requestDidFinish(self)
    case .failure(let error):
      anyDelegate?.request(self, didFailWithError: StoreErrors.appError(for: error))
    }
  }

  /// The delegate that is notified of the end of the request. If it was set through `SKRequest` and is not an
  /// `SKProductsRequestDelegate`, it receives no products.
  private var anyDelegate: (any SKRequestDelegate)? { delegate ?? super.delegate }
}

/// Receives the products. Implements Apple's `SKProductsRequestDelegate`.
public protocol SKProductsRequestDelegate: SKRequestDelegate {
  /// Receives the answer. Called right before `requestDidFinish(_:)`.
  func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse)
}

/// The store's answer to a product request. Implements Apple's `SKProductsResponse`.
open class SKProductsResponse: NSObject, @unchecked Sendable {
  private let storedProducts: [SKProduct]
  private let storedInvalid: [String]

  public override init() {
    storedProducts = []
    storedInvalid = []
    super.init()
  }

  init(_ list: ProductList) {
    storedProducts = list.products.map(SKProduct.init)
    storedInvalid = list.invalidProductIDs.map(\.rawValue)
    super.init()
  }

  open var products: [SKProduct] { storedProducts }
  /// The identifiers that the store does not know. They do not make the request fail.
  open var invalidProductIdentifiers: [String] { storedInvalid }
}
