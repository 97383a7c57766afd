import Testing

@testable import CommandLineTool

@Suite("How the sample app is started", .timeLimit(.minutes(10)))
struct SampleAppUsageTests {
  @Test(
    "what cannot be read is refused, and not taken for left out",
    arguments: [["--receipt-root", "abc"], ["--receipt-root", ""], ["--server", "nowhere"], ["--server", ""]])
  func refused(arguments: [String]) {
    #expect(throws: (any Error).self) { try SampleAppCommand.parse(arguments) }
  }

  @Test("what can be read is taken")
  func taken() throws {
    let root = String(repeating: "ab", count: 32)
    _ = try SampleAppCommand.parse(["--receipt-root", root, "--server", "http://127.0.0.1:8090"])
  }
}
