import Logging
import Testing

@testable import CommandLineTool

@Suite("LOG_LEVEL")
struct LogLevelTests {
  @Test(
    "says how much a program logs, and those that it runs; what is no level is as if nothing were said",
    arguments: [
      ("debug", Logger.Level.debug, "debug"), ("ERROR", .error, "error"), (nil, .info, "warning"),
      ("loud", .info, "warning"),
    ] as [(String?, Logger.Level, String)])
  func levels(_ text: String?, _ level: Logger.Level, _ ofPrograms: String) {
    let environment = text.map { ["LOG_LEVEL": $0] } ?? [:]
    #expect(Logger.standardError(label: "test", level: .info, environment: environment).logLevel == level)
    #expect(Logger.Level.ofPrograms(environment: environment) == ["LOG_LEVEL": ofPrograms])
  }
}
