import ControlAPI
import Foundation
import Logging
import ProgramSupport

/// The demo without a browser: a script of purchases with real processes over HTTP, which checks every balance and
/// charge.
package struct HeadlessDemo {
  /// The seed of the store's identifiers; nil for a random one.
  private let seed: UInt64?

  package init(seed: UInt64?) { self.seed = seed }

  /// Runs the script, and reports each check on standard output.
  ///
  /// - Throws: ``CommandFailure`` if a check fails.
  package func run() async throws {
    let environment = ScriptEnvironment(logger: .standardError(label: "demo", level: .warning))
    let reporter = ScriptReporter()
    let interruption = Interruption {
      // The script may be writing to a process that is being killed.
      signal(SIGPIPE, SIG_IGN)
      reporter.fallSilent(with: "\nInterrupted.")
      await environment.clear()
    }
    do {
      try await runScript(in: environment, reporter)
    } catch {
      await interruption.end()
      await environment.clear()
      throw error
    }
    await interruption.end()
    await environment.clear()
  }

  private func runScript(in environment: ScriptEnvironment, _ reporter: ScriptReporter) async throws {
    let address = try await environment.openStore(seed: seed)
    let store = ControlAPIClient(address: address)
    do {
      reporter.write("An App Store runs at \(address). It sells the products of SampleApp.storekit.")
      let phone = environment.phone("phone", storeAddress: address)
      try await PurchaseScript(environment: environment, store: store, reporter: reporter, phone: phone).run()
      try await OwnershipScript(environment: environment, store: store, reporter: reporter, storeAddress: address).run()
      try await DeliveryScript(environment: environment, store: store, reporter: reporter, storeAddress: address).run()
      // The last two parts put the store's clock forward: by two months, and by two years.
      try await NotificationScript(environment: environment, store: store, reporter: reporter, storeAddress: address)
        .run()
      try await SubscriptionScript(environment: environment, store: store, reporter: reporter).run()
    } catch {
      reporter.check("The script was interrupted: \(error)", false)
    }
    reporter.write("")
    guard reporter.failures == 0 else {
      throw CommandFailure.refused("\(reporter.failures) of \(reporter.checks) checks failed.")
    }
    reporter.write("All \(reporter.checks) checks passed: nothing was lost, granted twice or charged twice.")
  }
}
