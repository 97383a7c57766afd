import AppStoreEmulator
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import OpenStoreKit
import SampleModel
import SharedFixtures
import ShopFixtures
import StoreModel
import Testing

@testable import SampleApp

/// The app with an emulated store. Tests use its pages through the router.
final class RunningAppFixture: Sendable {
  let app: RunningApp
  let pages: AppPages
  private let store: EmulatedAppStore
  private let scratch: ScratchFolder
  private let events: AsyncStream<AppEvent>
  private let recorder = StepRecorder()

  convenience init(isRestricted: Bool = false) async throws {
    let store = try await EmulatedAppStore.selling(
      [
        .consumable(SampleCatalog.fiveCredits, 990, name: "5 monkey credits", description: "A few"),
        .nonConsumable(SampleCatalog.sepia, 3_990, name: "Sepia", description: "Brown"),
      ], in: BundleID(SampleCatalog.bundleIdentifier), seed: 11)
    try await self.init(store, try ScratchFolder(), isRestricted: isRestricted)
  }

  /// Ends the app, and launches it again.
  ///
  /// - Parameter damage: called with the app's folder before the launch.
  func relaunched(after damage: (URL) throws -> Void) async throws -> RunningAppFixture {
    try await app.close()
    try damage(app.folder)
    return try await RunningAppFixture(store, scratch, isRestricted: false)
  }

  private init(_ store: EmulatedAppStore, _ scratch: ScratchFolder, isRestricted: Bool) async throws {
    (self.store, self.scratch) = (store, scratch)
    let settings = try DeviceSettings([
      "OPENSTOREKIT_URL": "http://127.0.0.1:1", "OPENSTOREKIT_DATA": scratch.url.appending(path: "app").path,
      "OPENSTOREKIT_BUNDLE_ID": SampleCatalog.bundleIdentifier, "OPENSTOREKIT_RESTRICTED": isRestricted ? "1" : "0",
    ])
    var options = RunningApp.Options()
    options.hasPages = true
    let (events, event) = AsyncStream.makeStream(of: AppEvent.self)
    self.events = events
    app = try RunningApp(
      settings: settings, options: options, connection: store,
      send: EventSender { [recorder] in
        recorder.add($0)
        event.yield($0)
      })
    pages = await AppPages(app)
    await app.start()
  }

  /// The steps reported so far.
  var steps: [PurchaseStep] { recorder.steps }

  /// Returns a screen's content once it meets the condition.
  @discardableResult
  func fragment(of screen: AppScreen, when isWanted: (AppFragment) -> Bool) async throws -> AppFragment {
    while true {
      let fragment = try await pages.fragment(of: screen)
      if isWanted(fragment) { return fragment }
      _ = await events.first { _ in true }
    }
  }

  /// The last reported prompt.
  var prompt: AppPrompt? { recorder.prompt }

  /// Returns when the last reported prompt is this one.
  func wait(forPrompt prompt: AppPrompt?) async {
    while recorder.prompt != prompt { _ = await events.first { _ in true } }
  }

  /// Returns when a step was reported.
  func wait(for step: PurchaseStep) async {
    while !recorder.steps.contains(step) { _ = await events.first { _ in true } }
  }

  /// Sends a form as the phone does.
  @discardableResult
  func press(_ path: String, _ form: [String: String]) async throws -> TestResponse {
    let text = form.map { "\($0)=\($1.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")" }
    return try await send(
      path, .post, [.contentType: "application/x-www-form-urlencoded"],
      ByteBuffer(string: text.joined(separator: "&")))
  }

  func send(
    _ path: String, _ method: HTTPRequest.Method, _ headers: HTTPFields = [:], _ body: ByteBuffer? = nil
  ) async throws -> TestResponse {
    try await Application(responder: pages.router().buildResponder()).test(.router) { client in
      try await client.execute(uri: path, method: method, headers: headers, body: body) { $0 }
    }
  }

  /// Answers the sheet, once one with `text` is shown.
  func answer(_ answer: String, where text: String, _ more: [String: String] = [:]) async throws {
    let sheet = try await fragment(of: .credits) { $0.sheet.contains(text) }.sheet
    let number = sheet.firstMatch(of: /name="number" value="(\d+)"/)?.1 ?? ""
    try await press(
      "/app/sheet", ["number": String(number), "screen": "credits", "answer": answer].merging(more) { $1 })
  }

  /// Confirms the alert, once one with `text` is shown.
  ///
  /// - Returns: the page's id of the alert.
  @discardableResult
  func read(_ text: String) async throws -> String {
    let sheet = try await fragment(of: .filters) { $0.sheet.contains(text) }.sheet
    let reading = String(try #require(sheet.firstMatch(of: /name="reading" value="([0-9a-z]+)"/)).1)
    try await press("/app/alert", ["reading": reading, "screen": "filters"])
    return reading
  }

  private final class StepRecorder: Sendable {
    private struct State: Sendable {
      var list: [PurchaseStep] = []
      var lastPrompt: AppPrompt?
    }

    private let state = LockedValue(State())

    var prompt: AppPrompt? { state.withLock { $0.lastPrompt } }

    var steps: [PurchaseStep] { state.withLock { $0.list } }

    func add(_ event: AppEvent) {
      if case .step(let report) = event { state.withLock { $0.list.append(report.step) } }
      if case .prompt(let prompt) = event { state.withLock { $0.lastPrompt = prompt } }
    }
  }
}
