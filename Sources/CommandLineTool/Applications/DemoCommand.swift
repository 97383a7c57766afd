import ArgumentParser
import Demo

/// `openstorekit demo`: runs a store, a purchase server and two devices, in a browser or headless.
struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract:
      "Shows the whole system at work in a browser: a store, a purchase server and two devices, with a guided tour.",
    discussion: """
      Prints one address to open, and runs until Ctrl-C, which stops all of it and forgets what was bought. \
      With --headless it plays the whole story of buying, owning and delivering by itself, over real HTTP, checks every balance and \
      charge, tells it on standard output, and exits: with status 0 only if everything was exactly right. \
      What its programs have to warn of goes to standard error; LOG_LEVEL (debug, info, warning, …) says how much.
      """)

  @Flag(help: "Tell the story on standard output and exit.")
  var headless = false

  @Option(help: "Where the page is; 0 for a free port.")
  var port = 8000

  @Option(help: ArgumentHelp("Make every identifier of the store follow from this number.", valueName: "number"))
  var seed: UInt64?

  func validate() throws {
    if !(0...65535).contains(port) { throw ValidationError("\(port) is not a port; use 0 to 65535.") }
  }

  func run() async throws {
    if headless {
      try await HeadlessDemo(seed: seed).play()
    } else {
      try await DemoProgram(port: port, seed: seed).run()
    }
  }
}
