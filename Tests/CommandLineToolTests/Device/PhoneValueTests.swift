import Foundation
import PurchaseKit
import SampleApp
import SharedFixtures
import Testing
import WebPages

@testable import CommandLineTool

@Suite("A phone's values")
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
    let board = StepBoard(now: { Date(timeIntervalSince1970: 1_790_000_000) })
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
    let board = StepBoard(now: { Date(timeIntervalSince1970: 0) })
    for _ in 1...3 { board.add(StepReport(.button)) }
    let (stream, end) = board.steps(after: last)!
    end()
    #expect(await stream.reduce(into: []) { $0.append($1.number) } == numbers)
  }

  @Test("a backup's name is one, whatever the phone is called; nothing else in the folder is a backup")
  func backups() throws {
    let scratch = try ScratchFolder()
    let folder = try PhoneFolder(scratch.url.appending(path: "p"), documents: nil)
    defer { folder.release() }
    let name = folder.backupName("../../Änn's <phone>", at: Date(timeIntervalSince1970: 1_790_000_000))
    #expect(name.wholeMatch(of: /[0-9A-Za-z.-]+\.backup/) != nil, "\(name)")
    try Data().write(to: folder.documents.appending(path: name))
    try Data().write(to: folder.documents.appending(path: "other.txt"))
    #expect(try folder.backups() == [name])
    #expect(try folder.backup(name) == folder.documents.appending(path: name))
    #expect(throws: PhoneRefusal.noSuchBackup("../settings.json")) { try folder.backup("../settings.json") }
  }

  @Test(
    "a link, a folder, a pipe and what is larger than any backup are not brought back; documents that are gone are told"
  )
  func noBackups() throws {
    let scratch = try ScratchFolder()
    let folder = try PhoneFolder(scratch.url.appending(path: "p"), documents: nil)
    defer { folder.release() }
    func place(_ name: String) -> URL { folder.documents.appending(path: name) }
    let outside = scratch.url.appending(path: "secret")
    try Data("secret".utf8).write(to: outside)
    try FileManager.default.createSymbolicLink(at: place("link.backup"), withDestinationURL: outside)
    try FileManager.default.createSymbolicLink(at: place("gone.backup"), withDestinationURL: place("nothing"))
    try FileManager.default.createDirectory(at: place("folder.backup"), withIntermediateDirectories: false)
    #expect(mkfifo(place("pipe.backup").path, 0o600) == 0)
    try Data().write(to: place("huge.backup"))
    #expect(truncate(place("huge.backup").path, 1 << 40) == 0)
    #expect(try folder.backups() == ["huge.backup"])
    for name in ["link.backup", "gone.backup", "folder.backup", "pipe.backup"] {
      #expect(throws: PhoneRefusal.noSuchBackup(name)) { try folder.backup(name) }
    }
    #expect(throws: PhoneRefusal.backupTooLarge("huge.backup")) { try folder.backup("huge.backup") }
    try FileManager.default.removeItem(at: folder.documents)
    let refusal = #expect(throws: PhoneRefusal.self) { try folder.backups() }
    guard case .documentsUnreadable = refusal else { Issue.record("\(String(describing: refusal))"); return }
  }

  @Test("an app's folder that is a link is removed, and what it leads to stays", arguments: [true, false])
  func linkedApp(_ leadsSomewhere: Bool) throws {
    let scratch = try ScratchFolder()
    let folder = try PhoneFolder(scratch.url.appending(path: "p"), documents: nil)
    defer { folder.release() }
    let elsewhere = scratch.url.appending(path: "elsewhere")
    if leadsSomewhere {
      try FileManager.default.createDirectory(at: elsewhere, withIntermediateDirectories: false)
      try Data("mine".utf8).write(to: elsewhere.appending(path: "file"))
    }
    try FileManager.default.createSymbolicLink(at: folder.app, withDestinationURL: elsewhere)
    try folder.removeApp()
    #expect((try? FileManager.default.attributesOfItem(atPath: folder.app.path)) == nil)
    #expect(FileManager.default.fileExists(atPath: elsewhere.appending(path: "file").path) == leadsSomewhere)
    // What is not there is as good as removed.
    try folder.removeApp()
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
    let board = StepBoard(now: { Date(timeIntervalSince1970: 0) })
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
        let page = view.html.text
        let markup = [
          "<script>", "<img src=x", "<b>", "</textarea>", " onfocus=\"", " onfocus='", " onmouseover=\"", "]]><!--",
        ]
        let isMarkup = markup.contains { page.contains($0) }
        #expect(!isMarkup, "\(screen)")
      }
    }
  }
}
