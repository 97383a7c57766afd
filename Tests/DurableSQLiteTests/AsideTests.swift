import Foundation
import GRDB
import Testing

@testable import DurableSQLite

@Suite("Databases that are set aside", .timeLimit(.minutes(30)))
struct AsideTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "aside-\(UUID().uuidString)")
  private var file: URL { folder.appending(path: "notes.sqlite") }

  private func open(
    _ names: String...
  ) throws -> (database: DurableDatabase, content: Int?, aside: DurableSQLite.SetAside?) {
    var migrator = DatabaseMigrator()
    for name in names { migrator.registerMigration(name) { try $0.execute(sql: "CREATE TABLE \"\(name)\" (text)") } }
    return try DurableSQLite.openSettingAside(at: file, migrator: migrator) {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM one")
    }
  }

  @Test("F1 an unreadable database, or one with another schema, is kept under a number and replaced by a new one")
  func movedAside() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try open("one", "two")
    try first.database.write { try $0.execute(sql: "INSERT INTO one VALUES ('kept')") }
    #expect(first.aside == nil)
    let copy = try first.database.keepCopy()
    #expect(copy?.lastPathComponent == "notes.sqlite.aside-1")
    try first.database.close()
    let whole = try open("one", "two")
    #expect(whole.content == 1)
    try whole.database.close()
    let newer = try open("one")
    #expect((newer.content, newer.aside?.url.lastPathComponent) == (0, "notes.sqlite.aside-2"))
    try newer.database.close()
    let garbage = Data("garbage".utf8)
    try garbage.write(to: file)
    let last = try open("one")
    #expect(last.aside?.url.lastPathComponent == "notes.sqlite.aside-3")
    #expect(try Data(contentsOf: folder.appending(path: "notes.sqlite.aside-3")) == garbage)
    try last.database.close()
    for number in 1...2 {
      let aside = try DatabaseQueue(path: file.path + ".aside-\(number)")
      #expect(try aside.read { try String.fetchAll($0, sql: "SELECT text FROM one") } == ["kept"])
    }
  }

  @Test(
    "F1 a process that is killed while it moves a database aside separates no journal from it",
    arguments: [false, true])
  func killedWhileMoving(isDatabaseRemoved: Bool) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try open("one").database.close()
    let (garbage, journal) = (Data("garbage".utf8), Data("the last commits".utf8))
    try garbage.write(to: file)
    try journal.write(to: URL(filePath: file.path + "-wal"))
    try DurableSQLite.linkAside(file, as: URL(filePath: file.path + ".aside-1"))
    if isDatabaseRemoved { try FileManager.default.removeItem(at: file) }
    let again = try open("one")
    #expect(again.content == 0)
    #expect(again.aside?.url.lastPathComponent == (isDatabaseRemoved ? nil : "notes.sqlite.aside-2"))
    try again.database.close()
    let aside = file.path + ".aside-1"
    #expect(try Data(contentsOf: URL(filePath: aside)) == garbage)
    #expect(try Data(contentsOf: URL(filePath: aside + "-wal")) == journal)
  }

  @Test("F1 a database in use, or a path that is no file, is refused and unchanged")
  func refused() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try open("one")
    #expect(throws: DurableSQLiteError.inUse(path: file.path, by: .thisProcess)) { try open("one") }
    try first.database.close()
    try FileManager.default.removeItem(at: file)
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
    #expect(throws: DurableSQLiteError.self) { try open("one") }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.contains("aside") }.isEmpty)
  }

  @Test("a file is replaced atomically, and read as it was written")
  func replaced() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "deep/value")
    #expect(try DurableFile.read(file) == nil)
    for value in ["first", "second"] {
      try DurableFile.replace(file, with: Data(value.utf8))
      #expect(try DurableFile.read(file) == Data(value.utf8))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path) == ["value"])
    try DurableFile.remove(file)
    try DurableFile.remove(file)
    #expect(try DurableFile.read(file) == nil)
  }
}
