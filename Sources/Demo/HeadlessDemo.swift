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
    let reporter = ScriptReporter()
    let interruption = Interruption {
      // The script may be writing to a process that is being killed.
      signal(SIGPIPE, SIG_IGN)
      reporter.fallSilent(with: "\nInterrupted.")
      await stage.clear()
    }
    do {
      try await tell(on: stage, reporter)
    } catch {
      await interruption.end()
      await stage.clear()
      throw error
    }
    await interruption.end()
    await stage.clear()
  }

  private func tell(on stage: DemoStage, _ reporter: ScriptReporter) async throws {
    let address = try await stage.openStore(seed: seed)
    let store = ControlAPIClient(address: address)
    do {
      reporter.tell("An App Store runs at \(address), and sells what SampleApp.storekit says.")
      let phone = stage.phone("phone", storeAddress: address)
      try await PurchaseStory(stage: stage, store: store, reporter: reporter, phone: phone).play()
      try await OwnershipStory(stage: stage, store: store, reporter: reporter, storeAddress: address).play()
      try await DeliveryStory(stage: stage, store: store, reporter: reporter, storeAddress: address).play()
    } catch {
      reporter.check("It broke off: \(error)", false)
    }
    reporter.tell("")
    guard reporter.failures == 0 else {
      throw CommandFailure.refused("\(reporter.failures) of \(reporter.checks) checks failed.")
    }
    reporter.tell("All \(reporter.checks) checks hold: nothing lost, nothing given twice, nothing charged twice.")
  }
}
