import Foundation
import StoreModel

/// Which event makes which message: the table of Documentation/webhooks.md in code.
extension WebhookMessage {
  /// Returns the message of an event; nil if it makes none.
  ///
  /// The type depends only on the event, and on what never changes of the records. So an event has the same type whenever it is read.
  ///
  /// - Parameter cursor: the place of the event.
  init?(_ row: MessageRow, at cursor: LedgerEventCursor) throws {
    guard !row.event.isFilledIn, let content = try MessageContent(row) else { return nil }
    var data = WebhookMessageData(id: WebhookMessageID.make(content.type, at: cursor), cursor: cursor)
    data.take(row)
    content.fill(&data, row)
    self.init(type: content.type, timestamp: row.event.date, data: data)
  }

  /// The test of a webhook.
  init(testOf webhook: String, number: Int64, created: StoreDate) {
    self.init(
      type: .test, timestamp: created,
      data: WebhookMessageData(id: WebhookMessageID.test(of: webhook, number: number), cursor: nil))
  }
}

/// What an event says, for its message.
private enum MessageContent {
  /// A purchase was claimed.
  case purchase(isSubscription: Bool)
  case grant(EntitlementDetails)
  case entitlementEnd(EntitlementDetails)
  case renewal(PeriodDetails)
  case extended(PeriodDetails)
  case renewalChange(WebhookMessageType, RenewalDetails)
  case productChange(ProductID?)
  case transfer(CustomerID)
  case refund(RefundDetails)
  case reversal(ReversalDetails)
  case priceIncrease(PriceIncreaseDetails)
  case movement
  case request(RequestDetails)

  /// Dates of receipts have whole seconds, so an end that differs by less is the same.
  private static let extensionMilliseconds: Int64 = 2_000

  /// Nil if the event makes no message.
  init?(_ row: MessageRow) throws {
    let event = row.event
    let isOwned = event.customer != nil
    func details<Details: Decodable>() throws -> Details {
      try JSONDecoder().decode(Details.self, from: Data((event.details ?? "{}").utf8))
    }
    switch event.kind {
    case .purchaseClaimed:
      guard let claim = row.claim else { return nil }
      self = .purchase(isSubscription: claim.type == .autoRenewableSubscription)
    case .purchaseMoved: self = .transfer(try (details() as MoveDetails).from)
    case .purchaseProductChanged: self = .productChange(try (details() as ProductDetails).previousProduct)
    case .purchaseRefunded:
      let refund: RefundDetails = try details()
      // Statements of one refund can differ in its date and reason: receipts have whole seconds.
      guard refund.percentage != refund.previousPercentage else { return nil }
      self = .refund(refund)
    case .purchaseRefundReversed: self = .reversal(try details())
    case .purchaseRefundRequested: self = .request(try details())
    case .periodRecorded:
      let period: PeriodDetails = try details()
      guard isOwned, period.newest ?? true else { return nil }
      self = .renewal(period)
    case .periodChanged:
      let period: PeriodDetails = try details()
      guard isOwned, period.previousProduct == event.product, let before = period.previousExpires,
        period.expires.millisecondsSince1970 - before.millisecondsSince1970 >= Self.extensionMilliseconds
      else { return nil }
      self = .extended(period)
    case .renewalChanged:
      let renewal: RenewalDetails = try details()
      guard isOwned, let type = renewal.messageType(period: event.transactionID) else { return nil }
      self = .renewalChange(type, renewal)
    case .renewalPriceIncrease:
      let increase: PriceIncreaseDetails = try details()
      guard isOwned, increase.messageType != nil else { return nil }
      self = .priceIncrease(increase)
    case .creditsMoved:
      guard row.movement != nil else { return nil }
      self = .movement
    case .entitlementBegun:
      let entitlement: EntitlementDetails = try details()
      guard entitlement.origin == LedgerEntitlement.Origin.granted.rawValue else { return nil }
      self = .grant(entitlement)
    case .entitlementEnded:
      let entitlement: EntitlementDetails = try details()
      let reasons: [LedgerEntitlement.EndReason] = [.revoked, .erased]
      guard let reason = entitlement.endReason, reasons.map(\.rawValue).contains(reason) else { return nil }
      self = .entitlementEnd(entitlement)
    case nil, .purchaseOwnershipChanged, .creditsBlocked, .creditsUnblocked, .entitlementChanged, .entitlementResumed,
      .deliveryBegun, .deliveryEnded, .customerJoined, .customerErased, .incarnationBegan:
      return nil
    }
  }

  var type: WebhookMessageType {
    switch self {
    case .purchase(let isSubscription): isSubscription ? .initialPurchase : .nonRenewingPurchase
    case .grant: .nonRenewingPurchase
    case .entitlementEnd: .expiration
    case .renewal: .renewal
    case .extended: .subscriptionExtended
    case .renewalChange(let type, _): type
    case .productChange: .productChange
    case .transfer: .transfer
    case .refund: .refund
    case .reversal: .refundReversed
    case .priceIncrease(let increase): increase.messageType ?? .priceIncreaseConsentRequired
    case .movement: .virtualCurrencyTransaction
    case .request: .consumptionRequest
    }
  }

  /// Adds the members of the type.
  func fill(_ data: inout WebhookMessageData, _ row: MessageRow) {
    switch self {
    case .purchase(let isSubscription):
      data.amount = row.price
      data.quantity = row.claim?.quantity
      data.purchaseDate = isSubscription ? row.period?.purchased : row.claim?.purchased
      data.expirationDate = isSubscription ? row.period?.expires : nil
      if let claim = row.claim, let unit = claim.unit {
        data.credits = WebhookMessageData.Credits(unit: unit, amount: claim.given)
      }
    case .grant(let entitlement):
      data.periodType = "PROMOTIONAL"
      (data.purchaseDate, data.expirationDate) = (entitlement.begun, entitlement.accessUntil)
    case .entitlementEnd(let entitlement):
      data.endReason = entitlement.endReason
      (data.purchaseDate, data.expirationDate) = (entitlement.begun, entitlement.ended)
    case .renewal(let period):
      data.amount = row.price
      (data.purchaseDate, data.expirationDate) = (period.purchased, period.expires)
    case .extended(let period):
      (data.purchaseDate, data.expirationDate) = (period.purchased, period.expires)
      data.previousExpirationDate = period.previousExpires
    case .renewalChange(let type, let renewal):
      data.expirationDate = row.period?.expires
      data.renewal = renewal.now.member
      if type == .productChange { data.newProductId = renewal.now.product }
    case .productChange(let before): data.previousProductId = before
    case .transfer(let before): data.transferredFrom = before
    case .refund(let refund):
      data.amount = row.price
      data.refund = WebhookMessageData.Refund(
        percentage: refund.percentage, previousPercentage: refund.previousPercentage, date: refund.refunded,
        reason: refund.reason)
    case .reversal(let reversal):
      data.amount = row.price
      data.refund = WebhookMessageData.Refund(percentage: 0, previousPercentage: reversal.previousPercentage)
    case .priceIncrease(let increase):
      data.expirationDate = row.period?.expires
      data.renewal = WebhookMessageData.Renewal(priceIncreaseStatus: increase.status)
    case .movement:
      guard let unit = row.event.unit, let movement = row.movement else { return }
      // The app or an operator has chosen the key of a spend or a grant: it may have personal data.
      let isHidden = row.event.isErased && [.spend, .grant].contains(movement.cause)
      data.credits = WebhookMessageData.Credits(
        unit: unit, amount: movement.amount, balance: movement.balance, cause: movement.cause.rawValue,
        key: isHidden ? nil : movement.key)
    case .request(let request):
      data.consumptionRequest = WebhookMessageData.Request(
        uuid: request.uuid, reason: request.reason, requested: request.requested, deadline: request.deadline,
        state: request.state)
    }
  }
}

extension WebhookMessageData {
  /// Takes the members that all types have.
  fileprivate mutating func take(_ row: MessageRow) {
    let event = row.event
    (app, environment, customer, subject) = (event.app, event.environment, event.customer, event.subject)
    (productId, cause) = (event.product, event.causeName)
    originalTransactionId = event.claim
    // Of a purchase that is no subscription, both ids are the same; events of earlier versions lack the first one.
    let isSubscription = row.claim?.type == .autoRenewableSubscription
    transactionId = event.transactionID ?? (isSubscription ? nil : event.claim)
    periodType = row.period?.type?.rawValue
  }
}

extension MessageRow {
  /// The price of the event's transaction; nil if it is unknown.
  fileprivate var price: PurchasePrice? { period != nil ? period?.price : claim?.price }
}

// MARK: The details of events

private struct MoveDetails: Decodable {
  let from: CustomerID
}

private struct ProductDetails: Decodable {
  let previousProduct: ProductID?
}

private struct RefundDetails: Decodable {
  let percentage: Int64
  let previousPercentage: Int64
  let refunded: StoreDate?
  let reason: Int64?
}

private struct ReversalDetails: Decodable {
  let previousPercentage: Int64
}

private struct RequestDetails: Decodable {
  let uuid: String
  let reason: String?
  let requested: StoreDate
  let deadline: StoreDate
  let state: String
}

private struct PeriodDetails: Decodable {
  let purchased: StoreDate
  let expires: StoreDate
  let previousExpires: StoreDate?
  let previousProduct: ProductID?
  /// Nil in events of version 1.
  let newest: Bool?
}

private struct EntitlementDetails: Decodable {
  let origin: String
  let begun: StoreDate
  let accessUntil: StoreDate?
  let ended: StoreDate?
  let endReason: String?
}

private struct PriceIncreaseDetails: Decodable {
  let status: Int64?

  var messageType: WebhookMessageType? {
    switch status {
    case 0: .priceIncreaseConsentRequired
    case 1: .priceIncreaseConsentApproved
    default: nil
    }
  }
}

/// How a subscription continues, and how it did before.
private struct RenewalDetails: Decodable {
  struct State: Decodable {
    let product: ProductID?
    let autoRenew: Bool
    let billingRetry: Bool
    let graceUntil: StoreDate?
    let expirationIntent: Int64?
    /// Only of the state before.
    let period: TransactionID?

    var member: WebhookMessageData.Renewal {
      WebhookMessageData.Renewal(
        productId: product, autoRenew: autoRenew, billingRetry: billingRetry, gracePeriodExpirationDate: graceUntil,
        expirationIntent: expirationIntent)
    }

    /// Whether the subscription is over, and the store does not try to charge it any more.
    var hasExpired: Bool { expirationIntent != nil && !billingRetry }
  }

  let now: State
  /// Nil if nothing was stated before.
  let before: State?

  private enum CodingKeys: CodingKey {
    case previous
  }

  init(from decoder: any Decoder) throws {
    now = try State(from: decoder)
    before = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(State.self, forKey: .previous)
  }

  /// - Parameter period: the transaction of the period that the subscription continues after.
  func messageType(period: TransactionID?) -> WebhookMessageType? {
    // The state before was about an earlier period, or there was none: then it says nothing about this one.
    let same = before.flatMap { $0.period == period ? $0 : nil }
    if now.hasExpired, same?.hasExpired != true { return .expiration }
    if now.billingRetry, same?.billingRetry != true { return .billingIssue }
    // A new subscription, and a new period, renew until something else is stated.
    if !now.autoRenew, same?.autoRenew ?? true { return .cancellation }
    guard let same else { return nil }
    if now.autoRenew, !same.autoRenew { return .uncancellation }
    return now.product != same.product ? .productChange : nil
  }
}
