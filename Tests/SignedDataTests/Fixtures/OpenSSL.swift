import Foundation

/// Runs the openssl command, the independent judge of what this module makes.
struct OpenSSL {
  let directory: URL

  init() throws {
    directory = FileManager.default.temporaryDirectory.appendingPathComponent("signed-data-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  func remove() { try? FileManager.default.removeItem(at: directory) }

  func path(_ name: String) -> String { directory.appendingPathComponent(name).path }

  func write(_ name: String, _ bytes: some Sequence<UInt8>) throws {
    try Data(bytes).write(to: directory.appendingPathComponent(name))
  }

  func read(_ name: String) throws -> Data { try Data(contentsOf: directory.appendingPathComponent(name)) }

  struct Outcome {
    let status: Int32
    let text: String
  }

  /// Runs in the directory; output goes through a file, so that no pipe can fill up.
  @discardableResult
  func run(_ arguments: String...) throws -> Outcome { try run(arguments: arguments) }

  @discardableResult
  func run(arguments: [String]) throws -> Outcome {
    let log = path("log-\(UUID().uuidString)")
    _ = FileManager.default.createFile(atPath: log, contents: nil)
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments
    process.currentDirectoryURL = directory
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = handle
    process.standardError = handle
    try process.run()
    process.waitUntilExit()
    try handle.close()
    let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: log)), as: UTF8.self)
    return Outcome(status: process.terminationStatus, text: text)
  }
}

extension Sequence<[UInt8]> {
  /// DER certificates as one PEM text.
  var pem: Data {
    let texts = map { der in
      "-----BEGIN CERTIFICATE-----\n"
        + Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        + "\n-----END CERTIFICATE-----\n"
    }
    return Data(texts.joined().utf8)
  }
}
