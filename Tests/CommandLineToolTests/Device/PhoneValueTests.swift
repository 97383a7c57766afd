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

@Suite("A phone's values", .timeLimit(.minutes(10)))
struct PhoneValueTests {
  @Test("settings come back as they were saved, and another file is refused")
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

  @Test("fifty steps are kept, numbered without a gap, for whoever comes late")
  func board() async {
    let board = StepHistory(clock: ManualClock(StoreDate(Date(timeIntervalSince1970: 1_790_000_000))))
    for number in 1...60 { board.add(StepReport(.button, words: "\(number)")) }
    #expect(board.all.map(\.number) == Array(11...60))
    let (stream, end) = board.steps(after: 57)!
    board.add(StepReport(.finished))
    var numbers: [Int] = []
    for await entry in stream {
      numbers.append(entry.number)
      if entry.number == 61 { break }
    }
    #expect(numbers == [58, 59, 60, 61])
    end()
  }

  @Test(
    "steps are told from behind the number that was heard last, and all of them where that was before the phone was started anew",
    arguments: [(0, [1, 2, 3]), (2, [3]), (3, []), (4, [1, 2, 3]), (-5, [1, 2, 3]), (.max, [1, 2, 3])])
  func resumed(_ last: Int, _ numbers: [Int]) async {
    let board = StepHistory(clock: ManualClock(StoreDate(Date(timeIntervalSince1970: 0))))
    for _ in 1...3 { board.add(StepReport(.button)) }
    let (stream, end) = board.steps(after: last)!
    end()
    #expect(await stream.reduce(into: []) { $0.append($1.number) } == numbers)
  }

  @Test(
    "what became of a backup is said in words",
    arguments: [
      (
        BackupOutcome(products: ["com.a.sepia"], credits: .ofAnotherVault, refused: nil),
        "Purchases are back: sepia. Its credits stay with the phone that made it."
      ),
      (
        BackupOutcome(products: [], credits: .broughtBack(balance: 15), refused: nil),
        "No purchases were new. There are 15 monkey credits again."
      ),
      (
        BackupOutcome(products: [], credits: .notInBackup, refused: "why"),
        "The purchases of the backup were not believed: why"
      ),
    ])
  func outcomes(_ outcome: BackupOutcome, _ words: String) { #expect(outcome.words == words) }

  @Test(
    "names of phones, accounts and steps that somebody chose to do harm are words on the page",
    arguments: HostileText.all.indices)
  func hostile(_ number: Int) {
    let text = HostileText.all[number]
    var settings = PhoneSettings(deviceID: UUID())
    (settings.account, settings.isSignedIn) = (text, true)
    settings.lastBackup = .init(file: text, key: "KEY")
    let board = StepHistory(clock: ManualClock(StoreDate(Date(timeIntervalSince1970: 0))))
    board.add(StepReport(.failed, product: text, transaction: text, words: text))
    for screen in AppScreen.allCases {
      for isSignedIn in [true, false] {
        settings.isSignedIn = isSignedIn
        let view = PhoneView(
          name: text, screen: screen, state: .stopped(reason: text),
          settings: SettingsView(
            state: .stopped(reason: text), settings: settings, message: .bad(text), backups: [text],
            isBackingUp: false, screen: screen),
          fragment: nil, steps: StepsView(entries: board.all))
        #expect(ForbiddenMarkup.found(in: view.html.text) == [], "\(screen)")
      }
    }
  }
}
