import Foundation
import PurchaseLedger

/// Hands connections out, in the order in which they are asked for. They are opened when they are first needed.
final class ConnectionPool: Sendable {
  private let configuration: PostgreSQLConfiguration
  private let desk: SeatDesk

  init(_ configuration: PostgreSQLConfiguration) {
    self.configuration = configuration
    desk = SeatDesk(seats: configuration.poolSize, waitingLimit: configuration.waitingLimit)
  }

  /// Does `work` with a connection, on a thread that may wait. It is done to its end, also if the task is cancelled.
  ///
  /// - Throws: what `work` throws; ``PassingFailure`` if no connection can be opened; `CancellationError` if the task is
  ///   cancelled while it waits; ``LedgerDatabaseError/overloaded``, ``LedgerDatabaseError/closed``.
  func use<Value: Sendable>(
    _ work: @escaping @Sendable (PostgreSQLConnection) throws -> Value
  ) async throws -> Value {
    let (seat, generation) = try await desk.take()
    return try await seat.use(
      generation: generation, configuration: configuration,
      leaving: { [desk] isLost in desk.giveBack(seat, lostIn: isLost ? generation : nil) }, work)
  }

  /// How many wait for a connection.
  var waiting: Int { desk.waiting }

  /// Refuses whoever comes or waits, and returns when all connections are closed.
  func close() async {
    for seat in await desk.close() { await seat.close() }
  }
}
