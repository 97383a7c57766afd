import Foundation
import StoreModel
import Testing

@testable import PurchaseServer

/// A server with the data that every operation's example needs.
struct FilledServer {
  let fixture: ServerFixture
  let reader: ServerFixture.Reader
  private let values: [String: String]

  init() async throws {
    var options = ServerFixture.Options()
    options.backUp = { "ledger.sqlite.backup-1" }
    fixture = try await ServerFixture(options)
    let phone = try await fixture.bookStore.phone()
    let reader = try await fixture.reader(on: phone)
    self.reader = reader
    let coins = try await fixture.bookStore.buy(on: phone)
    let book = try await fixture.bookStore.buy(BookStore.book, as: "payment 2", on: phone)
    let magazine = try await fixture.bookStore.buy(BookStore.magazine, as: "payment 3", on: phone)
    let link = try await fixture.withClient { client in
      _ = try await client.redeem(coins, token: reader.token)
      _ = try await client.redeem(magazine, token: reader.token)
      return try await client.redeem(book, token: reader.token).files().first?["link"] as? String
    }
    let key = try await fixture.ledger.createOperatorKey(name: "otto", by: "olga")
    values = [
      "RECEIPT": magazine.appReceipt.base64EncodedString(), "TRANSACTION": book.id.rawValue,
      "CUSTOMER": reader.customer, "KEY": key.identity.id, "POEM": "\(Sample.digest(ServerFixture.poemText))",
      "HELLO": "\(Sample.digest(Data("hello".utf8)))", "LINK": try #require(link),
    ]
  }

  func filled(_ text: String) -> String {
    // Replaces all names in one pass, because a value may contain another name.
    text.replacing(/\b[A-Z]+\b/) { name in values[String(name.0)] ?? String(name.0) }
  }

  func send(_ example: OperationExample, body: String? = nil) async throws -> Reply {
    let token: String? =
      switch example.caller {
      case .anonymous: nil
      case .customer: reader.token
      case .anOperator: fixture.operatorKey
      }
    let (path, text) = (filled(example.path), (body ?? example.body).map(filled))
    return try await fixture.withClient { try await $0.send(example.method, path, text, token: token) }
  }
}
