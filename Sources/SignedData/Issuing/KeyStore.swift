import Foundation

/// Where an issuing authority keeps its keys, by name, as PEM.
protocol KeyStore: Sendable {
  /// The text kept under `name`. If there is none, what `make` returns is kept; of several that come at once, in this
  /// process or another, one wins and all get its text.
  func text(named name: String, make: () throws -> String) throws -> String

  /// Where `name` is kept, for messages.
  func location(of name: String) -> String
}

/// Keeps keys as long as the process runs.
final class MemoryKeyStore: KeyStore, @unchecked Sendable {
  private let lock = NSLock()
  private var texts: [String: String] = [:]

  func text(named name: String, make: () throws -> String) throws -> String {
    if let text = lock.withLock({ texts[name] }) { return text }
    let made = try make()
    return lock.withLock {
      if let text = texts[name] { return text }
      texts[name] = made
      return made
    }
  }

  func location(of name: String) -> String { "\(name) in memory" }
}
