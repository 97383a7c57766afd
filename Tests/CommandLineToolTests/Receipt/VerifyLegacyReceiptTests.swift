import Foundation
import Testing

@testable import CommandLineTool

@Suite("receipt verify: legacy receipts", .timeLimit(.minutes(30)))
struct VerifyLegacyReceiptTests {
  let folder: ScratchFolder
  /// The certificate that a legacy receipt does not carry, DER.
  let intermediate: String
  let root: String

  init() throws {
    folder = try ScratchFolder()
    intermediate = try folder.write("intermediate.der", try SampleStore.authority.receiptIntermediateCertificate)
    root = try folder.write("root.der", try SampleStore.authority.receiptRootCertificate)
  }

  @Test("it is verified with the intermediate certificate, in binary and in base64")
  func verified() async throws {
    let receipt = try SampleStore.legacyReceipt()
    for data in [receipt, receipt.base64EncodedData()] {
      let run = try await CommandRun.verify(
        try folder.write("receipt", data), "--root", intermediate, "--bundle-id", "com.example.monkeys")
      #expect(run.status == 0)
      #expect(run.row("kind") == "legacy transaction receipt")
      #expect(run.row("verdict")?.hasPrefix("verified: chains to OpenStoreKit Emulator Receipt Signing CA (") == true)
      #expect(run.row("vendor id") == SampleStore.vendorIdentifier.uuidString)
      #expect(run.row("signature") == "RSA-2048 with SHA-1 (legacy version 3)")
      #expect(run.output.contains("credits.5"))
    }
  }

  @Test("with the root beside the intermediate it is traced back to the root")
  func root() async throws {
    let file = try folder.write("receipt", try SampleStore.legacyReceipt())
    let run = try await CommandRun.verify(file, "--root", intermediate, "--root", root, "--json")
    #expect(run.json?["anchorName"] as? String == "OpenStoreKit Emulator Receipt Root CA")
    let receipt = run.json?["receipt"] as? [String: Any]
    #expect((receipt?["fields"] as? [String: String])?["product-id"] == "credits.5")
    #expect(receipt?["claimedEnvironment"] as? String == "Sandbox")
    #expect((receipt?["inAppPurchases"] as? [[String: Any]])?.first?["transactionId"] as? String == "4000000007")
  }

  @Test("without the intermediate it is refused, and the message names the missing certificate")
  func untrusted() async throws {
    let file = try folder.write("receipt", try SampleStore.legacyReceipt())
    let run = try await CommandRun.verify(file, "--root", root, "--json")
    #expect(run.status == 1)
    #expect(run.json?["fault"] as? String == "chain")
    #expect((run.json?["detail"] as? String)?.contains("intermediate") == true)
  }

  @Test("a receipt of another device is refused")
  func wrongDevice() async throws {
    let file = try folder.write("receipt", try SampleStore.legacyReceipt())
    let run = try await CommandRun.verify(
      file, "--root", intermediate, "--device", SampleStore.otherDevice, "--json")
    #expect(run.status == 1)
    #expect(run.json?["fault"] as? String == "device")
  }
}
