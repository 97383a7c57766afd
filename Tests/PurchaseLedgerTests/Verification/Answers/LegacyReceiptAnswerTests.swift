import Foundation
import SignedData
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite("Reading what the store says of a legacy receipt", .timeLimit(.minutes(10)))
struct LegacyReceiptAnswerTests {
  private func verified(_ line: ScriptedReceiptServer.Line) async throws -> VerifiedProof {
    try await Counter([line]).verify(Counter.legacy)
  }

  @Test("G1 the flat record is one purchase, and names the installation that bought")
  func fields() async throws {
    let installation = UUID()
    let proof = try await verified(
      StoreAnswer.legacy([
        "quantity": 4, "original_transaction_id": 99, "unique_vendor_identifier": installation.uuidString,
        "expires_date": "1785502800000", "expires_date_formatted": "2026-07-31 13:00:00 Etc/GMT",
      ]))
    #expect(proof.purchases.map(\.transactionID.rawValue) == ["100"])
    #expect(proof.purchases.map(\.originalTransactionID.rawValue) == ["99"])
    #expect(proof.purchases.map(\.quantity) == [4])
    #expect(proof.purchases.map(\.expiresDate?.millisecondsSince1970) == [1_785_502_800_000])
    #expect(proof.isIssued(.vendorIdentifier(installation)))
    #expect(!proof.isIssued(.vendorIdentifier(UUID())))
    #expect(!proof.isIssued(.macAddress([1, 2, 3, 4, 5, 6])))
  }

  @Test("an answer that names no installation is a bearer's")
  func bearer() async throws {
    #expect(try await !verified(StoreAnswer.legacy()).isIssued(.vendorIdentifier(UUID())))
  }

  @Test("its statement is as old as the newest thing it speaks of, whatever this machine's clock says")
  func statedDate() async throws {
    let standing = try await verified(StoreAnswer.legacy())
    #expect(standing.statedDate == StoreDate(millisecondsSince1970: StoreAnswer.bought))
    let refund: [String: Any] = ["cancellation_date_ms": "1782993600000", "cancellation_reason": "1"]
    let refunded = try await verified(StoreAnswer.legacy(refund))
    #expect(refunded.statedDate == StoreDate(millisecondsSince1970: 1_782_993_600_000))
    #expect(refunded.purchases[0].revocation == .init(date: refunded.statedDate, reason: 1))
    let future = try await verified(StoreAnswer.legacy(["expires_date": "1985502800000"]))
    #expect(future.statedDate == standing.statedDate)
  }

  @Test("an ended subscription (21006) is verified, with the period that the store knows last")
  func expired() async throws {
    let last = StoreAnswer.purchase("105", ["bid": StoreAnswer.app.rawValue, "expires_date": "1785502800000"])
    let proof = try await verified(
      StoreAnswer.legacy(
        ["expires_date": "1782910800000"], status: 21006, answer: ["latest_expired_receipt_info": last]))
    #expect(proof.purchases.map(\.transactionID.rawValue) == ["100", "105"])
    #expect(proof.purchases.map(\.expiresDate?.millisecondsSince1970) == [1_782_910_800_000, 1_785_502_800_000])
  }

  @Test("a renewal that the store tells of comes along, and is of the same app")
  func latest() async throws {
    let other = StoreAnswer.purchase("101", ["bid": "org.example.coffeehouse"])
    let counter = try Counter([StoreAnswer.legacy(answer: ["latest_receipt_info": other])])
    #expect(await counter.refusal(Counter.legacy)?.name == "wrongApp")
    let own = StoreAnswer.purchase("101", ["bid": StoreAnswer.app.rawValue])
    let proof = try await verified(StoreAnswer.legacy(answer: ["latest_receipt_info": own]))
    #expect(proof.purchases.map(\.transactionID.rawValue) == ["100", "101"])
  }

  @Test("an installation that is no UUID, or no app at all, is the store's failure")
  func unreadable() async throws {
    for fields in [["unique_vendor_identifier": "x"], ["bid": NSNull()]] as [[String: Any]] {
      let counter = try Counter([StoreAnswer.legacy(fields)])
      #expect(await counter.refusal(Counter.legacy)?.name == "storeUnavailable")
    }
  }
}
