import ArgumentParser
import Testing

@testable import CommandLineTool

@Suite("--framed-by", .timeLimit(.minutes(30)))
struct FramingTests {
  private static let refused = [
    "http://example.com", "https://example.com", "http://127.0.0.1:8070/", "http://127.0.0.1:8070/page",
    "http://user@127.0.0.1", "http://127.0.0.1; script-src *", "http://127.0.0.1 'self'", "ftp://127.0.0.1",
    "127.0.0.1:8070", "http://localhost.example.com", "http://127.0.0.1.example.com", "javascript:alert(1)", "*", "",
    "http://127.0.0.1:8070 http://example.com", "'self'", "HTTP://127.0.0.1", "http://127.0.0.1:0",
    "http://127.0.0.1:65536", "http://127.0.0.1:99999",
  ]

  @Test("every program with a page accepts several origins of pages on this machine")
  func taken() throws {
    let origins = [
      "http://127.0.0.1:8070", "http://localhost", "https://localhost", "https://[::1]:9", "http://[::1]:65535",
    ]
    let arguments = origins.flatMap { ["--framed-by", $0] }
    #expect(try EmulatorCommand.parse(arguments).framing.origins == origins)
    #expect(try DeviceCommand.parse(["--store", "http://127.0.0.1:9"] + arguments).framing.origins == origins)
  }

  @Test("any other value is refused, with an example of an origin", arguments: refused)
  func refusal(origin: String) throws {
    let error = #expect(throws: (any Error).self) { try FramingOptions.parse(["--framed-by", origin]) }
    #expect(FramingOptions.exitCode(for: try #require(error)) == .validationFailure)
    let text = FramingOptions.message(for: try #require(error))
    #expect(text.contains("--framed-by takes the origin of a page on this machine, such as http://127.0.0.1:8000"))
  }
}
