import StoreKit

extension Error {
  /// Whether the customer cancelled; there is nothing more to say to them then.
  ///
  /// | domain and code | |
  /// |---|---|
  /// | `SKErrorDomain` 2 | says so plainly, whatever its words: old systems write "Cannot connect to iTunes Store" |
  /// | `SKErrorDomain` 907 over `AMSErrorDomain` 6 | the payment sheet was dismissed; there may be wrappers in between |
  ///
  /// `NSURLErrorDomain` -999 is none: it says that a request to the store was cancelled, not by whom, and a customer who
  /// did not do it must hear of it.
  public var isPaymentCancellation: Bool {
    let error = self as NSError
    guard error.domain == SKErrorDomain else { return false }
    if error.code == SKError.paymentCancelled.rawValue { return true }
    return error.code == 907 && error.hasUnderlying(domain: "AMSErrorDomain", code: 6)
  }

  /// What to tell the customer: the error's own words. Nil for a cancellation, which they know of.
  public var purchaseAlert: String? {
    if isPaymentCancellation { return nil }
    // Foundation has words of its own only for these; for others it says no more than "could not be completed".
    if self is any LocalizedError || self is any CustomNSError || type(of: self as Any) is NSError.Type {
      return localizedDescription
    }
    return "\(self)"
  }
}

extension NSError {
  /// More would be no error anybody made.
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
