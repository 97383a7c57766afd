import ArgumentParser
import ControlAPI
import Foundation
import StoreModel

/// `openstorekit clock`: shows and changes the clock of a running store.
struct ClockCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clock",
    abstract: "Show a store's clock, advance it, or change its rate.",
    discussion: """
      The clock cannot be set back. Its time is kept after a restart of the store, its rate is not.
      """,
    subcommands: [Show.self, Advance.self, SetDate.self, Rate.self], defaultSubcommand: Show.self)

  private static func change(
    _ change: ClockChange, _ options: ControlAPIOptions, on console: CommandConsole
  ) async throws {
    try await options.asking(on: console) { store in
      try options.show(try await store.call(ControlEndpoints.changeClock, body: change), on: console) { [text($0)] }
    }
  }

  private static func text(_ clock: ClockView) -> String {
    let rate =
      switch clock.rate {
      case 0: "stands still"
      case 1: "goes with real time"
      default:
        "\(clock.rate.formatted(.number.locale(Locale(identifier: "en_US_POSIX")).grouping(.never))) times as fast as real time"
      }
    return "\(clock.now.readable), \(rate)"
  }

  struct Show: ConsoleCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show the time and the rate of the store's clock.")

    @OptionGroup var options: ControlAPIOptions

    func run(on console: CommandConsole) async throws {
      try await options.asking(on: console) { store in
        try options.show(try await store.call(ControlEndpoints.clock), on: console) { [ClockCommand.text($0)] }
      }
    }
  }

  struct Advance: ConsoleCommand {
    static let configuration = CommandConfiguration(
      commandName: "advance",
      abstract: "Advance the store's clock by a duration, such as 36h, 1d12h or 250ms.",
      discussion: "Units: ms, s, m (minutes), h, d, w; several follow each other, as in 1d12h30m.")

    @Argument(
      help: ArgumentHelp("The duration.", valueName: "span"), completion: .list(["1h", "1d", "1w", "30d", "365d"]))
    var span: String

    @OptionGroup var options: ControlAPIOptions

    func validate() throws {
      if TypedSpan(span) == nil {
        throw ValidationError(
          "\(span.madeVisible(limit: 100)) is no span of time. Write one such as 36h, 1d12h or 250ms.")
      }
    }

    func run(on console: CommandConsole) async throws {
      try await ClockCommand.change(
        ClockChange(advanceMilliseconds: TypedSpan(span)?.milliseconds), options, on: console)
    }
  }

  struct SetDate: ConsoleCommand {
    static let configuration = CommandConfiguration(
      commandName: "set",
      abstract: "Set the store's clock to a later date, such as 2026-12-24 or 2026-12-24T18:00:00Z.",
      discussion: "Without an offset the date is in UTC. It cannot be before the clock's time.")

    @Argument(help: ArgumentHelp("The date.", valueName: "date"))
    var date: String

    @OptionGroup var options: ControlAPIOptions

    func validate() throws {
      if StoreDate(typed: date) == nil {
        throw ValidationError(
          "\(date.madeVisible(limit: 100)) is no date. Write one such as 2026-12-24 or 2026-12-24T18:00:00Z.")
      }
    }

    func run(on console: CommandConsole) async throws {
      try await ClockCommand.change(ClockChange(now: StoreDate(typed: date)), options, on: console)
    }
  }

  struct Rate: ConsoleCommand {
    static let configuration = CommandConfiguration(
      commandName: "rate",
      abstract: "Change the rate of the store's clock: 1 is real time, 0 stops it, 3600 is one hour for each second.")

    @Argument(
      help: ArgumentHelp("Store seconds in one second, 0 to 1000000.", valueName: "number"),
      completion: .list(["0", "1", "60", "3600", "86400"]))
    var rate: Double

    @OptionGroup var options: ControlAPIOptions

    func validate() throws {
      if !(0...1_000_000).contains(rate) { throw ValidationError("A clock's rate is from 0 to 1000000.") }
    }

    func run(on console: CommandConsole) async throws {
      try await ClockCommand.change(ClockChange(rate: rate), options, on: console)
    }
  }
}
