import Foundation
import OpenStoreKit
import PurchaseKit
import SampleModel
import StoreKit
import StoreModel

// Carries out the commands of the demo.
extension RunningApp {
  /// Carries out a command on the main queue, as if a person had pressed a button.
  @MainActor
  package func carryOut(_ order: SampleAppOrder) async throws {
    switch order {
    case .showPrices:
      do {
        try await manager.products(Set(screen.productIdentifiers))
      } catch {
        return say(.pricesFailed(reason: "\(error)"))
      }
      let titles = screen.productIdentifiers.map { ($0, "\(screen.title(of: $0)): [\(screen.button(for: $0).title)]") }
      say(.buttons(Dictionary(uniqueKeysWithValues: titles)))
    case .buy(let product, let quantity, let confirms):
      steered?.confirms = confirms
      try screen(of: product).buy(product, quantity: quantity)
    case .addAnyway(let product):
      let payment = SKMutablePayment()
      payment.productIdentifier = product
      SKPaymentQueue.default().add(payment)
    case .appear:
      screen.appear()
    case .goOffline(let isOffline):
      network.isOn = !isOffline
    case .restrict(let isRestricted):
      device.paymentsAllowed = !isRestricted
      screen.appear()
    case .showQueue:
      say(.queue(SKPaymentQueue.default().transactions.count))
    case .waitForEmptyQueue:
      // The queue removes transactions on the main queue too, so none is removed between this check and the next call.
      if SKPaymentQueue.default().transactions.isEmpty {
        say(.queue(0))
      } else {
        device.paymentQueue.add(watcher)
      }
    case .spend(let amount):
      try await screen.spend(amount)
      let balance = try credits.balance
      say(screen.alert.map { .spendRefused(reason: $0, balance: balance) } ?? .balance(balance))
    case .showBalance:
      if let freeze = vault.creditFreeze {
        say(.creditsFrozen(reason: freeze.reason.rawValue))
      } else {
        say(.balance(try credits.balance))
      }
    case .showFilters, .apply, .clearFilter:
      try carryOutOnFilters(order)
    case .showBooks, .refreshBooks, .download, .openBook:
      try await carryOutOnBooks(order)
    case .showPages, .spendPages:
      try await carryOutOnPrinting(order)
    case .restore:
      filters.restore()
    case .exportBackup, .importBackup, .startCreditsAnew:
      try await carryOutOnVault(order)
    case .showReceipt:
      let url = Bundle.main.appStoreReceiptURL.flatMap { FileManager.default.fileExists(atPath: $0.path) ? $0 : nil }
      say(.receipt(path: url?.path, deviceID: device.deviceID.uuidString))
    case .askForUnfinished(let number):
      question.value = number
      // The queue requests unfinished transactions whenever an observer is added. This observer ignores them.
      let observer = SilentObserver()
      device.paymentQueue.add(observer)
      device.paymentQueue.remove(observer)
    case .hold(let point):
      hold.value = point
    case .signIn(let account, let password):
      await changeAccount {
        try await $0.signIn(SignInCredentials(account: AccountName(account), password: password))
      }
    case .signOut:
      await changeAccount { try await $0.signOut() }
    }
  }

  /// Carries out a command that is encoded as JSON. An error is reported as an event, and the app continues.
  ///
  /// A command that waits for the store or a file runs in its own task, so that later commands do not wait for it.
  package func carryOutReporting(_ line: String) async {
    let order: SampleAppOrder
    do {
      order = try SampleAppMessages.read(SampleAppOrder.self, from: line)
    } catch {
      return say(.orderFailed(reason: "\(error)"))
    }
    if order.takesTime {
      Task { await carryOutReporting(order) }
    } else {
      await carryOutReporting(order)
    }
  }

  private func carryOutReporting(_ order: SampleAppOrder) async {
    do {
      try await carryOut(order)
    } catch {
      say(.orderFailed(reason: "\(error)"))
    }
  }

  /// Signs in or out, as the phone's settings do. The store's answer reports a success; only a failure is reported here.
  private func changeAccount(_ change: @Sendable (StoreKitDevice) async throws -> Void) async {
    do {
      try await change(device)
    } catch {
      say(.accountUnchanged(reason: "\(error)"))
    }
  }

  private func screen(of product: String) -> ProductScreen {
    if SampleCatalog.filters.contains(product) { return filters }
    return [books, printing].compactMap { $0 }.first { $0.productIdentifiers.contains(product) } ?? screen
  }
}
