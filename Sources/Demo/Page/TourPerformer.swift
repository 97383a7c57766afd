import ControlAPI
import Foundation
import SampleApp
import StoreModel

/// Carries out the actions of one play, one after the other.
struct TourPerformer {
  /// What the performer waits for: a step on a device, or the end of a wait's time.
  enum Signal: Sendable {
    case step(device: String, StepReport)
    /// - Parameter wait: the number of the wait that has taken too long.
    case limit(wait: Int)
  }

  /// The maximum duration of a wait. It is reached, for example, if the store is down. The purchase itself continues.
  static let limit = Duration.seconds(60)

  /// The steps after which nothing else happens on a device by itself.
  private static let interruptions: Set<PurchaseStep> = [.forceQuit, .appRemoved, .networkLost, .holding]
  /// The steps that end a purchase.
  private static let ends: Set<PurchaseStep> = [.granted, .failed, .cancelled, .refused, .deferred, .kept]
  /// A payment that waits for approval is reported again when the app is opened.
  private static let repeated: Set<PurchaseStep> = [.deferred]

  /// Returns the address of a program of the demo; nil if the program has not started yet.
  let address: @Sendable (String) -> URL?
  /// Shows a page in one of the demo's windows.
  let show: @Sendable (TourStage) -> Void
  let pace: PlayerPace
  let clock: any MachineClock
  let signal: AsyncStream<Signal>.Continuation
  var signals: AsyncStream<Signal>.Iterator
  /// The number of waits so far.
  private var waits = 0
  private var hasActed = false
  /// The screen that each device shows. The play begins with the first screen of the app.
  private var screens: [String: AppScreen] = [:]
  /// The device that is shown; nil for none yet.
  private var shownDevice: String?
  private var isCleaningUp = false
  /// The steps that the play has waited for.
  private var reached: Set<PurchaseStep> = []
  /// The devices on which the player has signed in without a password. If the sign-in sheet is shown again, the store
  /// has refused that.
  private var signedIn: Set<String> = []

  init(
    signals: AsyncStream<Signal>, signal: AsyncStream<Signal>.Continuation, pace: PlayerPace, clock: any MachineClock,
    address: @escaping @Sendable (String) -> URL?, show: @escaping @Sendable (TourStage) -> Void
  ) {
    self.signals = signals.makeAsyncIterator()
    self.signal = signal
    self.pace = pace
    self.clock = clock
    self.address = address
    self.show = show
  }

  /// Carries out actions.
  ///
  /// - Throws: ``PlayStop`` if an action cannot be carried out; `CancellationError`.
  mutating func perform(_ actions: [TourAction]) async throws {
    for action in actions { try await perform(action) }
  }

  /// Carries out all actions that restore settings, also after an error.
  ///
  /// - Throws: the first error.
  func cleanUp(_ actions: [TourAction]) async throws {
    var failure: (any Error)?
    for action in actions {
      var performer = self
      (performer.hasActed, performer.isCleaningUp) = (false, true)
      do { try await performer.perform(action) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }

  private mutating func perform(_ action: TourAction) async throws {
    switch action {
    case .press(let button, let place): try await press(button, on: place)
    case .pressIfThere(let button, let place):
      if let offer = try await device(place).findNow(button, on: screen(of: button, on: place)) {
        try await pause()
        try await press(offer, on: place)
      }
    case .waitUntilGone(let button, let place):
      try await device(place).waitUntilGone(button, on: screen(of: button, on: place))
    case .answer(let answer, let place): try await self.answer(answer, on: place)
    case .wait(let step, let products, let place):
      let found = try await wait(for: step, of: products, on: place)
      if place == nil { turn(to: screens[found.device] ?? .credits, on: found.device) }
    case .closeAlerts(let place):
      try await pause()
      if let place = place ?? shownDevice { try await closeAlerts(on: place) }
    case .restoreBackup(let source, let place):
      let backup = try await device(source).lastBackup()
      try await press(.restoreBackup(backup.file, key: backup.key), on: place)
    case .store(let action):
      try await pause()
      try await turn(to: action.page)
      if !isCleaningUp { try await clock.sleep(for: pace.press) }
      try await inStore { try await $0.perform(action) }
    case .require(let products, let text):
      if try await inStore({ try await $0.owned(products) }).isEmpty { throw PlayStop(text) }
    case .unlessOwned(let product, let actions):
      if try await inStore({ try await $0.owned([product]) }).isEmpty { try await perform(actions) }
    case .look(let screen, let element, let place):
      try await pause()
      turn(to: screen, on: place, element: element)
    case .lookInStore(let page):
      try await pause()
      try await turn(to: page)
    }
  }

  /// Waits before each action except the first, so that the user can read what the previous one has led to.
  private mutating func pause() async throws {
    if hasActed { try await clock.sleep(for: pace.action) }
    hasActed = true
  }

  // MARK: What is shown

  /// Shows a screen of a device.
  private mutating func turn(to screen: AppScreen, on place: String, element: String? = nil) {
    (screens[place], shownDevice) = (screen, place)
    if !isCleaningUp { show(.screen(screen, of: place, element: element)) }
  }

  /// Shows a page of the console.
  private func turn(to page: StorePage) async throws {
    guard !isCleaningUp else { return }
    show(.console(try await inStore { try await $0.address(of: page) }))
  }

  private func screen(of button: DeviceButton, on place: String) -> AppScreen {
    button.screen ?? screens[place] ?? .credits
  }

  // MARK: Buttons

  private mutating func closeAlerts(on place: String) async throws {
    let screen = screen(of: .closeAlert, on: place)
    var offer = try await device(place).findAlert(on: screen)
    while let alert = offer {
      try await press(alert, on: place)
      offer = try await device(place).findNow(.closeAlert, on: screen)
    }
  }

  /// Shows the screen of a button, waits until the screen offers the button, and presses it.
  private mutating func press(_ button: DeviceButton, on place: String) async throws {
    try await pause()
    let screen = screen(of: button, on: place)
    turn(to: screen, on: place)
    try await press(try await device(place).find(button, on: screen), on: place)
  }

  /// Shows a button, presses it, and shows the screen that follows.
  private mutating func press(_ offer: DeviceClient.Offer, on place: String) async throws {
    turn(to: screen(of: offer.button, on: place), on: place, element: offer.element)
    if !isCleaningUp { try await clock.sleep(for: pace.press) }
    if let next = try await device(place).press(offer), next != screens[place] { turn(to: next, on: place) }
  }

  // MARK: Sheets

  private mutating func answer(_ answer: PlayedAnswer, on place: String) async throws {
    switch answer {
    case .signIn(let password):
      _ = try await wait(for: .signInShown, on: place)
      try await signIn(password, on: place)
    case .confirm(let product): try await press("confirm", at: .confirmationShown, of: product, on: place)
    case .cancel(let product): try await press("cancel", at: .confirmationShown, of: product, on: place)
    case .acknowledge(let product): try await press("acknowledge", at: .boughtBefore, of: product, on: place)
    }
  }

  private mutating func press(
    _ answer: String, at step: PurchaseStep, of product: String, on place: String
  ) async throws {
    let report = try await wait(for: step, on: place).report
    guard report.product == product else {
      throw PlayStop("the sheet is about another product. Answer it, and try again.", on: place)
    }
    try await press(.sheet(answer), on: place)
  }

  private mutating func signIn(_ password: String, on place: String) async throws {
    try await press(.sheet("sign-in", typed: ["account": TourPlay.account, "password": password]), on: place)
  }

  // MARK: Steps

  /// Waits for a step. If a sign-in sheet is shown meanwhile, signs in without a password.
  ///
  /// - Returns: the step, and the device on which it happened.
  private mutating func wait(
    for step: PurchaseStep, of products: Set<String>? = nil, on device: String?
  ) async throws -> (device: String, report: StepReport) {
    waits += 1
    let deadline = Task { [clock, signal, waits] in
      // Throws if the wait has ended.
      do { try await clock.sleep(for: Self.limit) } catch { return }
      signal.yield(.limit(wait: waits))
    }
    defer { deadline.cancel() }
    while let signal = await signals.next() {
      switch signal {
      case .limit(waits): throw PlayStop("“\(step.text)” did not happen within a minute.", on: device)
      case .step(let place, let report) where place == device ?? place:
        let isMeant = products.map { $0.contains(report.product ?? "") } ?? true
        if report.step == step && isMeant {
          reached.insert(step)
          return (place, report)
        }
        if report.step == .signInShown { try await signInOnce(on: place) }
        let isRepeated = Self.repeated.contains(report.step) && reached.contains(report.step)
        let isEnd = Self.ends.contains(report.step) && products != nil && isMeant
        if isEnd && !isRepeated || Self.interruptions.contains(report.step) {
          let detail = report.detail.map { ": \($0)" } ?? ""
          throw PlayStop("it went another way. \(report.step.text)\(detail)", on: place)
        }
      case .limit, .step: continue
      }
    }
    throw CancellationError()
  }

  private mutating func signInOnce(on place: String) async throws {
    guard signedIn.insert(place).inserted else {
      throw PlayStop("the store has refused the sign-in. Answer the sheet, and try again.", on: place)
    }
    try await signIn("", on: place)
  }

  // MARK: Programs

  private func device(_ name: String) throws -> DeviceClient {
    DeviceClient(name: name, address: try find(name), clock: clock)
  }

  private func inStore<Result: Sendable>(
    _ act: (ControlAPIClient) async throws -> Result
  ) async throws -> Result {
    do {
      return try await act(ControlAPIClient(address: try find("store")))
    } catch let error as ControlAPIError {
      throw PlayStop("\(error)", on: "App Store")
    } catch let error as DemoFailure {
      throw PlayStop("\(error)", on: "App Store")
    }
  }

  private func find(_ name: String) throws -> URL {
    guard let address = address(name) else { throw PlayStop("it is being started.", on: name) }
    return address
  }
}
