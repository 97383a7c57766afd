import Logging
import ProgramSupport
import Testing

@testable import CommandLineTool

@Suite("LOG_LEVEL", .timeLimit(.minutes(30)))
struct LogLevelTests {
  @Test(
    "sets the log level of a program and of its child programs; an empty or unknown value has no effect",
    arguments: [
      ("debug", Logger.Level.debug, "debug"), ("ERROR", .error, "error"), (nil, .info, "warning"),
      ("", .info, "warning"), ("loud", .info, "warning"),
    ] as [(String?, Logger.Level, String)])
  func levels(_ text: String?, _ level: Logger.Level, _ ofPrograms: String) {
    let environment = text.map { ["LOG_LEVEL": $0] } ?? [:]
    #expect(Logger.standardError(label: "test", level: .info, environment: environment).logLevel == level)
    #expect(Logger.Level.variables(environment: environment) == ["LOG_LEVEL": ofPrograms])
  }

  @Test("an unknown level causes a warning with the list of levels; an empty value counts as unset")
  func warning() async throws {
    let folder = try ScratchFolder()
    let catalog = try folder.write("shop.storekit", #"{"products": []}"#)
    for (text, isWarnedOf) in [("loud", true), ("", false), ("warning", false)] {
      let program = try Program(
        arguments: ["exec", "--config", catalog, "--", "true"], environment: ["LOG_LEVEL": text])
      #expect(try await program.finish().status == 0, "\(program.standardError)")
      let text = "warning emulator: [ProgramSupport] LOG_LEVEL is none of [\"trace\", \"debug\","
      #expect(program.standardError.contains(text) == isWarnedOf, "\(program.standardError)")
      #expect(program.standardError.contains("\"loud\"") == isWarnedOf)
      #expect(program.standardError.isEmpty == !isWarnedOf)
    }
  }
}
