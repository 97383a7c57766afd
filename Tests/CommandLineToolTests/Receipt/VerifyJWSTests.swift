import Foundation
import Testing

@testable import CommandLineTool

@Suite("receipt verify: JWS", .timeLimit(.minutes(30)))
struct VerifyJWSTests {
  let folder: ScratchFolder
  let root: String

  static let renewalInfo = """
    {"autoRenewProductId":"books.yearly","autoRenewStatus":1,"environment":"Sandbox",\
    "originalTransactionId":"4000000001","signedDate":1714557600000}
    """
  static let appTransaction = """
    {"applicationVersion":"1.2","bundleId":"com.example.monkeys","originalApplicationVersion":"1.0",\
    "receiptCreationDate":1714557600000,"receiptType":"Sandbox"}
    """
  static let notification = """
    {"data":{"bundleId":"com.example.monkeys","environment":"Sandbox"},"notificationType":"TEST",\
    "signedDate":1714557600000}
    """

  init() throws {
    folder = try ScratchFolder()
    root = try folder.write("root.der", try SampleStore.authority.jwsRootCertificate)
  }

  @Test("a transaction is verified, and its payload shown")
  func transaction() async throws {
    let file = try folder.write("jws", try SampleStore.transaction() + "\n")
    let run = try await CommandRun.verify(
      file, "--root", root, "--bundle-id", "com.example.monkeys", "--device", SampleStore.vendorIdentifier.uuidString)
    #expect(run.status == 0)
    #expect(run.row("kind") == "signed transaction (JWS)")
    #expect(run.row("verdict")?.hasPrefix("verified: chains to OpenStoreKit Emulator Root CA (") == true)
    #expect(run.row("environment") == "Sandbox")
    #expect(run.row("signature") == "ES256")
    #expect(run.output.contains("\n  \"productId\": \"credits.5\",\n"))
  }

  @Test("a transaction's payload is in the document, under its own key")
  func transactionDocument() async throws {
    let file = try folder.write("jws", try SampleStore.transaction())
    let json = try #require(try await CommandRun.verify(file, "--root", root, "--json").json)
    #expect(json["verified"] as? Bool == true)
    #expect((json["transaction"] as? [String: Any])?["price"] as? Int == 5970)
    #expect((json["transaction"] as? [String: Any])?["purchaseDate"] as? Int == 1_714_557_600_000)
    #expect(json["payload"] == nil)
  }

  @Test(
    "other payloads are verified as what they are",
    arguments: [
      (renewalInfo, ReceiptKind.renewalInfo), (appTransaction, .appTransaction), (notification, .notification),
      ("{\"signedDate\":1714557600000,\"requestIdentifier\":\"a\"}", .jws),
    ])
  func others(payload: String, kind: ReceiptKind) async throws {
    let file = try folder.write("jws", try SampleStore.payload(payload))
    let run = try await CommandRun.verify(file, "--root", root, "--json")
    #expect(run.status == 0)
    #expect(run.json?["kind"] as? String == kind.rawValue)
    #expect(run.json?["payload"] as? [String: Any] != nil)
    #expect(run.json?["transaction"] == nil)
    #expect(try await CommandRun.verify(file, "--root", root).row("kind") == kind.title)
  }

  @Test("every payload's app is compared, and a payload without an app does not match the expected one")
  func bundles() async throws {
    for payload in [Self.appTransaction, Self.notification] {
      let file = try folder.write("jws", try SampleStore.payload(payload))
      #expect(
        try await CommandRun.verify(file, "--root", root, "--bundle-id", "com.example.monkeys").status == 0)
      let other = try await CommandRun.verify(file, "--root", root, "--bundle-id", "com.example.other", "--json")
      #expect(other.status == 1)
      #expect(other.json?["fault"] as? String == "bundle")
    }
    let nameless = try folder.write("jws", try SampleStore.payload(Self.renewalInfo))
    let run = try await CommandRun.verify(nameless, "--root", root, "--bundle-id", "com.example.monkeys", "--json")
    #expect(run.status == 1)
    #expect(run.json?["fault"] as? String == "bundle")
  }

  @Test("an app transaction is compared with the device, and refused without a device verification")
  func devices() async throws {
    let nonce = UUID()
    let proof = Data(SampleStore.device.verification(nonce: nonce)).base64EncodedString()
    let payload =
      String(Self.appTransaction.dropLast())
      + ",\"deviceVerification\":\"\(proof)\",\"deviceVerificationNonce\":\"\(nonce)\"}"
    let file = try folder.write("jws", try SampleStore.payload(payload))
    let device = SampleStore.vendorIdentifier.uuidString
    #expect(try await CommandRun.verify(file, "--root", root, "--device", device).status == 0)
    let other = try await CommandRun.verify(file, "--root", root, "--device", SampleStore.otherDevice, "--json")
    #expect(other.json?["fault"] as? String == "device")
    let bare = try folder.write("bare", try SampleStore.payload(Self.appTransaction))
    #expect(try await CommandRun.verify(bare, "--root", root, "--device", device).status == 1)
    let transaction = try folder.write("transaction", try SampleStore.transaction())
    #expect(try await CommandRun.verify(transaction, "--root", root, "--device", SampleStore.otherDevice).status == 1)
  }

  @Test("the output for a verified notification says that its nested data were not verified")
  func nested() async throws {
    let file = try folder.write("jws", try SampleStore.payload(Self.notification))
    #expect(try await CommandRun.verify(file, "--root", root).output.contains("warning: the signed texts inside"))
  }

  @Test("a foreign root, and an altered payload, are refused")
  func refused() async throws {
    let jws = try SampleStore.transaction()
    let foreign = try await CommandRun.verify(try folder.write("jws", jws), "--json")
    #expect(foreign.status == 1)
    #expect(foreign.json?["fault"] as? String == "chain")
    var parts = jws.split(separator: ".").map(String.init)
    parts[1] = try SampleStore.transaction(SampleStore.record(8)).split(separator: ".").map(String.init)[1]
    let altered = try folder.write("altered", parts.joined(separator: "."))
    let run = try await CommandRun.verify(altered, "--root", root, "--json")
    #expect(run.status == 1)
    #expect(run.json?["fault"] as? String == "signature")
  }
}
