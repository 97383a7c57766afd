import Foundation
// For all files of this target.
@_exported import SharedFixtures

extension ScratchFolder {
  /// Everything in it, by name, but for the store's lock.
  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url.path).filter { $0 != ".lock" }.sorted()
  }

  func path(_ name: String) -> String { url.appending(path: name).path }

  func data(_ name: String) throws -> Data { try Data(contentsOf: url.appending(path: name)) }

  func write(_ data: Data, to name: String) throws { try data.write(to: url.appending(path: name)) }

  struct Outcome: Sendable {
    let status: Int32
    let output: String
  }

  /// Runs a program in the folder and waits without holding a thread.
  func run(_ program: String, _ arguments: [String]) async throws -> Outcome {
    let logs = FileManager.default.temporaryDirectory.appending(path: "log-\(UUID().uuidString)")
    _ = FileManager.default.createFile(atPath: logs.path, contents: nil)
    defer { try? FileManager.default.removeItem(at: logs) }
    let handle = try FileHandle(forWritingTo: logs)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.currentDirectoryURL = url
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
    return Outcome(status: status, output: String(decoding: try Data(contentsOf: logs), as: UTF8.self))
  }
}
