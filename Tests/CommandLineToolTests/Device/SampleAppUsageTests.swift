import Testing

@testable import CommandLineTool

@Suite("The sample app's arguments", .timeLimit(.minutes(30)))
struct SampleAppUsageTests {
  @Test(
    "an unreadable argument is refused, and not treated as missing",
    arguments: [["--receipt-root", "abc"], ["--receipt-root", ""], ["--server", "nowhere"], ["--server", ""]])
  func refused(arguments: [String]) {
    #expect(throws: (any Error).self) { try SampleAppCommand.parse(arguments) }
  }

  @Test("readable arguments are accepted")
  func taken() throws {
    let root = String(repeating: "ab", count: 32)
    _ = try SampleAppCommand.parse(["--receipt-root", root, "--server", "http://127.0.0.1:8090"])
  }
}
