import ArgumentParser
import Testing

@testable import CommandLineTool

@Suite("--framed-by")
struct FramingTests {
  private static let refused = [
    "http://example.com", "http://127.0.0.1:8070/", "http://127.0.0.1:8070/page", "http://user@127.0.0.1",
    "http://127.0.0.1; script-src *", "ftp://127.0.0.1", "127.0.0.1:8070", "http://localhost.example.com", "*", "",
    "http://127.0.0.1:8070 http://example.com", "'self'", "HTTP://127.0.0.1",
  ]

  @Test("the origin of a page on this machine is taken, as often as it is given")
  func taken() throws {
    let origins = ["http://127.0.0.1:8070", "https://localhost", "http://[::1]:80"]
    let command = try EmulatorCommand.parse(origins.flatMap { ["--framed-by", $0] })
    #expect(command.framingOrigins == origins)
  }

  @Test("whatever is not one is refused, with what to give", arguments: refused)
  func refusal(origin: String) throws {
    let error = #expect(throws: (any Error).self) { try EmulatorCommand.parse(["--framed-by", origin]) }
    let words = EmulatorCommand.message(for: try #require(error))
    #expect(words.contains("--framed-by takes the origin of a page on this machine, such as http://127.0.0.1:8000"))
  }
}
