import Foundation
import SignedData
import Testing

@testable import CommandLineTool

@Suite("receipt verify --trust-xcode", .timeLimit(.minutes(30)))
struct TrustXcodeTests {
  let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  @Test("an Xcode receipt is verified by its own certificate only when asked for, with a plain warning")
  func receipt() async throws {
    let unsigned = SampleStore.unsignedReceipt(environment: .xcode)
    let file = try folder.write("receipt", try await XcodeCertificate().receipt(unsigned))
    let refused = try await CommandRun.verify(file, "--json")
    #expect(refused.status == 1)
    #expect(refused.json?["fault"] as? String == "chain")
    let run = try await CommandRun.verify(file, "--trust-xcode")
    #expect(run.status == 0)
    #expect(run.row("verdict")?.hasPrefix("verified: signed by StoreKit Testing in Xcode (") == true)
    #expect(run.output.replacing("\n", with: " ").contains("Anyone can make such a certificate"))
    let document = try await CommandRun.verify(file, "--trust-xcode", "--json")
    #expect((document.json?["warnings"] as? [String])?.first?.contains("Anyone can make") == true)
  }

  @Test("such a certificate is trusted for Xcode's environment only")
  func otherEnvironment() async throws {
    let unsigned = SampleStore.unsignedReceipt(environment: .production)
    let file = try folder.write("receipt", try await XcodeCertificate().receipt(unsigned))
    let run = try await CommandRun.verify(file, "--trust-xcode", "--json")
    #expect(run.status == 1)
    #expect(run.json?["fault"] as? String == "environment")
  }

  @Test("an Xcode JWS is verified in the same way, whatever its payload")
  func jws() async throws {
    let transaction = SignedTransaction(record: SampleStore.record(environment: .xcode), signedDate: SampleStore.date)
    let payloads = [
      transaction.payloadBytes(),
      Array(VerifyJWSTests.appTransaction.replacing("\"Sandbox\"", with: "\"Xcode\"").utf8),
      Array(VerifyJWSTests.renewalInfo.replacing("\"Sandbox\"", with: "\"Xcode\"").utf8),
    ]
    for payload in payloads {
      let file = try folder.write("jws", try await XcodeCertificate().jws(payload))
      #expect(try await CommandRun.verify(file).status == 1)
      #expect(try await CommandRun.verify(file, "--trust-xcode").status == 0)
    }
  }

  @Test("a payload that claims another environment is refused, although otherwise only its certificate is checked")
  func jwsOfOtherEnvironment() async throws {
    let plain = [VerifyJWSTests.appTransaction, VerifyJWSTests.renewalInfo, VerifyJWSTests.notification]
    // Each kind of payload has its own field for the environment.
    let disguised = [VerifyJWSTests.appTransaction, VerifyJWSTests.notification].map {
      String($0.dropLast()) + ",\"environment\":\"Xcode\"}"
    }
    for payload in plain + disguised {
      let file = try folder.write("jws", try await XcodeCertificate().jws(payload.utf8))
      let run = try await CommandRun.verify(file, "--trust-xcode", "--json")
      #expect(run.status == 1)
      #expect(run.json?["fault"] as? String == "environment")
    }
  }

  @Test("on data with a chain it has no effect, and a message says so")
  func noEffect() async throws {
    let file = try folder.write("receipt", try SampleStore.receipt())
    let run = try await CommandRun.verify(file, "--trust-xcode", "--json")
    #expect(run.status == 1)
    #expect((run.json?["warnings"] as? [String])?.first?.contains("no effect") == true)
  }
}
