import Foundation
import HTTPTransport
import SampleApp
import StoreModel

/// Presses the buttons of a device's page, as a browser does.
struct DeviceClient: Sendable {
  /// The number of times that the page is requested until a button can be pressed: ten seconds.
  private static let attempts = 100
  private static let interval = Duration.milliseconds(100)
  /// The number of times that the page is requested until an alert is shown.
  private static let alertAttempts = 10

  /// The device's name, for messages.
  let name: String
  /// The address of the device's pages.
  let address: URL
  let clock: any MachineClock
  private let transport = SystemTransport()

  init(name: String, address: URL, clock: any MachineClock) {
    self.name = name
    self.address = address
    self.clock = clock
  }

  /// A button that a page offers, with its form.
  struct Offer: Sendable {
    let button: DeviceButton
    /// The id of the button's element; nil if it has none.
    var element: String? { pressed.id }

    fileprivate let form: PageForm
    fileprivate let pressed: PageForm.Button
  }

  /// Waits until a screen offers a button.
  ///
  /// - Throws: ``PlayStop`` if the screen does not offer it in time.
  func find(_ button: DeviceButton, on screen: AppScreen) async throws -> Offer {
    guard let offer = try await find(button, on: screen, within: Self.attempts) else {
      throw PlayStop.noButton(button, on: name)
    }
    return offer
  }

  /// Returns a button, if the screen offers it now.
  func findNow(_ button: DeviceButton, on screen: AppScreen) async throws -> Offer? {
    try await find(button, on: screen, within: 1)
  }

  /// Returns the button that closes the app's alert. Waits a second for the alert, because it may be shown after the step
  /// that it is about.
  func findAlert(on screen: AppScreen) async throws -> Offer? {
    try await find(.closeAlert, on: screen, within: Self.alertAttempts)
  }

  /// Waits until the page no longer offers a button.
  func waitUntilGone(_ button: DeviceButton, on screen: AppScreen) async throws {
    for _ in 0..<Self.attempts {
      if try await form(of: button, on: screen) == nil { return }
      try await clock.sleep(for: Self.interval)
    }
    throw PlayStop("“\(button.title)” had no effect.", on: name)
  }

  /// Returns the file name and the key of the last backup, which the page shows to the phone's owner.
  func lastBackup() async throws -> (file: String, key: String) {
    let page = try await page(of: .settings)
    guard let file = Self.text(of: "backup-name", in: page), let key = Self.text(of: "backup-key", in: page) else {
      throw PlayStop("there is no backup.", on: name)
    }
    return (file, key)
  }

  private func find(_ button: DeviceButton, on screen: AppScreen, within attempts: Int) async throws -> Offer? {
    for attempt in 1...attempts {
      if let (form, pressed) = try await form(of: button, on: screen), pressed.isEnabled {
        return Offer(button: button, form: form, pressed: pressed)
      }
      if attempt < attempts { try await clock.sleep(for: Self.interval) }
    }
    return nil
  }

  private func form(of button: DeviceButton, on screen: AppScreen) async throws -> (PageForm, PageForm.Button)? {
    PageForm.all(in: try await page(of: screen)).lazy.compactMap { form in form.button(button).map { (form, $0) } }
      .first
  }

  private func page(of screen: AppScreen) async throws -> String {
    let query = [URLQueryItem(name: "screen", value: screen.rawValue)]
    let call = HTTPCall("GET", address.appending(path: "/").appending(queryItems: query))
    return String(decoding: try await reply(to: call).body, as: UTF8.self)
  }

  /// Presses a button.
  ///
  /// - Returns: the screen that the device shows afterwards; nil if it does not say.
  /// - Throws: ``PlayStop`` if the device refuses it.
  func press(_ offer: Offer) async throws -> AppScreen? {
    let (form, pressed, button) = (offer.form, offer.pressed, offer.button)
    var fields = form.hidden.merging(button.typed) { $1 }
    if let name = pressed.name { fields[name] = pressed.value }
    var body = URLComponents()
    body.queryItems = fields.sorted { $0.key < $1.key }.map { URLQueryItem(name: $0.key, value: $0.value) }
    let reply = try await reply(
      to: HTTPCall(
        "POST", address.appending(path: form.action),
        fields: [
          "Content-Type": "application/x-www-form-urlencoded",
          "Origin": "http://\(address.host() ?? ""):\(address.port ?? 80)",
        ], body: Data((body.percentEncodedQuery ?? "").utf8)))
    guard reply.status < 400 else {
      throw PlayStop("“\(button.title)” was refused. \(Self.reason(in: reply.body))", on: name)
    }
    let query = reply.head["Location"].flatMap { URLComponents(string: $0)?.queryItems }
    return query?.first { $0.name == "screen" }?.value.flatMap(AppScreen.init)
  }

  private func reply(to call: HTTPCall) async throws -> HTTPReply {
    do {
      return try await transport.reply(to: call)
    } catch let error as CancellationError {
      throw error
    } catch {
      throw PlayStop("it does not answer: \(error)", on: name)
    }
  }

  /// Returns the text of the element with an id.
  private static func text(of id: String, in page: String) -> String? {
    guard let start = page.range(of: "id=\"\(id)\">")?.upperBound else { return nil }
    // The text of a name is inside an element that isolates its writing direction.
    let rest = page[start...].trimmingPrefix("<bdi>")
    return String(rest.prefix { $0 != "<" })
  }

  private static func reason(in body: Data) -> String {
    struct Refusal: Decodable {
      struct Details: Decodable { let message: String }
      let error: Details
    }
    return (try? JSONDecoder().decode(Refusal.self, from: body))?.error.message ?? ""
  }
}
