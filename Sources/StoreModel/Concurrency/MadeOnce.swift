/// A value that is made at its first use. If making it fails, the next use tries again.
package final class MadeOnce<Value: Sendable>: Sendable {
  private let made = LockedValue<Value?>(nil)

  package init() {}

  package func value<Failure: Error>(_ make: () throws(Failure) -> Value) throws(Failure) -> Value {
    try made.withLock { made throws(Failure) in
      if let made { return made }
      let value = try make()
      made = value
      return value
    }
  }
}
