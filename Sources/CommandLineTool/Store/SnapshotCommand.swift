import ArgumentParser
import ControlAPI
import DurableSQLite
import Foundation
import ProgramSupport

/// `openstorekit snapshot`: saves a running store to a file, and restores it.
struct SnapshotCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "snapshot",
    abstract: "Save a running store to a file, or restore it from one.",
    discussion: "A snapshot is a SQLite database with everything in the store except its keys.",
    subcommands: [Save.self, Restore.self])

  struct Save: ConsoleCommand {
    static let configuration = CommandConfiguration(
      commandName: "save",
      abstract: "Save the store to a file. An existing file is replaced.")

    @Argument(help: "The file.", completion: .file(), transform: NameArgument.notEmpty)
    var file: String

    @OptionGroup var options: ControlAPIOptions

    func run(on console: CommandConsole) async throws {
      try await options.asking(on: console) { store in
        let snapshot = try await store.call(ControlEndpoints.snapshot).value.snapshot
        do {
          try DurableFile.replace(URL(filePath: file), with: snapshot)
        } catch {
          throw CommandFailure.unusable("The snapshot cannot be written: \("\(error)".madeVisible(limit: 500))")
        }
        let name = file.madeVisible(limit: 300)
        if options.json {
          try console.write(
            JSONValue.object(["file": .string(file), "bytes": .number(String(snapshot.count))]).document)
        } else {
          try console.write(lines: ["\(name): \(snapshot.count) bytes"])
        }
      }
    }
  }

  struct Restore: ConsoleCommand {
    static let configuration = CommandConfiguration(
      commandName: "restore",
      abstract: "Replace everything in the store, except its keys, by a snapshot.",
      discussion: "Faults and the list of requests stay. A file that is no usable snapshot changes nothing.")

    /// The maximum size of the file. The store has its own limit, which it states in its refusal.
    private static let limitBytes = 512 << 20

    @Argument(help: "The file; - is standard input.", completion: .file(), transform: NameArgument.notEmpty)
    var file: String

    @OptionGroup var options: ControlAPIOptions

    func run(on console: CommandConsole) async throws {
      try await options.asking(on: console) { store in
        let snapshot = try InputFile(path: file).read(limitBytes: Self.limitBytes, on: console)
        let answer = try await store.call(ControlEndpoints.restore, body: SnapshotView(snapshot))
        try options.show(answer, on: console) { ["The snapshot is restored. \($0.text)"] }
      }
    }
  }
}
