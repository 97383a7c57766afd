import Foundation
import Testing

@Suite("openstorekit server check", .timeLimit(.minutes(10)))
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

  @Test("a complete configuration: its warnings, and the message that it is complete", .timeLimit(.minutes(5)))
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
    .timeLimit(.minutes(5)))
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
    .timeLimit(.minutes(5))
  )
  func silent() async throws {
    let (_, errors, status) = try await check(
      #"{"trust": {"apple": true}, "apps": [{"bundleId": "com.example.reader"}]}"#)
    #expect(status == 2)
    #expect(errors.contains("apps[0].verification is missing"), "\(errors)")
  }
}
