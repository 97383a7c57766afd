import Foundation
import OpenStoreKit
import PurchaseKit
import SampleModel
import StoreKit
import StoreModel

// Carries out the commands of the app's pages and of the demo's script.
extension RunningApp {
  /// Carries out a command on the main queue, as if a person had pressed a button.
  ///
  /// - Throws: ``AppCommandError``; errors of the screen models.
  @MainActor
  package func perform(_ command: AppCommand) async throws {
    switch command {
    case .showPrices: await showPrices()
    case .buy(let product, let quantity, let confirms):
      scripted?.confirms = confirms
      try buy(product, quantity: quantity)
    case .addAnyway(let product): add(product)
    case .appear: returnToForeground()
    case .goOffline(let isOffline): device.switches.isOffline = isOffline
    case .restrict(let isRestricted): device.switches.isRestricted = isRestricted
    case .showQueue: send(.queue(await emptyQueue.count))
    case .waitForEmptyQueue: await emptyQueue.report()
    case .spend(let amount, let key):
      try await showingServerErrors {
        try await screen.spend(amount, key: key)
        if screen.alert == nil { steps(.spent, detail: "\(amount)") }
        try reportBalance(refusal: screen.alert, spending: key)
      }
    case .showBalance:
      if sheets != nil {
        // If this fails, the receipt is sent again with the next refresh. The balance does not depend on it.
        _ = try? await goods?.durables.redeem()
      }
      try await showingServerErrors {
        try await credits.refresh()
        try reportBalance()
      }
    case .showFilters, .apply, .clearFilter: try performOnFilters(command)
    case .showBooks, .refreshBooks, .download, .pauseDownload, .openBook, .closeBook, .readBook:
      try await performOnBooks(command)
    case .showPages: try await showPages()
    case .spendPages(let amount, let key): try await spendPages(amount, key: key)
    case .restore(let shown): restore(on: shown)
    case .exportBackup(let path): try await exportBackup(to: path)
    case .importBackup(let path, let key, let loss): await importBackup(path, key, accepting: loss)
    case .discardFrozenCredits(let loss): try await discardFrozenCredits(accepting: loss)
    case .discardFrozenPages(let loss): try await discardFrozenPages(accepting: loss)
    case .showReceipt:
      let url = Bundle.main.appStoreReceiptURL.flatMap { FileManager.default.fileExists(atPath: $0.path) ? $0 : nil }
      send(.receipt(path: url?.path, deviceID: device.deviceID.uuidString))
    case .requestUnfinished(let number): await requestUnfinished(number)
    case .hold(let point): hold.value = point
    case .setAutoRenew, .answerPriceIncrease, .comeBack, .redeem: await performOnSubscriptions(command)
    case .requestRefund(let transaction): await requestRefund(of: transaction)
    case .signIn(let account, let password):
      await changeAccount {
        try await $0.signIn(SignInCredentials(account: AccountName(account), password: password))
      }
    case .signOut: await changeAccount { try await $0.signOut() }
    }
  }

  /// Carries out a command that is encoded as JSON. An error is reported as an event, and the app continues.
  package func performReporting(_ line: String) async {
    do {
      await performReporting(try AppMessages.read(AppCommand.self, from: line))
    } catch {
      send(.commandFailed(reason: "\(error)"))
    }
  }

  /// Carries out a command. An error is reported as an event. Does not wait for a command that takes time.
  func performReporting(_ command: AppCommand) async {
    guard !command.takesTime else {
      Task { await performToTheEnd(command) }
      return
    }
    await performToTheEnd(command)
  }

  private func performToTheEnd(_ command: AppCommand) async {
    do {
      try await perform(command)
    } catch {
      send(.commandFailed(reason: error.purchaseAlert(SampleCatalog.customerNames) ?? "\(error)"))
    }
  }

  // MARK: Purchases

  @MainActor
  private func showPrices() async {
    do {
      try await manager.products(Set(screen.productIdentifiers))
    } catch {
      return send(.pricesFailed(reason: "\(error)"))
    }
    let titles = screen.productIdentifiers.map { ($0, "\(screen.title(of: $0)): [\(screen.button(for: $0).title)]") }
    send(.buttons(Dictionary(uniqueKeysWithValues: titles)))
  }

  @MainActor
  private func buy(_ product: String, quantity: Int) throws {
    let screens = [screen, filters, books, printing, club].compactMap { $0 as ProductScreen? }
    guard let model = screens.first(where: { $0.productIdentifiers.contains(product) }) else {
      throw AppCommandError.unknownProduct(product)
    }
    steps(.button, product: product)
    do {
      try model.buy(product, quantity: quantity)
    } catch {
      steps(.failed, product: product, detail: error.purchaseAlert(SampleCatalog.customerNames))
      throw error
    }
  }

  private func add(_ product: String) {
    switch manager.interface {
    case .storeKit1:
      let payment = SKMutablePayment()
      payment.productIdentifier = product
      device.paymentQueue.add(payment)
    case .storeKit2:
      Task { [manager, send] in
        do {
          guard let product = try await manager.products([product]).first else {
            throw InAppPurchaseError.notForSale(product)
          }
          try manager.purchaseProduct(product)
        } catch {
          send(.commandFailed(reason: "\(error)"))
        }
      }
    }
  }

  @MainActor
  private func restore(on shown: AppScreen) {
    switch shown {
    case .books where books != nil: books?.restore()
    case .club: club.restore()
    default: filters.restore()
    }
  }

  // MARK: The payment queue

  /// Requests the unfinished transactions from the store.
  private func requestUnfinished(_ number: Int) async {
    unfinishedRequest.value = number
    switch manager.interface {
    case .storeKit1:
      // The queue requests them whenever an observer is added.
      let observer = SilentObserver()
      device.paymentQueue.add(observer)
      device.paymentQueue.remove(observer)
    case .storeKit2:
      // An observer would hide that the device works without one.
      Task { [device, send] in
        do {
          try await device.takeInTransactions()
        } catch {
          // A store that is ending or starting does not answer. The next acknowledgement begins another request.
          send(.unfinishedFailed(request: number, reason: "\(error)"))
        }
      }
    }
  }

  // MARK: Balance and account

  /// Reports the balance, or the reason why it is not available.
  ///
  /// - Parameters:
  ///   - refusal: the reason why a spend was refused, or why its outcome is not known; nil if the spend succeeded or
  ///     there was no spend.
  ///   - key: the key of that spend; nil if there was no spend.
  func reportBalance(refusal: String? = nil, spending key: UUID? = nil) throws {
    if let freeze = creditStore.freeze() { return send(.creditsFrozen(reason: freeze.reason.rawValue)) }
    if let refusal, let pending = try goods?.monkeyCredits?.pendingSpends, pending.contains(where: { $0.key == key }) {
      return send(.balanceUnknown(reason: refusal))
    }
    let balance = try credits.balance
    send(refusal.map { .spendRefused(reason: $0, balance: balance) } ?? .balance(balance))
  }

  /// Carries out a command on credits. If the purchase server stores the credits, an error is reported, and shown as
  /// the screen's alert. If the vault stores them, an error is thrown, because the vault cannot be used.
  @MainActor
  private func showingServerErrors(_ act: () async throws -> Void) async throws {
    do {
      try await act()
    } catch let error where goods?.monkeyCredits != nil {
      screen.report(error)
      send(.balanceUnknown(reason: "\(error)"))
    }
  }

  /// Signs in or out, as in the phone's settings. Only a failure is reported here. A success is reported when the
  /// store's answer arrives.
  private func changeAccount(_ change: @Sendable (StoreKitDevice) async throws -> Void) async {
    do {
      try await change(device)
    } catch {
      send(.accountUnchanged(reason: "\(error)"))
    }
  }
}
