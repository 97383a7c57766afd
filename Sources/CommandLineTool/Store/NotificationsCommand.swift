import AppStoreEmulator
import AppStoreServerAPI
import ArgumentParser
import ControlAPI
import Foundation
import StoreModel

/// `openstorekit notifications`: the server notifications of a running store.
struct NotificationsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "notifications",
    abstract: "List the server notifications of a running store, show one, or send one again.",
    discussion: """
      The store keeps them for 180 days of its clock. --notification-url of the emulator says where they are sent.
      """,
    subcommands: [List.self, Show.self, Resend.self], defaultSubcommand: List.self)

  struct List: ConsoleCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List notifications, newest first.",
      discussion: "At most 1,000 are listed. With --follow, the oldest is first, and new ones come at the end.")

    @Option(help: "Only this type.", completion: .list(NotificationType.allCases.map(\.rawValue)))
    var type: String?

    @Option(help: "Only those in this state.", completion: .list(StoredNotification.State.allCases.map(\.rawValue)))
    var state: String?

    @Option(
      help: ArgumentHelp("Only those of this customer.", valueName: "name"), completion: StoreCompletion.customers,
      transform: NameArgument.notEmpty)
    var customer: String?

    @OptionGroup var limit: ListLimit

    @Flag(help: "Go on listing new notifications until the command is ended, one line each.")
    var follow = false

    @OptionGroup var options: ControlAPIOptions

    func validate() throws {
      if follow, options.json { throw ValidationError("--follow prints lines, so it cannot be combined with --json.") }
      try ListedValue.check("--type", type, NotificationType.allCases.map(\.rawValue))
      try ListedValue.check("--state", state, StoredNotification.State.allCases.map(\.rawValue))
    }

    private var query: NotificationQuery {
      var query = NotificationQuery()
      query.type = type.flatMap(NotificationType.init)
      query.state = state.flatMap(StoredNotification.State.init)
      query.customer = customer.map(AccountName.init)
      query.limit = min(limit.count, 1_000)
      return query
    }

    func run(on console: CommandConsole) async throws {
      try await options.asking(on: console) { store in
        if follow { return try await follow(store, on: console) }
        let answer = try await store.call(ControlEndpoints.notifications, query: query)
        try options.show(answer, on: console) { console.lines(of: TextTable($0.notifications)) }
        if !options.json, answer.value.notifications.isEmpty { console.note("No notifications.") }
      }
    }

    /// Prints the listed notifications, and then new ones until the task is cancelled.
    private func follow(_ store: ControlAPIClient, on console: CommandConsole) async throws {
      var query = query
      var listed = try await store.call(ControlEndpoints.notifications, query: query).value.notifications
      listed.reverse()
      query.limit = 1_000
      while true {
        try console.write(lines: listed.map(NotificationText.line))
        query.after = listed.last?.sequence ?? query.after ?? 0
        try await Task.sleep(for: .milliseconds(500))
        listed = try await store.call(ControlEndpoints.notifications, query: query).value.notifications
      }
    }
  }

  struct Show: ConsoleCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show a notification: its attempts and its decoded contents.")

    @Argument(help: ArgumentHelp("The notificationUUID.", valueName: "uuid"), transform: NameArgument.notEmpty)
    var uuid: String

    @OptionGroup var options: ControlAPIOptions

    func run(on console: CommandConsole) async throws {
      try await options.asking(on: console) { store in
        let answer = try await store.call(ControlEndpoints.notification, path: NotificationPath(uuid))
        try options.show(answer, on: console) { NotificationText.lines($0, on: console) }
      }
    }
  }

  struct Resend: ConsoleCommand {
    static let configuration = CommandConfiguration(
      commandName: "resend", abstract: "Send a notification once more, with the same bytes.")

    @Argument(help: ArgumentHelp("The notificationUUID.", valueName: "uuid"), transform: NameArgument.notEmpty)
    var uuid: String

    @OptionGroup var options: ControlAPIOptions

    func run(on console: CommandConsole) async throws {
      try await options.asking(on: console) { store in
        let answer = try await store.call(ControlEndpoints.resendNotification, path: NotificationPath(uuid))
        try options.show(answer, on: console) { [NotificationText.line($0)] }
      }
    }
  }
}

/// Formats notifications. Control characters are escaped.
enum NotificationText {
  /// The type and subtype, such as `SUBSCRIBED INITIAL_BUY`.
  static func type(_ notification: NotificationView) -> String {
    [notification.type, notification.subtype].compactMap(\.self).joined(separator: " ").visibleIdentifier
  }

  /// The state, and the result of the last attempt.
  static func state(_ notification: NotificationView) -> String {
    let last = notification.attempts.last.map { " (\($0.result.visibleIdentifier))" } ?? ""
    return notification.state.rawValue + (notification.state == .sent ? "" : last)
  }

  static func line(_ notification: NotificationView) -> String {
    [
      String(notification.sequence), notification.date.readable, type(notification), state(notification),
      notification.environment.rawValue, notification.customer?.rawValue.visibleIdentifier ?? "",
      notification.transactionId?.rawValue ?? "", notification.uuid.visibleIdentifier,
    ].filter { !$0.isEmpty }.joined(separator: "  ")
  }

  static func lines(_ details: NotificationDetailsView, on console: CommandConsole) -> [String] {
    let notification = details.notification
    let attempts = TextTable(
      columns: [
        .init(heading: "attempt"), .init(heading: "result"), .init(heading: "status"), .init(heading: "to"),
        .init(heading: "detail"),
      ],
      rows: notification.attempts.map { attempt in
        [
          attempt.date.readable, attempt.result.visibleIdentifier, attempt.httpStatus.map(String.init) ?? "",
          attempt.url.visibleIdentifier, (attempt.detail ?? attempt.answer ?? "").madeVisible(limit: 200),
        ]
      })
    return [line(notification)] + console.lines(of: attempts)
      + [("payload", details.payload), ("transaction", details.transactionInfo), ("renewal", details.renewalInfo)]
      .flatMap { name, json in json.map { ["", name, $0.text.madeVisible(limit: 20_000)] } ?? [] }
  }
}

extension TextTable {
  /// A table of notifications, one row each.
  init(_ notifications: [NotificationView]) {
    self.init(
      columns: [
        .init(heading: "number", isNumber: true), .init(heading: "date"), .init(heading: "type"),
        .init(heading: "state", style: { $0.hasPrefix("sent") ? .good : $0.hasPrefix("waiting") ? .waiting : .bad }),
        .init(heading: "environment"), .init(heading: "customer"), .init(heading: "transaction"),
        .init(heading: "uuid"),
      ],
      rows: notifications.map { notification in
        [
          String(notification.sequence), notification.date.readable, NotificationText.type(notification),
          NotificationText.state(notification), notification.environment.rawValue,
          (notification.customer?.rawValue ?? "").visibleIdentifier, notification.transactionId?.rawValue ?? "",
          notification.uuid.visibleIdentifier,
        ]
      })
  }
}
