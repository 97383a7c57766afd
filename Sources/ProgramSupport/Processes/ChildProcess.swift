import ChildProcesses
import Foundation
import StoreModel

/// A child process of this program. Its standard output is read line by line.
package final class ChildProcess: Sendable {
  private let process: SpawnedProcess
  private let input: FileHandle
  private let lines: AsyncStream<String>

  /// - Parameters:
  ///   - arguments: the arguments of the program.
  ///   - environment: variables to add to this process's environment.
  ///   - executable: the program to run; nil for this program itself.
  package init(_ arguments: [String], environment: [String: String] = [:], executable: URL? = nil) throws {
    let (input, output) = (try ProcessPipe(), try ProcessPipe())
    var inheritance = SpawnedProcess.Inheritance(adding: environment)
    inheritance.input = .handle(input.reading)
    inheritance.output = .handle(output.writing)
    process = try SpawnedProcess(try (executable ?? Self.thisProgram()).path, arguments, inheritance)
    self.input = input.writing
    let (lines, line) = AsyncStream.makeStream(of: String.self)
    self.lines = lines
    // A thread, because a `readabilityHandler` can crash the program: at the end of the output, its file descriptor may be
    // closed while libdispatch still waits for it.
    Thread { [handle = output.reading] in
      let splitter = LineSplitter()
      while case let data = handle.availableData, !data.isEmpty {
        for text in splitter.add(data) { line.yield(text) }
      }
      line.finish()
    }.start()
  }

  /// Returns the next line that the process writes; nil when its output has ended.
  package func nextLine() async -> String? { await lines.first { _ in true } }

  /// Writes a line to the standard input of the process.
  package func write(_ line: String) throws {
    try input.write(contentsOf: Data("\(line)\n".utf8))
  }

  /// Whether the process has not ended yet.
  package var isRunning: Bool { process.isRunning }

  /// The exit status, or the number of the signal that ended the process. Waits until it has ended, even in a cancelled task.
  /// Any number of tasks may wait.
  package var status: Int32 { get async { await process.end.number } }

  /// Ends the process by closing its standard input. Kills it if it takes longer than `graceSeconds`.
  ///
  /// - Parameters:
  ///   - graceSeconds: the time until the process is killed; see ``ShutdownSeconds``.
  ///   - clock: measures that time.
  /// - Returns: the ``status``, when the process has ended.
  @discardableResult
  package func end(
    graceSeconds: Int, clock: any MachineClock = SystemClock()
  ) async -> Int32 {
    do {
      try input.close()
    } catch {
      // The process cannot be asked to end, so it is killed.
      return await kill()
    }
    let timeout = Task {
      try await clock.sleep(for: .seconds(graceSeconds))
      await kill()
    }
    defer { timeout.cancel() }
    return await status
  }

  /// Ends the process with SIGKILL, as a crash or a power cut would.
  ///
  /// - Returns: the ``status``, when the process has ended.
  @discardableResult
  package func kill() async -> Int32 {
    process.send(SIGKILL)
    return await status
  }

  private static func thisProgram() throws -> URL {
    URL(filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
  }
}

/// Splits incoming data into lines.
private final class LineSplitter: Sendable {
  private let rest = LockedValue(Data())

  /// Adds data, and returns the lines that are complete now, without their line feeds.
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

extension ChildProcess {
  /// Waits until the process accepts connections, and returns its address. The process reports it as a line `ready URL`.
  ///
  /// - Parameter name: the name of the program in the error message.
  /// - Throws: ``CommandFailure`` if the process writes another line or ends. The process is then killed; its own error
  ///   message is on standard error.
  package func address(of name: String) async throws -> URL {
    let start = "ready "
    if let line = await nextLine(), line.hasPrefix(start),
      let address = URL(string: String(line.dropFirst(start.count)))
    {
      return address
    }
    await kill()
    throw CommandFailure.refused("The \(name) did not start.")
  }
}
