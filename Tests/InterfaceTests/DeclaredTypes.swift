// The members and conformances of Listing.txt with their types. This file is compiled and never run: a compile error here is a
// difference from Apple's interface. ListingTests compares the members with the listing.

import StoreKit

private struct Declaration<Root> {
  /// A value of the type, for references to its functions.
  var instance: Root { fatalError("The declarations are compiled, and never run.") }

  func has<Value>(_ property: KeyPath<Root, Value>, _ type: Value.Type) {}
  func hasVariable<Value>(_ property: WritableKeyPath<Root, Value>, _ type: Value.Type) {}
  func hasStatic<Value>(_ property: Value, _ type: Value.Type) {}
  func hasConstants(_ constants: Root...) {}

  func isIdentifiable() where Root: Identifiable {}
  func isEquatable() where Root: Equatable {}
  func isHashable() where Root: Hashable {}
  func isComparable() where Root: Comparable {}
  func isSendable() where Root: Sendable {}
  func isDebugDescribed() where Root: CustomDebugStringConvertible {}
  func isRawRepresentable() where Root: RawRepresentable {}
  /// - Parameter initializer: not failable, as those of open sets.
  func isRawRepresentable(by initializer: (Root.RawValue) -> Root) where Root: RawRepresentable {}
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
  its.isRawRepresentable(by: Product.ProductType.init(rawValue:))
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
  its.hasConstants(.userCancelled, .pending)
}

private func declare(_ its: Declaration<Product.PurchaseError>) {
  its.isHashable()
  its.isLocalizedError()
  its.has(\.errorDescription, String?.self)
  its.has(\.failureReason, String?.self)
  its.has(\.recoverySuggestion, String?.self)
  its.hasConstants(
    .invalidQuantity, .productUnavailable, .purchaseNotAllowed, .ineligibleForOffer, .invalidOfferIdentifier,
    .invalidOfferPrice, .invalidOfferSignature, .missingOfferParameters)
  #if compiler(>=6.3.2)
    its.hasConstants(.paymentMethodBindingConfigurationRequired)
  #endif
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
  its.hasConstants(.day, .week, .month, .year)
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
  its.isRawRepresentable(by: Product.SubscriptionOffer.OfferType.init(rawValue:))
  its.isHashable()
  its.isSendable()
  its.has(\.rawValue, String.self)
  its.hasConstants(.introductory, .promotional, .winBack)
  its.has(\.localizedDescription, String.self)
}

private func declare(_ its: Declaration<Product.SubscriptionOffer.PaymentMode>) {
  its.isRawRepresentable(by: Product.SubscriptionOffer.PaymentMode.init(rawValue:))
  its.isHashable()
  its.isSendable()
  its.has(\.rawValue, String.self)
  its.hasConstants(.payAsYouGo, .payUpFront, .freeTrial)
  its.has(\.localizedDescription, String.self)
}

private func declare(_ its: Declaration<Product.SubscriptionOffer.Signature>) {
  its.isHashable()
  its.isSendable()
  its.hasVariable(\.keyID, String.self)
  its.hasVariable(\.nonce, UUID.self)
  its.hasVariable(\.timestamp, Int.self)
  its.hasVariable(\.signature, Data.self)
}

private func declare(_ its: Declaration<Product.PromotionInfo>) {
  its.isEquatable()
  its.has(\.productID, String.self)
  its.hasVariable(\.visibility, Product.PromotionInfo.Visibility.self)
}

private func declare(_ its: Declaration<Product.PromotionInfo.Visibility>) {
  its.isRawRepresentable()
  its.isHashable()
  its.has(\.rawValue, Int.self)
  its.hasConstants(.appStoreConnectDefault, .visible, .hidden)
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
  its.isRawRepresentable(by: Product.SubscriptionInfo.BillingPlanType.init(rawValue:))
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
  its.isRawRepresentable(by: Product.SubscriptionInfo.RenewalState.init(rawValue:))
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
  its.isRawRepresentable(by: Product.SubscriptionInfo.RenewalInfo.ExpirationReason.init(rawValue:))
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
  its.hasConstants(.noIncreasePending, .pending, .agreed)
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
  its.isRawRepresentable(by: SK2Transaction.Reason.init(rawValue:))
  its.isHashable()
  its.isSendable()
  its.has(\.rawValue, String.self)
  its.hasConstants(.purchase, .renewal)
}

private func declare(_ its: Declaration<SK2Transaction.RevocationReason>) {
  its.isRawRepresentable(by: SK2Transaction.RevocationReason.init(rawValue:))
  its.isHashable()
  its.isSendable()
  its.has(\.rawValue, Int.self)
  its.hasConstants(.developerIssue, .other)
  its.has(\.localizedDescription, String.self)
}

private func declare(_ its: Declaration<SK2Transaction.RevocationType>) {
  its.isRawRepresentable(by: SK2Transaction.RevocationType.init(rawValue:))
  its.isHashable()
  its.isSendable()
  its.has(\.rawValue, String.self)
  its.hasConstants(.fullRefund, .proratedRefund, .familyRevocation)
}

private func declare(_ its: Declaration<SK2Transaction.OfferType>) {
  its.isRawRepresentable(by: SK2Transaction.OfferType.init(rawValue:))
  its.isHashable()
  its.isSendable()
  its.has(\.rawValue, Int.self)
  its.hasConstants(.introductory, .promotional, .code, .winBack)
  its.has(\.localizedDescription, String.self)
}

private func declare(_ its: Declaration<SK2Transaction.OwnershipType>) {
  its.isRawRepresentable(by: SK2Transaction.OwnershipType.init(rawValue:))
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
  its.isRawRepresentable(by: SK2Transaction.Offer.PaymentMode.init(rawValue:))
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
  its.isRawRepresentable(by: SK2Transaction.AdvancedCommerceInfo.Offer.Reason.init(rawValue:))
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
  its.isRawRepresentable(by: SK2Transaction.AdvancedCommerceInfo.Refund.Reason.init(rawValue:))
  its.isHashable()
  its.isSendable()
  its.has(\.rawValue, String.self)
  its.hasConstants(.legal, .modifyItems, .unintended, .unfulfilled, .unsatisfied, .other)
}

private func declare(_ its: Declaration<SK2Transaction.AdvancedCommerceInfo.Refund.RefundType>) {
  its.isRawRepresentable(by: SK2Transaction.AdvancedCommerceInfo.Refund.RefundType.init(rawValue:))
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
  its.hasConstants(.duplicateRequest, .failed)
}

private func declare(_ its: Declaration<SK2Transaction.RefundRequestStatus>) {
  its.isHashable()
  its.isSendable()
  its.hasConstants(.success, .userCancelled)
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
  its.hasConstants(
    .revokedCertificate, .invalidCertificateChain, .invalidDeviceVerification, .invalidEncoding, .invalidSignature,
    .missingRequiredProperties)
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
  its.isRawRepresentable(by: AppStore.Environment.init(rawValue:))
  its.isHashable()
  its.isSendable()
  its.has(\.rawValue, String.self)
  its.hasConstants(.production, .sandbox, .xcode)
}

private func declare(_ its: Declaration<AppStore.Platform>) {
  its.isRawRepresentable(by: AppStore.Platform.init(rawValue:))
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
  its.hasConstants(.unknown, .userCancelled, .notAvailableInStorefront, .notEntitled, .unsupported)
}

private func declare(_ its: Declaration<Message>) {
  its.isSendable()
  its.has(\.reason, Message.Reason.self)
  its.hasStatic(Message.messages, Message.Messages.self)
}

private func declare(_ its: Declaration<Message.Reason>) {
  its.isRawRepresentable(by: Message.Reason.init(rawValue:))
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

// MARK: Functions, initializers, cases with values, asynchronous properties, type aliases

private func functions(_ its: Declaration<Product>) async throws {
  let _: Product.ID.Type = String.self
  let _: [Product] = try await Product.products(for: ["a"])
  let _: [Product] = try await Product.products(for: Set(["a"]))
  let _: VerificationResult<SK2Transaction>? = await its.instance.latestTransaction
  let _: VerificationResult<SK2Transaction>? = await its.instance.currentEntitlement
  isPeriodStyle(its.instance.subscriptionPeriodFormatStyle)
}

/// On Apple's platforms, the style is a `Date.ComponentsFormatStyle`.
private func isPeriodStyle<Style: FormatStyle>(_ style: Style)
where Style.FormatInput == Range<Date>, Style.FormatOutput == String {}

@MainActor private func purchases(_ its: Declaration<Product>) async throws {
  let _: @MainActor (Set<Product.PurchaseOption>) async throws -> Product.PurchaseResult =
    its.instance.purchase(options:)
  let _: Product.PurchaseResult = try await its.instance.purchase()
}

private func functions(_ its: Declaration<Product.PurchaseOption>) {
  let _: (UUID) -> Product.PurchaseOption = Product.PurchaseOption.appAccountToken(_:)
  let _: (Int) -> Product.PurchaseOption = Product.PurchaseOption.quantity(_:)
  let _: (String, String) -> Product.PurchaseOption = Product.PurchaseOption.custom(key:value:)
  let _: (String, Double) -> Product.PurchaseOption = Product.PurchaseOption.custom(key:value:)
  let _: (String, Bool) -> Product.PurchaseOption = Product.PurchaseOption.custom(key:value:)
  let _: (String, Data) -> Product.PurchaseOption = Product.PurchaseOption.custom(key:value:)
  let _: (@escaping @Sendable (Storefront) -> Bool) -> Product.PurchaseOption =
    Product.PurchaseOption.onStorefrontChange(shouldContinuePurchase:)
  let _: (Bool) -> Product.PurchaseOption = Product.PurchaseOption.simulatesAskToBuyInSandbox(_:)
  let _: (String, String) -> [Product.PurchaseOption] = Product.PurchaseOption.promotionalOffer(_:compactJWS:)
  let _: (String, Product.SubscriptionOffer.Signature) -> Product.PurchaseOption =
    Product.PurchaseOption.promotionalOffer(offerID:signature:)
  let _: (String, String, UUID, Data, Int) -> Product.PurchaseOption =
    Product.PurchaseOption.promotionalOffer(offerID:keyID:nonce:signature:timestamp:)
  let _: (String) -> Product.PurchaseOption = Product.PurchaseOption.introductoryOfferEligibility(compactJWS:)
  let _: (Product.SubscriptionOffer) -> Product.PurchaseOption = Product.PurchaseOption.winBackOffer(_:)
  let _: (Product.SubscriptionInfo.BillingPlanType) -> Product.PurchaseOption =
    Product.PurchaseOption.billingPlanType(_:)
}

private func functions(_ its: Declaration<Product.PurchaseResult>) {
  let _: (VerificationResult<SK2Transaction>) -> Product.PurchaseResult = Product.PurchaseResult.success
}

private func functions(_ its: Declaration<Product.SubscriptionPeriod>, of product: Product) {
  let _: (Date) -> Range<Date> = its.instance.dateRange(referenceDate:)
  let _: Range<Date> = its.instance.dateRange()
  let style = product.subscriptionPeriodFormatStyle
  let _: String = its.instance.formatted(style)
  let _: String = its.instance.formatted(style, referenceDate: .now)
  let durations = Duration.UnitsFormatStyle(allowedUnits: [.days], width: .wide)
  let _: String = its.instance.formatted(durations)
  let _: String = its.instance.formatted(durations, referenceDate: .now)
}

private func functions(
  _ its: Declaration<Product.SubscriptionPeriod.Unit>, _ style: Product.SubscriptionPeriod.Unit.FormatStyle
) {
  let _: String = its.instance.formatted(style)
}

private func functions(_ its: Declaration<Product.SubscriptionPeriod.Unit.FormatStyle>) {
  let _: Product.SubscriptionPeriod.Unit.FormatStyle.FormatInput.Type = Product.SubscriptionPeriod.Unit.self
  let _: Product.SubscriptionPeriod.Unit.FormatStyle.FormatOutput.Type = String.self
  let _: String = its.instance.format(.month)
  let _: Product.SubscriptionPeriod.Unit.FormatStyle = its.instance.locale(Locale(identifier: "en_US"))
}

private func functions(_ its: Declaration<Product.SubscriptionOffer.Signature>) {
  let _: (String, UUID, Int, Data) -> Product.SubscriptionOffer.Signature =
    Product.SubscriptionOffer.Signature.init(keyID:nonce:timestamp:signature:)
}

private func functions(_ its: Declaration<Product.PromotionInfo>) async throws {
  let _: () async throws -> Void = its.instance.update
  let _: [Product.PromotionInfo] = try await Product.PromotionInfo.currentOrder
  try await Product.PromotionInfo.updateAll([its.instance])
  try await Product.PromotionInfo.updateProductOrder(byID: ["a"])
  let _: (Product.PromotionInfo.Visibility, String) async throws -> Void =
    Product.PromotionInfo.updateProductVisibility(_:for:)
}

private func functions(_ its: Declaration<DateComponents>) {
  let _: (Product.SubscriptionPeriod) -> DateComponents = DateComponents.init(subscriptionPeriod:)
}

private func functions(_ its: Declaration<Product.SubscriptionInfo>) async throws {
  let _: Bool = await its.instance.isEligibleForIntroOffer
  let _: (String) async -> Bool = Product.SubscriptionInfo.isEligibleForIntroOffer(for:)
  let _: [Product.SubscriptionInfo.Status] = try await its.instance.status
  let _: (String) async throws -> [Product.SubscriptionInfo.Status] = Product.SubscriptionInfo.status(for:)
  let _: (UInt64) async throws -> Product.SubscriptionInfo.Status? = Product.SubscriptionInfo.status(transactionID:)
  let _: Product.SubscriptionInfo.BillingPeriod.Type = Product.SubscriptionPeriod.self
}

private func functions(_ its: Declaration<Product.SubscriptionInfo.PricingTerms>) {
  let _: [Product.SubscriptionOffer] = its.instance[offers: .promotional]
}

private func functions(_ its: Declaration<Product.SubscriptionInfo.Status.Statuses>) {
  let _: Product.SubscriptionInfo.Status.Statuses.Element.Type = Product.SubscriptionInfo.Status.self
  let _: () -> Product.SubscriptionInfo.Status.Statuses.AsyncIterator = its.instance.makeAsyncIterator
}

private func functions(_ its: Declaration<Product.SubscriptionInfo.Status.Statuses.AsyncIterator>) async {
  var iterator = its.instance
  let _: Product.SubscriptionInfo.Status? = await iterator.next()
}

private func functions(_ its: Declaration<Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo.Item>) {
  let _: Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo.Item.Details.Type =
    SK2Transaction.AdvancedCommerceInfo.Item.Details.self
}

private func aliases() {
  let _: SubscriptionInfo.Type = Product.SubscriptionInfo.self
  let _: SubscriptionPeriod.Type = Product.SubscriptionPeriod.self
  let _: SubscriptionStatus.Type = Product.SubscriptionInfo.Status.self
  let _: SubscriptionRenewalInfo.Type = Product.SubscriptionInfo.RenewalInfo.self
  let _: SubscriptionRenewalState.Type = Product.SubscriptionInfo.RenewalState.self
}

private func functions(_ its: Declaration<SK2Transaction>) async {
  let _: SK2Transaction.ID.Type = UInt64.self
  let _: Product.SubscriptionInfo.Status? = await its.instance.subscriptionStatus
  let _: () async -> Void = its.instance.finish
  let _: (String) -> SK2Transaction.Transactions = SK2Transaction.all(for:)
  let _: (String) -> SK2Transaction.Transactions = SK2Transaction.currentEntitlements(for:)
  let _: (String) async -> VerificationResult<SK2Transaction>? = SK2Transaction.currentEntitlement(for:)
  let _: (String) async -> VerificationResult<SK2Transaction>? = SK2Transaction.latest(for:)
}

private func functions(_ its: Declaration<SK2Transaction.Transactions>) {
  let _: SK2Transaction.Transactions.Element.Type = VerificationResult<SK2Transaction>.self
  let _: () -> SK2Transaction.Transactions.AsyncIterator = its.instance.makeAsyncIterator
}

private func functions(_ its: Declaration<SK2Transaction.Transactions.AsyncIterator>) async {
  var iterator = its.instance
  let _: VerificationResult<SK2Transaction>? = await iterator.next()
}

private func functions(_ its: Declaration<VerificationResult<SK2Transaction>>) throws {
  let _: (SK2Transaction) -> VerificationResult<SK2Transaction> = VerificationResult<SK2Transaction>.verified
  let _: (SK2Transaction, VerificationResult<SK2Transaction>.VerificationError) -> VerificationResult<SK2Transaction> =
    VerificationResult<SK2Transaction>.unverified
  let _: SK2Transaction = try its.instance.payloadValue
  // Its type is of swift-crypto, as Apple's is of CryptoKit.
  _ = its.instance.signature
}

private func functions(_ its: Declaration<VerificationResult<SubscriptionRenewalInfo>>) throws {
  let _: SubscriptionRenewalInfo = try its.instance.payloadValue
  _ = its.instance.signature
}

private func functions(_ its: Declaration<VerificationResult<AppTransaction>>) throws {
  let _: AppTransaction = try its.instance.payloadValue
  _ = its.instance.signature
}

private func functions(_ its: Declaration<AppTransaction>) async throws {
  let _: VerificationResult<AppTransaction> = try await AppTransaction.shared
  let _: () async throws -> VerificationResult<AppTransaction> = AppTransaction.refresh
}

private func functions(_ its: Declaration<AppStore>) async {
  let _: () async throws -> Void = AppStore.sync
  let _: Int? = await AppStore.ageRatingCode
}

private func functions(_ its: Declaration<Storefront>) async {
  let _: Storefront? = await Storefront.current
}

private func functions(_ its: Declaration<Storefront.Storefronts>) {
  let _: Storefront.Storefronts.Element.Type = Storefront.self
  let _: () -> Storefront.Storefronts.AsyncIterator = its.instance.makeAsyncIterator
}

private func functions(_ its: Declaration<Storefront.Storefronts.AsyncIterator>) async {
  var iterator = its.instance
  let _: Storefront? = await iterator.next()
}

private func functions(_ its: Declaration<StoreKitError>) {
  let _: (URLError) -> StoreKitError = StoreKitError.networkError
  let _: (any Error) -> StoreKitError = StoreKitError.systemError
}

private func functions(_ its: Declaration<Message.Messages>) {
  let _: Message.Messages.Element.Type = Message.self
  let _: () -> Message.Messages.AsyncIterator = its.instance.makeAsyncIterator
}

private func functions(_ its: Declaration<Message.Messages.AsyncIterator>) async {
  var iterator = its.instance
  let _: Message? = await iterator.next()
}

private func functions(_ its: Declaration<PurchaseIntent.PurchaseIntents>) {
  let _: PurchaseIntent.PurchaseIntents.Element.Type = PurchaseIntent.self
  let _: () -> PurchaseIntent.PurchaseIntents.AsyncIterator = its.instance.makeAsyncIterator
}

private func functions(_ its: Declaration<PurchaseIntent.PurchaseIntents.AsyncIterator>) async {
  var iterator = its.instance
  let _: PurchaseIntent? = await iterator.next()
}

private func functions(_ its: Declaration<AdvancedCommerceProduct>) async {
  let _: AdvancedCommerceProduct.ID.Type = String.self
  let _: AdvancedCommerceProduct.ProductType.Type = Product.ProductType.self
  let _: AdvancedCommerceProduct.PurchaseResult.Type = Product.PurchaseResult.self
  let _: (String) async throws -> AdvancedCommerceProduct = AdvancedCommerceProduct.init(id:)
  let _: VerificationResult<SK2Transaction>? = await its.instance.latestTransaction
}

private func functions(_ its: Declaration<AdvancedCommerceProduct.PurchaseOption>) {
  let _: (@escaping @Sendable (Storefront) -> Bool) -> AdvancedCommerceProduct.PurchaseOption =
    AdvancedCommerceProduct.PurchaseOption.onStorefrontChange(shouldContinuePurchase:)
}
