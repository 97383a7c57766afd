import ArgumentParser
import Demo

/// `openstorekit demo`: runs a store, a purchase server and two devices, in a browser or headless.
struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract:
      "Shows the whole system at work in a browser: a store, a purchase server and two devices, with a guided tour.",
    discussion: """
      Prints one address to open, and runs until Ctrl-C, which ends all programs and deletes their data. \
      With --headless it runs a script of purchases over real HTTP, checks each balance and charge, and writes the results to \
      standard output. Its exit status is 0 only if all checks passed. \
      Its programs log warnings to standard error; LOG_LEVEL (debug, info, warning, …) sets the level.
      """)

  @Flag(help: "Run the script of purchases without a page, and exit.")
  var headless = false

  @Option(help: "The port of the page; 0 for a free port.")
  var port = 8000

  @Option(help: ArgumentHelp("The seed of the store's identifiers.", valueName: "number"))
  var seed: UInt64?

  func validate() throws {
    if !(0...65535).contains(port) { throw ValidationError("\(port) is not a port; use 0 to 65535.") }
  }

  func run() async throws {
    if headless {
      try await HeadlessDemo(seed: seed).run()
    } else {
      try await DemoProgram(port: port, seed: seed).run()
    }
  }
}
