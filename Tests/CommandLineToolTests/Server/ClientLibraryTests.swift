import Foundation
import SharedFixtures
import Testing

@Suite("openstorekit server without libpq", .timeLimit(.minutes(30)))
struct ClientLibraryTests {
  @Test("a ledger in PostgreSQL is refused with the name of the package to install; one in SQLite is served")
  func missing() async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    // The dynamic linker finds this file first, and cannot load it.
    try folder.write("libpq.so.5", "")
    func server(_ database: String) throws -> Program {
      try folder.write(
        "server.json",
        """
        {"trust": {"apple": true}, "apps": [{"bundleId": "com.example.reader", "verification": "both"}],
         "database": \(database), "content": {"linkKeys": ["\(Data(repeating: 7, count: 32).base64EncodedString())"]}}
        """)
      return try Program(
        arguments: ["server", "--config", "server.json", "--port", "0"],
        environment: ["LD_LIBRARY_PATH": folder.url.path], in: folder.url)
    }
    let refused = try server(#"{"postgresql": "host=/nowhere"}"#)
    #expect(try await refused.finish().status == 1)
    #expect(
      refused.standardError.contains(
        "The ledger's database cannot be opened: libpq, PostgreSQL's client library, cannot be loaded ("),
      "\(refused.standardError)")
    #expect(refused.standardError.contains("Install version 14 or later: the package libpq5 (Debian, Ubuntu)"))
    let served = try server(#"{"sqlite": "ledger.sqlite"}"#)
    #expect(served.nextOutput().hasPrefix("ready http://127.0.0.1:"))
    served.terminate()
    #expect(try await served.finish().status == 0)
  }
}
