import Foundation
import StoreModel
import Testing

@testable import PurchaseServer

/// A server with the data that every operation's example needs.
struct BusyRoom {
  let room: ReadingRoom
  let reader: ReadingRoom.Reader
  private let words: [String: String]

  init() async throws {
    var wishes = ReadingRoom.Wishes()
    wishes.backUp = { "ledger.sqlite.backup-1" }
    room = try await ReadingRoom(wishes)
    let phone = try await room.books.phone()
    let reader = try await room.reader(on: phone)
    self.reader = reader
    let coins = try await room.books.buy(on: phone)
    let book = try await room.books.buy(BookStore.book, as: "payment 2", on: phone)
    let magazine = try await room.books.buy(BookStore.magazine, as: "payment 3", on: phone)
    let link = try await room.doors { client in
      _ = try await client.redeem(coins, token: reader.token)
      _ = try await client.redeem(magazine, token: reader.token)
      return try await client.redeem(book, token: reader.token).files().first?["link"] as? String
    }
    let key = try await room.ledger.createOperatorKey(name: "otto", by: "olga")
    words = [
      "RECEIPT": magazine.appReceipt.base64EncodedString(), "TRANSACTION": book.id.rawValue,
      "CUSTOMER": reader.customer, "KEY": key.identity.id, "POEM": "\(Sample.digest(ReadingRoom.poemText))",
      "HELLO": "\(Sample.digest(Data("hello".utf8)))", "LINK": try #require(link),
    ]
  }

  func filled(_ text: String) -> String {
    // Replaces all words in one pass, because a replacement may contain another word.
    text.replacing(/\b[A-Z]+\b/) { word in words[String(word.0)] ?? String(word.0) }
  }

  func send(_ example: OperationExample, body: String? = nil) async throws -> Reply {
    let token: String? =
      switch example.caller {
      case .nobody: nil
      case .customer: reader.token
      case .anOperator: room.operatorKey
      }
    let (path, text) = (filled(example.path), (body ?? example.body).map(filled))
    return try await room.doors { try await $0.send(example.method, path, text, token: token) }
  }
}
