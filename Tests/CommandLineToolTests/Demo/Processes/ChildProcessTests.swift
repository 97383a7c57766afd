import Foundation
import ProgramSupport
import SharedFixtures
import Testing

@testable import CommandLineTool

@Suite("A child process", .timeLimit(.minutes(30)))
struct ChildProcessTests {
  private func shell(_ script: String) throws -> ChildProcess {
    try ChildProcess(["-c", script], executable: URL(filePath: "/bin/sh"))
  }

  @Test("each caller receives the same exit status: before and after the end, twice, and in a cancelled task")
  func status() async throws {
    let process = try shell("read line; exit 7")
    let (before, cancelled) = (Task { await process.status }, Task { await process.status })
    cancelled.cancel()
    try process.write("end")
    #expect(await before.value == 7)
    #expect(await cancelled.value == 7)
    for _ in 0..<2 { #expect(await process.status == 7) }
    #expect(await process.kill() == 7)
    #expect(await process.end(graceSeconds: 5) == 7)
  }

  @Test("a process that ends with its input is not killed")
  func endsWithInput() async throws {
    let (process, clock) = (try shell("cat; exit 7"), SteppedClock())
    #expect(await process.end(graceSeconds: 5, clock: clock) == 7)
  }

  @Test("a process that does not end by itself is killed after the timeout, and not before")
  func timeout() async throws {
    let (process, clock) = (try shell("echo on; exec sleep 100000"), SteppedClock())
    #expect(await process.nextLine() == "on")
    let end = Task { await process.end(graceSeconds: 5, clock: clock) }
    #expect(await clock.nextSleep() == .seconds(5))
    #expect(process.isRunning)
    clock.release()
    #expect(await end.value == SIGKILL)
    #expect(!process.isRunning)
  }

  @Test("its address is in its first line of output")
  func address() async throws {
    let process = try shell("echo ready http://127.0.0.1:4711; cat")
    #expect(try await process.address(of: "shop") == URL(string: "http://127.0.0.1:4711"))
    #expect(await process.end(graceSeconds: 5) == 0)
  }

  @Test(
    "a process with another first line, or without output, is an error and is killed",
    arguments: ["echo hello; exec sleep 100000", "exit 3"])
  func noAddress(_ script: String) async throws {
    let process = try shell(script)
    let failure = await #expect(throws: CommandFailure.self) { try await process.address(of: "shop") }
    #expect(failure?.message == "The shop did not start.")
    #expect(!process.isRunning)
  }
}
