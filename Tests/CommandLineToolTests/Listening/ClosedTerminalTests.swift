import Foundation
import ProgramSupport
import SharedFixtures
import Testing

@testable import CommandLineTool
@testable import Demo

@Suite("A closed terminal", .timeLimit(.minutes(30)))
struct ClosedTerminalTests {
  @Test(
    "ends the demo with its page as Ctrl-C does: no process and no temporary file is left")
  func demo() async throws {
    let program = try Program("demo", "--port", "0")
    #expect(await program.output(until: "\n").hasPrefix("ready "), "\(program.standardError)")
    let children = try RunningProcess.children(of: program.identifier)
    let apps = try children.flatMap { try RunningProcess.children(of: $0.identifier) }
    // "-c" is the shell that removes the temporary folder.
    #expect(children.map(\.command).sorted() == ["-c", "device", "device", "emulator", "server"])
    #expect(apps.map(\.command) == ["sample-app", "sample-app"])
    let folders = children.compactMap { $0.value(of: "--documents") }.map {
      URL(filePath: $0).deletingLastPathComponent().path
    }
    #expect(!folders.isEmpty && folders.allSatisfy { FileManager.default.fileExists(atPath: $0) })
    program.send(SIGHUP)
    #expect(try await program.finish().status == 0, "\(program.standardError)")
    for process in children + apps { #expect(!process.isThere, "\(process)") }
    for folder in folders { #expect(!FileManager.default.fileExists(atPath: folder)) }
  }

  @Test("ends a program, but not one that nohup started", arguments: [false, true])
  func outlives(_ isOutliving: Bool) async throws {
    let scratch = try ScratchFolder()
    let catalog = scratch.url.appending(path: "SampleApp.storekit")
    try Data(PackageResources.SampleApp_storekit).write(to: catalog)
    let arguments = ["emulator", "--config", catalog.path, "--port", "0"]
    let program =
      isOutliving
      ? try Program(arguments: [try Program.executable().path] + arguments, executable: "/usr/bin/nohup")
      : try Program(arguments: arguments)
    #expect(await program.output(until: "\n").hasPrefix("ready "), "\(program.standardError)")
    #expect(RunningProcess.ignoresClosedTerminal(program.identifier) == isOutliving)
    program.send(isOutliving ? SIGTERM : SIGHUP)
    #expect(try await program.finish().status == 0)
  }
}
