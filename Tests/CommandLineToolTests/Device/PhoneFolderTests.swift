import Foundation
import SharedFixtures
import Testing

@testable import CommandLineTool
@testable import Demo

@Suite("A phone's folder", .timeLimit(.minutes(30)))
struct PhoneFolderTests {
  @Test("a backup's file name is valid whatever the phone's name; other files in the folder are not backups")
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
    "a link, a folder, a pipe and a file above the maximum size are no backups; a missing documents folder is reported"
  )
  func noBackups() throws {
    let scratch = try ScratchFolder()
    let folder = try PhoneFolder(scratch.url.appending(path: "p"), documents: nil)
    defer { folder.release() }
    func document(_ name: String) -> URL { folder.documents.appending(path: name) }
    let outside = scratch.url.appending(path: "secret")
    try Data("secret".utf8).write(to: outside)
    try FileManager.default.createSymbolicLink(at: document("link.backup"), withDestinationURL: outside)
    try FileManager.default.createSymbolicLink(at: document("gone.backup"), withDestinationURL: document("nothing"))
    try FileManager.default.createDirectory(at: document("folder.backup"), withIntermediateDirectories: false)
    #expect(mkfifo(document("pipe.backup").path, 0o600) == 0)
    try Data().write(to: document("huge.backup"))
    #expect(truncate(document("huge.backup").path, 1 << 40) == 0)
    #expect(try folder.backups() == [])
    for name in ["link.backup", "gone.backup", "folder.backup", "pipe.backup", "huge.backup"] {
      #expect(throws: PhoneRefusal.noSuchBackup(name)) { try folder.backup(name) }
    }
    try FileManager.default.removeItem(at: folder.documents)
    let refusal = #expect(throws: PhoneRefusal.self) { try folder.backups() }
    guard case .documentsUnreadable = refusal else { Issue.record("\(String(describing: refusal))"); return }
  }

  @Test("if an app's folder is a link, the link is removed and its target stays", arguments: [true, false])
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
    // Removing a missing folder succeeds.
    try folder.removeApp()
  }
}
