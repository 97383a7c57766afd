import StoreKit
import StoreModel

extension Error {
  /// Whether the customer cancelled. The app then shows no message.
  ///
  /// | domain and code | meaning |
  /// |---|---|
  /// | `SKErrorDomain` 2 | cancelled, whatever the text: old systems write "Cannot connect to iTunes Store" |
  /// | `SKErrorDomain` 907 over `AMSErrorDomain` 6 | the payment sheet was dismissed; there may be errors between the two |
  ///
  /// `NSURLErrorDomain` -999 is not included: it shows that a request to the store was cancelled, but not that the
  /// customer cancelled it. A customer who did not cancel must see the error.
  public var isPaymentCancellation: Bool {
    let error = self as NSError
    guard error.domain == SKErrorDomain else { return false }
    if error.code == SKError.paymentCancelled.rawValue { return true }
    return error.code == 907 && error.hasUnderlying(domain: "AMSErrorDomain", code: 6)
  }

  /// Whether StoreKit has shown its own alert, because purchases are not allowed on this device (`SKErrorDomain` 4).
  private var isShownByStoreKit: Bool {
    let error = self as NSError
    return error.domain == SKErrorDomain && error.code == SKError.paymentNotAllowed.rawValue
  }

  /// Returns the text of an alert for the customer. Nil if the customer cancelled, or paused a download, or if StoreKit
  /// has shown its own alert, because purchases are not allowed on this device.
  ///
  /// Errors of this library have a message for customers (``CustomerFacingError``). For other errors, the error's own
  /// text is returned.
  ///
  /// - Parameter names: the names that the customer knows.
  public func purchaseAlert(_ names: CustomerNames = CustomerNames()) -> String? {
    if isPaymentCancellation || isShownByStoreKit { return nil }
    if case .stopped? = self as? ContentError { return nil }
    if let error = self as? any CustomerFacingError { return error.customerMessage(names) }
    // `localizedDescription` has the error's own text only for these types. For others it only says "could not be
    // completed".
    if self is any LocalizedError || self is any CustomNSError || type(of: self as Any) is NSError.Type {
      return localizedDescription
    }
    return "\(self)"
  }
}

extension NSError {
  /// The maximum number of nested errors to examine. It ends the search if the chain of errors has no end.
  private static let deepestNesting = 8

  fileprivate func hasUnderlying(domain: String, code: Int) -> Bool {
    var error = self
    for _ in 0..<Self.deepestNesting {
      guard let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError else { return false }
      if underlying.domain == domain, underlying.code == code { return true }
      error = underlying
    }
    return false
  }
}

extension Error {
  /// The same error if it can be cast to `NSError`; otherwise an `NSError` that contains it. Only on Linux are there
  /// errors that cannot be cast, such as one of the app's own types.
  var castable: any Error {
    #if canImport(Darwin)
      self
    #else
      WrappedError.castable(self)
    #endif
  }
}
