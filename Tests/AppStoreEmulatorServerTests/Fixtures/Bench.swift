import Foundation

/// A folder in which programs are run: the independent judges of what the emulator hands out.
final class Bench: Sendable {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "emulator-server-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func write(_ name: String, _ data: Data) throws { try data.write(to: folder.appending(path: name)) }

  /// Writes DER certificates as one PEM file.
  func writeCertificates(_ name: String, _ certificates: [Data]) throws {
    let texts = certificates.map { der in
      "-----BEGIN CERTIFICATE-----\n"
        + der.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        + "\n-----END CERTIFICATE-----\n"
    }
    try write(name, Data(texts.joined().utf8))
  }

  struct Outcome: Sendable {
    let status: Int32
    let output: String
  }

  /// Runs a program in the folder and waits without holding a thread. Output goes through a file, which never fills up.
  func run(_ program: String, _ arguments: String...) async throws -> Outcome {
    let log = folder.appending(path: "log-\(UUID().uuidString)")
    _ = FileManager.default.createFile(atPath: log.path, contents: nil)
    let handle = try FileHandle(forWritingTo: log)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.currentDirectoryURL = folder
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = handle
    process.standardError = handle
    let status = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Int32, any Error>) in
      process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
      do {
        try process.run()
      } catch {
        process.terminationHandler = nil
        continuation.resume(throwing: error)
      }
    }
    try handle.close()
    return Outcome(status: status, output: String(decoding: try Data(contentsOf: log), as: UTF8.self))
  }
}
