import Hummingbird

/// A body that ends only if a check at its end passes; the reader gets the check's error otherwise.
struct CheckedBody: AsyncSequence, Sendable {
  private let body: RequestBody
  private let check: @Sendable () async throws -> Void

  init(_ body: RequestBody, check: @escaping @Sendable () async throws -> Void) {
    self.body = body
    self.check = check
  }

  struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var base: RequestBody.AsyncIterator
    fileprivate let check: @Sendable () async throws -> Void

    mutating func next() async throws -> ByteBuffer? {
      if let piece = try await base.next() { return piece }
      try await check()
      return nil
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: body.makeAsyncIterator(), check: check) }
}
