import Foundation
import SignedData
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite("Reading verifyReceipt answers about legacy receipts", .timeLimit(.minutes(30)))
struct LegacyReceiptAnswerTests {
  private func verified(_ answer: ScriptedReceiptServer.Answer) async throws -> VerifiedProof {
    try await ScriptedVerifier([answer]).verify(ScriptedVerifier.legacy)
  }

  @Test("G1 the flat record is one purchase, and contains the installation that bought it")
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

  @Test("an answer without an installation proves no device")
  func bearer() async throws {
    #expect(try await !verified(StoreAnswer.legacy()).isIssued(.vendorIdentifier(UUID())))
  }

  @Test("its date is that of its newest purchase, independent of this machine's clock")
  func statedDate() async throws {
    let unrevoked = try await verified(StoreAnswer.legacy())
    #expect(unrevoked.statedDate == StoreDate(millisecondsSince1970: StoreAnswer.bought))
    let refund: [String: Any] = ["cancellation_date_ms": "1782993600000", "cancellation_reason": "1"]
    let refunded = try await verified(StoreAnswer.legacy(refund))
    #expect(refunded.statedDate == StoreDate(millisecondsSince1970: 1_782_993_600_000))
    #expect(refunded.purchases[0].revocation == .init(date: refunded.statedDate, reason: 1))
    let future = try await verified(StoreAnswer.legacy(["expires_date": "1985502800000"]))
    #expect(future.statedDate == unrevoked.statedDate)
  }

  @Test("an ended subscription (21006) is verified, with the last period that the store knows")
  func expired() async throws {
    let last = StoreAnswer.purchase("105", ["bid": StoreAnswer.app.rawValue, "expires_date": "1785502800000"])
    let proof = try await verified(
      StoreAnswer.legacy(
        ["expires_date": "1782910800000"], status: 21006, answer: ["latest_expired_receipt_info": last]))
    #expect(proof.purchases.map(\.transactionID.rawValue) == ["100", "105"])
    #expect(proof.purchases.map(\.expiresDate?.millisecondsSince1970) == [1_782_910_800_000, 1_785_502_800_000])
  }

  @Test("a renewal in the answer is included, and must be of the same app")
  func latest() async throws {
    let other = StoreAnswer.purchase("101", ["bid": "org.example.coffeehouse"])
    let scripted = try ScriptedVerifier([StoreAnswer.legacy(answer: ["latest_receipt_info": other])])
    #expect(await scripted.refusal(ScriptedVerifier.legacy)?.name == "wrongApp")
    let own = StoreAnswer.purchase("101", ["bid": StoreAnswer.app.rawValue])
    let proof = try await verified(StoreAnswer.legacy(answer: ["latest_receipt_info": own]))
    #expect(proof.purchases.map(\.transactionID.rawValue) == ["100", "101"])
  }

  @Test("an installation that is no UUID, or a missing app, is an error of the store")
  func unreadable() async throws {
    for fields in [["unique_vendor_identifier": "x"], ["bid": NSNull()]] as [[String: Any]] {
      let scripted = try ScriptedVerifier([StoreAnswer.legacy(fields)])
      #expect(await scripted.refusal(ScriptedVerifier.legacy)?.name == "storeUnavailable")
    }
  }
}
