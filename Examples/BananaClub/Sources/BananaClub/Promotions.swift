import StoreKit

/// Controls which of the club's products the App Store promotes on this device.
public enum Promotions {
  /// Promotes the products `first` before all others, and hides the products `hidden`.
  public static func arrange(first: [SKProduct], hidden: [SKProduct]) async throws {
    let controller = SKProductStorePromotionController.default()
    for product in hidden { try await controller.update(promotionVisibility: .hide, for: product) }
    try await controller.update(promotionOrder: first)
  }

  public static func arrangement() async throws -> [String] {
    try await SKProductStorePromotionController.default().promotionOrder().map(\.productIdentifier)
  }

  public static func isHidden(_ product: SKProduct) async throws -> Bool {
    switch try await SKProductStorePromotionController.default().promotionVisibility(for: product) {
    case .hide: true
    case .default, .show: false
    }
  }
}

extension SKPaymentTransactionState: @retroactive CustomDebugStringConvertible {
  public var debugDescription: String {
    switch self {
    case .purchasing: "purchasing"
    case .purchased: "purchased"
    case .failed: "failed"
    case .restored: "restored"
    case .deferred: "deferred"
    @unknown default: "unknown"
    }
  }
}

extension SKDownloadState: @retroactive CustomStringConvertible {
  public var description: String {
    switch self {
    case .waiting: "waiting"
    case .active: "active"
    case .paused: "paused"
    case .finished: "finished"
    case .failed: "failed"
    case .cancelled: "cancelled"
    }
  }
}
