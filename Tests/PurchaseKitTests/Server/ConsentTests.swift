import Foundation
import PurchaseKit
import SignedData
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite("The consent to information about consumption", .timeLimit(.minutes(30)))
struct ConsentTests {
  @Test("is recorded for the customer of the installation, and can be withdrawn")
  func recorded() async throws {
    try await LivePurchaseServer.running(files: ["book.txt": Data("text".utf8)]) { server in
      let client = server.client(MemoryVaultKeyStore(), .vendorIdentifier(UUID()))
      #expect(try await client.consentsToConsumptionInformation() == false)
      for isGiven in [true, false] {
        try await client.setConsent(toConsumptionInformation: isGiven)
        #expect(try await client.consentsToConsumptionInformation() == isGiven)
        let customer = CustomerID(rawValue: try await client.identify())
        let consent = try await server.ledger.consent(of: customer, app: ScriptedServer.bundleID)
        #expect(consent.consumptionInformation == isGiven && consent.changed != nil)
      }
    }
  }
}
