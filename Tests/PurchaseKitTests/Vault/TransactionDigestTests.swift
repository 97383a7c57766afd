import Foundation
import Testing

@testable import PurchaseKit

@Suite("The transactions that a key item remembers", .timeLimit(.minutes(30)))
struct TransactionDigestTests {
  @Test("the newest 4,096 are remembered, also after they were written and read")
  func newest() throws {
    var set = TransactionDigests()
    set.insert((0..<TransactionDigests.limit).map { "\($0)" })
    #expect(set.contains("0"))
    // An identifier that is added again becomes the newest.
    set.insert(["0", "next"])
    let read = try JSONDecoder().decode(TransactionDigests.self, from: JSONEncoder().encode(set))
    #expect(read == set)
    #expect(read.contains("0") && read.contains("next") && read.contains("2") && !read.contains("1"))
  }

  @Test("damaged bytes at the end are ignored")
  func damaged() throws {
    var set = TransactionDigests()
    set.insert(["1"])
    let bytes = try JSONDecoder().decode(Data.self, from: JSONEncoder().encode(set))
    let longer = try JSONEncoder().encode(bytes + [1, 2, 3])
    #expect(try JSONDecoder().decode(TransactionDigests.self, from: longer) == set)
    let short = try JSONEncoder().encode(Data([1]))
    #expect(try JSONDecoder().decode(TransactionDigests.self, from: short) == TransactionDigests())
  }
}
