import ArgumentParser
import Foundation

/// `openstorekit demo`: everything at once, to be watched.
struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract:
      "Plays the whole story of buying, owning and delivering over real HTTP, and checks every balance and charge.",
    discussion: """
      An emulated App Store, purchase servers and the sample app run as processes of their own. There is no page yet, so the story is told \
      on standard output, with or without --headless. Exit status 0 only if everything was exactly right.
      """)

  @Flag(help: "Tell the story on standard output and exit.")
  var headless = false

  @Option(help: ArgumentHelp("Make every identifier of the store follow from this number.", valueName: "number"))
  var seed: UInt64?

  func run() async throws {
    let stage = DemoStage()
    let interruption = Interruption { stage.clear() }
    defer {
      interruption.disarm()
      stage.clear()
    }
    let address = try await stage.openStore(seed: seed)
    let (store, narrator) = (ControlDoor(address: address), Narrator())
    do {
      writeLine("An App Store runs at \(address), and sells what SampleApp.storekit says.")
      let phone = stage.phone("phone", storeAddress: address)
      try await PurchaseStory(stage: stage, store: store, narrator: narrator, phone: phone).play()
      try await OwnershipStory(stage: stage, store: store, narrator: narrator, storeAddress: address).play()
      try await DeliveryStory(stage: stage, store: store, narrator: narrator, storeAddress: address).play()
    } catch {
      narrator.check("It broke off: \(error)", false)
    }
    writeLine("")
    guard narrator.failures == 0 else {
      throw CommandFailure.refused("\(narrator.failures) of \(narrator.checks) checks failed.")
    }
    writeLine("All \(narrator.checks) checks hold: nothing lost, nothing given twice, nothing charged twice.")
  }
}
