import AppStoreEmulator
import ArgumentParser
import ControlAPI
import Foundation
import ProgramSupport
import StoreModel

/// `openstorekit keys`: works with the keys for tokens of the App Store Server API.
struct KeysCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys",
    abstract: "List, add and remove the keys for tokens of the App Store Server API.",
    discussion: "The store's own key is valid for all apps, and cannot be removed: GET /control/v1/connection has it.",
    subcommands: [List.self, Add.self, Remove.self], defaultSubcommand: List.self)

  struct List: ConsoleCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the keys.")

    @OptionGroup var options: ControlAPIOptions

    func run(on console: CommandConsole) async throws {
      try await options.asking(on: console) { store in
        try options.show(try await store.call(ControlEndpoints.keys), on: console) { list in
          console.lines(of: TextTable(list.keys))
        }
      }
    }
  }

  struct Add: ConsoleCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Add a key, and write its private part to a file that only this user can read.",
      discussion: "The store does not keep the private part. With --json, it is in the output instead.")

    @Option(
      name: .customLong("bundle-id"), help: ArgumentHelp("An app of the issuer.", valueName: "id"),
      transform: NameArgument.notEmpty)
    var bundleID: String

    @Option(
      help: ArgumentHelp("The file; by default AuthKey_KEY.p8 in this folder.", valueName: "path"),
      completion: .file())
    var file: String?

    @OptionGroup var options: ControlAPIOptions

    func run(on console: CommandConsole) async throws {
      try await options.asking(on: console) { store in
        let answer = try await store.call(ControlEndpoints.addKey, body: KeyRequest(bundleId: BundleID(bundleID)))
        let key = answer.value
        let path = file ?? "AuthKey_\(key.keyId).p8"
        if !options.json {
          do {
            try PrivateFile.write(key.privateKey, to: URL(filePath: path))
          } catch {
            throw CommandFailure.refused(
              "The key \(key.keyId) was added, but \(path.madeVisible(limit: 500)) cannot be written: \(error)")
          }
        }
        try options.show(answer, on: console) { _ in
          [
            "key     \(key.keyId.visibleIdentifier)", "issuer  \(key.issuerId.visibleIdentifier)",
            "file    \(path.madeVisible(limit: 500))",
          ]
        }
      }
    }
  }

  struct Remove: ConsoleCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Remove a key. Its tokens are refused from now on.")

    @Argument(help: "The key.", transform: NameArgument.notEmpty)
    var key: String

    @OptionGroup var options: ControlAPIOptions

    func run(on console: CommandConsole) async throws {
      try await options.asking(on: console) { store in
        let answer = try await store.call(ControlEndpoints.removeKey, path: APIKeyPath(key))
        try options.show(answer, on: console) { ["\($0.keyId.visibleIdentifier): removed"] }
      }
    }
  }
}

extension TextTable {
  fileprivate init(_ keys: [KeyView]) {
    self.init(
      columns: [.init(heading: "key"), .init(heading: "issuer"), .init(heading: "added")],
      rows: keys.map {
        [
          $0.keyId.visibleIdentifier, $0.issuerId?.visibleIdentifier ?? "of every app",
          $0.date?.readable ?? "the store's own",
        ]
      })
  }
}

/// Files that only this user can read.
enum PrivateFile {
  /// Writes a new file of mode 0600. An existing file is not replaced.
  static func write(_ text: String, to url: URL) throws {
    let descriptor = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    try handle.write(contentsOf: Data(text.utf8))
    try handle.close()
  }
}
