import Foundation
import PurchaseKit

// Credits on the purchase server: the requests that the app sends when it starts.
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

  /// Requests the balances from the developer's server. A request is repeated after each temporary error.
  func refreshServerCredits() {
    guard let printing = goods?.printing.credits else { return }
    for credits in [printing, credits] { refreshUntilAnswered(credits) }
  }

  private func refreshUntilAnswered(_ credits: CreditManager) {
    let reachability = NetworkRetry(switches: device.switches)
    Task {
      var failures = 0
      while true {
        do {
          return try await credits.refresh()
        } catch {
          // A permanent error is shown when the customer next makes a request to the server.
          guard (error as? PurchaseServerError)?.isTemporary ?? false else { return }
          failures += 1
          await reachability.waitBeforeRetry(afterFailures: failures)
        }
      }
    }
  }
}
