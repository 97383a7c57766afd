/// The error codes of the App Store Server API that the endpoints of this package can answer with, by Apple's numbers.
///
/// The HTTP status is the code divided by 10,000. Documentation/server-api-client.md names the errors without a published
/// number, which are left out.
public enum ServerAPIErrorCode: Int64, Hashable, Sendable, CaseIterable {
  case generalBadRequest = 4_000_000
  case invalidAppIdentifier = 4_000_002
  case invalidRequestRevision = 4_000_005
  case invalidTransactionId = 4_000_006
  case invalidOriginalTransactionId = 4_000_008
  case invalidExtendByDays = 4_000_009
  case invalidExtendReasonCode = 4_000_010
  case invalidRequestIdentifier = 4_000_011
  case startDateTooFarInPast = 4_000_012
  case startDateAfterEndDate = 4_000_013
  case invalidPaginationToken = 4_000_014
  case invalidStartDate = 4_000_015
  case invalidEndDate = 4_000_016
  case paginationTokenExpired = 4_000_017
  case invalidNotificationType = 4_000_018
  case multipleFiltersSupplied = 4_000_019
  case invalidTestNotificationToken = 4_000_020
  case invalidSort = 4_000_021
  case invalidProductType = 4_000_022
  case invalidProductId = 4_000_023
  case invalidSubscriptionGroupIdentifier = 4_000_024
  case invalidExcludeRevoked = 4_000_025
  case invalidInAppOwnershipType = 4_000_026
  case invalidEmptyStorefrontCountryCodeList = 4_000_027
  case invalidStorefrontCountryCode = 4_000_028
  case invalidRevoked = 4_000_030
  case invalidStatus = 4_000_031
  case invalidAccountTenure = 4_000_032
  case invalidAppAccountToken = 4_000_033
  case invalidConsumptionStatus = 4_000_034
  case invalidCustomerConsented = 4_000_035
  case invalidDeliveryStatus = 4_000_036
  case invalidLifetimeDollarsPurchased = 4_000_037
  case invalidLifetimeDollarsRefunded = 4_000_038
  case invalidPlatform = 4_000_039
  case invalidPlayTime = 4_000_040
  case invalidSampleContentProvided = 4_000_041
  case invalidUserStatus = 4_000_042
  /// No longer sent since version 1.11.
  case invalidTransactionNotConsumable = 4_000_043
  case invalidRefundPreference = 4_000_044
  case invalidTransactionTypeNotSupported = 4_000_047
  case appTransactionIdNotSupported = 4_000_048
  case invalidAppAccountTokenUUID = 4_000_183
  case familyTransactionNotSupported = 4_000_185
  case transactionIdIsNotOriginalTransactionId = 4_000_187
  case consumptionPercentageAutoRenewableSubscription = 4_000_209
  case invalidAssignedTransactionNotSupported = 4_000_227

  case subscriptionExtensionIneligible = 4_030_004
  case subscriptionMaxExtension = 4_030_005
  case familySharedSubscriptionExtensionIneligible = 4_030_007
  case assignedSubscriptionExtensionIneligible = 4_030_028

  case accountNotFound = 4_040_001
  case accountNotFoundRetryable = 4_040_002
  case appNotFound = 4_040_003
  case appNotFoundRetryable = 4_040_004
  case originalTransactionIdNotFound = 4_040_005
  case originalTransactionIdNotFoundRetryable = 4_040_006
  case serverNotificationURLNotFound = 4_040_007
  /// The test notification expired, or is not available yet.
  case testNotificationNotFound = 4_040_008
  case statusRequestNotFound = 4_040_009
  case transactionIdNotFound = 4_040_010
  case appTransactionDoesNotExist = 4_040_019

  case rateLimitExceeded = 4_290_000

  case generalInternal = 5_000_000
  case generalInternalRetryable = 5_000_001
}

extension ServerAPIErrorCode {
  /// Apple's name of the error without its suffix `Error`, such as `InvalidTransactionId`.
  public var name: String {
    let text = "\(self)"
    return text.prefix(1).uppercased() + text.dropFirst()
  }

  /// Whether the same call can succeed if it is sent again: Apple's name ends with `Retryable`.
  public var isRetryable: Bool { name.hasSuffix("Retryable") }

  /// The message that is sent with the code. Apple's, where it is known.
  public var message: String {
    switch self {
    case .generalBadRequest: "Bad request."
    case .invalidAppIdentifier: "Invalid request app identifier."
    case .invalidRequestRevision: "Invalid request revision."
    case .invalidTransactionId: "Invalid transaction id."
    case .invalidOriginalTransactionId: "Invalid original transaction id."
    case .invalidExtendByDays: "Invalid extend by days value."
    case .invalidExtendReasonCode: "Invalid extend reason code."
    case .invalidRequestIdentifier: "Invalid request identifier."
    case .startDateTooFarInPast: "Invalid request. The start date is earlier than the allowed start date."
    case .startDateAfterEndDate: "Invalid request. The end date precedes the start date or the dates are the same."
    case .invalidPaginationToken: Self.invalid("pagination token")
    case .invalidStartDate: "Invalid request. The start date is not a timestamp value represented in milliseconds."
    case .invalidEndDate: "Invalid request. The end date is not a timestamp value represented in milliseconds."
    case .paginationTokenExpired: "Invalid request. The pagination token is expired."
    case .invalidNotificationType: "Invalid request. The notification type or subtype is invalid."
    case .multipleFiltersSupplied:
      "Invalid request. Supply either a transaction id or a notification type, but not both."
    case .invalidTestNotificationToken: Self.invalid("test notification token")
    case .invalidSort: Self.invalid("sort parameter")
    case .invalidProductType: Self.invalid("product type parameter")
    case .invalidProductId: Self.invalid("product id parameter")
    case .invalidSubscriptionGroupIdentifier: Self.invalid("subscription group identifier parameter")
    case .invalidExcludeRevoked: Self.invalid("exclude revoked parameter")
    case .invalidInAppOwnershipType: Self.invalid("in-app ownership type parameter")
    case .invalidEmptyStorefrontCountryCodeList: "Invalid request. The list of storefront country codes is empty."
    case .invalidStorefrontCountryCode: "A storefront country code was invalid."
    case .invalidRevoked: Self.invalid("revoked parameter")
    case .invalidStatus: Self.invalid("status parameter")
    case .invalidAccountTenure: Self.invalid("account tenure field")
    case .invalidAppAccountToken: "Invalid request. The app account token field must contain a UUID or an empty string."
    case .invalidConsumptionStatus: Self.invalid("consumption status field")
    case .invalidCustomerConsented: "Invalid request. The customer consented field is missing, or is not true."
    case .invalidDeliveryStatus: Self.invalid("delivery status field")
    case .invalidLifetimeDollarsPurchased: Self.invalid("lifetime dollars purchased field")
    case .invalidLifetimeDollarsRefunded: Self.invalid("lifetime dollars refunded field")
    case .invalidPlatform: Self.invalid("platform field")
    case .invalidPlayTime: Self.invalid("playtime field")
    case .invalidSampleContentProvided: Self.invalid("sample content provided field")
    case .invalidUserStatus: Self.invalid("user status field")
    case .invalidTransactionNotConsumable: "Invalid request. The transaction is not for a consumable."
    case .invalidRefundPreference: Self.invalid("refund preference field")
    case .invalidTransactionTypeNotSupported: "Invalid request. The type of the transaction is not supported."
    case .appTransactionIdNotSupported: "Invalid request. An app transaction id is not supported here."
    case .invalidAppAccountTokenUUID: "Invalid request. The app account token field must contain a UUID."
    case .familyTransactionNotSupported: "Invalid request. Transactions of Family Sharing are not supported."
    case .transactionIdIsNotOriginalTransactionId: "Invalid request. The id is not an original transaction id."
    case .consumptionPercentageAutoRenewableSubscription:
      "Invalid request. The consumption percentage is not allowed for auto-renewable subscriptions."
    case .invalidAssignedTransactionNotSupported: "Invalid request. Transactions of assigned seats are not supported."
    case .subscriptionExtensionIneligible: "Forbidden - subscription state ineligible for extension."
    case .subscriptionMaxExtension: "Forbidden - subscription has reached maximum extension count."
    case .familySharedSubscriptionExtensionIneligible: "Forbidden - subscriptions of Family Sharing are ineligible."
    case .assignedSubscriptionExtensionIneligible: "Forbidden - subscriptions of assigned seats are ineligible."
    case .accountNotFound: "Account not found."
    case .accountNotFoundRetryable: "Account not found. Please try again."
    case .appNotFound: "App not found."
    case .appNotFoundRetryable: "App not found. Please try again."
    case .originalTransactionIdNotFound: "Original transaction id not found."
    case .originalTransactionIdNotFoundRetryable: "Original transaction id not found. Please try again."
    case .serverNotificationURLNotFound: "No App Store Server Notification URL found for this app."
    case .testNotificationNotFound: "The test notification is expired, or not available yet."
    case .statusRequestNotFound: "No status was found for this product and request identifier."
    case .transactionIdNotFound: "Transaction id not found."
    case .appTransactionDoesNotExist: "No app transaction exists for this customer."
    case .rateLimitExceeded: "Rate limit exceeded."
    case .generalInternal: "An unknown error occurred."
    case .generalInternalRetryable: "An unknown error occurred. Please try again."
    }
  }

  private static func invalid(_ thing: String) -> String { "Invalid request. The \(thing) is invalid." }
}
