import Foundation
import StoreModel

/// Overrides, on this device, the order and visibility of the products that are promoted in the App Store.
/// Implements Apple's `SKProductStorePromotionController`.
///
/// Overrides are kept with the installation and survive the process. A product the store does not know is refused with
/// ``SKError/storeProductNotAvailable``, and nothing changes. Completion handlers are called on the main queue.
open class SKProductStorePromotionController: NSObject {
  private let device: StoreKitDevice?

  private nonisolated(unsafe) static let shared = SKProductStorePromotionController()

  /// The controller of the current device.
  ///
  /// - Precondition: it is not asked of a subclass that inherits this: the shared controller is none of its own.
  open class func `default`() -> Self {
    guard let controller = shared as? Self else {
      preconditionFailure("\(self).default(): the shared controller is not a \(self); make one with its initializer")
    }
    return controller
  }

  public override init() {
    device = nil
    super.init()
  }

  /// The controller of `device`; not part of Apple's interface.
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

  /// Gives the products whose place is overridden on this device, in order; none where all have their default place.
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

  /// The products whose place is overridden on this device, in order; none where all have their default place.
  open func promotionOrder() async throws -> [SKProduct] { try await perform { try await $0.promotionOrder() } }

  /// Puts these products first, in this order; the others follow in their default order. An empty list removes the
  /// override. Of a product that is named twice, the first place counts.
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

  // MARK: One way to do it

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
