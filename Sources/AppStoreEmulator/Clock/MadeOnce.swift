import Foundation

/// A value that is made when it is first asked for; an attempt that failed is made again.
final class MadeOnce<Value: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var made: Value?

  func value(_ make: () throws -> Value) rethrows -> Value {
    try lock.withLock {
      if let made { return made }
      let value = try make()
      made = value
      return value
    }
  }
}
