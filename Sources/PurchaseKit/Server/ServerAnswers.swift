import Foundation

/// The response to a redemption or a restore. A repeated request has the same result.
public struct ServerRedemption: Hashable, Decodable, Sendable {
  /// The customer who owns the purchases.
  public let customer: UUID
  /// `Production` or `Sandbox`.
  public let environment: String
  public let purchases: [Purchase]

  /// The result of one purchase: either `given` or `refusal`.
  public struct Purchase: Hashable, Decodable, Sendable {
    public let transactionId: String
    public let productId: String?
    public let given: Goods?
    public let refusal: Refusal?
  }

  /// The goods of a purchase.
  public struct Goods: Hashable, Decodable, Sendable {
    /// Identifies the claim: the transaction identifier of a consumable, otherwise the original transaction identifier.
    public let claim: String
    /// When the purchase was first redeemed.
    public let claimed: Date
    public let credits: Credits?
    public let entitlement: ServerEntitlement?
    /// Nil for a product without files.
    public let delivery: ContentDelivery?
  }

  /// The credits that a purchase gave.
  public struct Credits: Hashable, Decodable, Sendable {
    public let unit: String
    public let amount: Int64
  }

  /// Why a purchase gave nothing.
  public struct Refusal: Hashable, Decodable, Sendable {
    public let code: String
    public let message: String
  }
}

/// A customer's current or past entitlement to a product, as the server has recorded it.
public struct ServerEntitlement: Hashable, Decodable, Sendable {
  public let productId: String
  /// The purchase's original transaction identifier, or `grant:` and the key of an operator's grant.
  public let source: String
  /// `purchased`, `familyShared` or `granted`.
  public let origin: String
  public let begun: Date
  /// The end of the access; nil for no end. For an auto-renewable subscription it includes a grace period.
  public let accessUntil: Date?
  /// The expiration date of an auto-renewable subscription's current period; nil for other products. In a grace period it has
  /// passed, and ``accessUntil`` is later.
  public let expires: Date?
  /// How the subscription continues; nil if the store has not stated it.
  public let renewal: Renewal?
  /// When the entitlement was ended; nil if it was not.
  public let ended: Date?
  /// `refunded`, `transferred`, `replaced`, `revoked` or `erased`; nil if the entitlement was not ended.
  public let endReason: String?
  /// Whether the customer has access now, by the server's clock.
  public internal(set) var isActive: Bool

  /// How an auto-renewable subscription continues after its current period.
  public struct Renewal: Hashable, Decodable, Sendable {
    /// The product of the next period.
    public let product: String
    public let isAutoRenewOn: Bool
    /// Whether the store is trying to charge a failed renewal. Also true in a grace period.
    public let isInBillingRetry: Bool
    /// The date until which the customer keeps access although the renewal has failed; nil if there is no grace period.
    public let gracePeriodEnd: Date?
    /// Why the subscription has expired or will expire, by Apple's numbers 1 to 5; nil if it is unknown.
    public let expirationIntent: Int?
  }
}

/// What a customer has on the server under the name of an entitlement, whichever product gives it.
public struct ServerNamedEntitlement: Hashable, Decodable, Sendable {
  public let name: String
  /// Whether one of the customer's entitlements with this name is active.
  public internal(set) var isActive: Bool
  /// If it is active: when the last active entitlement ends; nil if one of them never ends. Otherwise when the last one has ended.
  public let accessUntil: Date?
  /// If it is active: the products of the active entitlements. Otherwise all of the customer's products with this name.
  /// If it has ended since the server's answer: the products of that answer, which were active then.
  public internal(set) var products: [String]

  /// What the customer has at a later date.
  ///
  /// - Parameter active: the products to which the customer has access then.
  func at(_ date: Date, active: Set<String>) -> ServerNamedEntitlement {
    guard isActive else { return self }
    var entitlement = self
    if let accessUntil, accessUntil <= date {
      entitlement.isActive = false
    } else {
      let rest = products.filter(active.contains)
      if !rest.isEmpty { entitlement.products = rest }
    }
    return entitlement
  }
}

/// The files of one version of a product's content, ready to download.
public struct ContentDelivery: Hashable, Decodable, Sendable {
  public let id: String
  public let productId: String
  /// The purchase's claim, or the key of an operator's grant.
  public let source: String
  public let version: Int64
  public let files: [DeliveredFile]
}

/// A file of a delivery, with its bytes or a link to them.
public struct DeliveredFile: Hashable, Decodable, Sendable {
  /// The server's name of the file; never used in a path on the device.
  public let name: String
  /// The size in bytes.
  public let size: Int64
  /// 64 lower-case hexadecimal digits.
  public let sha256: String
  public let mediaType: String
  /// The bytes of the whole file; nil if there is a link.
  public let inline: Data?
  /// An address, absolute or relative to the server's address; nil if the bytes are inline.
  public let link: String?
  public let linkExpires: Date?
}

/// A customer's balance of one unit of credits on the server.
public struct ServerCreditBalance: Hashable, Decodable, Sendable {
  public let unit: String
  /// Negative if the customer has a debt.
  public let balance: Int64
  /// The number of movements, which is the sequence number of the last one.
  public let movements: Int64
  public let isSpendingBlocked: Bool
}

/// One change of a balance on the server.
public struct ServerCreditMovement: Hashable, Decodable, Sendable {
  /// The number of the movement in its account, from 1.
  public let sequence: Int64
  /// Positive if the customer received credits.
  public let amount: Int64
  /// The balance after the movement.
  public let balance: Int64
  /// `purchase`, `refund`, `spend` and so on; see Documentation/purchase-ledger.md, "Credits".
  public let cause: String
  public let key: String
  public let date: Date
  /// Identifies the server's ledger, in the response to a spend. Only sequence numbers of the same incarnation can be
  /// compared. Nil in the history, and from older servers.
  public let incarnation: String?
}

/// The developer's master list of products, without prices, which only the store has.
public struct ServerProductList: Hashable, Codable, Sendable {
  public let bundleId: String
  /// Increases with each version of the list.
  public let revision: Int64
  public let products: [ServerProduct]
}

/// A product on the master list.
public struct ServerProduct: Hashable, Codable, Sendable {
  public let productId: String
  /// `Consumable`, `Non-Consumable`, `Auto-Renewable Subscription` or `Non-Renewing Subscription`.
  public let type: String
  /// The developer's name for the product, which may differ from the store's; nil if there is none.
  public let name: String?
  public let description: String?
  /// The language of `name` and `description` (BCP 47).
  public let language: String?
  public let credits: Credits?
  /// Nil for a product without files.
  public let content: Content?
  /// The names of the entitlements that the product gives, such as `club`. Empty from servers without names.
  public var entitlements: [String] { names ?? [] }
  /// Nil in a list of a server without names, or that an earlier version of the app has stored.
  private let names: [String]?

  private enum CodingKeys: String, CodingKey {
    case productId, type, name, description, language, credits, content
    case names = "entitlements"
  }

  /// The credits that one unit of a consumable gives.
  public struct Credits: Hashable, Codable, Sendable {
    public let unit: String
    public let amount: Int64
  }

  /// The content that is delivered with a product.
  public struct Content: Hashable, Codable, Sendable {
    public let version: Int64
    /// The size of all files, in bytes.
    public let size: Int64
    public let files: Int
  }
}
