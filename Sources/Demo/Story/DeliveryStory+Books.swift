import Foundation
import SampleModel
import StoreModel

// Books are bought, delivered and restored.
extension DeliveryStory {
  func buyWithInterruptions(on phone: SampleAppPhone, _ servers: ServerStage, killsServer: Bool) async throws {
    open(
      killsServer
        ? "A book is bought; half-way through its download a server dies, and the app too"
        : "A book is bought; half-way through its download the network is lost, and the app killed")
    let size = (texts[book] ?? []).reduce(0) { $0 + $1.content.count }
    try phone.launch()
    servers.line.cut(afterBytes: size / 2)
    try await buy(book, on: phone)
    await servers.line.waitUntilCut()
    // Delivered bytes are not written yet, so this waits until the app shows at least 30 %.
    try await phone.waitForButton(book) { Int($0.split(separator: " ").first ?? "") ?? 0 >= 30 }
    if killsServer { await servers.kill(0) }
    say(killsServer ? "Half of it is here. SIGKILL to one of the servers." : "Half of it is here. The network is gone.")
    let waiting = try await store.transactions().filter { $0.productId.rawValue == book && $0.finishedDate == nil }
    check("the transaction waits, unfinished", waiting.count == 1)
    try phone.tell(.openBook(product: book))
    guard case .notOpened(let reason) = try await phone.nextEvent() else {
      throw DemoFailure("Half a book was opened.")
    }
    check("half a book is never opened: \(reason)", reason == BookError.notOwned(book).description)
    try await phone.kill()
    say("SIGKILL to the app.")

    servers.line.mend()
    try phone.launch()
    guard case .succeeded(book, let transaction, _) = try await nextEvent(on: phone) else {
      throw DemoFailure("The book was not given at the next launch.")
    }
    try await phone.waitUntilFinished(transaction)
    let finished = try await store.transactions().filter { $0.productId.rawValue == book && $0.finishedDate != nil }
    check(
      "at the next launch the rest comes, and that purchase is finished",
      finished.map(\.transactionId.rawValue).filter(waiting.map(\.transactionId.rawValue).contains) == [transaction])
    check(
      "of \(size) bytes, \(servers.line.deliveredBytes) came this time: what was here was not sent again",
      servers.line.deliveredBytes < size * 3 / 4)
    try await checkReading(book, on: phone, "it opens, and reads word for word as it was published")
    if killsServer { try await servers.reopen(0) }
    try await checkCharges([4_990], of: waiting.map(\.transactionId.rawValue))
    check("the ledger has one claim", try await servers.operators.claimants(of: waiting[0].transactionId.rawValue) == 1)
  }

  func buyLarge(on phone: SampleAppPhone, _ servers: ServerStage) async throws {
    open("A very large book is finished first, and downloaded later")
    try await buy(encyclopedia, on: phone)
    try await takeDelivery(of: encyclopedia, on: phone)
    let before = try await books(on: phone).titles[encyclopedia] ?? ""
    check("the purchase is finished at once; its button reads \(before)", before == "Download")
    let after = try await books(on: phone, after: .download(product: encyclopedia))
    check("downloaded from its own screen, its button reads \(after.titles[encyclopedia] ?? "")", after.alert == nil)
    try await checkReading(encyclopedia, on: phone, "it opens, and reads word for word as it was published")
  }

  func reinstall(_ phone: SampleAppPhone, _ servers: ServerStage) async throws {
    open("The app is removed and installed again; the customer restores")
    try await phone.quit()
    try phone.removeApp()
    try phone.launch()
    try phone.tell(.restore)
    try await expectRestored(on: phone)
    try await checkReading(book, on: phone, "the book is there again, files and all")
    try phone.tell(.download(product: encyclopedia))
    guard case .books = try await phone.nextEvent() else { throw DemoFailure("The download did not end.") }
    try await checkReading(encyclopedia, on: phone, "and the large one, when it is fetched")
  }

  func secondDevice(_ phone: SampleAppPhone) async throws {
    open("On a second device of the same account, the customer restores")
    try phone.launch()
    try phone.tell(.restore)
    try await expectRestored(on: phone)
    try await checkReading(book, on: phone, "the book is there, too")
    try await phone.quit()
  }

  private func expectRestored(on phone: SampleAppPhone) async throws {
    var given: Set<String> = []
    while true {
      switch try await nextEvent(on: phone) {
      case .succeeded(let product, _, _): given.insert(product)
      // The app reports that there is no vault and no receipt yet.
      case .finding: continue
      case .restoreEnded(let message):
        return check("\(given.count) books are given: \(message)", given == [book, encyclopedia])
      case let other: throw DemoFailure("Restoring, something else happened: \(other)")
      }
    }
  }
}
