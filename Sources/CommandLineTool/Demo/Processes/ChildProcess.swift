import Foundation

/// Another process of this program, heard line by line.
final class ChildProcess: @unchecked Sendable {
  private let process = Process()
  private let input = Pipe()
  private let lines: AsyncStream<String>
  private let ended: AsyncStream<Int32>

  /// - Parameters:
  ///   - arguments: of this same program.
  ///   - environment: added to this process's own.
  init(_ arguments: [String], environment: [String: String] = [:]) throws {
    process.executableURL = try Self.thisProgram()
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = input
    let output = Pipe()
    process.standardOutput = output
    let (lines, line) = AsyncStream.makeStream(of: String.self)
    self.lines = lines
    let (ended, end) = AsyncStream.makeStream(of: Int32.self)
    self.ended = ended
    let splitter = LineSplitter()
    output.fileHandleForReading.readabilityHandler = { handle in
      let data = handle.availableData
      if data.isEmpty {
        handle.readabilityHandler = nil
        line.finish()
      } else {
        for text in splitter.add(data) { line.yield(text) }
      }
    }
    process.terminationHandler = { process in
      end.yield(process.terminationStatus)
      end.finish()
    }
    try process.run()
  }

  /// The next line the process writes; nil once it writes no more.
  func nextLine() async -> String? { await lines.first { _ in true } }

  func write(_ line: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
  }

  /// Ends it with SIGKILL, as a crash or a power cut would, and waits until it is gone.
  func killAndWait() async {
    kill(process.processIdentifier, SIGKILL)
    _ = await ended.first { _ in true }
  }

  /// Closes its standard input and waits for its end.
  ///
  /// - Returns: its exit status.
  func finishInput() async throws -> Int32 {
    try input.fileHandleForWriting.close()
    return await ended.first { _ in true } ?? 0
  }

  /// Waits for its end, however it comes.
  ///
  /// - Returns: its exit status.
  func untilEnd() async -> Int32 { await ended.first { _ in true } ?? 0 }

  /// Kills it, and does not wait.
  func sendKill() { kill(process.processIdentifier, SIGKILL) }

  /// Lets it end by itself, as a program does that was told to end with its input.
  func closeInput() { try? input.fileHandleForWriting.close() }

  /// Returns when it is gone; where it has not ended by itself after so long, it is ended.
  func waitOrKill(graceSeconds: Double) {
    let process = process
    let end = DispatchWorkItem { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
    DispatchQueue.global().asyncAfter(deadline: .now() + graceSeconds, execute: end)
    process.waitUntilExit()
    end.cancel()
  }

  /// Ends it at once, and returns when it is gone.
  func killNow() {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  private static func thisProgram() throws -> URL {
    URL(filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
  }
}
