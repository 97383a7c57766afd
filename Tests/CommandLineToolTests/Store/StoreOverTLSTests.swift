import ControlAPI
import Foundation
import HTTPTransport
import ProgramSupport
import SharedFixtures
import Testing

@Suite("The command line and a store with TLS", .timeLimit(.minutes(30)))
struct StoreOverTLSTests {
  @Test("--store https://… trusts the root that SSL_CERT_FILE names; without it, the message names this variable")
  func trust() async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    try folder.write("shop.storekit", #"{"products": [{"productID": "a", "type": "Consumable", "displayPrice": "1"}]}"#)
    let emulator = try Program(
      "emulator", "--config", folder.url.appending(path: "shop.storekit").path, "--port", "0", "--tls-port", "0",
      "--in-memory", "--control-token", "token")
    let ready = emulator.nextOutput()
    let address = try #require(URL(string: String(ready.dropFirst("ready ".count).dropLast())))
    let connection = try await ControlAPIClient(address: address, token: "token")
      .call(ControlEndpoints.connection, query: ConnectionQuery(bundleId: nil)).value
    try folder.writeCertificates("root.pem", [connection.tlsRootCertificate])
    let port = try #require(emulator.standardError.firstMatch(of: #/TLS on https:\/\/127\.0\.0\.1:(\d+)/#)?.1)
    func clock(trusting root: String) async throws -> (text: String, status: Int32) {
      let program = try Program(
        arguments: ["clock", "--store", "https://localhost:\(port)", "--control-token", "token"],
        environment: ["SSL_CERT_FILE": root])
      let (output, status) = try await program.finish()
      return (output + program.standardError, status)
    }
    let trusted = try await clock(trusting: folder.url.appending(path: "root.pem").path)
    #expect(trusted.status == 0, "\(trusted.text)")
    let untrusted = try await clock(trusting: "")
    #expect(untrusted.status == 1)
    #expect(untrusted.text.contains("SSL_CERT_FILE"), "\(untrusted.text)")
    emulator.terminate()
    #expect(try await emulator.finish().status == 0)
  }
}
