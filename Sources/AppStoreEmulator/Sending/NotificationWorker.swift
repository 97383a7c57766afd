import AppStoreServerAPI
import Foundation
import SignedData
import StoreModel

/// Sends the notifications that are due: see Documentation/server-notifications.md.
///
/// Each server has a task of its own, which makes its attempts one after the other. A notification has one attempt at a time, also
/// if its address changes meanwhile. No attempt is made inside a transaction.
final class NotificationWorker: Sendable {
  /// What the worker needs of its store.
  struct Services: Sendable {
    let database: StoreDatabase
    let clock: StoreClock
    let authority: IssuingAuthority
    let faults: ActiveFaults
    /// Decides how an attempt is made: applies the faults.
    let pipeline: OperationPipeline
    let policy: LockedValue<NotificationPolicy>
  }

  struct State: Sendable {
    /// The servers to which attempts are being made.
    var servers: Set<String> = []
    /// The notifications of which an attempt is made, or its result is being stored, by their numbers.
    var underWay: Set<Int64> = []
    /// When resends were asked for while an attempt of their notification was under way.
    var resendDates: [Int64: StoreDate] = [:]
    /// The notifications that are sent after the next one to their server.
    var parked: Set<Int64> = []
    /// What the faults have decided about attempts that were put off, by the numbers of their notifications.
    var decided: [Int64: Result<NotificationDelivery, any Error>] = [:]
    /// Whether the store could not be read or written. After a wait, the worker tries again.
    var hasFailed = false
    var isEnded = false
  }

  /// The largest number of servers to which attempts are made at once.
  static let mostServers = 16

  /// The wait after a failure of the store's disk, of the machine's time.
  private static let secondsUntilRetry = 10.0

  let services: Services
  let transport: any NotificationTransport
  let state = LockedValue(State())
  private let timer: DueTimer

  var signal: ChangeSignal { services.database.notificationChanges }

  init(_ services: Services, transport: any NotificationTransport) {
    self.services = services
    self.transport = transport
    timer = DueTimer(clock: services.clock, machine: services.clock.machine)
  }

  /// Sends until the task is cancelled or the store is closed.
  func run() async {
    await withDiscardingTaskGroup { servers in
      while !Task.isCancelled, !signal.isClosed {
        let count = signal.count
        // A failure is that of a disk, or of a closed store. It is retried with the next change, or after a wait.
        let hasFailed = state.withLock { state in
          defer { state.hasFailed = false }
          return state.hasFailed
        }
        if hasFailed { await signal.wait(beyond: count, seconds: Self.secondsUntilRetry) }
        let isRead = await begin { server, receivers in
          servers.addTask { [self] in await serve(server, receivers) }
        }
        await signal.wait(beyond: count, seconds: isRead ? 86_400 : Self.secondsUntilRetry)
      }
      servers.cancelAll()
    }
    timer.close()
    state.withLock { $0.isEnded = true }
    signal.notify()
  }

  /// Begins to serve each server with an attempt that is due, and sets the timer for the next one.
  ///
  /// - Returns: false if the store could not be read.
  private func begin(_ serve: (String, [NotificationQueue.Receiver]) -> Void) async -> Bool {
    if waitingToBeOvertaken.isEmpty { state.withLock { $0.parked = [] } }
    if services.policy.value.hold { return true }
    guard
      let (now, receivers) = try? await services.database.read({ work in
        (work.now, try work.notificationQueue.receivers(besides: self.passedOver))
      })
    else { return false }
    var (due, all): (Set<String>, [String: [NotificationQueue.Receiver]]) = ([], [:])
    for (receiver, earliest) in receivers {
      all[receiver.server, default: []].append(receiver)
      if let earliest, earliest <= now { due.insert(receiver.server) }
    }
    for server in due.sorted() where enter(server) { serve(server, all[server] ?? []) }
    timer.set(receivers.compactMap(\.earliest).filter { $0 > now }.min()) { [signal] in signal.notify() }
    return true
  }

  /// The notifications that are sent after the next one to their server. None waits after the removal of the fault.
  var waitingToBeOvertaken: Set<Int64> {
    services.faults.contains(NotificationOutOfOrderFault.self) ? state.value.parked : []
  }

  /// The notifications of which no attempt begins now.
  var passedOver: Set<Int64> { waitingToBeOvertaken.union(state.value.underWay) }

  /// Remembers that another attempt was asked for, if one is being made. Call it in the transaction of the resend.
  func noteResend(of sequence: Int64, on date: StoreDate) {
    state.withLock { state in
      if state.underWay.contains(sequence) { state.resendDates[sequence] = date }
    }
  }

  private func enter(_ server: String) -> Bool {
    state.withLock { state in
      guard state.servers.count < Self.mostServers else { return false }
      return state.servers.insert(server).inserted
    }
  }

  /// Returns when no attempt that is due is left, besides held ones.
  ///
  /// - Parameter milliseconds: the longest wait, of the machine's time.
  /// - Throws: ``AppStoreEmulatorError/notificationsNotSettled(waiting:)`` after that time; `CancellationError`.
  static func settle(
    _ worker: NotificationWorker?, _ database: StoreDatabase, _ policy: LockedValue<NotificationPolicy>,
    machine: any MachineClock, milliseconds: Int
  ) async throws -> NotificationCounts {
    let end = machine.nanoseconds + Int64(milliseconds) * 1_000_000
    let signal = database.notificationChanges
    while true {
      let count = signal.count
      let state = worker?.state.value
      let parked = worker?.waitingToBeOvertaken ?? []
      let (counts, due) = try await database.read { work in
        (try work.notifications.counts(), try work.notificationQueue.dueCount(besides: parked))
      }
      let isHeld = policy.value.hold || state?.isEnded ?? true
      if state?.servers.isEmpty ?? true, isHeld || due == 0 { return counts }
      try Task.checkCancellation()
      let left = end - machine.nanoseconds
      guard left > 0, !signal.isClosed else { throw AppStoreEmulatorError.notificationsNotSettled(waiting: due) }
      await signal.wait(beyond: count, seconds: Double(left) / 1e9)
    }
  }
}
