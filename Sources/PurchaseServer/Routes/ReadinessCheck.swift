import Logging
import PurchaseLedger

/// Says whether the server is ready, for `/ready` and for operators.
struct ReadinessCheck: Sendable {
  let readiness: Readiness
  let status: ServiceStatus

  /// Returns why the server is not ready; nil if it is.
  ///
  /// - Throws: errors that say nothing about the readiness, such as `CancellationError`.
  func problem(_ logger: Logger) async throws -> NotReadyView? {
    guard !status.isStopping else {
      return NotReadyView(
        error: RefusalView(code: "stopping", message: "The server is about to stop."), component: .server)
    }
    do {
      try await readiness.check()
      return nil
    } catch let error as LedgerDatabaseError {
      logger.error("The ledger takes no writes", metadata: ["error": "\(error)"])
      return NotReadyView(error, of: readiness.databaseSystem)
    }
  }
}

extension NotReadyView {
  /// Describes a failed database without its own message, which may contain the names of hosts and users.
  fileprivate init(_ failure: LedgerDatabaseError, of system: String) {
    let (code, what) =
      switch failure {
      case .unavailable: ("temporarilyUnavailable", "cannot be reached, or refuses the connection.")
      case .overloaded: ("temporarilyUnavailable", "has too much to do.")
      case .closed: ("temporarilyUnavailable", "was closed: the server is about to stop.")
      case .full: ("notWritable", "takes no writes, because its disk is full, read-only or broken, or cannot be read.")
      case .notUsable: ("notWritable", "lacks a table or a right of the ledger, or its file was removed or replaced.")
      case .failed: ("notWritable", "takes no writes.")
      case .unexpectedRow, .newerSchema: ("notWritable", "was changed by another version of this software.")
      case .noClientLibrary: ("notWritable", "has no client library on the server's machine.")
      case .notDurable: ("notWritable", "may lose commits in a power cut.")
      }
    self.init(
      error: RefusalView(code: code, message: "The ledger's database (\(system)) \(what) The server's log says more."),
      component: .database)
  }
}
