/// A refusal in the server's own words; Documentation/purchase-server.md lists its codes.
public struct ServerRefusal: Error, Hashable, Codable, Sendable {
  /// Of HTTP; 422 for the refusal of a single purchase.
  public let status: Int
  /// A word for programs, such as `refunded`.
  public let code: String
  /// For people.
  public let message: String
  /// How long the server wants to be left alone; nil where it does not say.
  public let retryAfterSeconds: Int?

  public init(status: Int, code: String, message: String, retryAfterSeconds: Int? = nil) {
    self.status = status
    self.code = code
    self.message = message
    self.retryAfterSeconds = retryAfterSeconds
  }

  /// Whether the server, or the store behind it, only cannot say just now.
  public var isTemporary: Bool { status == 408 || status == 429 || status >= 500 }
}
