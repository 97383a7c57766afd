import ArgumentParser
import Foundation

/// `openstorekit faults`: the trouble that a running store makes.
struct FaultsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "faults",
    abstract: "List, set and remove the faults of a running store: refusals, outages, lost answers.",
    discussion: "Faults are kept in memory only; a store that is started again has none.",
    subcommands: [List.self, SetFault.self, Show.self, Release.self, Remove.self, Clear.self],
    defaultSubcommand: List.self)

  /// What the store answered, a fault.
  private static func show(
    _ answer: Data, of door: ControlDoor, _ options: ControlDoorOptions, on console: CommandConsole
  ) throws {
    let fault: ControlDoor.Fault = try door.read(answer)
    try options.show(answer, on: console) { console.lines(of: .init([fault])) }
  }

  struct List: ConsoleCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the faults that are set, in the order in which they are tried.")

    @OptionGroup var options: ControlDoorOptions

    func run(on console: CommandConsole) async throws {
      try await options.asking(on: console) { door in
        let answer = try await door.expect("GET", ControlPath.to("faults"), nil)
        let list: ControlDoor.FaultList = try door.read(answer)
        try options.show(answer, on: console) { list.faults.isEmpty ? [] : console.lines(of: .init(list.faults)) }
        if !options.json, list.faults.isEmpty { console.note("No faults.") }
      }
    }
  }

  struct SetFault: ConsoleCommand {
    static let configuration = CommandConfiguration(
      commandName: "set", abstract: "Set a fault. From now on it strikes.",
      discussion: FaultArguments.kindsInWords)

    @OptionGroup var fault: FaultArguments

    @OptionGroup var options: ControlDoorOptions

    func run(on console: CommandConsole) async throws {
      try await options.asking(on: console) { door in
        try FaultsCommand.show(
          try await door.expect("POST", ControlPath.to("faults"), Data(fault.json.document.utf8)), of: door, options,
          on: console)
      }
    }
  }

  struct Show: ConsoleCommand {
    static let configuration = CommandConfiguration(abstract: "Show one fault, and what came of it so far.")

    @Argument(help: "The fault.", completion: StoreCompletion.faults, transform: NameArgument.notEmpty)
    var id: String

    @OptionGroup var options: ControlDoorOptions

    func run(on console: CommandConsole) async throws {
      try await options.asking(on: console) { door in
        try FaultsCommand.show(
          try await door.expect("GET", ControlPath.to("faults", id), nil), of: door, options, on: console)
      }
    }
  }

  struct Release: ConsoleCommand {
    static let configuration = CommandConfiguration(
      abstract: "Let go what a fault holds. It goes on holding what comes later.")

    @Argument(help: "The fault.", completion: StoreCompletion.faults, transform: NameArgument.notEmpty)
    var id: String

    @OptionGroup var options: ControlDoorOptions

    func run(on console: CommandConsole) async throws {
      struct Released: Decodable { let released: Int }
      try await options.asking(on: console) { door in
        let answer = try await door.expect("POST", ControlPath.to("faults", id, "release"), Data())
        let released: Released = try door.read(answer)
        try options.show(answer, on: console) { ["\(released.released) released"] }
      }
    }
  }

  struct Remove: ConsoleCommand {
    static let configuration = CommandConfiguration(abstract: "Remove one fault, and let go what it holds.")

    @Argument(help: "The fault.", completion: StoreCompletion.faults, transform: NameArgument.notEmpty)
    var id: String

    @OptionGroup var options: ControlDoorOptions

    func run(on console: CommandConsole) async throws {
      try await options.asking(on: console) { door in
        let answer = try await door.expect("DELETE", ControlPath.to("faults", id), Data())
        let fault: ControlDoor.Fault = try door.read(answer)
        try options.show(answer, on: console) { ["\(fault.id.madeVisible(limit: 100)): removed"] }
      }
    }
  }

  struct Clear: ConsoleCommand {
    static let configuration = CommandConfiguration(abstract: "Remove all faults, and let go what they hold.")

    @OptionGroup var options: ControlDoorOptions

    func run(on console: CommandConsole) async throws {
      try await options.removeAll(ControlPath.to("faults"), on: console)
    }
  }
}
