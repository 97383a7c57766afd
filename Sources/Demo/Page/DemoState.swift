import Foundation
import SampleApp
import StoreModel
import WebSupport

/// What the demo's page shows, as far as it has happened.
final class DemoState: Sendable {
  /// What is there to be shown at one moment.
  struct Scene: Sendable {
    var flows: [String: PurchaseFlow] = [:]
    /// The device on which something happened last.
    var device: String?
    var tour: TourProgress
    /// Each program of the demo, and how it does.
    var programs: [String: ProgramState] = [:]

    /// Whether a page would be the same.
    func shows(sameAs other: Scene) -> Bool {
      flows == other.flows && device == other.device && tour.reached == other.tour.reached
        && programs == other.programs
    }
  }

  /// Rings when anything on it has changed.
  let bell = PageSignal()
  private let stored: LockedValue<Scene>

  init(tour: [TourStation]) { stored = LockedValue(Scene(tour: TourProgress(tour))) }

  /// What is there to be shown now.
  var scene: Scene { stored.value }

  /// Takes in what happened, and has the pages look again if that changed anything.
  func hear(_ event: DemoEvent) {
    change { scene in
      scene.tour.hear(event)
      if case .step(let device, let report) = event {
        scene.flows[device, default: PurchaseFlow()].hear(report)
        scene.device = device
      }
    }
  }

  /// Takes in how a program does, and has the pages look again if that is new.
  func note(_ program: String, _ state: ProgramState) { change { $0.programs[program] = state } }

  private func change(_ change: (inout Scene) -> Void) {
    let isNew = stored.withLock { scene in
      let before = scene
      change(&scene)
      return !scene.shows(sameAs: before)
    }
    if isNew { bell.ring() }
  }
}
