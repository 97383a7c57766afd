import Foundation
import SharedFixtures
import Testing

@Suite("openstorekit server restored", .timeLimit(.minutes(30)))
struct ServerRestoredTests {
  @Test("F3 each call begins a new incarnation of the ledger")
  func restored() async throws {
    let folder = try ScratchFolder()
    let configuration = folder.url.appending(path: "server.json")
    let document: [String: Any] = [
      "database": ["sqlite": "ledger.sqlite"], "content": ["folder": "content"], "trust": ["apple": true],
      "apps": [["bundleId": "com.example.reader", "verification": "offline"]],
    ]
    try JSONSerialization.data(withJSONObject: document).write(to: configuration)

    let first = try await Program.output(of: "server", "restored", "--config", configuration.path)()
    let second = try await Program.output(of: "server", "restored", "--config", configuration.path)()

    for line in [first, second] { #expect(line.hasPrefix("incarnation ") && line.count == 48, "\(line)") }
    #expect(first != second)
  }
}
