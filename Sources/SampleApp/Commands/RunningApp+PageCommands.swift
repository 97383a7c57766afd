import Foundation
import PurchaseKit
import SampleModel

// Commands for pages to print, whose balance the purchase server stores.
extension RunningApp {
  /// Requests the number of pages from the server. Requests the number of monkey credits, too, if the server stores
  /// them. A failure is reported, and shown as the screen's alert.
  @MainActor
  func showPages() async throws {
    let (printing, goods) = try pages()
    await reportPages(printing, goods) {
      try await goods.printing.credits.refresh()
      try await credits.refresh()
    }
  }

  /// Spends pages. A refusal or a failure is reported, and shown as the screen's alert.
  @MainActor
  func spendPages(_ amount: Int, key: UUID) async throws {
    let (printing, goods) = try pages()
    await reportPages(printing, goods, spending: key) { try await printing.spend(amount, key: key) }
  }

  /// - Parameter loss: the loss to which the customer has agreed; nil at first. If there is another one, the customer is
  ///   asked.
  @MainActor
  func discardFrozenPages(accepting loss: CreditLoss?) async throws {
    let (printing, goods) = try pages()
    let isReset = try await discard(SampleCatalog.pagesUnit, in: goods.printing.store, accepting: loss) {
      .discardFrozenPages(accepting: $0)
    }
    if isReset { await reportPages(printing, goods) {} }
  }

  private func pages() throws -> (ConsumablesModel, ServerGoods) {
    guard let printing, let goods else { throw AppCommandError.noServer }
    return (printing, goods)
  }

  /// Reports the number of pages after `act`.
  ///
  /// - Parameter key: the key of the spend that `act` makes; nil if it makes no spend.
  @MainActor
  private func reportPages(
    _ printing: ConsumablesModel, _ goods: ServerGoods, spending key: UUID? = nil, after act: () async throws -> Void
  ) async {
    do {
      try await act()
      let balance = try goods.printing.credits.balance
      guard let key, let reason = printing.alert else { return send(.pages(balance)) }
      let isPending = try goods.printing.store.pendingSpends.contains { $0.key == key }
      send(isPending ? .pagesUnknown(reason: reason) : .pagesRefused(reason: reason, balance: balance))
    } catch {
      printing.report(error)
      send(.pagesUnknown(reason: "\(error)"))
    }
  }
}
