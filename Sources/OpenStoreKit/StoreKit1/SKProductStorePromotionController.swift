import Foundation
import StoreModel

/// Overrides the order and visibility of promoted products in the App Store on this device. Implements Apple's
/// `SKProductStorePromotionController`.
///
/// Overrides are stored with the installation and survive the process. If the store does not know a product, the call
/// fails with ``SKError/storeProductNotAvailable`` and changes nothing. Completion handlers are called on the main
/// queue.
open class SKProductStorePromotionController: NSObject {
  private let device: StoreKitDevice?

  private nonisolated(unsafe) static let shared = SKProductStorePromotionController()

  /// The controller of the current device.
  ///
  /// - Precondition: it is not called on a subclass, because the shared controller is not an instance of it.
  open class func `default`() -> Self {
    guard let controller = shared as? Self else {
      preconditionFailure("\(self).default(): the shared controller has another class; make one with its initializer")
    }
    return controller
  }

  public override init() {
    device = nil
    super.init()
  }

  /// The controller of `device`. Not part of Apple's API.
  public init(device: StoreKitDevice) {
    self.device = device
    super.init()
  }

  // MARK: Visibility

  open func fetchStorePromotionVisibility(
    for product: SKProduct,
    completionHandler: (@Sendable (SKProductStorePromotionVisibility, (any Error)?) -> Void)? = nil
  ) {
    let productID = ProductID(product.productIdentifier)
    perform {
      try await $0.promotionVisibility(of: productID)
    } report: { result in
      switch result {
      case .success(let visibility): completionHandler?(visibility, nil)
      case .failure(let error): completionHandler?(.default, error)
      }
    }
  }

  open func promotionVisibility(for product: SKProduct) async throws -> SKProductStorePromotionVisibility {
    let productID = ProductID(product.productIdentifier)
    return try await perform { try await $0.promotionVisibility(of: productID) }
  }

  open func update(
    storePromotionVisibility promotionVisibility: SKProductStorePromotionVisibility, for product: SKProduct,
    completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
  ) {
    let productID = ProductID(product.productIdentifier)
    perform {
      try await $0.setPromotionVisibility(promotionVisibility, of: productID)
    } report: { result in
      completionHandler?(result.failure)
    }
  }

  open func update(
    promotionVisibility: SKProductStorePromotionVisibility, for product: SKProduct
  ) async throws {
    let productID = ProductID(product.productIdentifier)
    try await perform { try await $0.setPromotionVisibility(promotionVisibility, of: productID) }
  }

  // MARK: Order

  /// Returns the products whose position is overridden on this device, in order; an empty array if there are none.
  open func fetchStorePromotionOrder(
    completionHandler: (@Sendable ([SKProduct], (any Error)?) -> Void)? = nil
  ) {
    perform {
      try await $0.promotionOrder()
    } report: { result in
      switch result {
      case .success(let products): completionHandler?(products, nil)
      case .failure(let error): completionHandler?([], error)
      }
    }
  }

  /// The products whose position is overridden on this device, in order; an empty array if there are none.
  open func promotionOrder() async throws -> [SKProduct] { try await perform { try await $0.promotionOrder() } }

  /// Puts these products first, in this order. The others follow in their default order. An empty array removes the
  /// override. If the array contains a product twice, its first position is used.
  open func update(
    storePromotionOrder promotionOrder: [SKProduct], completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
  ) {
    let productIDs = promotionOrder.map { ProductID($0.productIdentifier) }
    perform {
      try await $0.setPromotionOrder(productIDs)
    } report: { result in
      completionHandler?(result.failure)
    }
  }

  open func update(promotionOrder: [SKProduct]) async throws {
    let productIDs = promotionOrder.map { ProductID($0.productIdentifier) }
    try await perform { try await $0.setPromotionOrder(productIDs) }
  }

  // MARK: Shared implementation

  private func perform<Answer: Sendable>(
    _ work: @escaping @Sendable (StoreKitDevice) async throws -> Answer
  ) async throws -> Answer {
    do {
      return try await work(device ?? StoreKitDevice.resolved())
    } catch {
      throw StoreErrors.appError(for: error)
    }
  }

  private func perform<Answer: Sendable>(
    _ work: @escaping @Sendable (StoreKitDevice) async throws -> Answer,
    report: @escaping @Sendable (Result<Answer, any Error>) -> Void
  ) {
    let device = device
    Task {
      let result: Result<Answer, any Error>
      do {
        result = .success(try await work(device ?? StoreKitDevice.resolved()))
      } catch {
        result = .failure(StoreErrors.appError(for: error))
      }
      DispatchQueue.main.async { report(result) }
    }
  }
}

extension Result {
  fileprivate var failure: Failure? {
    if case .failure(let failure) = self { failure } else { nil }
  }
}

/// The visibility of a promoted product on this device. Frozen, like Apple's. Implements Apple's
/// `SKProductStorePromotionVisibility`.
@frozen public enum SKProductStorePromotionVisibility: Int, Sendable {
  /// The visibility that is set in App Store Connect.
  case `default` = 0
  case show = 1
  case hide = 2
}
