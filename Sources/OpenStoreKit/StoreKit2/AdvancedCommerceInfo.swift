import Foundation
import StoreModel

extension Transaction {
  /// What a purchase of the Advanced Commerce API contains. Implements Apple's `Transaction.AdvancedCommerceInfo`.
  ///
  /// The emulated store does not sell such purchases; it is read from the signed payload.
  public struct AdvancedCommerceInfo: Equatable, Hashable, Sendable {
    public let requestReferenceID: String
    public let estimatedTax: Decimal
    public let taxRate: Decimal
    public let taxCode: String
    public let taxExclusivePrice: Decimal
    public let description: String?
    public let displayName: String?
    public let period: Product.SubscriptionPeriod?
    public let items: [Item]

    /// - Parameter json: the text of the signed object. Nil if it cannot be read.
    init?(_ json: String) {
      guard let info = AdvancedCommerceJSON(json), let reference = info.requestReferenceId, let code = info.taxCode
      else { return nil }
      requestReferenceID = reference
      estimatedTax = info.estimatedTax.amount
      taxRate = info.taxRate.amount
      taxCode = code
      taxExclusivePrice = info.taxExclusivePrice.amount
      description = info.descriptors?.description
      displayName = info.descriptors?.displayName
      period = info.period.flatMap(Product.SubscriptionPeriod.init(iso8601:))
      items = (info.items ?? []).compactMap(Item.init)
    }

    /// An item of a purchase. Implements Apple's `Transaction.AdvancedCommerceInfo.Item`.
    public struct Item: Equatable, Hashable, Sendable {
      public let details: Details
      public let refunds: [Refund]?
      public let revocationDate: Date?

      fileprivate init?(_ item: AdvancedCommerceJSON.Item) {
        guard let details = Details(item) else { return nil }
        self.details = details
        refunds = item.refunds?.compactMap(Refund.init)
        revocationDate = item.revocationDate.map { StoreDate(millisecondsSince1970: $0).date }
      }

      /// What an item is. Implements Apple's `Transaction.AdvancedCommerceInfo.Item.Details`.
      public struct Details: Equatable, Hashable, Sendable {
        public let sku: String
        public let displayName: String
        public let description: String
        public let offer: Offer?
        public let price: Decimal

        fileprivate init?(_ item: AdvancedCommerceJSON.Item) {
          guard let sku = item.SKU else { return nil }
          self.sku = sku
          displayName = item.displayName ?? ""
          description = item.description ?? ""
          offer = item.offer.flatMap(Offer.init)
          price = item.price.amount
        }
      }
    }

    /// An offer of an item. Implements Apple's `Transaction.AdvancedCommerceInfo.Offer`.
    public struct Offer: Equatable, Hashable, Sendable {
      public let price: Decimal
      public let period: Product.SubscriptionPeriod
      public let periodCount: Int
      public let reason: Reason

      fileprivate init?(_ offer: AdvancedCommerceJSON.Offer) {
        guard let period = offer.period.flatMap(Product.SubscriptionPeriod.init(iso8601:)), let reason = offer.reason
        else { return nil }
        price = offer.price.amount
        self.period = period
        periodCount = offer.periodCount ?? 1
        self.reason = Reason(rawValue: reason)
      }

      /// Why an item has an offer. Implements Apple's `Transaction.AdvancedCommerceInfo.Offer.Reason`.
      public struct Reason: RawRepresentable, Equatable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let acquisition = Reason(rawValue: "ACQUISITION")
        public static let retention = Reason(rawValue: "RETENTION")
        public static let winBack = Reason(rawValue: "WIN_BACK")
      }
    }

    /// A refund of an item. Implements Apple's `Transaction.AdvancedCommerceInfo.Refund`.
    public struct Refund: Equatable, Hashable, Sendable {
      public let reason: Reason
      public let type: RefundType
      public let date: Date
      public let amount: Decimal

      fileprivate init?(_ refund: AdvancedCommerceJSON.Refund) {
        guard let reason = refund.refundReason, let type = refund.refundType, let date = refund.refundDate else {
          return nil
        }
        self.reason = Reason(rawValue: reason)
        self.type = RefundType(rawValue: type)
        self.date = StoreDate(millisecondsSince1970: date).date
        amount = refund.refundAmount.amount
      }

      /// Why an item was refunded. Implements Apple's `Transaction.AdvancedCommerceInfo.Refund.Reason`.
      public struct Reason: RawRepresentable, Equatable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let legal = Reason(rawValue: "LEGAL")
        public static let modifyItems = Reason(rawValue: "MODIFY_ITEMS_REFUND")
        public static let unintended = Reason(rawValue: "UNINTENDED_PURCHASE")
        public static let unfulfilled = Reason(rawValue: "FULFILLMENT_ISSUE")
        public static let unsatisfied = Reason(rawValue: "UNSATISFIED_WITH_PURCHASE")
        public static let other = Reason(rawValue: "OTHER")
      }

      /// How much of an item was refunded. Implements Apple's `Transaction.AdvancedCommerceInfo.Refund.RefundType`.
      public struct RefundType: RawRepresentable, Equatable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let custom = RefundType(rawValue: "CUSTOM")
        public static let proRated = RefundType(rawValue: "PRORATED")
        public static let full = RefundType(rawValue: "FULL")
      }
    }
  }
}

extension Product.SubscriptionInfo.RenewalInfo {
  /// What a subscription of the Advanced Commerce API renews. Implements Apple's
  /// `Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo`.
  public struct AdvancedCommerceInfo: Equatable, Hashable, Sendable {
    public let consistencyToken: String
    public let requestReferenceID: String
    public let taxCode: String
    public let description: String
    public let displayName: String
    public let period: Product.SubscriptionPeriod
    public let items: [Item]

    /// An item that renews. Implements Apple's `Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo.Item`.
    public struct Item: Equatable, Hashable, Sendable {
      public typealias Details = Transaction.AdvancedCommerceInfo.Item.Details
      public let details: Details
    }

    /// - Parameter json: the text of the signed object. Nil if it cannot be read.
    init?(_ json: String) {
      guard let info = AdvancedCommerceJSON(json), let token = info.consistencyToken,
        let reference = info.requestReferenceId, let code = info.taxCode,
        let period = info.period.flatMap(Product.SubscriptionPeriod.init(iso8601:))
      else { return nil }
      consistencyToken = token
      requestReferenceID = reference
      taxCode = code
      description = info.descriptors?.description ?? ""
      displayName = info.descriptors?.displayName ?? ""
      self.period = period
      items = (info.items ?? []).compactMap { Item.Details($0).map(Item.init) }
    }
  }
}

/// The object `advancedCommerceInfo` of a signed transaction or of signed renewal information. Only transactions have the tax
/// amounts and refunds, only renewal information has the consistency token. Amounts and rates are in thousandths, dates in
/// milliseconds since 1970, periods are ISO 8601 durations.
private struct AdvancedCommerceJSON: Decodable {
  let requestReferenceId: String?
  let consistencyToken: String?
  let estimatedTax: Int64?
  let taxRate: Int64?
  let taxExclusivePrice: Int64?
  let taxCode: String?
  let period: String?
  let descriptors: Descriptors?
  let items: [Item]?

  struct Descriptors: Decodable {
    let description: String?
    let displayName: String?
  }

  struct Item: Decodable {
    // The name in the payload.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    let SKU: String?
    let description: String?
    let displayName: String?
    let offer: Offer?
    let price: Int64?
    let refunds: [Refund]?
    let revocationDate: Int64?
  }

  struct Offer: Decodable {
    let period: String?
    let periodCount: Int?
    let price: Int64?
    let reason: String?
  }

  struct Refund: Decodable {
    let refundAmount: Int64?
    let refundDate: Int64?
    let refundReason: String?
    let refundType: String?
  }

  /// Nil if the text is no such object.
  init?(_ json: String) {
    guard let info = try? JSONDecoder().decode(Self.self, from: Data(json.utf8)) else { return nil }
    self = info
  }
}

extension Int64? {
  /// The amount in units of the currency; 0 if it is missing.
  fileprivate var amount: Decimal { Milliunits(self ?? 0).decimal }
}

extension Product.SubscriptionPeriod {
  /// Nil if the text is no duration such as `P1M`.
  fileprivate init?(iso8601 text: String) {
    guard let period = CalendarPeriod(iso8601: text) else { return nil }
    self.init(period)
  }
}
