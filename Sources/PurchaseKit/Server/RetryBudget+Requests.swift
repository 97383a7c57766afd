extension RetryBudget {
  /// Sends a request to the server, and sends it again after temporary errors.
  mutating func request<Value>(_ send: () async throws -> Value) async throws -> Value {
    while true {
      do {
        let value = try await send()
        succeeded()
        return value
      } catch let error as PurchaseServerError where error.isTemporary {
        try await wait(after: error, retryAfterSeconds: error.retryAfterSeconds)
      }
    }
  }
}
