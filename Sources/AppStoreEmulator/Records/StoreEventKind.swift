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

  var rawValue: String { traits.name }
  var subject: Subject { traits.subject }

  /// What an event concerns.
  enum Subject { case transaction, payment, customer, installation, app }

  /// The stored name, what the event concerns, and its place in a customer's timeline; nil if another event shows the same.
  //
  // A switch, and no dictionary of kinds: a type with a raw value is hashed by it.
  private var traits: (name: String, subject: Subject, place: TimelinePlace?) {
    switch self {
    case .added: ("transaction.added", .transaction, .transaction)
    case .redelivered: ("transaction.redelivered", .transaction, .redelivery)
    case .refunded: ("transaction.refunded", .transaction, .refund)
    case .refundReversed: ("transaction.refundReversed", .transaction, .refund)
    case .upgraded: ("transaction.upgraded", .transaction, .refund)
    case .shareRevoked: ("transaction.shareRevoked", .transaction, .revocation)
    case .extended: ("transaction.extended", .transaction, nil)
    case .refundRequested: ("transaction.refundRequested", .transaction, nil)
    case .refundDeclined: ("transaction.refundDeclined", .transaction, nil)
    case .extensionFailed: ("transaction.extensionFailed", .transaction, nil)
    case .massExtensionCompleted: ("app.massExtensionCompleted", .app, nil)
    case .subscription(let step):
      ("subscription.\(step.rawValue)", .transaction, step == .subscribed || step == .renewed ? nil : .subscription)
    case .refused: ("payment.refused", .payment, .refusal)
    case .approvalAsked: ("payment.approvalAsked", .payment, .approvalAsked)
    case .approvalDecided: ("payment.approvalDecided", .payment, .approvalDecided)
    case .boughtByOperator: ("purchase.byOperator", .transaction, nil)
    case .resumed: ("purchase.resumed", .transaction, nil)
    case .customerStorefrontChanged: ("customer.storefrontChanged", .customer, nil)
    case .settingsChanged: ("installation.settingsChanged", .installation, nil)
    case .storefrontChanged: ("installation.storefrontChanged", .installation, nil)
    case .promotedPurchase: ("installation.promotedPurchase", .installation, nil)
    case .unfinishedMoved: ("installation.unfinishedMoved", .installation, nil)
    case .productsLost: ("installation.productsLost", .installation, nil)
    case .changesMissed: ("installation.changesMissed", .installation, nil)
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

  /// The place of such an event in a customer's timeline. A refund of nothing is shown as a revocation. Nil if another
  /// event shows the same.
  ///
  /// - Parameter isPaid: whether a refund or its reversal has an amount.
  func place(isPaid: Bool = true) -> TimelinePlace? {
    switch self {
    case .refunded where !isPaid: .revocation
    case .refundReversed where !isPaid, .upgraded where !isPaid: nil
    default: traits.place
    }
  }
}

/// The order of the events of one second in a customer's timeline, because some dates have whole seconds only. The raw
/// values are stored.
enum TimelinePlace: Int, Codable {
  case refusal, approvalAsked, approvalDecided, transaction, redelivery, subscription, refund, revocation
}
