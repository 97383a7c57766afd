import Foundation

/// A temporary folder for one test. It is removed when this object is released.
package final class ScratchFolder: Sendable {
  package let url: URL

  package init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "openstorekit-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { remove() }

  /// Removes the folder now.
  package func remove() { try? FileManager.default.removeItem(at: url) }

  package func path(_ name: String) -> String { url.appending(path: name).path }

  package func data(_ name: String) throws -> Data { try Data(contentsOf: url.appending(path: name)) }

  /// Writes a file and returns its path.
  @discardableResult
  package func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
    try Data(bytes).write(to: url.appending(path: name))
    return path(name)
  }

  @discardableResult
  package func write(_ name: String, _ text: String) throws -> String { try write(name, text.utf8) }

  /// Writes DER certificates as one PEM file.
  package func writeCertificates(_ name: String, _ certificates: [some Sequence<UInt8>]) throws {
    let texts = certificates.map { der in
      "-----BEGIN CERTIFICATE-----\n"
        + Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        + "\n-----END CERTIFICATE-----\n"
    }
    try write(name, texts.joined())
  }

  /// Runs a program in the folder to its end.
  @discardableResult
  package func run(_ program: String, _ arguments: String...) async throws -> Program.Outcome {
    try await run(program, arguments)
  }

  @discardableResult
  package func run(_ program: String, _ arguments: [String]) async throws -> Program.Outcome {
    try await Program.run(program, arguments, in: url)
  }
}
