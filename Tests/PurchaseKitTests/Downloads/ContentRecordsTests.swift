import Foundation
import GRDB
import Testing

@testable import PurchaseKit

@Suite("Content records", .timeLimit(.minutes(30)))
struct ContentRecordsTests {
  private let book = LibraryFixture.book

  private func purchase(_ identifier: String, day: Int, _ proof: String = "receipt") -> RedeemablePurchase {
    RedeemablePurchase(
      transactionIdentifier: identifier, productIdentifier: book,
      date: Date(timeIntervalSince1970: 1_790_000_000 + Double(day) * 86_400), proof: .appReceipt(Data(proof.utf8)))
  }

  @Test("of two purchases of a product, the proof of the newer one is used, whatever their transaction ids look like")
  func newestProof() throws {
    for (old, new) in [("999", "1000"), ("1000", "999")] {
      let fixture = try LibraryFixture()
      try fixture.library.records.keep(purchase(new, day: 2, "new"))
      try fixture.library.records.keep(purchase(old, day: 1, "old"))
      #expect(try fixture.library.records.redemption(of: book) == purchase(new, day: 2, "new"))
    }
  }

  @Test("one proof of a thousand purchases is stored once, and deleted with the last of them")
  func proofKeptOnce() throws {
    let fixture = try LibraryFixture()
    let proof = String(repeating: "receipt", count: 10_000)
    for number in 1...1000 { try fixture.library.records.keep(purchase("\(number)", day: 1, proof)) }
    let count = {
      try fixture.library.records.database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM proof") }
    }
    #expect(try count() == 1)
    try fixture.library.records.removeRedemptions(of: book)
    #expect(try count() == 0)
  }

  @Test("records of the first version are migrated: products, parts and proofs")
  func firstVersion() throws {
    let folder = TestFolder()
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    let digest = FileDigest(of: Data("text".utf8))
    let queue = try DatabaseQueue(path: folder.url.appending(path: "content.sqlite").path)
    try ContentRecords.migrator.migrate(queue, upTo: "1")
    let proof = try #require(try ContentRecords.text(StoreProof.appReceipt(Data("receipt".utf8))))
    try queue.write { database in
      try database.execute(sql: "INSERT INTO product (id, end_reason) VALUES ('\(book)', 'Refunded.')")
      try database.execute(sql: "INSERT INTO part VALUES ('\(book)', '\(digest)', 1, 'text', 4, '\"tag\"')")
      for number in ["999", "1000"] {
        try database.execute(sql: "INSERT INTO redemption VALUES (?, ?, ?)", arguments: [number, book, proof])
      }
    }
    try queue.close()
    let fixture = try LibraryFixture(folder: folder)
    #expect(try fixture.downloads.state(of: book) == .ended(reason: "Refunded."))
    #expect(try fixture.library.records.part(of: book, digest)?.entityTag == "\"tag\"")
    #expect(try fixture.library.records.redemption(of: book)?.transactionIdentifier == "1000")
  }

  @Test("a full disk is reported as diskFull when a record is written, and nothing is changed")
  func diskFull() throws {
    let fixture = try LibraryFixture()
    let records = fixture.library.records
    _ = try records.database.write { try Int.fetchOne($0, sql: "PRAGMA max_page_count = 1") }
    let long = purchase("1", day: 1, String(repeating: "receipt", count: 10_000))
    #expect {
      try records.keep(long)
    } throws: {
      if case ContentError.diskFull(ContentDisk.spareBytes, _) = $0 { true } else { false }
    }
    #expect(try records.redemption(of: book) == nil)
    _ = try records.database.write { try Int.fetchOne($0, sql: "PRAGMA max_page_count = 100000") }
    try records.keep(long)
    #expect(try records.redemption(of: book) == long)
  }
}
