import Foundation
import SignedData
import StoreModel
import Testing

@testable import CommandLineTool

@Suite("receipt verify: app receipts", .timeLimit(.minutes(30)))
struct VerifyAppReceiptTests {
  let folder: ScratchFolder
  /// The emulator's root for receipts, DER.
  let root: String

  init() throws {
    folder = try ScratchFolder()
    root = try folder.write("root.der", try SampleStore.authority.receiptRootCertificate)
  }

  @Test("a genuine receipt is verified: status 0, and the text names its root")
  func verified() async throws {
    let file = try folder.write("receipt", try SampleStore.receipt([SampleStore.record(), SampleStore.subscription()]))
    let run = try await CommandRun.verify(
      file, "--root", root, "--bundle-id", "com.example.monkeys", "--device", SampleStore.vendorIdentifier.uuidString)
    #expect(run.status == 0)
    let fingerprint = SHA256Fingerprint(of: try SampleStore.authority.receiptRootCertificate).description
    let short = "(\(fingerprint.prefix(8))…\(fingerprint.suffix(8)))"
    #expect(run.row("verdict") == "verified: chains to OpenStoreKit Emulator Receipt Root CA \(short)")
    #expect(run.row("anchor") == fingerprint)
    #expect(run.row("checked at") == "2024-05-01 10:00:00Z")
    #expect(run.row("kind") == "app receipt")
    #expect(run.row("bundle id") == "com.example.monkeys")
    #expect(run.row("environment") == "ProductionSandbox")
    #expect(run.row("version") == "1.2.3")
    #expect(run.row("created") == "2024-05-01 10:00:00Z")
    #expect(run.row("device") == "issued to \(SampleStore.vendorIdentifier.uuidString)")
    #expect(run.row("signature") == "RSA-2048 with SHA-256")
    #expect(run.row("purchases") == "2")
    let parts = [
      "credits.5", "4000000007", "books.yearly", "4000000001", "2025-05-01 10:00:00Z", "2024-05-01 11:00:00Z",
    ]
    for part in parts {
      #expect(run.output.contains(part))
    }
    #expect(run.row("certificate 1")?.hasSuffix("CN=OpenStoreKit Emulator Receipt Signing 2024 (signer)") == true)
    #expect(run.row("certificate 3")?.hasSuffix("CN=OpenStoreKit Emulator Receipt Root CA") == true)
    #expect(run.output.split(separator: "\n").allSatisfy { $0.count <= 100 })
  }

  @Test("--json prints one document with stable names")
  func document() async throws {
    let file = try folder.write("receipt", try SampleStore.receipt([SampleStore.subscription()]).base64EncodedData())
    let run = try await CommandRun.verify(
      file, "--json", "--root", root, "--device", SampleStore.vendorIdentifier.uuidString)
    #expect(run.status == 0)
    let json = try #require(run.json)
    #expect(
      Set(json.keys) == [
        "kind", "verified", "anchor", "anchorName", "checkedDate", "device", "warnings", "receipt",
        "signatureAlgorithm", "certificates",
      ])
    #expect(json["kind"] as? String == "appReceipt")
    #expect(json["verified"] as? Bool == true)
    #expect((json["device"] as? [String: Any])?["matches"] as? Bool == true)
    let receipt = try #require(json["receipt"] as? [String: Any])
    #expect(receipt["bundleId"] as? String == "com.example.monkeys")
    #expect(receipt["environment"] as? String == "Sandbox")
    let purchase = try #require((receipt["inAppPurchases"] as? [[String: Any]])?.first)
    #expect(purchase["productId"] as? String == "books.yearly")
    #expect(purchase["originalTransactionId"] as? String == "4000000001")
    #expect(purchase["expiresDate"] as? String == "2025-05-01T10:00:00.000Z")
    #expect(purchase["quantity"] as? Int == 1)
    let certificates = try #require(json["certificates"] as? [[String: Any]])
    #expect(certificates.map { $0["isSigner"] as? Bool } == [true, false, false])
    #expect(certificates[0]["notBefore"] as? String == "2024-01-01T00:00:00Z")
  }

  @Test("without its root a receipt is refused for its chain: status 1, and the contents are marked as unverified")
  func untrusted() async throws {
    let file = try folder.write("receipt", try SampleStore.receipt())
    let run = try await CommandRun.verify(file)
    #expect(run.status == 1)
    #expect(run.row("verdict")?.hasPrefix("refused (chain): ") == true)
    #expect(run.output.contains("Do not trust them."))
    #expect(!run.output.contains("verified:"))
    let json = try #require(try await CommandRun.verify(file, "--json").json)
    #expect(json["verified"] as? Bool == false)
    #expect(json["fault"] as? String == "chain")
    #expect(json["anchor"] == nil)
    #expect((json["detail"] as? String)?.isEmpty == false)
  }

  @Test("receipts of another app and of another device are refused with that reason")
  func wrongAppOrDevice() async throws {
    let file = try folder.write("receipt", try SampleStore.receipt())
    let app = try await CommandRun.verify(file, "--root", root, "--bundle-id", "com.example.other", "--json")
    #expect(app.status == 1)
    #expect(app.json?["fault"] as? String == "bundle")
    let device = try await CommandRun.verify(file, "--root", root, "--device", SampleStore.otherDevice, "--json")
    #expect(device.status == 1)
    #expect(device.json?["fault"] as? String == "device")
    #expect((device.json?["device"] as? [String: Any])?["matches"] as? Bool == false)
    let text = try await CommandRun.verify(file, "--root", root, "--device", SampleStore.otherDevice)
    #expect(text.row("device") == "not issued to \(SampleStore.otherDevice)")
  }

  @Test("a Mac's receipt is compared with the address of its network interface")
  func macAddress() async throws {
    let device = try #require(DeviceIdentifier("00:1B:63:84:45:E6"))
    let receipt = AppReceipt(
      receiptType: "Production", bundleID: SampleStore.bundleID, applicationVersion: "1", device: device,
      opaqueValue: [1], creationDate: SampleStore.date, inAppPurchases: [])
    let file = try folder.write("receipt", try SampleStore.authority.signAppReceipt(receipt, at: SampleStore.date))
    #expect(try await CommandRun.verify(file, "--root", root, "--device", "00-1b-63-84-45-e6").status == 0)
    #expect(try await CommandRun.verify(file, "--root", root, "--device", "00-1b-63-84-45-e7").status == 1)
  }

  @Test("an altered receipt is refused for its signature, a damaged one for its structure")
  func altered() async throws {
    var receipt = try SampleStore.receipt()
    let position = try #require(receipt.range(of: Data("credits.5".utf8)))
    receipt[position.lowerBound] = UInt8(ascii: "C")
    let altered = try await CommandRun.verify(try folder.write("altered", receipt), "--root", root, "--json")
    #expect(altered.status == 1)
    #expect(altered.json?["fault"] as? String == "signature")
    let damaged = try await CommandRun.verify(try folder.write("damaged", receipt.dropLast(9)), "--json")
    #expect(damaged.status == 1)
    #expect(damaged.json?["fault"] as? String == "structure")
    #expect(damaged.json?["kind"] as? String == "appReceipt")
    #expect(damaged.json?["receipt"] == nil)
    let text = try await CommandRun.verify(try folder.write("damaged", receipt.dropLast(9)))
    #expect(text.row("verdict")?.hasPrefix("refused (structure)") == true)
  }

  @Test("a SHA-1 receipt is reported as such")
  func sha1() async throws {
    var unsigned = SampleStore.unsignedReceipt()
    unsigned.creationDate = StoreDate(millisecondsSince1970: 1_650_000_000_000)
    let receipt = try SampleStore.authority.signAppReceipt(unsigned, at: unsigned.creationDate, digest: .sha1)
    let run = try await CommandRun.verify(try folder.write("receipt", receipt), "--root", root)
    #expect(run.status == 0)
    #expect(run.row("signature") == "RSA-2048 with SHA-1")
  }
}
