import Foundation
import StoreModel

/// A child process of this program. Its standard output is read line by line.
package final class ChildProcess: Sendable {
  private let process = Process()
  private let input = Pipe()
  private let lines: AsyncStream<String>
  private let ending = ProcessEnd()

  /// - Parameters:
  ///   - arguments: of the program.
  ///   - environment: added to this process's own.
  ///   - executable: the program; nil for this same one.
  package init(_ arguments: [String], environment: [String: String] = [:], executable: URL? = nil) throws {
    process.executableURL = try executable ?? Self.thisProgram()
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = input
    let output = Pipe()
    process.standardOutput = output
    let (lines, line) = AsyncStream.makeStream(of: String.self)
    self.lines = lines
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
    process.terminationHandler = { [ending] in ending.note($0.terminationStatus) }
    try process.run()
  }

  /// The next line the process writes; nil once it writes no more.
  package func nextLine() async -> String? { await lines.first { _ in true } }

  /// Writes a line to its standard input.
  package func write(_ line: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
  }

  /// Whether it has not ended yet.
  package var isRunning: Bool { process.isRunning }

  /// Its exit status, or the number of the signal that ended it, once it has ended. Whoever asks is told the same, however often,
  /// and a task that was cancelled waits for it, too.
  package var status: Int32 { get async { await ending.status } }

  /// Asks it to end by closing its standard input, as a program does that was told to end with it, and kills it where it takes too long.
  ///
  /// - Parameters:
  ///   - graceSeconds: how long it may take; see ``SecondsToEnd``.
  ///   - clock: on which that is measured.
  /// - Returns: its ``status``, once it is gone.
  @discardableResult
  package func end(
    graceSeconds: Int, clock: any MachineClock = SystemClock()
  ) async -> Int32 {
    do {
      try input.fileHandleForWriting.close()
    } catch {
      // Then nobody can ask it any more.
      return await kill()
    }
    let impatience = Task {
      try await clock.sleep(for: .seconds(graceSeconds))
      await kill()
    }
    defer { impatience.cancel() }
    return await status
  }

  /// Ends it with SIGKILL, as a crash or a power cut would.
  ///
  /// - Returns: its ``status``, once it is gone.
  @discardableResult
  package func kill() async -> Int32 {
    // One that has ended is not sent anything: its number may be another's by now.
    if isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
    return await status
  }

  private static func thisProgram() throws -> URL {
    URL(filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
  }
}

/// Splits the data that arrives into lines.
private final class LineSplitter: Sendable {
  private let rest = LockedValue(Data())

  /// The lines that are complete now, without their ends.
  func add(_ data: Data) -> [String] {
    rest.withLock { rest in
      rest.append(data)
      var lines: [String] = []
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        lines.append(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
        rest = Data(rest[rest.index(after: end)...])
      }
      return lines
    }
  }
}
