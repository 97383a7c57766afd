import ControlAPI
import Foundation
import SampleApp
import SampleModel
import SharedFixtures
import Testing

@testable import CommandLineTool
@testable import Demo

@Suite("openstorekit device", .serialized, .timeLimit(.minutes(30)))
final class DeviceTests {
  private let scratch: ScratchFolder
  private let emulator: Program
  private let store: String

  init() async throws {
    scratch = try ScratchFolder()
    let catalog = scratch.url.appending(path: "SampleApp.storekit")
    try Data(PackageResources.SampleApp_storekit).write(to: catalog)
    emulator = try Program(
      "emulator", "--config", catalog.path, "--bundle-id", SampleCatalog.bundleIdentifier, "--port", "0", "--in-memory")
    store = String(await emulator.output(until: "\n").dropFirst("ready ".count)).trimmingCharacters(in: .newlines)
  }

  deinit { emulator.terminate() }

  private func phone(_ name: String, documents: URL? = nil, more: [String] = []) async throws -> DevicePhone {
    let phone = try await DevicePhone(
      in: scratch.url.appending(path: name), store: store, documents: documents, more: more)
    try await phone.steps(until: .launched)
    return phone
  }

  /// Buys a product, from the button to the confirmation.
  private func buy(_ product: String, quantity: Int = 1, on phone: DevicePhone, signsIn: Bool) async throws {
    // The button is disabled until its price has arrived.
    let screen = SampleCatalog.filters.contains(product) ? "filters" : "credits"
    try await phone.page(screen) { page in
      let line = page.components(separatedBy: "<li class=\"line\"").first {
        $0.hasPrefix(" data-product=\"\(product)\"")
      }
      return line?.contains("<button class=\"pill\" id=") == true
    }
    let form = ["screen": "credits", "product": product, "quantity": String(quantity)]
    #expect(try await phone.press("/app/buy", form).status == 303)
    if signsIn {
      try await phone.steps(until: .signInShown)
      try await phone.answerSheet("sign-in", ["account": "customer", "password": ""])
    }
    try await phone.steps(until: .confirmationShown)
    try await phone.answerSheet("confirm")
  }

  @Test("prints that it is ready, shows the app, and ends together with it on SIGTERM")
  func readiness() async throws {
    let phone = try await phone("a")
    let page = try await phone.page("credits")
    #expect(page.contains("0 monkey credits"))
    #expect(try await phone.stop() == 0, "\(phone.program.standardError)")
    try await phone.waitUntilAppHasEnded()
  }

  @Test("the app ends when its phone is killed")
  func orphan() async throws {
    let phone = try await phone("a")
    phone.program.send(SIGKILL)
    _ = try await phone.program.finish()
    try await phone.waitUntilAppHasEnded()
  }

  @Test(
    "B9 force-quit, delete, install and open requests at the same time: never more than one app runs, and it stays usable"
  )
  func manyHands() async throws {
    let phone = try await phone("a")
    for _ in 0..<3 {
      await withTaskGroup(of: Void.self) { group in
        for verb in ["force-quit", "launch", "launch", "remove", "install", "launch", "install", "launch"] {
          // Requests while the app is being ended are refused with a message.
          group.addTask { _ = try? await phone.press("/phone/\(verb)") }
        }
      }
    }
    try await phone.press("/phone/install")
    try await phone.press("/phone/launch")
    // No credits, because the vault freezes them after the app was removed.
    try await buy(SampleCatalog.sepia, on: phone, signsIn: true)
    try await phone.steps(until: .finished)
    #expect(try await phone.page("filters").contains("Use sepia"))
    #expect(try await phone.stop() == 0, "\(phone.program.standardError)")
  }

  @Test("an invalidly percent-encoded path is refused, and the phone keeps running")
  func brokenPaths() async throws {
    let phone = try await phone("a")
    for path in ["/app/%zz", "/app/%", "/app/a%2"] {
      // The usual client would encode the path again.
      let curl = try await scratch.run(
        "curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "-X", "POST", "http://127.0.0.1:\(phone.port)\(path)")
      #expect(curl.standardOutput == "400", "\(path)")
    }
    #expect(try await phone.page("credits").contains("0 monkey credits"))
    #expect(try await phone.stop() == 0)
  }

  @Test("B9 force-quit between charge and grant, and opened again: one charge, one grant")
  func killedBetweenChargeAndGrant() async throws {
    let phone = try await phone("a")
    try await phone.press("/phone/hold", ["on": "true"])
    try await buy(SampleCatalog.fiveCredits, quantity: 2, on: phone, signsIn: true)
    let before = try await phone.steps(until: .holding).map(\.step)
    #expect(before.contains(.charged) && !before.contains(.granted))
    #expect(try await phone.page("credits").contains("banner-force-quit"))
    try await phone.press("/phone/force-quit")
    try await phone.steps(until: .forceQuit)
    #expect(try await phone.page("credits").contains("You force-quit it."))
    #expect(try await phone.press("/app/spend", ["amount": "1"]).text.contains("Open it first"))

    try await phone.press("/phone/launch")
    let after = try await phone.steps(until: .finished).map(\.step)
    #expect(after.filter { $0 == .granted }.count == 1)
    #expect(try await phone.page("credits").contains("10 monkey credits"))
    let charges = try await ControlAPIClient(address: try #require(URL(string: store))).charges()
    #expect(charges.map(\.amount.rawValue) == [1_980])
    #expect(try await phone.stop() == 0)
  }

  @Test("C2 the store error that the tour sets reaches its station with the expected text")
  func failsAsTheTourWantsIt() async throws {
    let phone = try await phone("a")
    let run = try await RunningStore.run([
      "faults", "set", "appError", "--error", "SSServerErrorDomain:5002", "--count", "1", "--store", store,
    ])
    #expect(run.status == 0, "\(run.messages)")
    try await buy(SampleCatalog.fiveCredits, on: phone, signsIn: true)
    let failed = try #require(try await phone.steps(until: .failed).last)
    #expect(failed.detail == TourStation.unknownErrorText)
    let stations = TourStation.all(first: "phone", second: "tablet")
    var tour = TourProgress(stations)
    tour.handle(.step(device: "phone", failed))
    #expect(tour.isDone(try #require(stations.firstIndex { $0.requirements == ["C2"] })))
    #expect(try await phone.stop() == 0)
  }

  @Test(
    "F2 a backup is restored on a second phone that shares the documents, and on the first one after its app was deleted"
  )
  func backup() async throws {
    let documents = scratch.url.appending(path: "documents")
    let phone = try await phone("a", documents: documents)
    try await buy(SampleCatalog.sepia, on: phone, signsIn: true)
    try await phone.steps(until: .finished)
    try await phone.press("/phone/back-up")
    try await phone.steps(until: .backedUp)
    let page = try await phone.page("settings")
    let key = String(try #require(page.firstMatch(of: /id="backup-key">([0-9A-Z-]+)</)).1)
    let file = String(try #require(page.firstMatch(of: /id="backup-name"><bdi>([^<]+)</)).1)

    let second = try await self.phone("b", documents: documents)
    #expect(try await second.page("settings").contains("<option value=\"\(file)\">"))
    let wrong = try await second.press("/phone/restore-backup", ["file": "../settings.json", "key": key])
    #expect(wrong.status == 409)
    try await second.press("/phone/restore-backup", ["file": file, "key": key])
    try await second.steps(until: .backupRestored)
    #expect(try await second.page("filters").contains("Use sepia"))
    #expect(try await second.stop() == 0)

    try await phone.press("/phone/remove")
    try await phone.steps(until: .appRemoved)
    #expect(!FileManager.default.fileExists(atPath: phone.folder.appending(path: "app").path))
    #expect(try await phone.page("home").contains("Install the app"))
    try await phone.press("/phone/install")
    try await phone.press("/phone/launch")
    try await phone.steps(until: .launched)
    #expect(!(try await phone.page("filters").contains("Use sepia")))
    try await phone.press("/phone/restore-backup", ["file": file, "key": key])
    try await phone.steps(until: .backupRestored)
    #expect(try await phone.page("filters").contains("Use sepia"))
    #expect(try await phone.stop() == 0)
  }

  @Test("A5 A6 C5 airplane mode and restrictions stay after a restart of the app and of the phone")
  func settings() async throws {
    let phone = try await phone("a")
    try await phone.press("/phone/airplane", ["on": "true"])
    try await phone.steps(until: .networkLost)
    try await phone.press("/phone/restrict", ["on": "true"])
    try await phone.steps(until: .restricted)
    #expect(try await phone.page("credits").contains("AppStore disabled"))
    #expect(try await phone.stop() == 0)

    let again = try await self.phone("a")
    try await again.press("/phone/restrict", ["on": "false"])
    try await again.steps(until: .allowed)
    let form = ["screen": "credits", "product": SampleCatalog.fiveCredits]
    #expect(try await again.press("/app/buy", form).status == 409)
    try await again.press("/phone/airplane", ["on": "false"])
    try await again.steps(until: .networkBack)
    try await buy(SampleCatalog.fiveCredits, on: again, signsIn: true)
    try await again.steps(until: .finished)
    #expect(try await again.page("credits").contains("5 monkey credits"))
    #expect(try await again.stop() == 0)
  }

  @Test("a photograph is passed by the phone to the app, and another file is refused with a message")
  func photograph() async throws {
    let phone = try await phone("a")
    let fields = ["Content-Type": "multipart/form-data; boundary=b", "Origin": "http://127.0.0.1:\(phone.port)"]
    let form = { (file: String) in
      "--b\r\nContent-Disposition: form-data; name=\"photograph\"\r\n\r\n\(file)\r\n--b--\r\n"
    }
    let refused = try await phone.answer("POST", "/app/photograph", fields, form("GIF89a"))
    #expect(refused.status == 409 && refused.text.contains("not a JPEG, PNG or WebP"))
    #expect(try await phone.answer("POST", "/app/photograph", fields, form("RIFF0000WEBPVP8 ")).status == 303)
    let served = try await phone.answer("GET", "/app/photograph")
    #expect(served.text == "RIFF0000WEBPVP8 ")
    #expect(served.fields["content-type"] == "image/webp")
    #expect(served.fields["x-content-type-options"] == "nosniff")
    #expect(try await phone.stop() == 0)
  }

  @Test("the steps are numbered, and a late client receives the latest ones")
  func steps() async throws {
    let phone = try await phone("a")
    try await phone.press("/phone/airplane", ["on": "true"])
    try await phone.steps(until: .networkLost)
    let numbers = await firstStepNumbers(2, of: phone)
    #expect(numbers == [1, 2])
    #expect(try await phone.stop() == 0)
  }

  private func firstStepNumbers(_ count: Int, of phone: DevicePhone) async -> [Int] {
    let (lines, line) = AsyncStream.makeStream(of: String.self)
    let listening = Task { try await EventListener.listen(port: phone.port, path: "/steps") { line.yield($0) } }
    var numbers: [Int] = []
    for await text in lines where text.hasPrefix("id: ") {
      numbers.append(Int(text.dropFirst(4)) ?? -1)
      if numbers.count == count { break }
    }
    listening.cancel()
    return numbers
  }
}
