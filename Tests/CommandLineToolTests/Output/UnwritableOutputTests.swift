import Foundation
import Testing

@Suite("Standard output and error that cannot be written", .timeLimit(.minutes(30)))
struct UnwritableOutputTests {
  private static let unreachableStore = "transactions list --store http://127.0.0.1:1"

  @Test(
    "unwritable output does not change a command's exit status",
    arguments: [
      ("--help >/dev/full", 1), ("--help >&-", 1), ("transactions --help >&-", 1),
      ("--generate-completion-script bash >/dev/full", 1), ("\(unreachableStore) 2>&-", 1),
      ("\(unreachableStore) 2>/dev/full", 1),
      ("transactions list --bogus 2>&-", 2),
    ] as [(String, Int32)])
  func ends(_ command: String, _ status: Int32) async throws {
    let run = try await Self.run(command)
    #expect(run.status == status, "\(run)")
    #expect(!run.errors.contains("Fatal error"), "\(run)")
  }

  @Test("a response that cannot be written is a failure with a one-line message")
  func answer() async throws {
    let catalog = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Sources/Demo/SampleApp.storekit").standardizedFileURL.path
    let run = try await Self.run("catalog check '\(catalog)' >/dev/full")
    #expect(run.status == 1)
    #expect(
      run.errors == """
        openstorekit: The answer cannot be written to standard output: No space left on device. \
        What was to be changed has been changed.

        """)
  }

  @Test("a lost line of output is a failure", arguments: ["server check --config", "server restored --config"])
  func line(_ command: String) async throws {
    let folder = try ScratchFolder()
    let configuration = try folder.write(
      "server.json",
      #"""
      {"database": {"sqlite": "ledger.sqlite"}, "content": {"folder": "content"}, "trust": {"apple": true},
       "apps": [{"bundleId": "com.example.reader", "verification": "offline"}]}
      """#)
    let run = try await Self.run("\(command) '\(configuration)' >/dev/full")
    #expect(run.status == 1, "\(run)")
    #expect(run.errors.contains("cannot be written to standard output: No space left on device."), "\(run)")
  }

  @Test("the headless demo fails if its output cannot be written")
  func story() async throws {
    let run = try await Self.run("demo --headless --seed 7 >/dev/full")
    #expect(run.status == 1, "\(run)")
    #expect(run.errors.contains("cannot be written to standard output: No space left on device."), "\(run)")
  }

  private static func run(_ command: String) async throws -> (status: Int32, errors: String) {
    let program = try Program(
      arguments: ["-c", "exec \"$0\" \(command)", try Program.executable().path], executable: "/bin/sh")
    let status = try await program.finish().status
    return (status, program.standardError)
  }
}
