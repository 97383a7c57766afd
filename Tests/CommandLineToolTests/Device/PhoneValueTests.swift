import Foundation
import ProgramSupport
import PurchaseKit
import SampleApp
import SampleModel
import SharedFixtures
import StoreModel
import Testing
import WebSupport

@testable import CommandLineTool
@testable import Demo

@Suite("A phone's settings, steps and messages", .timeLimit(.minutes(30)))
struct PhoneValueTests {
  @Test("saved settings are loaded unchanged, and another file is refused")
  func settings() throws {
    let scratch = try ScratchFolder()
    let file = scratch.url.appending(path: "settings.json")
    var settings = try PhoneSettings.load(file)
    settings.account = "ann\u{202E}<b>"
    settings.isInAirplaneMode = true
    settings.hold = .charged
    settings.lastBackup = .init(file: "a.backup", key: "K")
    try settings.save(file)
    #expect(try PhoneSettings.load(file) == settings)
    try Data("{}".utf8).write(to: file)
    #expect(throws: CommandFailure.self) { try PhoneSettings.load(file) }
  }

  @Test("F2 a new phone stores its credits on the server if it has one, unless set otherwise, and keeps its place")
  func placeOfCredits() throws {
    let scratch = try ScratchFolder()
    for hasServer in [true, false] {
      for chosen in [nil, CreditsPlace.device, hasServer ? .server : nil] {
        let file = scratch.url.appending(path: "\(UUID().uuidString).json")
        let settings = try PhoneSettings.load(file, credits: chosen, hasServer: hasServer)
        #expect(settings.credits == chosen ?? (hasServer ? .server : .device))
        #expect(try PhoneSettings.load(file, credits: settings.credits, hasServer: hasServer) == settings)
        // Without an option the phone keeps its place, also if it has got a server since.
        #expect(try PhoneSettings.load(file, hasServer: true) == settings)
        let other: CreditsPlace = settings.credits == .server ? .device : .server
        let refusal = #expect(throws: CommandFailure.self) {
          try PhoneSettings.load(file, credits: other, hasServer: true)
        }
        #expect(refusal?.message.contains("--\(settings.credits.rawValue)-credits") == true)
        if settings.credits == .server {
          #expect(throws: CommandFailure.self) { try PhoneSettings.load(file, hasServer: false) }
        }
        let folder = try PhoneFolder(scratch.url.appending(path: String(UUID().uuidString.prefix(8))), documents: nil)
        defer { folder.release() }
        let network = PhoneNetwork(name: "p", store: URL(filePath: "/"), server: nil)
        #expect(network.arguments(of: settings, folder).contains("--\(settings.credits.rawValue)-credits"))
      }
    }
  }

  @Test("a phone of an earlier version keeps its credits on the device, although it has a server")
  func earlierPlaceOfCredits() throws {
    let scratch = try ScratchFolder()
    let file = scratch.url.appending(path: "settings.json")
    var earlier = try PhoneSettings.load(file)
    earlier.hasServerCredits = nil
    try earlier.save(file)
    #expect(try PhoneSettings.load(file, hasServer: true).credits == .device)
  }

  @Test("a phone uses StoreKit 1 until another is chosen, keeps the choice, and launches its app with it")
  func storeKit() async throws {
    let scratch = try ScratchFolder()
    let folder = try PhoneFolder(scratch.url.appending(path: "p"), documents: nil)
    defer { folder.release() }
    // A phone of an earlier version has no choice.
    #expect(try PhoneSettings.load(folder.settings).storeInterface == nil)
    let launches: [(chosen: StoreInterface?, expected: StoreInterface)] = [
      (nil, .storeKit1), (.storeKit2, .storeKit2), (nil, .storeKit2), (.storeKit1, .storeKit1),
    ]
    for (chosen, expected) in launches {
      let network = PhoneNetwork(name: "p", store: URL(filePath: "/"), server: nil, storeKit: chosen)
      let phone = try Phone(network: network, folder: folder)
      let settings = await phone.settings
      #expect(settings.storeKit == expected)
      let arguments = network.arguments(of: settings, folder)
      #expect(arguments.firstIndex(of: "--storekit").map { arguments[$0 + 1] } == expected.rawValue)
      #expect(try SampleAppCommand.parse(["--storekit", expected.rawValue]).storeKit == expected)
    }
    let phone = try Phone(network: PhoneNetwork(name: "p", store: URL(filePath: "/"), server: nil), folder: folder)
    try await phone.setStoreKit(.storeKit2)
    #expect(try PhoneSettings.load(folder.settings).storeKit == .storeKit2)
  }

  @Test("the StoreKit of an app is 1 or 2")
  func storeKitOption() throws {
    let store = ["--store", "http://127.0.0.1:1"]
    #expect(try DeviceCommand.parse(store).storeKit == nil)
    #expect(try DeviceCommand.parse(store + ["--storekit", "2"]).storeKit == .storeKit2)
    #expect(throws: (any Error).self) { try DeviceCommand.parse(store + ["--storekit", "3"]) }
    #expect(try SampleAppCommand.parse(["--both-storekits"]).bothStorekits)
  }

  @Test("the options for the place of the credits exclude each other")
  func options() throws {
    let store = ["--store", "http://127.0.0.1:1"]
    let server = ["--server", "http://127.0.0.1:2"]
    #expect(try DeviceCommand.parse(store + server).credits == nil)
    #expect(try DeviceCommand.parse(store + server + ["--server-credits"]).credits == .server)
    #expect(try DeviceCommand.parse(store + ["--device-credits"]).credits == .device)
    #expect(throws: (any Error).self) { try DeviceCommand.parse(store + ["--server-credits"]) }
    #expect(throws: (any Error).self) {
      try DeviceCommand.parse(store + server + ["--server-credits", "--device-credits"])
    }
  }

  @Test("A5 each built-in product has the name that the store has in English")
  func names() throws {
    let all = try #require(
      try JSONSerialization.jsonObject(with: Data(PackageResources.SampleApp_storekit)) as? [String: Any])
    let groups = all["subscriptionGroups"] as? [[String: Any]] ?? []
    let products =
      (all["products"] as? [[String: Any]] ?? []) + groups.flatMap { $0["subscriptions"] as? [[String: Any]] ?? [] }
    var found = 0
    for product in products {
      let id = try #require(product["productID"] as? String)
      let texts = try #require(product["localizations"] as? [[String: Any]])
      guard let name = SampleCatalog.name(of: id) else { continue }
      found += 1
      #expect(texts.contains { $0["displayName"] as? String == name && $0["locale"] as? String == "en_US" }, "\(id)")
    }
    #expect(found == 12)
  }

  @Test("the last fifty steps are kept for late clients, numbered without a gap")
  func history() async {
    let history = StepHistory(clock: ManualClock(StoreDate(Date(timeIntervalSince1970: 1_790_000_000))))
    for number in 1...60 { history.add(StepReport(.button, detail: "\(number)")) }
    #expect(history.all.map(\.number) == Array(11...60))
    let (stream, end) = history.news(after: 57)!
    history.add(StepReport(.finished))
    var numbers: [Int] = []
    for await case .step(let entry) in stream {
      numbers.append(entry.number)
      if entry.number == 61 { break }
    }
    #expect(numbers == [58, 59, 60, 61])
    end()
  }

  @Test(
    "steps after the client's last number are sent; all steps if the phone was restarted since",
    arguments: [(0, [1, 2, 3]), (2, [3]), (3, []), (4, [1, 2, 3]), (-5, [1, 2, 3]), (.max, [1, 2, 3])])
  func resumed(_ last: Int, _ numbers: [Int]) async {
    let history = StepHistory(clock: ManualClock(StoreDate(Date(timeIntervalSince1970: 0))))
    for _ in 1...3 { history.add(StepReport(.button)) }
    let (stream, end) = history.news(after: last)!
    end()
    let steps = await stream.reduce(into: [Int]()) { if case .step(let entry) = $1 { $0.append(entry.number) } }
    #expect(steps == numbers)
  }

  @Test("B7 a late client receives the prompt that is shown, and then each change of it")
  func prompts() async {
    let history = StepHistory(clock: ManualClock(StoreDate(Date(timeIntervalSince1970: 0))))
    let alert = AppPrompt(.alert, "Spent.")
    history.show(alert)
    let (stream, end) = history.news(after: 0)!
    history.show(alert)
    history.show(nil)
    end()
    #expect(await stream.reduce(into: []) { $0.append($1) } == [.prompt(alert), .prompt(nil)])
  }

  @Test(
    "the result of a backup is shown as text",
    arguments: [
      (
        BackupOutcome(products: [SampleCatalog.sepia, "com.a.b"], credits: .ofAnotherVault, refused: nil),
        "Restored purchases: Sepia, a new product. Its credits belong to the device that made it."
      ),
      (
        BackupOutcome(products: [], credits: .broughtBack(balance: 15), refused: nil),
        "The backup has no new purchases. The balance is 15 monkey credits."
      ),
      (
        BackupOutcome(products: [], credits: .notInBackup, refused: "why"),
        "The purchases of the backup could not be verified: why"
      ),
    ])
  func outcomes(_ outcome: BackupOutcome, _ text: String) { #expect(outcome.text == text) }

  @Test(
    "hostile names of phones, accounts and steps are escaped on the page",
    arguments: HostileText.all.indices)
  func hostile(_ number: Int) {
    let text = HostileText.all[number]
    var settings = PhoneSettings(deviceID: UUID())
    (settings.account, settings.isSignedIn) = (text, true)
    settings.lastBackup = .init(file: text, key: "KEY")
    let history = StepHistory(clock: ManualClock(StoreDate(Date(timeIntervalSince1970: 0))))
    history.add(StepReport(.failed, product: text, transaction: text, detail: text))
    for screen in AppScreen.allCases {
      for isSignedIn in [true, false] {
        settings.isSignedIn = isSignedIn
        let view = PhoneView(
          name: text, screen: screen, state: .stopped(reason: text),
          settings: SettingsView(
            state: .stopped(reason: text), settings: settings, message: .bad(text), backups: [text],
            isBackingUp: false, screen: screen),
          fragment: nil, steps: StepsView(entries: history.all))
        #expect(ForbiddenMarkup.found(in: view.html.text) == [], "\(screen)")
      }
    }
  }
}
