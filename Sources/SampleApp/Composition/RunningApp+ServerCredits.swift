import PurchaseKit

// The requests to the purchase server that no button begins.
extension RunningApp {
  /// Requests the outcome of spends that were pending when the app was killed.
  func settleSpends() async {
    for store in goods?.creditStores ?? [] {
      do {
        let outcomes = try await store.settlePendingSpends()
        if !outcomes.isEmpty { send(.spendsSettled(spent: outcomes.values.filter { $0 == .spent }.count)) }
      } catch {
        send(.finding("\(error)"))
      }
    }
  }

  /// Requests the customer's state from the developer's server, and redeems the filters and plans there. A request is repeated
  /// after each temporary error.
  func refreshFromServer() {
    refreshState()
    redeemDurables()
  }

  /// Lets the screen appear again when the customer returns to the app, and asks the server for changes.
  @MainActor
  func returnToForeground() {
    screen.appear()
    guard sheets != nil else { return }
    refreshState()
    refreshOfferings()
  }

  /// Requests the current offerings, and shows the club's plans in their order.
  func refreshOfferings() {
    guard let offerings = goods?.server.offerings else { return }
    Task {
      guard await untilAnswered({ try await offerings.refresh() }) ?? false else { return }
      await MainActor.run { club.offeringsChanged() }
    }
  }

  /// Redeems the filters and plans at the developer's server. If it recognises the customer by them, the credits of the
  /// customer's other devices are here, too.
  func redeemDurables() {
    guard let durables = goods?.durables else { return }
    Task {
      if await untilAnswered({ try await durables.redeem() }) ?? false { refreshState() }
    }
  }

  /// Asks the server what has changed since its last answer.
  func refreshState() {
    guard let state = goods?.state else { return }
    Task {
      await untilAnswered { try await state.refresh() }
      await frozen.deliver()
    }
  }

  /// Returns the request's answer; nil after a permanent error, which is shown when the customer next makes a request to
  /// the server.
  @discardableResult
  private func untilAnswered<Answer: Sendable>(
    _ request: @Sendable () async throws -> Answer
  ) async -> Answer? {
    let retry = NetworkRetry(switches: device.switches)
    var failures = 0
    while true {
      do {
        return try await request()
      } catch {
        guard (error as? PurchaseServerError)?.isTemporary ?? false else { return nil }
        failures += 1
        // The only error is a cancellation of the task, and this app never cancels it.
        try? await retry.wait(afterFailures: failures)
      }
    }
  }
}
