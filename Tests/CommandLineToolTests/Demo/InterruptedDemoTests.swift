import Foundation
import SharedFixtures
import Testing

@testable import CommandLineTool
@testable import Demo

@Suite("demo --headless, interrupted", .timeLimit(.minutes(10)))
struct InterruptedDemoTests {
  @Test(
    "the first signal says how it ends; no check fails, no process is left, and nothing in the temporary folder",
    arguments: [
      ([SIGINT], 130), ([SIGINT, SIGINT], 130), ([SIGTERM], 143), ([SIGHUP, SIGHUP], 129),
    ] as [([Int32], Int32)])
  func interrupted(_ signals: [Int32], _ status: Int32) async throws {
    let scratch = try ScratchFolder()
    // However slow this test is: the story does not end before it is interrupted.
    let program = try Program(
      arguments: ["demo", "--headless"], environment: ["TMPDIR": scratch.url.path], waitsForReader: true)
    let told = await program.output(until: "\n4. ")
    #expect(told.contains("\n4. "), "\(program.standardError)")
    let processes = try RunningProcess.children(of: program.identifier)
    #expect(processes.map(\.command).contains("emulator"))
    #expect(try !FileManager.default.contentsOfDirectory(atPath: scratch.url.path).isEmpty)
    for signal in signals { program.send(signal) }
    let (rest, ended) = try await program.finish()
    #expect(ended == status, "\(program.standardError)")
    #expect(rest.hasSuffix("\nInterrupted.\n"), "\(rest)")
    #expect(!(told + rest).contains("✗"), "\(rest)")
    for process in processes { #expect(!process.isThere, "\(process)") }
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.url.path) == [])
  }

  @Test("no process is started, and nothing written, once the stage is being cleared")
  func tooLate() async throws {
    let processes = StageProcesses()
    let process = try processes.start(["sample-app", "--help"])
    await processes.end()
    #expect(!process.isRunning)
    #expect(throws: DemoFailure.self) { try processes.start(["--help"]) }
    #expect(throws: DemoFailure.self) { try processes.whileOpen {} }
  }
}
