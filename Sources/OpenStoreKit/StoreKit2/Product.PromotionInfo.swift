import StoreModel

extension Product {
  /// The order and visibility of a promoted product in the App Store on this device. Implements Apple's
  /// `Product.PromotionInfo`.
  ///
  /// The overrides are those of `SKProductStorePromotionController`.
  public struct PromotionInfo: Equatable {
    /// The visibility of a promoted product on this device. Implements Apple's `Product.PromotionInfo.Visibility`.
    public enum Visibility: Int, Equatable, Hashable {
      /// The visibility that is set in App Store Connect.
      case appStoreConnectDefault
      case visible
      case hidden

      init(_ visibility: SKProductStorePromotionVisibility) {
        self =
          switch visibility {
          case .default: .appStoreConnectDefault
          case .show: .visible
          case .hide: .hidden
          }
      }

      var storePromotionVisibility: SKProductStorePromotionVisibility {
        switch self {
        case .appStoreConnectDefault: .default
        case .visible: .show
        case .hidden: .hide
        }
      }
    }

    public let productID: String
    public var visibility: Visibility
    private let origin: DeviceReference

    private init(productID: String, visibility: Visibility, on device: StoreKitDevice) {
      self.productID = productID
      self.visibility = visibility
      origin = DeviceReference(device)
    }

    /// Stores the visibility.
    ///
    /// - Throws: `Product.PurchaseError.productUnavailable` if the store has no such product; ``StoreKitError``.
    public func update() async throws {
      try await Self.updateProductVisibility(visibility, for: productID, on: origin.device)
    }

    /// The products whose position is overridden on this device, in order.
    public static var currentOrder: [PromotionInfo] {
      get async throws { try await currentOrder(on: nil) }
    }

    static func currentOrder(on device: StoreKitDevice?) async throws -> [PromotionInfo] {
      try await perform(on: device) { device in
        let products = try await device.promotionOrder().map { ProductID($0.productIdentifier) }
        return try products.map { product in
          PromotionInfo(
            productID: product.rawValue, visibility: Visibility(try device.journal.promotionVisibility(of: product)),
            on: device)
        }
      }
    }

    /// Stores the order and the visibility of products. The others follow in their default order.
    ///
    /// - Throws: as ``update()``. If the store does not have all products, nothing changes.
    public static func updateAll(_ promotions: some Collection<PromotionInfo>) async throws {
      try await updateAll(Array(promotions), on: nil)
    }

    static func updateAll(_ promotions: [PromotionInfo], on device: StoreKitDevice?) async throws {
      let visibilities = promotions.map { (ProductID($0.productID), $0.visibility.storePromotionVisibility) }
      try await perform(on: device) { device in
        try await device.setPromotionOrder(visibilities.map(\.0))
        for (product, visibility) in visibilities {
          try device.journal.setPromotionVisibility(visibility, of: product)
        }
      }
    }

    /// Puts these products first, in this order. An empty collection removes the override.
    ///
    /// - Throws: as ``update()``.
    public static func updateProductOrder(byID order: some Collection<String>) async throws {
      try await updateProductOrder(byID: Array(order), on: nil)
    }

    static func updateProductOrder(byID order: [String], on device: StoreKitDevice?) async throws {
      try await perform(on: device) { try await $0.setPromotionOrder(order.map { ProductID($0) }) }
    }

    /// Stores the visibility of a product.
    ///
    /// - Throws: as ``update()``.
    public static func updateProductVisibility(_ visibility: Visibility, for productID: String) async throws {
      try await updateProductVisibility(visibility, for: productID, on: nil)
    }

    static func updateProductVisibility(
      _ visibility: Visibility, for productID: String, on device: StoreKitDevice?
    ) async throws {
      let visibility = visibility.storePromotionVisibility
      try await perform(on: device) { try await $0.setPromotionVisibility(visibility, of: ProductID(productID)) }
    }

    private static func perform<Answer>(
      on device: StoreKitDevice?, _ work: (StoreKitDevice) async throws -> Answer
    ) async throws -> Answer {
      let device = try device ?? .orSystemError()
      do {
        return try await work(device)
      } catch {
        throw StoreKitError.mapping(error)
      }
    }
  }
}
