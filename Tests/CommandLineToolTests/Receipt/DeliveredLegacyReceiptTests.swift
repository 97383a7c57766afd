import AppStoreEmulator
import Foundation
import ShopFixtures
import SignedData
import StoreModel
import Testing

@testable import CommandLineTool

@Suite("A legacy receipt that the emulator delivered", .timeLimit(.minutes(30)))
struct DeliveredLegacyReceiptTests {
  private let folder: ScratchFolder
  private let store: EmulatedAppStore
  private let receipt: Data

  init() async throws {
    folder = try ScratchFolder()
    store = try await .selling([.consumable("credits.5", 1_990)], in: SampleStore.bundleID, seed: 9)
    _ = try await store.purchase(
      "credits.5", quantity: 4, of: SampleStore.bundleID, for: EmulatedAppStore.firstCustomer, in: .sandbox)
    let registration = InstallationRegistration(
      installationID: "phone", bundleID: SampleStore.bundleID, environment: .sandbox,
      deviceID: SampleStore.vendorIdentifier, applicationVersion: "1.2.3")
    _ = try await store.register(registration)
    _ = try await store.signIn(SignInCredentials(account: EmulatedAppStore.firstCustomer), on: "phone")
    receipt = try #require(try await store.unfinished(for: "phone").deliveries.first?.transactionReceipt)
  }

  @Test("F3 receipt verify traces it to the emulator's root, for its app and device")
  func program() async throws {
    let intermediate = try folder.write("intermediate.der", try store.authority.receiptIntermediateCertificate)
    let root = try folder.write("root.der", try store.authority.receiptRootCertificate)
    let run = try await CommandRun.verify(
      try folder.write("receipt", receipt), "--root", intermediate, "--root", root, "--bundle-id",
      SampleStore.bundleID.rawValue, "--device", SampleStore.vendorIdentifier.uuidString, "--json")
    #expect(run.status == 0, "\(run.output)\(run.message)")
    #expect(run.json?["anchorName"] as? String == "OpenStoreKit Emulator Receipt Root CA")
    let fields = (run.json?["receipt"] as? [String: Any])?["fields"] as? [String: String]
    #expect(fields?["quantity"] == "4")
    #expect(fields?["unique-identifier"]?.count == 40)
  }

  @Test("F3 openssl finds the signature good, and its certificate issued under the emulator's root")
  func openssl() async throws {
    func openssl(_ arguments: [String]) async throws -> Int32 { try await folder.run("openssl", arguments).status }
    let text = String(decoding: receipt, as: UTF8.self)
    let info = try #require(Data(base64Encoded: try value("purchase-info", in: text)))
    let blob = try #require(Data(base64Encoded: try value("signature", in: text)))
    // Version, 256 bytes of signature, four of length, the certificate.
    #expect(blob.first == 3)
    #expect(blob[257..<261].reduce(0) { $0 << 8 | Int($1) } == blob.count - 261)
    try folder.write("signature", blob[1..<257])
    try folder.write("leaf.der", blob[261...])
    try folder.write("root.der", try store.authority.receiptRootCertificate)
    try folder.write("intermediate.der", try store.authority.receiptIntermediateCertificate)
    for name in ["leaf", "root", "intermediate"] {
      #expect(try await openssl(["x509", "-inform", "DER", "-in", "\(name).der", "-out", "\(name).pem"]) == 0)
    }
    #expect(
      try await openssl(
        ["verify", "-CAfile", "root.pem", "-untrusted", "intermediate.pem", "-x509_strict", "leaf.pem"]) == 0)

    #expect(try await openssl(["x509", "-in", "leaf.pem", "-noout", "-pubkey", "-out", "key.pem"]) == 0)
    try folder.write("signed", [3] + info)
    let check = ["dgst", "-sha1", "-verify", "key.pem", "-signature", "signature", "signed"]
    #expect(try await openssl(check) == 0)
    try folder.write("signed", [3] + info.dropLast())
    #expect(try await openssl(check) != 0)
  }

  private func value(_ key: String, in text: String) throws -> String {
    String(
      try #require(text.firstMatch(of: try Regex("\"\(key)\" = \"([^\"]+)\"", as: (Substring, Substring).self))).output
        .1)
  }
}
