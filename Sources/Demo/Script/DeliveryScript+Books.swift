import Foundation
import PurchaseKit
import SampleModel
import StoreModel

// Books are bought, delivered and restored.
extension DeliveryScript {
  func buyWithInterruptions(on phone: SampleAppPhone, _ servers: PurchaseServerGroup, killsServer: Bool) async throws {
    beginChapter(
      killsServer
        ? "A server and the app are killed in the middle of a book's download"
        : "The network is lost and the app is killed in the middle of a book's download")
    let size = (texts[book] ?? []).reduce(0) { $0 + $1.content.count }
    try phone.launch()
    servers.proxy.cut(afterBytes: size / 2)
    try await buy(book, on: phone)
    await servers.proxy.waitUntilCut()
    // The app may not have written all delivered bytes yet, so this waits until the app shows at least 30 %.
    try await phone.waitForButton(book) { Int($0.split(separator: " ").first ?? "") ?? 0 >= 30 }
    if killsServer { await servers.kill(0) }
    explain(
      killsServer
        ? "Half of the book is downloaded. One of the servers is killed with SIGKILL."
        : "Half of the book is downloaded. The network is lost.")
    let waiting = try await store.transactions().filter { $0.productId.rawValue == book && $0.finishedDate == nil }
    check("the transaction is unfinished", waiting.count == 1)
    try phone.send(.readBook(product: book))
    guard case .notOpened(let reason) = try await phone.nextEvent() else {
      throw DemoFailure("An incomplete book was opened.")
    }
    check(
      "an incomplete book cannot be opened: \(reason)",
      reason == BookError.onItsWay(book).customerMessage(Self.names))
    try await phone.kill()
    explain("The app is killed with SIGKILL.")

    servers.proxy.restore()
    try phone.launch()
    guard case .succeeded(book, let transaction, _) = try await nextEvent(on: phone) else {
      throw DemoFailure("The book was not granted at the next launch.")
    }
    try await phone.waitUntilFinished(transaction)
    let finished = try await store.transactions().filter { $0.productId.rawValue == book && $0.finishedDate != nil }
    check(
      "at the next launch the rest is downloaded, and the purchase is finished",
      finished.map(\.transactionId.rawValue).filter(waiting.map(\.transactionId.rawValue).contains) == [transaction])
    check(
      "of \(size) bytes, \(servers.proxy.deliveredBytes) were downloaded this time: the first part was not sent again",
      servers.proxy.deliveredBytes < size * 3 / 4)
    try await checkReading(book, on: phone, "the book opens, and its text is the published one")
    if killsServer { try await servers.reopen(0) }
    try await checkCharges([4_990], of: waiting.map(\.transactionId.rawValue))
    check("the ledger has one claim", try await servers.operators.claimants(of: waiting[0].transactionId.rawValue) == 1)
  }

  func buyLarge(on phone: SampleAppPhone, _ servers: PurchaseServerGroup) async throws {
    beginChapter("A large book: the purchase is finished first, and the book downloaded later")
    try await buy(encyclopedia, on: phone)
    try await takeDelivery(of: encyclopedia, on: phone)
    let before = try await books(on: phone).titles[encyclopedia] ?? ""
    check("the purchase is finished at once; its button reads \(before)", before == "Download")
    let after = try await books(on: phone, after: .download(product: encyclopedia))
    check("after the download its button reads \(after.titles[encyclopedia] ?? "")", after.alert == nil)
    try await checkReading(encyclopedia, on: phone, "the book opens, and its text is the published one")
  }

  func reinstall(_ phone: SampleAppPhone, _ servers: PurchaseServerGroup) async throws {
    beginChapter("The app is deleted and installed again, and purchases are restored")
    try await phone.quit()
    try phone.removeApp()
    try phone.launch()
    try await restoreBooks(on: phone)
    try await checkReading(book, on: phone, "the book is restored with its files")
    try phone.send(.download(product: encyclopedia))
    guard case .books = try await phone.nextEvent() else { throw DemoFailure("The download did not end.") }
    try await checkReading(encyclopedia, on: phone, "the large book is restored after a download")
  }

  func secondDevice(_ phone: SampleAppPhone) async throws {
    beginChapter("Restore purchases on a second device of the same account")
    try phone.launch()
    try await restoreBooks(on: phone)
    try await checkReading(book, on: phone, "the book is restored there, too")
    try await phone.quit()
  }

  /// Restores purchases, which also joins the phone with the customer's other phones.
  ///
  /// - Parameter later: the books that the customer bought after the first two.
  func restoreBooks(on phone: SampleAppPhone, later: Set<String> = []) async throws {
    try phone.send(.restore(on: .filters))
    var granted: Set<String> = []
    while true {
      switch try await nextEvent(on: phone) {
      case .succeeded(let product, _, _): granted.insert(product)
      // The app reports that there is no vault and no receipt yet.
      case .finding: continue
      case .restoreEnded(let message):
        return check("\(granted.count) books are granted: \(message)", granted == later.union([book, encyclopedia]))
      case let other: throw DemoFailure("Unexpected event during a restore: \(other)")
      }
    }
  }
}
