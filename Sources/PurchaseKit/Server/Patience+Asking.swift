extension Patience {
  /// Sends a request to the server, and sends it again after temporary errors.
  mutating func asking<Value>(_ ask: () async throws -> Value) async throws -> Value {
    while true {
      do {
        let value = try await ask()
        succeeded()
        return value
      } catch let error as PurchaseServerError where error.isTemporary {
        try await wait(after: error, retryAfterSeconds: error.retryAfterSeconds)
      }
    }
  }
}
