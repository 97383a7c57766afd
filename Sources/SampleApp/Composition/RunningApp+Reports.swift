import Foundation
import PurchaseKit
import SampleModel
import StoreKit

// Reports what happens in the app to its parent process.
extension RunningApp {
  /// Reports all later events of purchases, restores and revocations.
  func listen() {
    listen(.InAppPurchaseManagerTransactionDeferredNotification) { transaction, _ in
      .deferred(product: transaction.productIdentifier)
    }
    listen(.InAppPurchaseManagerTransactionSucceededNotification) { [credits] transaction, _ in
      .succeeded(
        product: transaction.productIdentifier, transaction: transaction.transactionIdentifier ?? "",
        balance: try? credits.balance)
    }
    listen(.InAppPurchaseManagerTransactionFailedNotification) { transaction, _ in
      let error = transaction.error ?? SKError(.unknown)
      return .failed(
        product: transaction.productIdentifier, domain: (error as NSError).domain,
        code: (error as NSError).code, isCancellation: error.isPaymentCancellation,
        alert: error.purchaseAlert())
    }
    listen(.InAppPurchaseManagerTransactionKeptNotification) { [renewal, frozen, steps] transaction, error in
      renewal.kept(transaction, error)
      frozen.kept(error)
      // The other transactions that stay in the queue are reported with their delivery.
      if case .unknownProduct(let product)? = error as? InAppPurchaseError {
        steps(
          .kept, product: product, transaction: transaction.transactionIdentifier,
          detail: "this version of the app does not have the product")
      }
      return .kept(product: transaction.productIdentifier, reason: error.map { "\($0)" } ?? "")
    }
    listen(.InAppPurchaseManagerTransactionRefusedNotification) { transaction, error in
      .refused(product: transaction.productIdentifier, reason: error.map { "\($0)" } ?? "")
    }
    listenForRestores()
    listenForRevocations()
  }

  private func listen(
    _ name: Notification.Name,
    _ event: @escaping @Sendable (StoreTransaction, (any Error)?) throws -> AppEvent
  ) {
    _ = NotificationCenter.default.addObserver(forName: name, object: manager, queue: nil) { [send] notification in
      guard let transaction = notification.userInfo?[InAppPurchaseManager.transactionKey] as? StoreTransaction
      else { return }
      do {
        send(try event(transaction, notification.userInfo?[InAppPurchaseManager.errorKey] as? any Error))
      } catch {
        send(.kept(product: transaction.productIdentifier, reason: "\(error)"))
      }
    }
  }

  /// Updates the screens when a switch of the device has changed, in the phone's settings or by the store's control API.
  func watchSwitches() {
    device.switches.observe { [weak self] in
      DispatchQueue.main.async {
        guard let self else { return }
        for screen in [self.screen, self.filters, self.books, self.printing, self.club] { screen?.didChange() }
        if self.sheets != nil { self.pageChanged() }
      }
    }
  }

  private func listenForRestores() {
    let ends: [Notification.Name] = [
      .InAppPurchaseManagerRestoreFinishedNotification, .InAppPurchaseManagerRestoreFailedNotification,
    ]
    for name in ends {
      _ = NotificationCenter.default.addObserver(forName: name, object: manager, queue: nil) { [filters, send] _ in
        // Runs after the screen's own handler, which sets the alert first.
        DispatchQueue.main.async { send(.restoreEnded(message: filters.alert ?? "")) }
      }
    }
  }

  private func listenForRevocations() {
    _ = NotificationCenter.default.addObserver(
      forName: .InAppPurchaseManagerProductsRevokedNotification, object: manager, queue: nil
    ) { [send] notification in
      let products = notification.userInfo?[InAppPurchaseManager.productIdentifiersKey] as? [String] ?? []
      send(.revoked(products: products))
    }
  }

  /// Reports the titles of each screen's buttons whenever they may have changed.
  func reportScreens() {
    report(screen) { $0.button(for: $1).title }
    report(filters) { try $0.filterButton(for: $1).title }
    if let books { report(books) { try $0.bookButton(for: $1).title } }
    if let printing { report(printing) { $0.button(for: $1).title } }
  }

  private func report<Screen: ProductScreen>(
    _ screen: Screen, _ title: @escaping @Sendable (Screen, String) throws -> String
  ) {
    // The reference is weak: a call that still waits on the main queue must not keep the screen when the app ends.
    screen.didChange = { [weak screen, send] in
      guard let screen else { return }
      do {
        let titles = try screen.productIdentifiers.map { ($0, try title(screen, $0)) }
        send(.screen(Dictionary(uniqueKeysWithValues: titles)))
      } catch {
        send(.finding("\(error)"))
      }
    }
  }
}
