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

/// The app over an emulated store, used through its pages by router.
final class AppStage: Sendable {
  let app: RunningApp
  let pages: AppPages
  private let scratch: ScratchFolder
  private let events: AsyncStream<SampleAppEvent>
  private let heard = Heard()

  init(isRestricted: Bool = false) async throws {
    let store = try await EmulatedAppStore.selling(
      [
        .consumable(SampleCatalog.fiveCredits, 990, name: "5 monkey credits", description: "A few"),
        .nonConsumable(SampleCatalog.sepia, 3_990, name: "Sepia", description: "Brown"),
      ], in: BundleID(SampleCatalog.bundleIdentifier), seed: 11)
    scratch = try ScratchFolder()
    let settings = try DeviceSettings([
      "OPENSTOREKIT_URL": "http://127.0.0.1:1", "OPENSTOREKIT_DATA": scratch.url.appending(path: "app").path,
      "OPENSTOREKIT_BUNDLE_ID": SampleCatalog.bundleIdentifier,
    ])
    var options = RunningApp.Options()
    options.hasPages = true
    options.isRestricted = isRestricted
    let (events, event) = AsyncStream.makeStream(of: SampleAppEvent.self)
    self.events = events
    app = try RunningApp(
      settings: settings, options: options, connection: store,
      say: EventSender { [heard] in
        heard.add($0)
        event.yield($0)
      })
    pages = await AppPages(app)
    await app.start()
  }

  /// The steps told until now.
  var steps: [PurchaseStep] { heard.steps }

  /// What a screen shows, once it shows what is waited for.
  @discardableResult
  func fragment(of screen: AppScreen, when isWanted: (AppFragment) -> Bool) async throws -> AppFragment {
    while true {
      let fragment = try await pages.fragment(of: screen)
      if isWanted(fragment) { return fragment }
      _ = await events.first { _ in true }
    }
  }

  /// Returns when a step was told.
  func wait(for step: PurchaseStep) async {
    while !heard.steps.contains(step) { _ = await events.first { _ in true } }
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

  /// Answers the sheet that is shown, once one is that has `words`.
  func answer(_ answer: String, where words: String, _ more: [String: String] = [:]) async throws {
    let sheet = try await fragment(of: .credits) { $0.sheet.contains(words) }.sheet
    let number = sheet.firstMatch(of: /name="number" value="(\d+)"/)?.1 ?? ""
    try await press(
      "/app/sheet", ["number": String(number), "screen": "credits", "answer": answer].merging(more) { $1 })
  }

  /// Says of the alert that is shown, once it has `words`, that it was read.
  ///
  /// - Returns: how the page named it.
  @discardableResult
  func read(_ words: String) async throws -> String {
    let sheet = try await fragment(of: .filters) { $0.sheet.contains(words) }.sheet
    let reading = String(try #require(sheet.firstMatch(of: /name="reading" value="([0-9a-z]+)"/)).1)
    try await press("/app/alert", ["reading": reading, "screen": "filters"])
    return reading
  }

  private final class Heard: @unchecked Sendable {
    private let lock = NSLock()
    private var list: [PurchaseStep] = []

    var steps: [PurchaseStep] { lock.withLock { list } }

    func add(_ event: SampleAppEvent) {
      if case .step(let report) = event { lock.withLock { list.append(report.step) } }
    }
  }
}
