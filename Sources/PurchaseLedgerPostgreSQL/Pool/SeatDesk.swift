import Foundation
import PurchaseLedger

/// Knows which seats are free, and who waits for one.
final class SeatDesk: @unchecked Sendable {
  typealias Grant = (seat: ConnectionSeat, generation: Int)

  private struct Waiter {
    let number: Int
    let continuation: CheckedContinuation<Grant, any Error>
  }

  private let seats: [ConnectionSeat]
  private let waitingLimit: Int
  private let lock = NSLock()
  /// The one used last is at the end, and used next: so few connections are opened as will do.
  private var free: [ConnectionSeat]
  private var waiters: [Waiter] = []
  private var lastNumber = 0
  private var generation = 1
  private var isClosed = false
  private var closers: [CheckedContinuation<Void, Never>] = []

  init(seats count: Int, waitingLimit: Int) {
    seats = (0..<count).map { _ in ConnectionSeat() }
    free = seats
    self.waitingLimit = waitingLimit
  }

  var waiting: Int { lock.withLock { waiters.count } }

  func take() async throws -> Grant {
    let number = lock.withLock {
      lastNumber += 1
      return lastNumber
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        if let answer = answer(to: Waiter(number: number, continuation: continuation)) {
          continuation.resume(with: answer)
        }
      }
    } onCancel: {
      leave(number)
    }
  }

  /// Nil if the waiter was put at the end of the queue.
  private func answer(to waiter: Waiter) -> Result<Grant, any Error>? {
    lock.withLock {
      if isClosed { return .failure(LedgerDatabaseError.closed) }
      // Whoever is cancelled later is found among those who wait.
      if Task.isCancelled { return .failure(CancellationError()) }
      if let seat = free.popLast() { return .success((seat, generation)) }
      if waiters.count >= waitingLimit { return .failure(LedgerDatabaseError.overloaded) }
      waiters.append(waiter)
      return nil
    }
  }

  private func leave(_ number: Int) {
    let waiter = lock.withLock {
      waiters.firstIndex { $0.number == number }.map { waiters.remove(at: $0) }
    }
    waiter?.continuation.resume(throwing: CancellationError())
  }

  /// - Parameter lost: the generation of the connection, if it was lost. The others of it were opened before and are
  ///   probably lost, too: all are replaced.
  func giveBack(_ seat: ConnectionSeat, lostIn lost: Int?) {
    lock.lock()
    if lost == generation { generation += 1 }
    let next = waiters.isEmpty ? nil : waiters.removeFirst()
    let grant = (seat, generation)
    if next == nil { free.append(seat) }
    let done = isClosed && free.count == seats.count ? closers : []
    if !done.isEmpty { closers = [] }
    lock.unlock()
    next?.continuation.resume(returning: grant)
    for closer in done { closer.resume() }
  }

  /// Refuses whoever comes or waits, and returns all seats when nobody uses one.
  func close() async -> [ConnectionSeat] {
    let refused = lock.withLock {
      isClosed = true
      defer { waiters = [] }
      return waiters
    }
    for waiter in refused { waiter.continuation.resume(throwing: LedgerDatabaseError.closed) }
    await withCheckedContinuation { continuation in
      let isDone = lock.withLock {
        if free.count < seats.count { closers.append(continuation) }
        return free.count == seats.count
      }
      if isDone { continuation.resume() }
    }
    return seats
  }
}
