import AppStoreEmulatorServer
import AppStoreServerAPI
import Crypto
import Foundation
import Logging
import ShopFixtures
import StoreModel
import Testing

@testable import AppStoreEmulator
@testable import CommandLineTool

@Suite("openstorekit server check", .timeLimit(.minutes(30)))
struct ServerCheckTests {
  /// Returns the output and the exit status for a configuration.
  private func check(
    _ configuration: String, mode: Int = 0o600
  ) async throws -> (output: String, errors: String, status: Int32) {
    let file = FileManager.default.temporaryDirectory.appending(path: "server-\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(configuration.utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
    let program = try Program("server", "check", "--config", file.path)
    let (output, status) = try await program.finish()
    return (output, program.standardError, status)
  }

  @Test("a complete configuration: its warnings, and the message that it is complete", .timeLimit(.minutes(30)))
  func warnings() async throws {
    let key = Data(repeating: 7, count: 32).base64EncodedString()
    let (output, _, status) = try await check(
      """
      {"trust": {"apple": true}, "apps": [{"bundleId": "com.example.reader", "verification": "both"}],
       "database": {"postgresql": "host=one,two dbname=purchases"}, "content": {"linkKeys": ["\(key)"]}}
      """)
    #expect(status == 0)
    let lines = output.split(separator: "\n")
    #expect(lines.count == 3, "\(output)")
    #expect(lines.first?.hasPrefix("Warning: com.example.reader takes purchases of the sandbox") == true)
    #expect(lines.dropFirst().first?.hasPrefix("Warning: The ledger's connection string names 2 hosts") == true)
    #expect(lines.last == "The configuration is complete. Apps: com.example.reader (both).")
  }

  @Test(
    "key files that other users can read or write, and proxies that match every address, cause warnings",
    .timeLimit(.minutes(30)))
  func exposed() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let key = Data(repeating: 7, count: 32).base64EncodedString()
    func file(_ name: String, _ text: String, _ mode: Int) throws -> String {
      let url = folder.appending(path: name)
      try Data(text.utf8).write(to: url)
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
      return url.path
    }
    func configuration(links: Int, secret: Int, keySet: Int, proxies: String) throws -> String {
      """
      {"listen": {"trustedProxies": [\(proxies)]}, "trust": {"apple": true},
       "apps": [{"bundleId": "a", "verification": "verifyReceipt", "environments": ["production"],
         "sharedSecretFile": "\(try file("secret", "5eCret", secret))"}],
       "content": {"linkKeysFile": "\(try file("links", key, links))"},
       "identity": {"issuer": "i", "audience": "a", "keySet": "\(try file("jwks.json", "{}", keySet))"}}
      """
    }
    let (fine, _, status) = try await check(
      configuration(links: 0o640, secret: 0o400, keySet: 0o644, proxies: #""10.0.0.0/8""#), mode: 0o644)
    #expect(status == 0 && !fine.contains("Warning"), "\(fine)")
    let (bad, _, badStatus) = try await check(
      configuration(links: 0o604, secret: 0o620, keySet: 0o646, proxies: #""0.0.0.0/0", "::/0""#), mode: 0o602)
    #expect(badStatus == 0)
    let warnings = bad.split(separator: "\n").filter { $0.hasPrefix("Warning: ") }
    #expect(warnings.count == 5, "\(bad)")
    for (name, text) in [
      ("links", "can be read by everybody"), ("secret", "can be written"), ("jwks.json", "can be written"),
      ("server-", "can be written"), ("trustedProxies", "every address"),
    ] { #expect(warnings.contains { $0.contains(name) && $0.contains(text) }, "\(name)") }
  }

  @Test(
    "a missing verification of Apple's purchases is exit status 2, and the message lists the allowed values",
    .timeLimit(.minutes(30))
  )
  func silent() async throws {
    let (_, errors, status) = try await check(
      #"{"trust": {"apple": true}, "apps": [{"bundleId": "com.example.reader"}]}"#)
    #expect(status == 2)
    #expect(errors.contains("apps[0].verification is missing"), "\(errors)")
  }

  @Test(
    "each key of the Server API is tried with one call: accepted, or refused with what to check",
    .timeLimit(.minutes(30)))
  func keys() async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    let app: BundleID = "com.example.reader"
    let store = try await EmulatedAppStore.selling([.consumable("com.example.reader.coins", 990)], in: app, seed: 5)
    let logger = Logger(label: "reader") { _ in SwiftLogNoOpLogHandler() }
    let server = try EmulatorServer(store: store, configuration: .init(port: 0), logger: logger)
    try await server.accepting(logger: logger) { port in
      func configuration(_ serverAPI: String) -> String {
        """
        {"trust": {"emulator": "http://127.0.0.1:\(port)"},
         "apps": [{"bundleId": "\(app)", "verification": "serverAPI", "environments": ["sandbox"]\(serverAPI)}]}
        """
      }
      let fine = try await check(configuration(""))
      #expect(fine.status == 0 && fine.output.contains(": the key") && fine.output.contains("is accepted"), "\(fine)")
      #expect(store.requests(RequestFilter(.serverAPI(GetTransactionInfo.self))).count == 1)
      // The right format, but not the store's key.
      let file = folder.url.appending(path: "key.p8")
      let other = P256.Signing.PrivateKey().pemRepresentation
      try Data(other.utf8).write(to: file)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
      let own =
        #", "serverAPI": {"keyId": "\#(try store.authority.apiKeyID())", "issuerId": "I", "privateKeyFile": "\#(file.path)"}"#
      let refused = try await check(configuration(own))
      #expect(
        refused.status == 1 && refused.output.contains("HTTP 401") && refused.output.contains("issuerId"), "\(refused)")
      #expect(!refused.output.contains(other) && refused.errors.contains("does not accept the key of \(app)"))
      for (text, problem) in [("no key", "PKCS#8"), (nil, "cannot be read")] as [(String?, String)] {
        try FileManager.default.removeItem(at: file)
        if let text { try Data(text.utf8).write(to: file) }
        let wrong = try await check(configuration(own))
        #expect(wrong.status == 2 && wrong.errors.contains(problem), "\(wrong)")
      }
    }
    // A store that is away is a warning: the server may start later.
    let away = try await check(
      #"{"trust": {"emulator": "http://127.0.0.1:1"}, "apps": [{"bundleId": "a", "verification": "serverAPI"}]}"#)
    #expect(away.status == 0 && away.output.contains("Warning: The emulator at"), "\(away)")
  }
}
