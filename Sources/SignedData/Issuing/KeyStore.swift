import StoreModel

/// Stores the keys of an issuing authority as PEM texts, by name.
protocol KeyStore: Sendable {
  /// Returns the text stored under `name`. If it does not exist, stores and returns the result of `make`. If several
  /// callers make it at the same time, in this process or another, one text is stored and all callers receive it.
  func text(named name: String, make: () throws -> String) throws -> String

  /// Whether a text is stored under `name`.
  func holds(_ name: String) -> Bool

  /// The location of `name`, for messages.
  func location(of name: String) -> String
}

/// Stores keys in memory until the process ends.
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

  func holds(_ name: String) -> Bool { texts.withLock { $0[name] != nil } }

  func location(of name: String) -> String { "\(name) in memory" }
}
