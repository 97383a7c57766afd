import Foundation
import ProgramSupport
import Testing

@testable import CommandLineTool

@Suite("The end of the demo with its page", .serialized, .timeLimit(.minutes(30)))
struct DemoEndTests {
  @Test("Ctrl-C during the start: no more programs are started, it never prints that it is ready, and nothing is left")
  func duringStart() async throws {
    // A scratch folder's path is too long for the phones' sockets.
    let folder = FileManager.default.temporaryDirectory.appending(path: "demo-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = try Program(arguments: ["demo", "--port", "0"], environment: ["TMPDIR": folder.path])
    let emulator = await RunningProcess.stopped("emulator", of: program.identifier)
    program.send(SIGINT)
    let (output, status) = try await program.finish()
    #expect(status == 0)
    #expect(output.isEmpty, "\(output)")
    #expect(program.standardError.isEmpty, "\(program.standardError)")
    #expect(emulator?.isThere == false)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  @Test("a hanging app is killed by its phone before the phone ends, so no process outlives the demo")
  func hangingApps() async throws {
    let program = try Program("demo", "--port", "0")
    #expect(await program.output(until: "\n").hasPrefix("ready "), "\(program.standardError)")
    let children = try RunningProcess.children(of: program.identifier)
    let apps = try children.flatMap { try RunningProcess.children(of: $0.identifier) }
    #expect(apps.map(\.command) == ["sample-app", "sample-app"])
    for app in apps { kill(app.identifier, SIGSTOP) }
    program.terminate()
    #expect(try await program.finish().status == 0, "\(program.standardError)")
    for process in children + apps {
      #expect(!process.isThere, "\(process)")
      if process.isThere { kill(process.identifier, SIGKILL) }
    }
  }

  @Test("each limit is smaller than the one around it")
  func limits() {
    #expect(ShutdownSeconds.app < ShutdownSeconds.appByPhone)
    #expect(ShutdownSeconds.requests + ShutdownSeconds.appByPhone < ShutdownSeconds.program)
  }

  @Test("LOG_LEVEL reaches its purchase server, which logs nothing by default", arguments: ["", "info"])
  func logLevel(_ level: String) async throws {
    let program = try Program(arguments: ["demo", "--port", "0"], environment: ["LOG_LEVEL": level])
    #expect(await program.output(until: "\n").hasPrefix("ready "), "\(program.standardError)")
    program.terminate()
    #expect(try await program.finish().status == 0)
    #expect(program.standardError.contains("purchase-server") == (level == "info"), "\(program.standardError)")
  }
}
