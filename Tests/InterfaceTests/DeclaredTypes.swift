// The properties, constants and conformances of Listing.txt with their types. This file is compiled: each has its listed type.
// A compile error here is a difference from Apple's interface.

import StoreKit

private struct Declaration<Root> {
  func has<Value>(_ property: KeyPath<Root, Value>, _ type: Value.Type) {}
  func hasStatic<Value>(_ property: Value, _ type: Value.Type) {}
  func hasConstants(_ constants: Root...) {}

  func isIdentifiable() where Root: Identifiable {}
  func isEquatable() where Root: Equatable {}
  func isHashable() where Root: Hashable {}
  func isComparable() where Root: Comparable {}
  func isSendable() where Root: Sendable {}
  func isDebugDescribed() where Root: CustomDebugStringConvertible {}
  func isRawRepresentable() where Root: RawRepresentable {}
  func isError() where Root: Error {}
  func isLocalizedError() where Root: LocalizedError {}
  func isFormatStyle() where Root: FormatStyle {}
  func isAsyncSequence() where Root: AsyncSequence {}
  func isAsyncIterator() where Root: AsyncIteratorProtocol {}
}

private func declare(_ its: Declaration<Product>) {
  its.isIdentifiable()
  its.isHashable()
  its.isSendable()
  its.isDebugDescribed()
  its.has(\.id, String.self)
  its.has(\.type, Product.ProductType.self)
  its.has(\.displayName, String.self)
  its.has(\.description, String.self)
  its.has(\.price, Decimal.self)
  its.has(\.displayPrice, String.self)
  its.has(\.isFamilyShareable, Bool.self)
  its.has(\.subscription, Product.SubscriptionInfo?.self)
  its.has(\.jsonRepresentation, Data.self)
  its.has(\.priceFormatStyle, Decimal.FormatStyle.Currency.self)
  its.has(\.subscriptionPeriodUnitFormatStyle, Product.SubscriptionPeriod.Unit.FormatStyle.self)
  its.has(\.currentEntitlements, SK2Transaction.Transactions.self)
}

private func declare(_ its: Declaration<Product.ProductType>) {
  its.isRawRepresentable()
  its.isHashable()
  its.isSendable()
  its.has(\.rawValue, String.self)
  its.hasConstants(.consumable, .nonConsumable, .nonRenewable, .autoRenewable)
  its.has(\.localizedDescription, String.self)
}

private func declare(_ its: Declaration<Product.PurchaseOption>) {
  its.isHashable()
  its.isSendable()
  its.isDebugDescribed()
}

private func declare(_ its: Declaration<Product.PurchaseResult>) {
  its.isSendable()
}

private func declare(_ its: Declaration<Product.PurchaseError>) {
  its.isHashable()
  its.isLocalizedError()
  its.has(\.errorDescription, String?.self)
  its.has(\.failureReason, String?.self)
  its.has(\.recoverySuggestion, String?.self)
}

private func declare(_ its: Declaration<Product.SubscriptionPeriod>) {
  its.isHashable()
  its.isSendable()
  its.isDebugDescribed()
  its.has(\.unit, Product.SubscriptionPeriod.Unit.self)
  its.has(\.value, Int.self)
  its.hasConstants(
    .weekly, .monthly, .yearly, .everyThreeDays, .everyTwoWeeks, .everyTwoMonths, .everyThreeMonths, .everySixMonths)
}

private func declare(_ its: Declaration<Product.SubscriptionPeriod.Unit>) {
  its.isHashable()
  its.isSendable()
  its.isComparable()
  its.isDebugDescribed()
  its.has(\.localizedDescription, String.self)
}

private func declare(_ its: Declaration<Product.SubscriptionPeriod.Unit.FormatStyle>) {
  its.isFormatStyle()
}

private func declare(_ its: Declaration<Product.SubscriptionOffer>) {
  its.isHashable()
  its.isSendable()
  its.has(\.id, String?.self)
  its.has(\.type, Product.SubscriptionOffer.OfferType.self)
  its.has(\.price, Decimal.self)
  its.has(\.displayPrice, String.self)
  its.has(\.period, Product.SubscriptionPeriod.self)
  its.has(\.periodCount, Int.self)
  its.has(\.paymentMode, Product.SubscriptionOffer.PaymentMode.self)
}

private func declare(_ its: Declaration<Product.SubscriptionOffer.OfferType>) {
  its.isRawRepresentable()
  its.isHashable()
  its.isSendable()
  its.has(\.rawValue, String.self)
  its.hasConstants(.introductory, .promotional, .winBack)
  its.has(\.localizedDescription, String.self)
}

private func declare(_ its: Declaration<Product.SubscriptionOffer.PaymentMode>) {
  its.isRawRepresentable()
  its.isHashable()
  its.isSendable()
  its.has(\.rawValue, String.self)
  its.hasConstants(.payAsYouGo, .payUpFront, .freeTrial)
  its.has(\.localizedDescription, String.self)
}

private func declare(_ its: Declaration<Product.SubscriptionOffer.Signature>) {
  its.isHashable()
  its.isSendable()
  its.has(\.keyID, String.self)
  its.has(\.nonce, UUID.self)
  its.has(\.timestamp, Int.self)
  its.has(\.signature, Data.self)
}

private func declare(_ its: Declaration<Product.PromotionInfo>) {
  its.isEquatable()
  its.has(\.productID, String.self)
  its.has(\.visibility, Product.PromotionInfo.Visibility.self)
}

private func declare(_ its: Declaration<Product.PromotionInfo.Visibility>) {
  its.isRawRepresentable()
  its.isHashable()
}

private func declare(_ its: Declaration<Product.SubscriptionInfo>) {
  its.isHashable()
  its.isSendable()
  its.has(\.introductoryOffer, Product.SubscriptionOffer?.self)
  its.has(\.promotionalOffers, [Product.SubscriptionOffer].self)
  its.has(\.winBackOffers, [Product.SubscriptionOffer].self)
  its.has(\.subscriptionGroupID, String.self)
  its.has(\.subscriptionPeriod, Product.SubscriptionPeriod.self)
  its.has(\.groupLevel, Int.self)
  its.has(\.groupDisplayName, String.self)
  its.has(\.pricingTerms, [Product.SubscriptionInfo.PricingTerms].self)
}

private func declare(_ its: Declaration<Product.SubscriptionInfo.BillingPlanType>) {
  its.isRawRepresentable()
  its.isHashable()
  its.isSendable()
  its.has(\.rawValue, String.self)
  its.hasConstants(.monthly, .upFront)
}

private func declare(_ its: Declaration<Product.SubscriptionInfo.CommitmentInfo>) {
  its.isHashable()
  its.isSendable()
  its.has(\.price, Decimal.self)
  its.has(\.displayPrice, String.self)
  its.has(\.period, Product.SubscriptionPeriod.self)
}

private func declare(_ its: Declaration<Product.SubscriptionInfo.PricingTerms>) {
  its.isHashable()
  its.isSendable()
  its.has(\.billingPlanType, Product.SubscriptionInfo.BillingPlanType.self)
  its.has(\.billingPrice, Decimal.self)
  its.has(\.billingDisplayPrice, String.self)
  its.has(\.billingPeriod, Product.SubscriptionInfo.BillingPeriod.self)
  its.has(\.commitmentInfo, Product.SubscriptionInfo.CommitmentInfo.self)
  its.has(\.subscriptionOffers, [Product.SubscriptionOffer].self)
}

private func declare(_ its: Declaration<Product.SubscriptionInfo.RenewalState>) {
  its.isRawRepresentable()
  its.isHashable()
  its.isSendable()
  its.has(\.rawValue, Int.self)
  its.hasConstants(.subscribed, .expired, .inBillingRetryPeriod, .inGracePeriod, .revoked)
  its.has(\.localizedDescription, String.self)
}

private func declare(_ its: Declaration<Product.SubscriptionInfo.Status>) {
  its.isHashable()
  its.isSendable()
  its.has(\.state, Product.SubscriptionInfo.RenewalState.self)
  its.has(\.transaction, VerificationResult<SK2Transaction>.self)
  its.has(\.renewalInfo, VerificationResult<Product.SubscriptionInfo.RenewalInfo>.self)
  its.hasStatic(Product.SubscriptionInfo.Status.updates, Product.SubscriptionInfo.Status.Statuses.self)
  its.hasStatic(
    Product.SubscriptionInfo.Status.all, AsyncStream<(groupID: String, statuses: [SubscriptionStatus])>.self)
}

private func declare(_ its: Declaration<Product.SubscriptionInfo.Status.Statuses>) {
  its.isAsyncSequence()
  its.isSendable()
}

private func declare(_ its: Declaration<Product.SubscriptionInfo.Status.Statuses.AsyncIterator>) {
  its.isAsyncIterator()
}

private func declare(_ its: Declaration<Product.SubscriptionInfo.RenewalInfo>) {
  its.isHashable()
  its.isSendable()
  its.isDebugDescribed()
  its.has(\.originalTransactionID, UInt64.self)
  its.has(\.currentProductID, String.self)
  its.has(\.willAutoRenew, Bool.self)
  its.has(\.autoRenewPreference, String?.self)
  its.has(\.expirationReason, Product.SubscriptionInfo.RenewalInfo.ExpirationReason?.self)
  its.has(\.priceIncreaseStatus, Product.SubscriptionInfo.RenewalInfo.PriceIncreaseStatus.self)
  its.has(\.isInBillingRetry, Bool.self)
  its.has(\.gracePeriodExpirationDate, Date?.self)
  its.has(\.offer, SK2Transaction.Offer?.self)
  its.has(\.offerID, String?.self)
  its.has(\.offerType, SK2Transaction.OfferType?.self)
  its.has(\.offerPaymentModeStringRepresentation, String?.self)
  its.has(\.offerPeriodStringRepresentation, String?.self)
  its.has(\.environment, AppStore.Environment.self)
  its.has(\.environmentStringRepresentation, String.self)
  its.has(\.recentSubscriptionStartDate, Date.self)
  its.has(\.renewalDate, Date?.self)
  its.has(\.renewalPrice, Decimal?.self)
  its.has(\.currency, Locale.Currency?.self)
  its.has(\.currencyCode, String?.self)
  its.has(\.eligibleWinBackOfferIDs, [String].self)
  its.has(\.deviceVerification, Data.self)
  its.has(\.deviceVerificationNonce, UUID.self)
  its.has(\.signedDate, Date.self)
  its.has(\.advancedCommerceInfo, Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo?.self)
  its.has(\.appAccountToken, UUID?.self)
  its.has(\.appTransactionID, String.self)
  its.has(\.commitmentInfo, Product.SubscriptionInfo.RenewalInfo.CommitmentInfo?.self)
  its.has(\.renewalBillingPlanType, Product.SubscriptionInfo.BillingPlanType?.self)
  its.has(\.jsonRepresentation, Data.self)
}

private func declare(_ its: Declaration<Product.SubscriptionInfo.RenewalInfo.ExpirationReason>) {
  its.isRawRepresentable()
  its.isHashable()
  its.isSendable()
  its.has(\.rawValue, Int.self)
  its.hasConstants(.autoRenewDisabled, .billingError, .didNotConsentToPriceIncrease, .productUnavailable, .unknown)
  its.has(\.localizedDescription, String.self)
}

private func declare(_ its: Declaration<Product.SubscriptionInfo.RenewalInfo.PriceIncreaseStatus>) {
  its.isHashable()
  its.isSendable()
  its.has(\.localizedDescription, String.self)
}

private func declare(_ its: Declaration<Product.SubscriptionInfo.RenewalInfo.CommitmentInfo>) {
  its.isHashable()
  its.isSendable()
  its.has(\.autoRenewPreference, String.self)
  its.has(\.willAutoRenew, Bool.self)
  its.has(\.renewalBillingPlanType, Product.SubscriptionInfo.BillingPlanType.self)
  its.has(\.renewalDate, Date.self)
  its.has(\.renewalPrice, Decimal.self)
}

private func declare(_ its: Declaration<Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo>) {
  its.isHashable()
  its.isSendable()
  its.has(\.consistencyToken, String.self)
  its.has(\.requestReferenceID, String.self)
  its.has(\.taxCode, String.self)
  its.has(\.description, String.self)
  its.has(\.displayName, String.self)
  its.has(\.period, Product.SubscriptionPeriod.self)
  its.has(\.items, [Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo.Item].self)
}

private func declare(_ its: Declaration<Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo.Item>) {
  its.isHashable()
  its.isSendable()
  its.has(\.details, Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo.Item.Details.self)
}

private func declare(_ its: Declaration<SK2Transaction>) {
  its.isIdentifiable()
  its.isHashable()
  its.isSendable()
  its.isDebugDescribed()
  its.has(\.id, UInt64.self)
  its.has(\.originalID, UInt64.self)
  its.has(\.webOrderLineItemID, String?.self)
  its.has(\.productID, String.self)
  its.has(\.subscriptionGroupID, String?.self)
  its.has(\.appBundleID, String.self)
  its.has(\.purchaseDate, Date.self)
  its.has(\.originalPurchaseDate, Date.self)
  its.has(\.expirationDate, Date?.self)
  its.has(\.purchasedQuantity, Int.self)
  its.has(\.isUpgraded, Bool.self)
  its.has(\.offer, SK2Transaction.Offer?.self)
  its.has(\.offerType, SK2Transaction.OfferType?.self)
  its.has(\.offerID, String?.self)
  its.has(\.offerPaymentModeStringRepresentation, String?.self)
  its.has(\.offerPeriodStringRepresentation, String?.self)
  its.has(\.revocationDate, Date?.self)
  its.has(\.revocationReason, SK2Transaction.RevocationReason?.self)
  its.has(\.revocationType, SK2Transaction.RevocationType?.self)
  its.has(\.revocationTypeStringRepresentation, String?.self)
  its.has(\.revocationPercentage, Decimal?.self)
  its.has(\.productType, Product.ProductType.self)
  its.has(\.appAccountToken, UUID?.self)
  its.has(\.environment, AppStore.Environment.self)
  its.has(\.environmentStringRepresentation, String.self)
  its.has(\.reason, SK2Transaction.Reason.self)
  its.has(\.storefront, Storefront.self)
  its.has(\.reasonStringRepresentation, String.self)
  its.has(\.storefrontCountryCode, String.self)
  its.has(\.price, Decimal?.self)
  its.has(\.currency, Locale.Currency?.self)
  its.has(\.currencyCode, String?.self)
  its.has(\.appTransactionID, String.self)
  its.has(\.deviceVerification, Data.self)
  its.has(\.deviceVerificationNonce, UUID.self)
  its.has(\.ownershipType, SK2Transaction.OwnershipType.self)
  its.has(\.signedDate, Date.self)
  its.has(\.advancedCommerceInfo, SK2Transaction.AdvancedCommerceInfo?.self)
  its.has(\.billingPlanType, SubscriptionInfo.BillingPlanType?.self)
  its.has(\.commitmentInfo, SK2Transaction.CommitmentInfo?.self)
  its.has(\.jsonRepresentation, Data.self)
  its.hasStatic(SK2Transaction.all, SK2Transaction.Transactions.self)
  its.hasStatic(SK2Transaction.currentEntitlements, SK2Transaction.Transactions.self)
  its.hasStatic(SK2Transaction.unfinished, SK2Transaction.Transactions.self)
  its.hasStatic(SK2Transaction.updates, SK2Transaction.Transactions.self)
}

private func declare(_ its: Declaration<SK2Transaction.Transactions>) {
  its.isAsyncSequence()
  its.isSendable()
}

private func declare(_ its: Declaration<SK2Transaction.Transactions.AsyncIterator>) {
  its.isAsyncIterator()
}

private func declare(_ its: Declaration<SK2Transaction.Reason>) {
  its.isRawRepresentable()
  its.isHashable()
  its.isSendable()
  its.has(\.rawValue, String.self)
  its.hasConstants(.purchase, .renewal)
}

private func declare(_ its: Declaration<SK2Transaction.RevocationReason>) {
  its.isRawRepresentable()
  its.isHashable()
  its.isSendable()
  its.has(\.rawValue, Int.self)
  its.hasConstants(.developerIssue, .other)
  its.has(\.localizedDescription, String.self)
}

private func declare(_ its: Declaration<SK2Transaction.RevocationType>) {
  its.isRawRepresentable()
  its.isHashable()
  its.isSendable()
  its.has(\.rawValue, String.self)
  its.hasConstants(.fullRefund, .proratedRefund, .familyRevocation)
}

private func declare(_ its: Declaration<SK2Transaction.OfferType>) {
  its.isRawRepresentable()
  its.isHashable()
  its.isSendable()
  its.has(\.rawValue, Int.self)
  its.hasConstants(.introductory, .promotional, .code, .winBack)
  its.has(\.localizedDescription, String.self)
}

private func declare(_ its: Declaration<SK2Transaction.OwnershipType>) {
  its.isRawRepresentable()
  its.isHashable()
  its.isSendable()
  its.has(\.rawValue, String.self)
  its.hasConstants(.purchased, .familyShared)
  its.has(\.localizedDescription, String.self)
}

private func declare(_ its: Declaration<SK2Transaction.Offer>) {
  its.isHashable()
  its.isSendable()
  its.has(\.id, String?.self)
  its.has(\.type, SK2Transaction.OfferType.self)
  its.has(\.paymentMode, SK2Transaction.Offer.PaymentMode?.self)
  its.has(\.period, SubscriptionPeriod?.self)
}

private func declare(_ its: Declaration<SK2Transaction.Offer.PaymentMode>) {
  its.isRawRepresentable()
  its.isHashable()
  its.isSendable()
  its.has(\.rawValue, String.self)
  its.hasConstants(.freeTrial, .payAsYouGo, .payUpFront, .oneTime)
}

private func declare(_ its: Declaration<SK2Transaction.CommitmentInfo>) {
  its.isHashable()
  its.isSendable()
  its.has(\.billingPeriodNumber, UInt64.self)
  its.has(\.totalBillingPeriods, UInt64.self)
  its.has(\.expirationDate, Date.self)
  its.has(\.price, Decimal.self)
}

private func declare(_ its: Declaration<SK2Transaction.AdvancedCommerceInfo>) {
  its.isHashable()
  its.isSendable()
  its.has(\.requestReferenceID, String.self)
  its.has(\.estimatedTax, Decimal.self)
  its.has(\.taxRate, Decimal.self)
  its.has(\.taxCode, String.self)
  its.has(\.taxExclusivePrice, Decimal.self)
  its.has(\.description, String?.self)
  its.has(\.displayName, String?.self)
  its.has(\.period, SubscriptionPeriod?.self)
  its.has(\.items, [SK2Transaction.AdvancedCommerceInfo.Item].self)
}

private func declare(_ its: Declaration<SK2Transaction.AdvancedCommerceInfo.Item>) {
  its.isHashable()
  its.isSendable()
  its.has(\.details, SK2Transaction.AdvancedCommerceInfo.Item.Details.self)
  its.has(\.refunds, [SK2Transaction.AdvancedCommerceInfo.Refund]?.self)
  its.has(\.revocationDate, Date?.self)
}

private func declare(_ its: Declaration<SK2Transaction.AdvancedCommerceInfo.Item.Details>) {
  its.isHashable()
  its.isSendable()
  its.has(\.sku, String.self)
  its.has(\.displayName, String.self)
  its.has(\.description, String.self)
  its.has(\.offer, SK2Transaction.AdvancedCommerceInfo.Offer?.self)
  its.has(\.price, Decimal.self)
}

private func declare(_ its: Declaration<SK2Transaction.AdvancedCommerceInfo.Offer>) {
  its.isHashable()
  its.isSendable()
  its.has(\.price, Decimal.self)
  its.has(\.period, SubscriptionPeriod.self)
  its.has(\.periodCount, Int.self)
  its.has(\.reason, SK2Transaction.AdvancedCommerceInfo.Offer.Reason.self)
}

private func declare(_ its: Declaration<SK2Transaction.AdvancedCommerceInfo.Offer.Reason>) {
  its.isRawRepresentable()
  its.isHashable()
  its.isSendable()
  its.has(\.rawValue, String.self)
  its.hasConstants(.acquisition, .retention, .winBack)
}

private func declare(_ its: Declaration<SK2Transaction.AdvancedCommerceInfo.Refund>) {
  its.isHashable()
  its.isSendable()
  its.has(\.reason, SK2Transaction.AdvancedCommerceInfo.Refund.Reason.self)
  its.has(\.type, SK2Transaction.AdvancedCommerceInfo.Refund.RefundType.self)
  its.has(\.date, Date.self)
  its.has(\.amount, Decimal.self)
}

private func declare(_ its: Declaration<SK2Transaction.AdvancedCommerceInfo.Refund.Reason>) {
  its.isRawRepresentable()
  its.isHashable()
  its.isSendable()
  its.has(\.rawValue, String.self)
  its.hasConstants(.legal, .modifyItems, .unintended, .unfulfilled, .unsatisfied, .other)
}

private func declare(_ its: Declaration<SK2Transaction.AdvancedCommerceInfo.Refund.RefundType>) {
  its.isRawRepresentable()
  its.isHashable()
  its.isSendable()
  its.has(\.rawValue, String.self)
  its.hasConstants(.custom, .proRated, .full)
}

private func declare(_ its: Declaration<SK2Transaction.RefundRequestError>) {
  its.isHashable()
  its.isSendable()
  its.isLocalizedError()
  its.has(\.errorDescription, String?.self)
  its.has(\.failureReason, String?.self)
  its.has(\.recoverySuggestion, String?.self)
}

private func declare(_ its: Declaration<SK2Transaction.RefundRequestStatus>) {
  its.isHashable()
  its.isSendable()
}

private func declare(_ its: Declaration<VerificationResult<SK2Transaction>>) {
  its.isHashable()
  its.isSendable()
  its.isDebugDescribed()
  its.has(\.unsafePayloadValue, SK2Transaction.self)
  its.has(\.debugDescription, String.self)
  its.has(\.jwsRepresentation, String.self)
  its.has(\.headerData, Data.self)
  its.has(\.payloadData, Data.self)
  its.has(\.signatureData, Data.self)
  its.has(\.signedData, Data.self)
  its.has(\.signedDate, Date.self)
  its.has(\.deviceVerification, Data.self)
  its.has(\.deviceVerificationNonce, UUID.self)
}

private func declare(_ its: Declaration<VerificationResult<SubscriptionRenewalInfo>>) {
  its.isHashable()
  its.isSendable()
  its.isDebugDescribed()
  its.has(\.unsafePayloadValue, SubscriptionRenewalInfo.self)
  its.has(\.debugDescription, String.self)
  its.has(\.jwsRepresentation, String.self)
  its.has(\.headerData, Data.self)
  its.has(\.payloadData, Data.self)
  its.has(\.signatureData, Data.self)
  its.has(\.signedData, Data.self)
  its.has(\.signedDate, Date.self)
  its.has(\.deviceVerification, Data.self)
  its.has(\.deviceVerificationNonce, UUID.self)
}

private func declare(_ its: Declaration<VerificationResult<AppTransaction>>) {
  its.isHashable()
  its.isSendable()
  its.isDebugDescribed()
  its.has(\.unsafePayloadValue, AppTransaction.self)
  its.has(\.debugDescription, String.self)
  its.has(\.jwsRepresentation, String.self)
  its.has(\.headerData, Data.self)
  its.has(\.payloadData, Data.self)
  its.has(\.signatureData, Data.self)
  its.has(\.signedData, Data.self)
  its.has(\.signedDate, Date.self)
  its.has(\.deviceVerification, Data.self)
  its.has(\.deviceVerificationNonce, UUID.self)
}

private func declare(_ its: Declaration<VerificationResult<SK2Transaction>.VerificationError>) {
  its.isHashable()
  its.isLocalizedError()
  its.has(\.errorDescription, String?.self)
  its.has(\.failureReason, String?.self)
  its.has(\.recoverySuggestion, String?.self)
}

private func declare(_ its: Declaration<AppTransaction>) {
  its.isHashable()
  its.isSendable()
  its.isDebugDescribed()
  its.has(\.appID, UInt64?.self)
  its.has(\.appVersion, String.self)
  its.has(\.appVersionID, UInt64?.self)
  its.has(\.bundleID, String.self)
  its.has(\.environment, AppStore.Environment.self)
  its.has(\.originalAppVersion, String.self)
  its.has(\.originalPurchaseDate, Date.self)
  its.has(\.appTransactionID, String.self)
  its.has(\.originalPlatform, AppStore.Platform.self)
  its.has(\.originalPlatformStringRepresentation, String.self)
  its.has(\.preorderDate, Date?.self)
  its.has(\.deviceVerification, Data.self)
  its.has(\.deviceVerificationNonce, UUID.self)
  its.has(\.signedDate, Date.self)
  its.has(\.jsonRepresentation, Data.self)
}

private func declare(_ its: Declaration<AppStore>) {
  its.isSendable()
  its.hasStatic(AppStore.canMakePayments, Bool.self)
  its.hasStatic(AppStore.deviceVerificationID, UUID?.self)
}

private func declare(_ its: Declaration<AppStore.Environment>) {
  its.isRawRepresentable()
  its.isHashable()
  its.isSendable()
  its.has(\.rawValue, String.self)
  its.hasConstants(.production, .sandbox, .xcode)
}

private func declare(_ its: Declaration<AppStore.Platform>) {
  its.isRawRepresentable()
  its.isHashable()
  its.isSendable()
  its.has(\.rawValue, String.self)
  its.hasConstants(.iOS, .macOS, .tvOS, .visionOS)
}

private func declare(_ its: Declaration<Storefront>) {
  its.isIdentifiable()
  its.isSendable()
  its.has(\.countryCode, String.self)
  its.has(\.id, String.self)
  its.has(\.currency, Locale.Currency?.self)
  its.hasStatic(Storefront.updates, Storefront.Storefronts.self)
}

private func declare(_ its: Declaration<Storefront.Storefronts>) {
  its.isAsyncSequence()
  its.isSendable()
}

private func declare(_ its: Declaration<Storefront.Storefronts.AsyncIterator>) {
  its.isAsyncIterator()
}

private func declare(_ its: Declaration<StoreKitError>) {
  its.isSendable()
  its.isLocalizedError()
  its.has(\.errorDescription, String?.self)
  its.has(\.failureReason, String?.self)
  its.has(\.recoverySuggestion, String?.self)
}

private func declare(_ its: Declaration<Message>) {
  its.isSendable()
  its.has(\.reason, Message.Reason.self)
  its.hasStatic(Message.messages, Message.Messages.self)
}

private func declare(_ its: Declaration<Message.Reason>) {
  its.isRawRepresentable()
  its.isHashable()
  its.isSendable()
  its.has(\.rawValue, Int.self)
  its.hasConstants(.generic, .priceIncreaseConsent, .billingIssue, .winBackOffer)
  its.has(\.localizedDescription, String.self)
}

private func declare(_ its: Declaration<Message.Messages>) {
  its.isAsyncSequence()
  its.isSendable()
}

private func declare(_ its: Declaration<Message.Messages.AsyncIterator>) {
  its.isAsyncIterator()
}

private func declare(_ its: Declaration<PurchaseIntent>) {
  its.isEquatable()
  its.isSendable()
  its.isIdentifiable()
  its.has(\.product, Product.self)
  its.has(\.offer, Product.SubscriptionOffer?.self)
  its.has(\.id, Product.ID.self)
  its.hasStatic(PurchaseIntent.intents, PurchaseIntent.PurchaseIntents.self)
}

private func declare(_ its: Declaration<PurchaseIntent.PurchaseIntents>) {
  its.isAsyncSequence()
}

private func declare(_ its: Declaration<PurchaseIntent.PurchaseIntents.AsyncIterator>) {
  its.isAsyncIterator()
}

private func declare(_ its: Declaration<InvalidRequestError>) {
  its.isError()
  its.has(\.code, Int64.self)
  its.has(\.message, String.self)
}

private func declare(_ its: Declaration<AdvancedCommerceProduct>) {
  its.isIdentifiable()
  its.isHashable()
  its.isSendable()
  its.isDebugDescribed()
  its.has(\.id, String.self)
  its.has(\.type, AdvancedCommerceProduct.ProductType.self)
  its.has(\.allTransactions, SK2Transaction.Transactions.self)
  its.has(\.currentEntitlements, SK2Transaction.Transactions.self)
}

private func declare(_ its: Declaration<AdvancedCommerceProduct.PurchaseOption>) {
  its.isHashable()
  its.isSendable()
  its.isDebugDescribed()
}

// MARK: Asynchronous properties

private func declare(_ product: Product, _ info: Product.SubscriptionInfo, _ transaction: SK2Transaction) async throws {
  let _: VerificationResult<SK2Transaction>? = await product.latestTransaction
  let _: VerificationResult<SK2Transaction>? = await product.currentEntitlement
  let _: Bool = await info.isEligibleForIntroOffer
  let _: [SubscriptionStatus] = try await info.status
  let _: SubscriptionStatus? = await transaction.subscriptionStatus
  let _: [Product.PromotionInfo] = try await Product.PromotionInfo.currentOrder
  let _: VerificationResult<AppTransaction> = try await AppTransaction.shared
  let _: Int? = await AppStore.ageRatingCode
  let _: Storefront? = await Storefront.current
}
