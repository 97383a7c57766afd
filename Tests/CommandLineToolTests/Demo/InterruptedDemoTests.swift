import Foundation
import SharedFixtures
import Testing

@testable import CommandLineTool
@testable import Demo

@Suite("demo --headless, interrupted", .timeLimit(.minutes(30)))
struct InterruptedDemoTests {
  @Test(
    "the first signal determines the exit status; no check fails, and no process or temporary file is left",
    arguments: [
      ([SIGINT], 130), ([SIGINT, SIGINT], 130), ([SIGTERM], 143), ([SIGHUP, SIGHUP], 129),
    ] as [([Int32], Int32)])
  func interrupted(_ signals: [Int32], _ status: Int32) async throws {
    let scratch = try ScratchFolder()
    // The script stops when its output fills the pipe, so it does not end before the interruption. By then it may have
    // killed the emulator and started another one, as one of its steps does.
    let program = try Program(
      arguments: ["demo", "--headless"], environment: ["TMPDIR": scratch.url.path], waitsForReader: true)
    let output = await program.output(until: "\n4. ")
    #expect(output.contains("\n4. "), "\(program.standardError)")
    let variable = "TMPDIR=\(scratch.url.path)"
    let processes = try RunningProcess.all(with: variable)
    #expect(processes.count > 1, "\(processes) \(program.standardError)")
    #expect(try !FileManager.default.contentsOfDirectory(atPath: scratch.url.path).isEmpty)
    for signal in signals { program.send(signal) }
    let (rest, ended) = try await program.finish()
    #expect(ended == status, "\(program.standardError)")
    #expect(rest.hasSuffix("\nInterrupted.\n"), "\(rest)")
    #expect(!(output + rest).contains("✗"), "\(rest)")
    #expect(try RunningProcess.all(with: variable) == [])
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.url.path) == [])
  }

  @Test("while the demo is being closed, no process is started and nothing is written")
  func tooLate() async throws {
    let processes = ScriptProcesses()
    let process = try processes.start(["sample-app", "--help"])
    await processes.end()
    #expect(!process.isRunning)
    #expect(throws: DemoFailure.self) { try processes.start(["--help"]) }
    #expect(throws: DemoFailure.self) { try processes.whileOpen {} }
  }
}
