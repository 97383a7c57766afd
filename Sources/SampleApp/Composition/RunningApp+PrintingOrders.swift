import Foundation
import PurchaseKit
import SampleModel

// Commands for pages to print, whose balance the purchase server stores.
extension RunningApp {
  @MainActor
  func carryOutOnPrinting(_ order: SampleAppOrder) async throws {
    guard let printing, let goods else { return say(.pagesUnknown(reason: "This app has no purchase server.")) }
    let credits = goods.printing.credits
    do {
      switch order {
      case .showPages: try await credits.refresh()
      case .spendPages(let amount, let key):
        try await printing.spend(amount, key: key)
        if let reason = printing.alert {
          let isOpen = try goods.printing.store.pendingSpends.contains { $0.key == key }
          return say(
            isOpen ? .pagesUnknown(reason: reason) : .pagesRefused(reason: reason, balance: try credits.balance))
        }
      default: break
      }
      say(.pages(try credits.balance))
    } catch let error as PurchaseServerError {
      say(.pagesUnknown(reason: "\(error)"))
    }
  }

  /// Asks the server for the outcome of spends that were pending when the app was killed.
  func settleSpends() async {
    guard let store = goods?.printing.store else { return }
    do {
      let outcomes = try await store.settlePendingSpends()
      if !outcomes.isEmpty { say(.pagesSettled(spent: outcomes.values.filter { $0 == .spent }.count)) }
    } catch {
      say(.finding("\(error)"))
    }
  }

  /// Requests the number of pages from the developer's server, until it can be reached.
  func askHowManyPages() {
    guard let credits = goods?.printing.credits else { return }
    let reachability = NetworkReturn(network: network)
    Task {
      var failures = 0
      while true {
        do {
          return try await credits.refresh()
        } catch {
          // A permanent error is shown when the customer next asks the server.
          guard (error as? PurchaseServerError)?.isTemporary ?? false else { return }
          failures += 1
          await reachability.waitUntilWorthAsking(afterFailures: failures)
        }
      }
    }
  }
}
