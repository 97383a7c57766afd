import Dispatch

/// A place for a connection, with a thread of its own while it is used: libpq waits for its answers, and Swift's own
/// threads must not.
final class ConnectionSeat: @unchecked Sendable {
  private let queue = DispatchQueue(label: "openstorekit.ledger.postgresql")
  // Used on the queue only.
  private var connection: PostgreSQLConnection?
  private var generation = 0

  /// Does `work` with the seat's connection, which is opened if there is none, or one of an older generation.
  ///
  /// - Parameters:
  ///   - generation: counts the times that connections were lost.
  ///   - leaving: called before the answer, with whether the connection was lost.
  func use<Value: Sendable>(
    generation: Int, configuration: PostgreSQLConfiguration,
    leaving: @escaping @Sendable (_ isLost: Bool) -> Void,
    _ work: @escaping @Sendable (PostgreSQLConnection) throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { [self] in
        if self.generation != generation { connection = nil }
        let result = Result { try work(opened(generation, configuration)) }
        let isLost = connection?.isLost ?? false
        if isLost { connection = nil }
        leaving(isLost)
        continuation.resume(with: result)
      }
    }
  }

  private func opened(_ generation: Int, _ configuration: PostgreSQLConfiguration) throws -> PostgreSQLConnection {
    if let connection { return connection }
    do throws(PostgreSQLOpeningFailure) {
      let opened = try PostgreSQLConnection.open(configuration)
      connection = opened
      self.generation = generation
      return opened
    } catch {
      switch error {
      case .passing(let reason): throw PassingFailure(error: .unavailable(reason: reason))
      case .lasting(let error): throw error
      }
    }
  }

  /// Closes the connection, if there is one.
  func close() async {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        connection = nil
        continuation.resume()
      }
    }
  }
}
