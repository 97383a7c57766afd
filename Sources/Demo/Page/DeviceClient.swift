import Foundation
import HTTPTransport
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

  /// Presses a button. Waits until the page offers it.
  ///
  /// - Throws: ``PlayStop`` if the page does not offer it in time, or if the device refuses it.
  func press(_ button: DeviceButton) async throws {
    guard try await press(button, within: Self.attempts) else { throw PlayStop.noButton(button, on: name) }
  }

  /// Presses a button, if the page offers it now.
  func pressIfThere(_ button: DeviceButton) async throws { _ = try await press(button, within: 1) }

  /// Waits until the page no longer offers a button.
  func waitUntilGone(_ button: DeviceButton) async throws {
    for _ in 0..<Self.attempts {
      if try await form(of: button) == nil { return }
      try await clock.sleep(for: Self.interval)
    }
    throw PlayStop("“\(button.title)” had no effect.", on: name)
  }

  /// Closes the app's alert. Waits a second for it, because it may be shown after the step that it is about.
  func closeAlert() async throws { _ = try await press(.closeAlert, within: Self.alertAttempts) }

  /// Returns the file name and the key of the last backup, which the page shows to the phone's owner.
  func lastBackup() async throws -> (file: String, key: String) {
    let page = try await page(of: DeviceButton.backUp)
    guard let file = Self.text(of: "backup-name", in: page), let key = Self.text(of: "backup-key", in: page) else {
      throw PlayStop("there is no backup.", on: name)
    }
    return (file, key)
  }

  /// - Returns: whether the button was pressed.
  private func press(_ button: DeviceButton, within attempts: Int) async throws -> Bool {
    for attempt in 1...attempts {
      if let (form, pressed) = try await form(of: button), pressed.isEnabled {
        try await send(form, pressed, button)
        return true
      }
      if attempt < attempts { try await clock.sleep(for: Self.interval) }
    }
    return false
  }

  private func form(of button: DeviceButton) async throws -> (PageForm, PageForm.Button)? {
    PageForm.all(in: try await page(of: button)).lazy.compactMap { form in form.button(button).map { (form, $0) } }
      .first
  }

  private func page(of button: DeviceButton) async throws -> String {
    let query = [URLQueryItem(name: "screen", value: button.screen.rawValue)]
    let call = HTTPCall("GET", address.appending(path: "/").appending(queryItems: query))
    return String(decoding: try await reply(to: call).body, as: UTF8.self)
  }

  private func send(_ form: PageForm, _ pressed: PageForm.Button, _ button: DeviceButton) async throws {
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
