/// An error as apps on Apple's platforms receive it: the domain, code and underlying error of an `NSError`.
public struct AppError: DescribedError, Hashable, Codable, Sendable {
  /// The error domain, such as `SKErrorDomain` or `SSServerErrorDomain`.
  public let domain: String
  public let code: Int
  /// Text for the customer; nil for the device's own text.
  public let message: String?
  /// The error under `NSUnderlyingErrorKey`.
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

  public var description: String { message ?? "\(domain) \(code)" }
}
