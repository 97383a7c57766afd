import AppStoreServerAPI
import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Every API agrees on random histories", .timeLimit(.minutes(10)))
struct AgreementTests {
  /// One step of a history: a purchase, a renewal, a refund or its reversal, an extension, a finish, a token.
  private func step(
    _ shop: TeaShop, _ server: TeaServer, _ phone: Phone, _ generator: inout SeededGenerator
  ) async throws {
    func one(of ids: [TransactionID]) -> TransactionID? {
      ids.isEmpty ? nil : ids[Int(generator.next() % UInt64(ids.count))]
    }
    let choice = generator.next() % 9
    let days = Int64(1 + generator.next() % 20)
    let product = [TeaShop.oolong, TeaShop.teapot, TeaShop.season, TeaShop.monthly, TeaShop.yearly, TeaShop.news][
      Int(generator.next() % 6)]
    let payment = PaymentID("p\(generator.next())")
    let all = try await shop.store.transactions(RecordFilter(account: TeaShop.customer)).map(\.record.transactionID)
    let id = one(of: all.sorted())
    do {
      switch (choice, id) {
      case (0, _), (1, _), (2, _):
        try await shop.buy(
          product, as: payment, username: generator.next() % 2 == 0 ? UUID.version4(from: &generator).uuidString : nil,
          on: phone)
      case (3, _), (4, _): try await shop.advance(days: days)
      case (5, let id?): try await shop.store.refund(id, percentage: generator.next() % 2 == 0 ? 100_000 : 25_000)
      case (6, let id?): try await shop.store.reverseRefund(of: id)
      case (7, let id?):
        try await server.send(
          ExtendSubscriptionRenewalDate(
            originalTransactionId: id,
            ExtendRenewalDateRequest(
              extendByDays: Int(days), extendReasonCode: OpenEnum(.other), requestIdentifier: "r")))
      case (8, let id?):
        try await server.send(
          SetAppAccountToken(originalTransactionId: id, appAccountToken: .version4(from: &generator)))
      default: break
      }
    } catch is StoreRefusal {
    } catch is AppStoreEmulatorError {
    } catch is ServerAPIRefusal {}
  }

  @Test(
    "H1 device, app receipt, verifyReceipt, Server API and its history show one record of each transaction",
    arguments: [UInt64(1), 2, 3])
  func agreement(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let shop = try await TeaShop.lasting(seed: seed)
    let server = try await TeaServer(shop)
    let phone = try await shop.phone()
    for _ in 0..<60 { try await step(shop, server, phone, &generator) }
    let first = try #require(try await shop.store.transactions(RecordFilter(account: TeaShop.customer)).first)
    let history = try await server.history(of: first.record.transactionID)
    let records = try await shop.store.transactions(RecordFilter(account: TeaShop.customer)).map(\.record)
    #expect(Set(history.map(\.transactionID)) == Set(records.map(\.transactionID)))

    var device: [TransactionID: SignedTransaction] = [:]
    var revision: StoreRevision?
    while true {
      let page = try await shop.store.send(TransactionsCall(after: revision), for: phone.id)
      for transaction in page.transactions {
        let signed = try UnverifiedJWS(transaction.signedTransaction).transaction()
        device[signed.transactionID] = signed
      }
      revision = page.revision
      if !page.hasMore { break }
    }
    let data = try await shop.store.refreshReceipt(for: phone.id)
    let listed = Dictionary(
      uniqueKeysWithValues: try UnverifiedAppReceipt(data).receipt.inAppPurchases.map { ($0.transactionID, $0) })
    let password = try await shop.store.app(TeaShop.app).sharedSecret
    let answer = try await VerifyReceiptAnswer(shop, data, password: password)
    let verified = Dictionary(
      (answer.inApp + answer.latest).map { ($0["transaction_id"] ?? "", $0) }, uniquingKeysWith: { $1 })
    for record in records {
      func expected(at date: StoreDate) -> SignedTransaction { SignedTransaction(record: record, signedDate: date) }
      let id = record.transactionID
      let info = try await server.info(id)
      #expect(info == expected(at: info.signedDate))
      let paged = try #require(history.first { $0.transactionID == id })
      #expect(paged == expected(at: paged.signedDate))
      let onDevice = try #require(device[id])
      #expect(onDevice == expected(at: onDevice.signedDate))
      if let purchase = listed[id] { #expect(purchase == AppReceipt.InAppPurchase(record: record)) }
      guard let fields = verified[id.rawValue] else { continue }
      #expect(fields["original_transaction_id"] == info.originalTransactionID.rawValue)
      #expect(fields["product_id"] == info.productID.rawValue)
      #expect(fields["purchase_date_ms"] == "\(info.purchaseDate.millisecondsSince1970)")
      #expect(fields["original_purchase_date_ms"] == "\(info.originalPurchaseDate.millisecondsSince1970)")
      #expect(fields["expires_date_ms"] == info.expiresDate.map { "\($0.millisecondsSince1970)" })
      #expect(fields["cancellation_date_ms"] == info.revocationDate.map { "\($0.millisecondsSince1970)" })
      #expect(fields["cancellation_reason"] == info.rawRevocationReason.map { "\($0)" })
      #expect(fields["web_order_line_item_id"] == info.webOrderLineItemID)
      #expect(fields["subscription_group_identifier"] == info.subscriptionGroupID?.rawValue)
      #expect(fields["app_account_token"]?.uppercased() == info.appAccountToken?.uuidString)
      #expect(fields["quantity"] == "\(info.quantity)")
      #expect(fields["in_app_ownership_type"] == info.rawOwnership)
    }
    #expect(!verified.isEmpty && !listed.isEmpty)
  }
}
