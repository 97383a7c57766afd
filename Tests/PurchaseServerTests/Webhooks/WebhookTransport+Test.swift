import StoreModel

@testable import PurchaseServer

extension WebhookTransport {
  /// Calls `body` with a transport that reaches receivers on this machine, and closes it.
  static func with<Value: Sendable>(
    resolver: any HostResolver = SystemHostResolver(), allowsLoopback: Bool = true,
    clock: any MachineClock = ManualMonotonicClock(), headArrived: @escaping @Sendable () -> Void = {},
    _ body: @Sendable (WebhookTransport) async throws -> Value
  ) async throws -> Value {
    let transport = WebhookTransport(
      allowsLoopback: allowsLoopback, resolver: resolver, clock: clock, headArrived: headArrived)
    let result: Result<Value, any Error>
    do {
      result = .success(try await body(transport))
    } catch {
      result = .failure(error)
    }
    try await transport.close()
    return try result.get()
  }
}
