import StoreModel

/// Errors of the real App Store that `SKError` does not list.
extension AppError {
  /// `SKErrorDomain` 0, "Cannot connect to iTunes Store".
  public static let cannotConnectToStore = AppError(domain: "SKErrorDomain", code: 0)
  /// `SSServerErrorDomain` 5002, "An unknown error has occurred".
  public static let unknownServerError = AppError(domain: "SSServerErrorDomain", code: 5002)
  /// `SSServerErrorDomain` 5020, "Forget Your Password?".
  public static let forgottenPassword = AppError(domain: "SSServerErrorDomain", code: 5020)
  /// `SKErrorDomain` 907 with the underlying error `AMSErrorDomain` 6. The real store sends it when the customer
  /// cancelled.
  public static let failedPaymentSheet = AppError(
    domain: "SKErrorDomain", code: 907, underlying: Underlying(domain: "AMSErrorDomain", code: 6))
  /// `ASDServerErrorDomain` 3532: the customer is already subscribed.
  public static let alreadySubscribed = AppError(domain: "ASDServerErrorDomain", code: 3532)
}
