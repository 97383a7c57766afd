import APIDescription
import AppStoreEmulator
import ArgumentParser
import ControlAPI
import Foundation

/// `openstorekit faults`: lists, sets and removes the faults of a running store.
struct FaultsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "faults",
    abstract: "List, set and remove the faults of a running store: refusals, outages, lost responses.",
    discussion: "Faults are kept in memory only. A restarted store has none.",
    subcommands: [List.self, SetFault.self, Show.self, Release.self, Remove.self, Clear.self],
    defaultSubcommand: List.self)

  private static func show(
    _ answer: ControlAPIClient.Answer<FaultReport>, _ options: ControlAPIOptions, on console: CommandConsole
  ) throws {
    try options.show(answer, on: console) { console.lines(of: .init([$0])) }
  }

  struct List: ConsoleCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the faults, in the order in which they are applied.")

    @OptionGroup var options: ControlAPIOptions

    func run(on console: CommandConsole) async throws {
      try await options.asking(on: console) { store in
        let answer = try await store.call(ControlEndpoints.faults)
        try options.show(answer, on: console) { $0.faults.isEmpty ? [] : console.lines(of: .init($0.faults)) }
        if options.json { return }
        if answer.value.faults.isEmpty { console.note("No faults.") }
        for fault in answer.value.faults {
          for warning in fault.warnings ?? [] {
            console.note("\(fault.id.rawValue.visibleIdentifier): \(warning.madeVisible(limit: 600))")
          }
        }
      }
    }
  }

  struct SetFault: ConsoleCommand {
    static let configuration = CommandConfiguration(
      commandName: "set", abstract: "Set a fault, which applies to later requests.",
      discussion: FaultArguments.kindsText)

    @OptionGroup var fault: FaultArguments

    @OptionGroup var options: ControlAPIOptions

    func run(on console: CommandConsole) async throws {
      try await options.asking(on: console) { store in
        let json = Data(fault.json.document.utf8)
        let answer = try await store.call(
          ControlEndpoints.setFault, path: NoMembers(), query: NoMembers(), json: json)
        try FaultsCommand.show(answer, options, on: console)
        let warnings = options.json ? [] : answer.value.warnings ?? []
        for warning in warnings { console.note(warning.madeVisible(limit: 600)) }
      }
    }
  }

  struct Show: ConsoleCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show one fault, and how often it was applied.")

    @Argument(help: "The fault.", completion: StoreCompletion.faults, transform: NameArgument.notEmpty)
    var id: String

    @OptionGroup var options: ControlAPIOptions

    func run(on console: CommandConsole) async throws {
      try await options.asking(on: console) { store in
        try FaultsCommand.show(
          try await store.call(ControlEndpoints.fault, path: FaultPath(FaultID(id))), options, on: console)
      }
    }
  }

  struct Release: ConsoleCommand {
    static let configuration = CommandConfiguration(
      commandName: "release",
      abstract: "Release the requests that a fault holds. It still holds later requests.")

    @Argument(help: "The fault.", completion: StoreCompletion.faults, transform: NameArgument.notEmpty)
    var id: String

    @OptionGroup var options: ControlAPIOptions

    func run(on console: CommandConsole) async throws {
      try await options.asking(on: console) { store in
        let answer = try await store.call(ControlEndpoints.releaseFault, path: FaultPath(FaultID(id)))
        try options.show(answer, on: console) { ["\($0.released) released"] }
      }
    }
  }

  struct Remove: ConsoleCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Remove one fault, and release the requests that it holds.")

    @Argument(help: "The fault.", completion: StoreCompletion.faults, transform: NameArgument.notEmpty)
    var id: String

    @OptionGroup var options: ControlAPIOptions

    func run(on console: CommandConsole) async throws {
      try await options.asking(on: console) { store in
        let answer = try await store.call(ControlEndpoints.removeFault, path: FaultPath(FaultID(id)))
        try options.show(answer, on: console) { ["\($0.id.rawValue.visibleIdentifier): removed"] }
      }
    }
  }

  struct Clear: ConsoleCommand {
    static let configuration = CommandConfiguration(
      commandName: "clear",
      abstract: "Remove all faults, and release the requests that they hold.")

    @OptionGroup var options: ControlAPIOptions

    func run(on console: CommandConsole) async throws {
      try await options.removeAll(ControlEndpoints.removeFaults, on: console)
    }
  }
}
