import Foundation
import Logging
import SampleApp
import StoreModel

/// Plays a list of actions on the devices and in the store, slowly, so that the user can read each step.
///
/// It presses the same buttons as a user: it sends the forms of the devices' pages.
actor TourPlayer {
  private let state: DemoState
  private let pace: PlayerPace
  private let clock: any MachineClock
  private let address: @Sendable (String) -> URL?
  private let logger: Logger
  /// The play that is under way; nil if there is none.
  private var playing: (task: Task<Void, Never>, signal: AsyncStream<TourPerformer.Signal>.Continuation)?

  /// - Parameter address: returns the address of a program of the demo; nil if the program has not started yet.
  init(
    state: DemoState, pace: PlayerPace = .current(), clock: any MachineClock = SystemClock(), logger: Logger,
    address: @escaping @Sendable (String) -> URL?
  ) {
    self.state = state
    self.pace = pace
    self.clock = clock
    self.logger = logger
    self.address = address
  }

  /// Begins a play. Does nothing while another play is under way.
  func begin(_ play: TourPlay) {
    guard playing == nil else { return }
    state.note(isPlaying: true, message: nil)
    let (signals, signal) = AsyncStream.makeStream(of: TourPerformer.Signal.self)
    let performer = TourPerformer(
      signals: signals, signal: signal, pace: pace, clock: clock, address: address,
      show: { [state] in state.show($0) })
    playing = (Task { await run(play, performer) }, signal)
  }

  /// If a play is under way, waits, so that the user can read the previous step.
  func waitBeforeStep() async {
    // Throws only at the end of the demo, when the user no longer reads the steps.
    if playing != nil { try? await clock.sleep(for: pace.step) }
  }

  /// Passes a step to the play that is under way.
  func handle(_ report: StepReport, on device: String) {
    playing?.signal.yield(.step(device: device, report))
  }

  /// Ends the play that is under way.
  func stop() async {
    playing?.task.cancel()
    await playing?.task.value
  }

  private func run(_ play: TourPlay, _ performer: sending TourPerformer) async {
    var (performer, messages) = (performer, [String]())
    do { try await performer.perform(play.actions) } catch { messages.append(contentsOf: message(of: error)) }
    do { try await performer.cleanUp(play.cleanup) } catch { messages.append(contentsOf: message(of: error)) }
    playing?.signal.finish()
    playing = nil
    state.note(isPlaying: false, message: messages.first)
  }

  /// Returns the message for the page; none if the demo is ending.
  private func message(of error: any Error) -> [String] {
    switch error {
    case is CancellationError: return []
    case let stop as PlayStop: return [stop.description]
    default:
      logger.warning("A play has failed", metadata: ["error": "\(error)"])
      return ["The play has failed: \(error)"]
    }
  }
}

/// Thrown when a play cannot continue. The page shows its text.
struct PlayStop: Error, Hashable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  /// - Parameter program: the device or the store on which it happened; nil if it is not known.
  init(_ text: String, on program: String?) {
    description = program.map { "\($0.prefix(1).uppercased())\($0.dropFirst()): \(text)" } ?? text
  }

  static func noButton(_ button: DeviceButton, on device: String) -> PlayStop {
    let product = button.product.map { " for \(ProductNames.name(of: $0))" } ?? ""
    return PlayStop(
      """
      there is no button “\(button.title)”\(product) now. Perhaps it was done already, the app is closed, or another purchase is under \
      way.
      """, on: device)
  }
}
