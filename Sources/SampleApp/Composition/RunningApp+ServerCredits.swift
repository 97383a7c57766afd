import Foundation
import PurchaseKit

// Credits for printing ("pages") on the purchase server: the requests that the app sends when it starts.
extension RunningApp {
  /// Requests the outcome of spends that were pending when the app was killed.
  func settleSpends() async {
    guard let store = goods?.printing.store else { return }
    do {
      let outcomes = try await store.settlePendingSpends()
      if !outcomes.isEmpty { send(.pagesSettled(spent: outcomes.values.filter { $0 == .spent }.count)) }
    } catch {
      send(.finding("\(error)"))
    }
  }

  /// Requests the number of pages from the developer's server, until it can be reached.
  func refreshPages() {
    guard let credits = goods?.printing.credits else { return }
    let reachability = NetworkRetry(network: network)
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
