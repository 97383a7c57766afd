import AppStoreServerAPI
import StoreModel

/// The type and subtype of a notification.
struct NotificationCause: Hashable {
  let type: NotificationType
  var subtype: NotificationSubtype?

  init(_ type: NotificationType, _ subtype: NotificationSubtype? = nil) { (self.type, self.subtype) = (type, subtype) }
}

/// Which notification an event causes, if it causes one: Apple's table of types and use cases ("notificationType"), by event.
/// Documentation/server-notifications.md has what the table leaves open.
///
/// Several events of a commit can have one cause. One of them causes the notification; the others cause none.
struct NotificationTable {
  /// The steps of each subscription in the commit, by its original transaction id.
  private var steps: [TransactionID: Set<SubscriptionStep>] = [:]
  /// The periods that began in the commit with the recovery from a billing problem, by their transaction ids.
  private var recoveries: Set<TransactionID> = []

  /// - Parameter events: all events of the commit.
  init(_ events: [RecordedEvent]) {
    for case .subscription(let step, let row, _) in events.lazy.map(\.event) {
      steps[row.originalTransactionID, default: []].insert(step)
      if step == .recovered { recoveries.insert(row.currentTransactionID) }
    }
  }

  func cause(of event: StoreEvent) -> NotificationCause? {
    switch event {
    case .added(let stored): cause(ofNew: stored)
    case .refunded: NotificationCause(.refund)
    case .refundReversed: NotificationCause(.refundReversed)
    case .shareRevoked: NotificationCause(.revoke)
    // The step of the purchaser's subscription causes the purchaser's.
    case .extended(let stored): stored.sharedTransactionID == nil ? nil : NotificationCause(.renewalExtended)
    case .refundRequested: NotificationCause(.consumptionRequest)
    case .refundDeclined: NotificationCause(.refundDeclined)
    case .extensionFailed: NotificationCause(.renewalExtension, .failure)
    case .massExtensionCompleted: NotificationCause(.renewalExtension, .summary)
    case .subscription(let step, let row, _):
      cause(of: step, row.state, besides: steps[row.originalTransactionID] ?? [])
    // A period that ended by an upgrade has none: the upgrade has.
    case .upgraded, .redelivered, .refused, .approvalAsked, .approvalDecided, .boughtByOperator, .resumed: nil
    case .customerStorefrontChanged, .settingsChanged, .storefrontChanged, .promotedPurchase, .unfinishedMoved,
      .productsLost, .changesMissed:
      nil
    }
  }

  private func cause(ofNew stored: StoredTransaction) -> NotificationCause? {
    guard stored.record.type == .autoRenewableSubscription else { return NotificationCause(.oneTimeCharge) }
    // The step of the subscription causes the purchaser's.
    guard let purchase = stored.sharedTransactionID else { return nil }
    if stored.record.transactionID == stored.record.originalTransactionID {
      return NotificationCause(.subscribed, .initialBuy)
    }
    // A member who had no access to the period before gains it.
    guard stored.record.reason == .renewal else { return NotificationCause(.subscribed, .resubscribe) }
    return NotificationCause(.didRenew, recoveries.contains(purchase) ? .billingRecovery : nil)
  }

  /// - Parameters:
  ///   - state: the subscription after the step.
  ///   - others: the steps of the subscription in the commit.
  private func cause(
    of step: SubscriptionStep, _ state: Subscription, besides others: Set<SubscriptionStep>
  ) -> NotificationCause? {
    switch step {
    case .subscribed: NotificationCause(.subscribed, .initialBuy)
    case .resubscribed: NotificationCause(.subscribed, .resubscribe)
    case .renewed: NotificationCause(.didRenew)
    case .recovered: NotificationCause(.didRenew, .billingRecovery)

    case .upgraded: NotificationCause(state.offer == nil ? .didChangeRenewalPref : .offerRedeemed, .upgrade)
    case .planChosen:
      NotificationCause(state.planChange?.offer == nil ? .didChangeRenewalPref : .offerRedeemed, .downgrade)
    case .planChoiceCancelled: others.contains(.offerRedeemed) ? nil : NotificationCause(.didChangeRenewalPref)
    case .offerRedeemed: NotificationCause(.offerRedeemed)
    case .autoRenewOn:
      // The choice of a plan or an offer turns renewal on, too.
      others.isDisjoint(with: [.planChosen, .planChoiceCancelled, .offerRedeemed])
        ? NotificationCause(.didChangeRenewalStatus, .autoRenewEnabled) : nil
    case .autoRenewOff:
      // Without renewal, a billing retry ends, and a refund turns renewal off.
      others.isDisjoint(with: [.expired, .revoked])
        ? NotificationCause(.didChangeRenewalStatus, .autoRenewDisabled) : nil

    case .gracePeriodBegan: NotificationCause(.didFailToRenew, .gracePeriod)
    case .billingRetryBegan: NotificationCause(.didFailToRenew)
    case .gracePeriodEnded: others.contains(.expired) ? nil : NotificationCause(.gracePeriodExpired)
    case .expired: expiration(state, others)

    case .priceIncreaseAnnounced, .priceIncreaseAgreed:
      NotificationCause(.priceIncrease, state.priceIncrease?.isUnanswered == true ? .pending : .accepted)
    case .renewalDateExtended: NotificationCause(.renewalExtended)

    // The end of the retry is the end of the subscription. A declined increase turns renewal off.
    case .billingRetryEnded, .priceIncreaseDeclined: nil
    // The events of the transaction cause these.
    case .revoked, .refundReversed: nil
    }
  }

  private func expiration(_ state: Subscription, _ others: Set<SubscriptionStep>) -> NotificationCause? {
    // The reversal of a refund whose period has ended.
    guard !others.contains(.refundReversed) else { return nil }
    return switch state.expirationReason {
    case .cancelled: NotificationCause(.expired, .voluntary)
    case .billingError: NotificationCause(.expired, .billingRetry)
    case .priceIncrease: NotificationCause(.expired, .priceIncrease)
    case .productUnavailable: NotificationCause(.expired, .productNotForSale)
    case nil: NotificationCause(.expired)
    }
  }
}
