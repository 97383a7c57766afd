import StoreModel

/// Where an issuing authority keeps its keys, by name, as PEM.
protocol KeyStore: Sendable {
  /// The text kept under `name`. If there is none, what `make` returns is kept; of several that come at once, in this
  /// process or another, one wins and all get its text.
  func text(named name: String, make: () throws -> String) throws -> String

  /// Where `name` is kept, for messages.
  func location(of name: String) -> String
}

/// Keeps keys as long as the process runs.
final class MemoryKeyStore: KeyStore {
  private let texts = LockedValue<[String: String]>([:])

  func text(named name: String, make: () throws -> String) throws -> String {
    if let text = texts.withLock({ $0[name] }) { return text }
    let made = try make()
    return texts.withLock { texts in
      if let text = texts[name] { return text }
      texts[name] = made
      return made
    }
  }

  func location(of name: String) -> String { "\(name) in memory" }
}
