/// An error as an app on Apple's platforms would see it: domain and code of an `NSError`, and what lies behind it.
public struct AppError: Error, Hashable, Codable, Sendable {
  /// Such as `SKErrorDomain` or `SSServerErrorDomain`.
  public let domain: String
  public let code: Int
  /// Words for the person; nil for those the device has for it.
  public let message: String?
  /// The error under `NSUnderlyingErrorKey`, if any.
  public let underlying: Underlying?

  public struct Underlying: Hashable, Codable, Sendable {
    public let domain: String
    public let code: Int

    public init(domain: String, code: Int) {
      self.domain = domain
      self.code = code
    }
  }

  public init(domain: String, code: Int, message: String? = nil, underlying: Underlying? = nil) {
    self.domain = domain
    self.code = code
    self.message = message
    self.underlying = underlying
  }
}
