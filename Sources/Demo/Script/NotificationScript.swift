import ControlAPI
import Foundation
import SampleModel
import StoreModel

/// The part of the script about what happens at the store while no app runs: the store notifies the developer's server.
final class NotificationScript: ScriptPart {
  private static let app = BundleID(SampleCatalog.bundleIdentifier)
  private static let account: AccountName = "subscriber"
  private static let plan = ProductID(SampleCatalog.goldMonthly)
  private static let book = ProductID(SampleCatalog.smallPrint)

  private let storeAddress: URL

  init(environment: ScriptEnvironment, store: ControlAPIClient, reporter: ScriptReporter, storeAddress: URL) {
    self.storeAddress = storeAddress
    super.init(environment: environment, store: store, reporter: reporter)
  }

  func run() async throws {
    beginChapter("The store notifies the developer's server, while no app runs")
    try await store.add(Self.account)
    let servers = environment.servers("notified server", storeAddress: storeAddress)
    try await servers.open(1)
    try await store.notify(servers.address)
    let operators = servers.operators
    try await operators.list(Self.plan.rawValue, as: .autoRenewableSubscription)
    try await operators.list(Self.book.rawValue)
    let token = try await operators.installation()
    let book = try await bought(Self.book, operators, token: token)
    let club = try await bought(Self.plan, operators, token: token)
    let paid = try await accessEnd(club, operators)

    try await store.refund(book)
    check(
      "a refund ends the book at the server, within seconds",
      try await Repetition.succeeds(everyMilliseconds: 100) {
        try await operators.entitlement(by: book)?.endReason == "refunded"
      })

    try await store.setClock(to: paid.adding(seconds: 3_600))
    check(
      "a renewal extends the subscription at the server",
      try await Repetition.succeeds(everyMilliseconds: 100) { try await accessEnd(club, operators) > paid })
    let renewed = try await accessEnd(club, operators)
    check("by the store's new period", try await store.subscription(club).subscription.renewalDate == renewed)

    try await store.change(CustomerChange(paymentMethod: .declined), of: Self.account)
    try await store.setClock(to: renewed.adding(seconds: 3_600))
    check(
      "a grace period extends the access at the server, although the card was declined",
      try await Repetition.succeeds(everyMilliseconds: 100) {
        try await accessEnd(club, operators) == renewed.adding(seconds: 16 * 86_400)
      })

    try await store.setNotificationsDropped(true)
    try await store.reverseRefund(of: book)
    try await store.settleNotifications()
    try await store.setNotificationsDropped(false)
    check(
      "a notification that is lost on its way changes nothing at the server",
      try await operators.entitlement(by: book)?.endReason == "refunded")
    await servers.kill(0)
    try await store.refund(try await store.subscription(club).subscription.lastTransactionId)
    explain("The server is down, and the notification of the next refund is lost.")
    try await servers.reopen(0)
    // The period before is not refunded, and is over.
    check(
      "after its start, the server has read the refund from the store's history: the access has ended with the period before",
      try await Repetition.succeeds(everyMilliseconds: 100) { try await accessEnd(club, operators) == paid })
    check(
      "and the lost notification: the book's refund is reversed",
      try await Repetition.succeeds(everyMilliseconds: 100) {
        try await operators.entitlement(by: book)?.endReason == nil
      })
    await servers.clear()
  }

  /// Buys a product at the store, and redeems it at the server as an app does.
  private func bought(_ product: ProductID, _ operators: OperatorClient, token: String) async throws -> TransactionID {
    let transaction = try await store.buy(product, of: Self.app, for: Self.account).transactionId
    let answer = try await operators.redeem(
      try await store.receipt(of: transaction), transaction.rawValue, as: product.rawValue, token: token)
    guard answer.status == 200 else { throw DemoFailure("\(product) was not redeemed: HTTP \(answer.status)") }
    return transaction
  }

  private func accessEnd(_ transaction: TransactionID, _ operators: OperatorClient) async throws -> StoreDate {
    guard let end = try await operators.entitlement(by: transaction)?.accessUntil else {
      throw DemoFailure("The server has no end of access.")
    }
    return end
  }
}
