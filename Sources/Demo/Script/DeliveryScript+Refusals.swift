import ControlAPI
import Foundation
import PurchaseKit
import SampleModel
import StoreModel

// Redemptions that the server refuses, each with its own error code.
extension DeliveryScript {
  func replay(the phone: SampleAppPhone, _ servers: PurchaseServerGroup) async throws {
    beginChapter("Another customer presents the receipt")
    let (receipt, _) = try await receipt(of: phone)
    guard
      let bought = try await store.transactions().last(where: { $0.productId.rawValue == book })?.transactionId.rawValue
    else {
      throw DemoFailure("The store has no transaction for \(book).")
    }
    let operators = servers.operators
    let stranger = try await operators.installation()
    func expect(_ what: String, _ status: Int, _ code: String, _ answer: OperatorClient.Answer) {
      check("\(what): \(answer.status) \(answer.code ?? "")", answer.status == status && answer.code == code)
    }
    expect(
      "from another customer's device", 409, "claimedByAnotherCustomer",
      try await operators.redeem(receipt, bought, as: book, token: stranger))
    expect(
      "for another product", 422, "otherProduct",
      try await operators.redeem(receipt, bought, as: encyclopedia, token: stranger))
    expect(
      "for a purchase that the receipt does not contain", 422, "notInProof",
      try await operators.redeem(receipt, "1", as: book, token: stranger))
    var forged = receipt
    forged[forged.count - 20] ^= 1
    expect("altered", 422, "forgedProof", try await operators.redeem(forged, bought, as: book, token: stranger))
    expect(
      "cut short", 422, "unreadableProof",
      try await operators.redeem(receipt.prefix(400), bought, as: book, token: stranger))
    let elsewhere = try await operators.installation(in: PurchaseServerGroup.otherApp)
    expect(
      "in another app", 422, "wrongApp",
      try await operators.redeem(receipt, bought, as: book, token: elsewhere, app: PurchaseServerGroup.otherApp))
    check("nothing was granted: the purchase has one customer", try await operators.claimants(of: bought) == 1)
  }

  func refund(on phone: SampleAppPhone, _ servers: PurchaseServerGroup) async throws {
    beginChapter("Refund of a book")
    guard
      let bought = try await store.transactions().last(where: { $0.productId.rawValue == book })?.transactionId.rawValue
    else {
      throw DemoFailure("The store has no transaction for \(book).")
    }
    let (receipt, device) = try await receipt(of: phone)
    try await store.refund(try transactionID(bought))
    check("the running app is notified of the refund", try await phone.nextEvent() == .revoked(products: [book]))
    try phone.send(.readBook(product: book))
    let reason = BookError.notOwned(book).customerMessage(Self.names)
    check("the book cannot be opened any more: \(reason)", try await phone.nextEvent() == .notOpened(reason: reason))
    // A reinstalled app presents the receipt from before the refund. The server queries the store and detects the
    // refund.
    let answer = try await servers.operators.redeem(
      receipt, bought, as: book, token: try await servers.operators.installation(on: device))
    check(
      "the receipt from before the refund is refused: \(answer.status) \(answer.code ?? "")",
      answer.status == 410 && answer.code == "refunded")
    check("the other book stays owned", try await books(on: phone).titles[encyclopedia] == "Open")
  }

  func refundBeforeDelivery(on phone: SampleAppPhone, _ servers: PurchaseServerGroup) async throws {
    beginChapter("Refund of a book before its delivery")
    servers.proxy.cut()
    try await buy(book, on: phone)
    let bought = try await waitForCharge()
    try await store.refund(try transactionID(bought))
    check("the running app is notified of the refund", try await phone.nextEvent() == .revoked(products: [book]))
    servers.proxy.restore()
    explain("The network is back.")
    let event = try await phone.nextEvent()
    guard case .refused(book, let reason) = event else { throw DemoFailure("The purchase was not refused: \(event)") }
    try await phone.waitUntilFinished(bought)
    let finished = try await store.transactions().first { $0.transactionId.rawValue == bought }?.finishedDate
    check("the server refuses the redemption, and the purchase is finished: \(reason)", finished != nil)
    try phone.send(.readBook(product: book))
    let refusal = BookError.notOwned(book).customerMessage(Self.names)
    check("the book was not granted: \(refusal)", try await phone.nextEvent() == .notOpened(reason: refusal))
    try await phone.quit()
  }

  /// Returns the unfinished transaction of the book, once the store has made it.
  private func waitForCharge() async throws -> String {
    try await Repetition.untilTrue { try await !store.transactions().filter(isUnfinished).isEmpty }
    return try await store.transactions().filter(isUnfinished)[0].transactionId.rawValue
  }

  private func transactionID(_ text: String) throws -> TransactionID {
    guard let id = TransactionID(rawValue: text) else { throw DemoFailure("\(text) is no transaction id.") }
    return id
  }

  private func isUnfinished(_ transaction: TransactionView) -> Bool {
    transaction.productId.rawValue == book && transaction.finishedDate == nil
  }

  private func receipt(of phone: SampleAppPhone) async throws -> (receipt: Data, device: String) {
    try phone.send(.showReceipt)
    guard case .receipt(let path?, let device) = try await phone.nextEvent() else {
      throw DemoFailure("There is no receipt.")
    }
    return (try Data(contentsOf: URL(filePath: path)), device)
  }
}
