import Foundation
import HTTPTransport
import Logging
import SampleApp
import SampleModel
import StoreModel

/// Plays a purchase on a device automatically, and slowly, so that the user can read each step.
///
/// It presses the same buttons as a user: it sends the forms of the device's pages.
actor PurchasePlayer {
  /// How long the player waits before a step, so that the user can read the previous one.
  static let pause = Duration.milliseconds(900)
  /// The pause before a sheet is answered, so that it can be read.
  static let reading = Duration.seconds(2)

  /// The maximum duration of a play. It is reached, for example, if the store is down. The purchase itself continues.
  static let limit = Duration.seconds(60)

  /// The account that signs in. The demo's store has this customer, without a password.
  static let account = "customer"

  private let device: URL
  private let state: DemoState
  private let clock: any MachineClock
  private let transport = SystemTransport()
  private let logger: Logger
  private var isPlaying = false {
    didSet {
      state.note(isPlaying: isPlaying)
      deadline?.cancel()
      deadline = nil
    }
  }
  /// Ends the play after ``limit``.
  private var deadline: Task<Void, Never>?
  /// The kinds of sheets that were answered in this play. If a kind is shown again, the first answer was refused, or
  /// the user has begun a purchase. The play ends then, and the user answers the sheet.
  private var answered: Set<PurchaseStep> = []

  /// - Parameter device: the address of the device's pages.
  init(device: URL, state: DemoState, clock: any MachineClock = SystemClock(), logger: Logger) {
    self.device = device
    self.state = state
    self.clock = clock
    self.logger = logger
  }

  /// Presses the first Buy button. The steps that follow are shown slowly, and the sheets are answered. Does nothing while
  /// another purchase is played.
  ///
  /// - Throws: ``DemoFailure`` if the device refuses the purchase, or does not answer.
  func play() async throws {
    guard !isPlaying else { return }
    answered = []
    isPlaying = true
    deadline = Task { [clock] in
      // Throws if the play has ended.
      do { try await clock.sleep(for: Self.limit) } catch { return }
      isPlaying = false
    }
    do {
      try await send("app/buy", ["screen": "credits", "product": SampleCatalog.fiveCredits, "quantity": "1"])
    } catch let failure as DemoFailure {
      isPlaying = false
      throw failure
    } catch {
      isPlaying = false
      throw DemoFailure("The phone does not answer: \(error)")
    }
  }

  /// If a purchase is being played, waits for ``pause``, so that the user can read the previous step.
  func waitBeforeStep() async {
    // Throws only at the end of the demo, when the user no longer reads the steps.
    if isPlaying { try? await clock.sleep(for: Self.pause) }
  }

  /// Answers the sheet that a step has shown, and ends the play when the purchase ends.
  func handle(_ report: StepReport) async {
    guard isPlaying else { return }
    switch report.step {
    case .signInShown, .confirmationShown:
      let isSignIn = report.step == .signInShown
      // A sheet for another product is from a purchase that the user has begun meanwhile. The user confirms it.
      guard isSignIn || report.product == SampleCatalog.fiveCredits, answered.insert(report.step).inserted else {
        isPlaying = false
        return
      }
      await answer(isSignIn ? "sign-in" : "confirm", isSignIn ? ["account": Self.account, "password": ""] : [:])
    case .finished, .failed, .cancelled, .refused, .deferred, .kept, .holding, .forceQuit, .launched, .appRemoved,
      .networkLost:
      isPlaying = false
    default: break
    }
  }

  private func answer(_ answer: String, _ fields: [String: String]) async {
    do {
      try await clock.sleep(for: Self.reading)
      let page = try await transport.reply(to: HTTPCall("GET", device.appending(path: "/"), fields: [:], body: nil))
      // The user may have answered the sheet meanwhile, and another one may be shown.
      let text = String(decoding: page.body, as: UTF8.self)
      guard text.contains("value=\"\(answer)\""), let number = text.firstMatch(of: /id="sheet-([0-9]+)"/)?.1 else {
        return
      }
      let common = ["number": String(number), "screen": "credits", "answer": answer]
      try await send("app/sheet", fields.merging(common) { $1 })
    } catch {
      // The sheet stays open, so the user can answer it.
      logger.warning("The played purchase's sheet could not be answered", metadata: ["error": "\(error)"])
      isPlaying = false
    }
  }

  private var origin: String { "http://\(device.host() ?? ""):\(device.port ?? 80)" }

  private func send(_ path: String, _ fields: [String: String]) async throws {
    var form = URLComponents()
    form.queryItems = fields.sorted { $0.key < $1.key }.map { URLQueryItem(name: $0.key, value: $0.value) }
    let reply = try await transport.reply(
      to: HTTPCall(
        "POST", device.appending(path: path),
        fields: [
          "Content-Type": "application/x-www-form-urlencoded", "Origin": origin,
        ], body: Data((form.percentEncodedQuery ?? "").utf8)))
    guard reply.status < 400 else {
      throw DemoFailure(
        "The phone refused this. Is the app open, and is no other purchase of 5 monkey credits under way?")
    }
  }
}
