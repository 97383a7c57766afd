import Foundation

/// Why the developer's server did not do what was asked.
public enum PurchaseServerError: LocalizedError, Hashable, Codable, Sendable, CustomStringConvertible {
  /// There was no answer. What was asked may have been done; asking again does nothing twice.
  case network(reason: String)
  /// The server says no, or not now.
  case refused(ServerRefusal)
  /// What answered is not such a server.
  case unintelligible(reason: String)

  public var description: String {
    switch self {
    case .network(let reason): "The server was not reached. Try again when there is a network. (\(reason))"
    case .refused(let refusal): refusal.message
    case .unintelligible(let reason): "The server's answer makes no sense; check its address. (\(reason))"
    }
  }

  public var errorDescription: String? { description }

  /// Whether asking again later, in the very same way, may go better.
  public var isTemporary: Bool {
    switch self {
    case .network: true
    case .refused(let refusal): refusal.isTemporary
    case .unintelligible: false
    }
  }

  /// How long the server wants to be left alone, in seconds; nil where it does not say.
  public var retryAfterSeconds: Int? { if case .refused(let refusal) = self { refusal.retryAfterSeconds } else { nil } }
}

/// A refusal in the server's own words; Documentation/purchase-server.md lists its codes.
public struct ServerRefusal: Error, Hashable, Codable, Sendable {
  /// Of HTTP. That of a single purchase among several that were given is 200.
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
