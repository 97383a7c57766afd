import Foundation
import StoreModel
import Testing

@testable import SignedData

@Suite("Anchors, fingerprints and devices", .timeLimit(.minutes(30)))
struct VocabularyTests {
  @Test("Apple's anchors are two roots and one legacy leaf, by the published fingerprints")
  func apple() {
    #expect(
      Set(TrustAnchors.apple.fingerprints.map(\.description)) == [
        "B0B1730ECBC7FF4505142C49F1295E6EDA6BCAED7E2C68C5BE91B5A11001F024",
        "63343ABFB89A6A03EBB57E9B3F5FA7BE7C4F5C756F3017B3A8C488C3653E9179",
      ])
    #expect(
      TrustAnchors.apple.legacyLeafFingerprints.map(\.description) == [
        "FCFDFCE9AC64E0FC3568CCFF5D0C700C7BE3ED4103DFD8B50F08408358FE937C"
      ])
    #expect(TrustAnchors.apple.certificates.isEmpty && TrustAnchors.apple.selfSignedFingerprints.isEmpty)
  }

  @Test("a union trusts what either trusts")
  func union() {
    let one = TrustAnchors(certificates: [[1]], legacyIntermediates: [[2]])
    let all = one + .apple
    #expect(all.certificates == [[1]] && all.legacyIntermediates == [[2]])
    #expect(all.fingerprints == TrustAnchors.apple.fingerprints)
    #expect(all + one == all && one.union(.apple) == all)
  }

  @Test("a fingerprint is read in either case, with colons, and travels as text")
  func fingerprints() throws {
    let fingerprint = SHA256Fingerprint(of: [1, 2, 3])
    #expect(fingerprint.description == "039058C6F2C0CB492C533B0A4D14EF77CC0F78ABCCCED5287D84A1A2011CFB81")
    let colons = Hexadecimal.text(of: fingerprint.bytes).enumerated().map { $0 > 0 && $0 % 2 == 0 ? ":\($1)" : "\($1)" }
    #expect(SHA256Fingerprint(hex: colons.joined().lowercased()) == fingerprint)
    #expect(SHA256Fingerprint(hex: "00") == nil && SHA256Fingerprint(hex: String(repeating: "g", count: 64)) == nil)
    let json = try JSONEncoder().encode([fingerprint])
    #expect(try JSONDecoder().decode([SHA256Fingerprint].self, from: json) == [fingerprint])
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([SHA256Fingerprint].self, from: Data("[\"1\"]".utf8))
    }
  }

  @Test("a device is read from a UUID or a network address")
  func devices() throws {
    let uuid = UUID()
    #expect(DeviceIdentifier(uuid.uuidString.lowercased()) == .vendorIdentifier(uuid))
    #expect(DeviceIdentifier("00-1b-63-84-45-e6") == .macAddress([0, 0x1B, 0x63, 0x84, 0x45, 0xE6]))
    #expect(DeviceIdentifier("00:1B:63:84:45:E6")?.description == "00:1B:63:84:45:E6")
    #expect(DeviceIdentifier("00:1B:63:84:45:E6")?.bytes.count == 6)
    #expect(DeviceIdentifier(uuid.uuidString)?.bytes.count == 16)
    for text in [
      "", "00:1B:63:84:45", "00:1B-63:84:45:E6", "0:1B:63:84:45:E62", "00:1B:63:84:45:G6", "00x1Bx63x84x45xE6",
    ] {
      #expect(DeviceIdentifier(text) == nil, "\(text)")
    }
  }

  @Test("a failure names its fault and its reason")
  func failures() {
    #expect(VerificationFailure(fault: .chain, detail: "why").description == "chain: why")
    #expect(
      VerificationFailure.Fault.allCases.map(\.rawValue) == [
        "structure", "chain", "marker", "date", "signature", "bundle", "environment", "device",
      ])
  }
}
