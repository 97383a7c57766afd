import Foundation
import PurchaseKit
import SampleModel

// What it is told to do with pages to print, whose books the purchase server keeps.
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

  /// What was being spent when the app was killed: the server says how it ended.
  func settleSpends() async {
    guard let store = goods?.printing.store else { return }
    do {
      let outcomes = try await store.settlePendingSpends()
      if !outcomes.isEmpty { say(.pagesSettled(spent: outcomes.values.filter { $0 == .spent }.count)) }
    } catch {
      say(.finding("\(error)"))
    }
  }

  /// Asks the developer's server how many pages can be printed, as soon as it can be reached.
  func askHowManyPages() {
    guard let credits = goods?.printing.credits else { return }
    let reachability = NetworkReturn(network: network)
    Task {
      var failures = 0
      while true {
        do {
          return try await credits.refresh()
        } catch {
          // What no waiting mends, whoever asks the server again is told.
          guard (error as? PurchaseServerError)?.isTemporary ?? false else { return }
          failures += 1
          await reachability.waitUntilWorthAsking(afterFailures: failures)
        }
      }
    }
  }
}
