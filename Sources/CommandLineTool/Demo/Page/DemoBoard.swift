import Foundation
import SampleApp
import WebPages

/// What the demo's page shows, as far as it has happened.
final class DemoBoard: @unchecked Sendable {
  /// What is there to be shown at one moment.
  struct Scene: Sendable {
    var flows: [String: PurchaseFlow] = [:]
    /// The device on which something happened last.
    var device: String?
    var tour: TourProgress
    /// Each program of the demo, and how it does.
    var programs: [String: ProgramState] = [:]
  }

  let bell = PageBell()
  private let lock = NSLock()
  private var stored: Scene

  init(tour: [TourStation]) { stored = Scene(tour: TourProgress(tour)) }

  var scene: Scene { lock.withLock { stored } }

  func hear(_ event: DemoEvent) {
    lock.withLock {
      stored.tour.hear(event)
      if case .step(let device, let report) = event {
        stored.flows[device, default: PurchaseFlow()].hear(report)
        stored.device = device
      }
    }
    bell.ring()
  }

  func note(_ program: String, _ state: ProgramState) {
    lock.withLock { stored.programs[program] = state }
    bell.ring()
  }
}
