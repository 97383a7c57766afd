import Foundation
import Testing

@Suite("openstorekit server check")
struct ServerCheckTests {
  /// What it says of a configuration, and how it ends.
  private func check(_ configuration: String) async throws -> (output: String, errors: String, status: Int32) {
    let file = FileManager.default.temporaryDirectory.appending(path: "server-\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(configuration.utf8).write(to: file)
    let program = try Program("server", "check", "--config", file.path)
    let (output, status) = try await program.finish()
    return (output, program.standardError, status)
  }

  @Test("a configuration that is complete: what to beware of, and that it is complete", .timeLimit(.minutes(5)))
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
    #expect(lines.first?.hasPrefix("Beware: com.example.reader takes purchases of the sandbox") == true)
    #expect(lines.dropFirst().first?.hasPrefix("Beware: The ledger's connection string names 2 hosts") == true)
    #expect(lines.last == "The configuration is complete. Apps: com.example.reader (both).")
  }

  @Test(
    "how Apple's purchases are verified must be said: exit status 2, and which words there are", .timeLimit(.minutes(5))
  )
  func silent() async throws {
    let (_, errors, status) = try await check(
      #"{"trust": {"apple": true}, "apps": [{"bundleId": "com.example.reader"}]}"#)
    #expect(status == 2)
    #expect(errors.contains("apps[0].verification is missing"), "\(errors)")
  }
}
