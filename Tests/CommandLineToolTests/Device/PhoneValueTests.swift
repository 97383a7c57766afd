import Foundation
import ProgramSupport
import PurchaseKit
import SampleApp
import SharedFixtures
import StoreModel
import Testing
import WebSupport

@testable import CommandLineTool
@testable import Demo

@Suite("A phone's settings, steps and messages", .timeLimit(.minutes(10)))
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

  @Test("a phone starts only with the place of its credits with which it was made", arguments: [false, true])
  func placeOfCredits(isOnServer: Bool) throws {
    let scratch = try ScratchFolder()
    let file = scratch.url.appending(path: "settings.json")
    let settings = try PhoneSettings.load(file, hasServerCredits: isOnServer)
    #expect(try PhoneSettings.load(file, hasServerCredits: isOnServer) == settings)
    let refusal = #expect(throws: CommandFailure.self) { try PhoneSettings.load(file, hasServerCredits: !isOnServer) }
    #expect(refusal?.message.contains("--server-credits") == true)
    var earlier = settings
    earlier.hasServerCredits = nil
    try earlier.save(file)
    #expect(try PhoneSettings.load(file) == earlier)
  }

  @Test("the last fifty steps are kept for late clients, numbered without a gap")
  func history() async {
    let history = StepHistory(clock: ManualClock(StoreDate(Date(timeIntervalSince1970: 1_790_000_000))))
    for number in 1...60 { history.add(StepReport(.button, detail: "\(number)")) }
    #expect(history.all.map(\.number) == Array(11...60))
    let (stream, end) = history.steps(after: 57)!
    history.add(StepReport(.finished))
    var numbers: [Int] = []
    for await entry in stream {
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
    let (stream, end) = history.steps(after: last)!
    end()
    #expect(await stream.reduce(into: []) { $0.append($1.number) } == numbers)
  }

  @Test(
    "the result of a backup is shown as text",
    arguments: [
      (
        BackupOutcome(products: ["com.a.sepia"], credits: .ofAnotherVault, refused: nil),
        "Restored purchases: sepia. Its credits belong to the phone that made it."
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
