import StoreModel

/// The kind of a ``StoreEvent``. The raw values are stored. Documentation/store-events.md describes the kinds.
///
/// It does not conform to `RawRepresentable`: its hash would be that of the raw value, which is looked up by its hash.
enum StoreEventKind: Hashable, CaseIterable {
  case added, redelivered, refunded, refundReversed, upgraded, shareRevoked, extended
  case refundRequested, refundDeclined, extensionFailed, massExtensionCompleted
  case subscription(SubscriptionStep)
  case refused, approvalAsked, approvalDecided
  case boughtByOperator, resumed
  case customerStorefrontChanged
  case settingsChanged, storefrontChanged, promotedPurchase, unfinishedMoved, productsLost, changesMissed

  /// The version of the events that this program writes, and the newest that it reads.
  static let version = 1

  static let allCases: [StoreEventKind] =
    [
      .added, .redelivered, .refunded, .refundReversed, .upgraded, .shareRevoked, .extended, .refundRequested,
      .refundDeclined, .extensionFailed, .massExtensionCompleted, .refused, .approvalAsked, .approvalDecided,
      .boughtByOperator, .resumed, .customerStorefrontChanged, .settingsChanged, .storefrontChanged,
      .promotedPurchase, .unfinishedMoved, .productsLost, .changesMissed,
    ] + SubscriptionStep.allCases.map { .subscription($0) }

  private static let kinds: [String: StoreEventKind] = Dictionary(
    uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })

  init?(rawValue: String) {
    guard let kind = Self.kinds[rawValue] else { return nil }
    self = kind
  }

  // A switch, and no dictionary of kinds: a type with a raw value is hashed by it.
  var rawValue: String {
    switch self {
    case .added: "transaction.added"
    case .redelivered: "transaction.redelivered"
    case .refunded: "transaction.refunded"
    case .refundReversed: "transaction.refundReversed"
    case .upgraded: "transaction.upgraded"
    case .shareRevoked: "transaction.shareRevoked"
    case .extended: "transaction.extended"
    case .refundRequested: "transaction.refundRequested"
    case .refundDeclined: "transaction.refundDeclined"
    case .extensionFailed: "transaction.extensionFailed"
    case .massExtensionCompleted: "app.massExtensionCompleted"
    case .refused: "payment.refused"
    case .approvalAsked: "payment.approvalAsked"
    case .approvalDecided: "payment.approvalDecided"
    case .boughtByOperator: "purchase.byOperator"
    case .resumed: "purchase.resumed"
    case .customerStorefrontChanged: "customer.storefrontChanged"
    case .settingsChanged: "installation.settingsChanged"
    case .storefrontChanged: "installation.storefrontChanged"
    case .promotedPurchase: "installation.promotedPurchase"
    case .unfinishedMoved: "installation.unfinishedMoved"
    case .productsLost: "installation.productsLost"
    case .changesMissed: "installation.changesMissed"
    case .subscription(let step): "subscription.\(step.rawValue)"
    }
  }

  /// The SQL condition for events that this program knows.
  static let isKnownSQL = "version <= \(version) AND kind IN (\(list(allCases)))"
  /// The SQL condition for known events of transactions, the steps of subscriptions among them.
  static let isOfTransactionSQL =
    "version <= \(version) AND kind IN (\(list(allCases.filter { $0.subject == .transaction })))"

  private static func list(_ kinds: [StoreEventKind]) -> String {
    kinds.map { "'\($0.rawValue)'" }.joined(separator: ", ")
  }

  /// What an event concerns.
  enum Subject { case transaction, payment, customer, installation, app }

  var subject: Subject {
    switch self {
    case .added, .redelivered, .refunded, .refundReversed, .upgraded, .shareRevoked, .extended, .refundRequested,
      .refundDeclined, .extensionFailed, .subscription, .boughtByOperator, .resumed:
      .transaction
    case .massExtensionCompleted: .app
    case .refused, .approvalAsked, .approvalDecided: .payment
    case .customerStorefrontChanged: .customer
    case .settingsChanged, .storefrontChanged, .promotedPurchase, .unfinishedMoved, .productsLost, .changesMissed:
      .installation
    }
  }

  /// The place of such an event in a customer's timeline. A refund of nothing is shown as a revocation. Nil if another
  /// event shows the same.
  ///
  /// - Parameter isPaid: whether a refund or its reversal has an amount.
  func place(isPaid: Bool = true) -> TimelinePlace? {
    switch self {
    case .added: .transaction
    case .redelivered: .redelivery
    case .refunded: isPaid ? .refund : .revocation
    case .refundReversed, .upgraded: isPaid ? .refund : nil
    case .shareRevoked: .revocation
    case .subscription(.subscribed), .subscription(.renewed): nil
    case .subscription: .subscription
    case .refused: .refusal
    case .approvalAsked: .approvalAsked
    case .approvalDecided: .approvalDecided
    case .extended, .refundRequested, .refundDeclined, .extensionFailed, .massExtensionCompleted, .boughtByOperator,
      .resumed, .customerStorefrontChanged, .settingsChanged, .storefrontChanged, .promotedPurchase, .unfinishedMoved,
      .productsLost, .changesMissed:
      nil
    }
  }
}

/// The order of the events of one second in a customer's timeline, because some dates have whole seconds only. The raw
/// values are stored.
enum TimelinePlace: Int, Codable {
  case refusal, approvalAsked, approvalDecided, transaction, redelivery, subscription, refund, revocation
}
