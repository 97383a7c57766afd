import ArgumentParser
import Foundation
import Logging

/// `openstorekit demo`: everything at once, to be watched.
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
    if headless { try await play() } else { try await show() }
  }

  private func play() async throws {
    let stage = DemoStage(logger: .standardError(label: "demo", level: .warning))
    let narrator = ScriptReporter()
    let interruption = Interruption {
      // The story may be writing to a program that is about to be killed.
      signal(SIGPIPE, SIG_IGN)
      narrator.fallSilent(with: "\nInterrupted.")
      await stage.clear()
    }
    do {
      try await tell(on: stage, narrator)
    } catch {
      await interruption.end()
      await stage.clear()
      throw error
    }
    await interruption.end()
    await stage.clear()
  }

  private func tell(on stage: DemoStage, _ narrator: ScriptReporter) async throws {
    let address = try await stage.openStore(seed: seed)
    let store = ControlAPIClient(address: address)
    do {
      narrator.tell("An App Store runs at \(address), and sells what SampleApp.storekit says.")
      let phone = stage.phone("phone", storeAddress: address)
      try await PurchaseStory(stage: stage, store: store, narrator: narrator, phone: phone).play()
      try await OwnershipStory(stage: stage, store: store, narrator: narrator, storeAddress: address).play()
      try await DeliveryStory(stage: stage, store: store, narrator: narrator, storeAddress: address).play()
    } catch {
      narrator.check("It broke off: \(error)", false)
    }
    narrator.tell("")
    guard narrator.failures == 0 else {
      throw CommandFailure.refused("\(narrator.failures) of \(narrator.checks) checks failed.")
    }
    narrator.tell("All \(narrator.checks) checks hold: nothing lost, nothing given twice, nothing charged twice.")
  }
}
