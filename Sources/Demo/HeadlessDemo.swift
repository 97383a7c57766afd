import ControlAPI
import Foundation
import Logging
import ProgramSupport

/// The demo without a browser: a script of purchases with real processes over HTTP, which checks every balance and charge.
package struct HeadlessDemo {
  /// The seed of the store's identifiers; nil for a random one.
  private let seed: UInt64?

  package init(seed: UInt64?) { self.seed = seed }

  /// Plays the script, and reports each check on standard output.
  ///
  /// - Throws: ``CommandFailure`` if a check fails.
  package func play() async throws {
    let stage = DemoStage(logger: .standardError(label: "demo", level: .warning))
    let narrator = ScriptReporter()
    let interruption = Interruption {
      // The script may be writing to a process that is being killed.
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
