import ControlAPI
import Foundation
import SampleApp
import StoreModel
import WebSupport

/// The state that the demo's page shows.
final class DemoState: Sendable {
  /// A page that a play has shown, and its number among all shown pages, from 1.
  struct NumberedStage: Hashable, Sendable {
    let number: Int
    let stage: TourStage
  }

  /// The state at one moment.
  struct Scene: Sendable {
    var flows: [String: PurchaseFlow] = [:]
    /// The device whose flow is drawn: that of the last step that its flow shows.
    var device: String?
    var tour: TourProgress
    var accounts = DemoAccounts()
    /// The page that plays have shown last in each window, in the order in which they were shown.
    var stages: [NumberedStage] = []
    /// Whether the tour's player carries out actions.
    var isPlaying = false
    /// Why the last play stopped; nil if it was carried out.
    var playMessage: String?
    /// The prompts that the devices show, by the device's name.
    var prompts: [String: AppPrompt] = [:]
    /// The state of each program of the demo, by name.
    var programs: [String: ProgramState] = [:]

    /// Whether a page would look the same for both states.
    func shows(sameAs other: Scene) -> Bool {
      flows == other.flows && device == other.device && tour == other.tour && accounts == other.accounts
        && stages == other.stages && isPlaying == other.isPlaying && playMessage == other.playMessage
        && programs == other.programs && prompts == other.prompts
    }
  }

  /// Notifies the pages of each change.
  let signal = PageSignal()
  private let stored: LockedValue<Scene>

  init(tour: [TourStation]) { stored = LockedValue(Scene(tour: TourProgress(tour))) }

  /// The current state.
  var scene: Scene { stored.value }

  /// Applies an event, and notifies the pages if it changed the state.
  func handle(_ event: DemoEvent) {
    change { scene in
      scene.tour.handle(event)
      if case .step(let device, let report) = event {
        let before = scene.flows[device] ?? PurchaseFlow()
        scene.flows[device, default: before].handle(report)
        // A step without a place in the drawing, such as a restored backup, leaves the other device's purchase drawn.
        if scene.flows[device] != before || report.step == .button { scene.device = device }
        if report.step == .granted, let product = report.product, let transaction = report.transaction {
          let flow = scene.flows[device]
          scene.accounts.granted(
            product, for: transaction, isFree: flow?.way == .free && flow?.transaction == transaction)
        }
      }
    }
  }

  /// Sets the state of a program, and notifies the pages if it is new.
  func note(_ program: String, _ state: ProgramState) {
    change { scene in
      scene.programs[program] = state
      // A device's prompt ends with its program.
      if state != .running { scene.prompts[program] = nil }
    }
  }

  /// Sets the prompt that a device shows, nil for none, and notifies the pages if it is new.
  func note(_ device: String, _ prompt: AppPrompt?) { change { $0.prompts[device] = prompt } }

  /// Sets the store's charges and refunds, and notifies the pages if they are new.
  func note(_ charges: [ChargeView], _ refunds: [RefundView]) { change { $0.accounts.set(charges, refunds) } }

  /// Sets whether the tour's player carries out actions, and why the last play stopped.
  func note(isPlaying: Bool, message: String?) {
    change { scene in
      scene.isPlaying = isPlaying
      scene.playMessage = message
    }
  }

  /// Shows the page on which a play acts.
  func show(_ stage: TourStage) {
    change { scene in
      let number = (scene.stages.last?.number ?? 0) + 1
      scene.stages.removeAll { $0.stage.window == stage.window }
      scene.stages.append(NumberedStage(number: number, stage: stage))
    }
  }

  /// Turns to another station of the tour. The message about the last play is no longer shown. A restart also clears the
  /// drawing.
  func turn(_ turn: TourProgress.Turn) {
    change { scene in
      scene.tour.turn(turn)
      scene.playMessage = nil
      if turn == .restart { (scene.flows, scene.device) = ([:], nil) }
    }
  }

  private func change(_ change: (inout Scene) -> Void) {
    let isNew = stored.withLock { scene in
      let before = scene
      change(&scene)
      return !scene.shows(sameAs: before)
    }
    if isNew { signal.notify() }
  }
}
