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

  /// Rings when anything on it may have changed.
  let bell = PageBell()
  private let lock = NSLock()
  private var stored: Scene

  init(tour: [TourStation]) { stored = Scene(tour: TourProgress(tour)) }

  /// What is there to be shown now.
  var scene: Scene { lock.withLock { stored } }

  /// Takes in what happened, and has the pages look again.
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

  /// Takes in how a program does, and has the pages look again.
  func note(_ program: String, _ state: ProgramState) {
    lock.withLock { stored.programs[program] = state }
    bell.ring()
  }
}
