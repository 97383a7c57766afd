import AppStoreEmulator
import AppStoreServerAPI
import StoreModel
import WebSupport

/// The server notifications, newest first, the addresses to which they are sent, and forms to send one and to disturb them.
struct NotificationListPage {
  let query: NotificationListQuery
  let page: StoredNotificationPage
  let apps: [StoreApp]
  let policy: NotificationPolicy
  let names: KnownNames
  let command: ShellCommand

  var html: HTML {
    """
    <h1>Notifications</h1>
    <section class="card" id="addresses" data-live aria-labelledby="addresses-title"><h2 id="addresses-title">Your server</h2>
    \(NotificationAddresses(apps: apps, chosen: query.filter.bundleID, command: command).html)</section>
    \(filters)
    <div id="notifications" data-live>\(table)\(further)</div>
    <div class="two">
    <section class="card" aria-labelledby="send-title"><h2 id="send-title">Send one</h2>
    <p>A notification that no event caused, with the records of now. It changes no record.</p>\(sending.html)</section>
    <section class="card" id="policy-card" data-live aria-labelledby="policy-title"><h2 id="policy-title">Disturb delivery</h2>
    <p>For all notifications, until it is changed back or the store ends. A <a href="/console/faults">fault</a> disturbs chosen \
    ones.</p>\(disturbing.html)</section>
    </div>
    \(names.html)
    """
  }

  private var filters: HTML {
    let filter = query.filter
    let types = Choices.html(
      "type", "Type", NotificationType.allCases.map { ($0.rawValue, $0.rawValue) }, chosen: filter.type?.rawValue)
    let subtypes = Choices.html(
      "subtype", "Subtype", NotificationSubtype.allCases.map { ($0.rawValue, $0.rawValue) },
      chosen: filter.subtype?.rawValue)
    let states = Choices.html(
      "state", "State", StoredNotification.State.allCases.map { ($0.rawValue, StoredNotification.title($0)) },
      chosen: filter.state?.rawValue)
    return """
      <form class="filters" role="search" action="/console/notifications" method="get">
      \(types)\(subtypes)\(states)\(Choices.environments(chosen: filter.environment))
      <div class="field field-name"><label for="customer">Customer</label>\
      <input type="text" id="customer" name="customer"\(KnownNames.List.customers.attribute) value="\(filter.account?.rawValue ?? "")"></div>
      <div class="field field-name"><label for="transaction">Transaction</label>\
      <input type="text" id="transaction" name="transaction" value="\(filter.transactionID?.rawValue ?? "")"></div>
      \(Choices.apps(apps, chosen: filter.bundleID))
      <button type="submit">Find</button><a class="button button-plain" href="/console/notifications">All</a></form>
      """
  }

  private var table: HTML {
    guard !page.notifications.isEmpty else {
      return "<p class=\"card\">There is no such notification. The store keeps them for 180 days of its clock.</p>"
    }
    return DataTable(
      caption: "Notifications, newest first",
      columns: [
        .init("Number"), .init("Time"), .init("Type"), .init("State"), .init("Attempts"), .init("Customer"),
        .init("Transaction"), .init("Environment"),
      ], rows: page.notifications.map(row)
    ).html
  }

  private func row(_ notification: StoredNotification) -> [HTML] {
    let subtype: HTML =
      notification.subtype.map { "<span class=\"sub mono\">\(HTML.constant($0.rawValue))</span>" } ?? ""
    let attempts = notification.attempts.count
    let last: HTML =
      notification.attempts.last.map { "\(attempts)<span class=\"sub\">last: \($0.resultText)</span>" } ?? "none"
    return [
      """
      <a href="\(ConsoleAddress.notification(notification.uuid))" id="n-\(notification.sequence)">\
      <span class="sr-only">Notification </span>\(notification.sequence)</a>
      """,
      notification.date.html, "<span class=\"mono\">\(HTML.constant(notification.type.rawValue))</span>\(subtype)",
      notification.stateBadge, last,
      notification.account.map { .shortName($0.rawValue, limit: 40) } ?? "",
      notification.transactionID.map {
        "<a class=\"mono\" href=\"\(ConsoleAddress.transaction($0))\">\($0.rawValue)</a>"
      } ?? "",
      "\(notification.environment.rawValue)",
    ]
  }

  private var further: HTML {
    guard let next = page.next else { return "" }
    let rows = min(query.filter.limit + NotificationListQuery.pageSize, NotificationListQuery.largestPage)
    let more: HTML =
      query.filter.limit < NotificationListQuery.largestPage
      ? "<a class=\"button\" data-more href=\"\(query.address(before: query.filter.before, rows: rows))\">Show more</a>"
      : ""
    return "<p class=\"older\">\(more)<a class=\"button\" href=\"\(query.address(before: next))\">Older</a></p>"
  }

  private var sending: CallForm {
    CallForm(
      call: ControlCall("send", .post, "notifications", fields: Self.fields(apps)), title: "Send", command: command,
      done: "It is on its way.", next: "/console/notifications/{uuid}")
  }

  /// A type with subtypes has a choice of its own for them.
  private static func fields(_ apps: [StoreApp]) -> [ControlField] {
    let types = NotificationType.allCases
    let subtypes = types.filter { !$0.subtypes.isEmpty }.map { type in
      ControlField(
        "subtype", .text, "Subtype",
        input: .choice([.init("", "none")] + type.subtypes.map { .init($0.rawValue) }),
        when: .init(name: "type", values: [type.rawValue]))
    }
    return [
      ControlField("bundleId", .text, "App", input: .choice(apps.map { .init($0.bundleID.rawValue) })),
      ControlField(
        "environment", .text, "Environment", text: StoreEnvironment.sandbox.rawValue,
        input: .choice([StoreEnvironment.production, .sandbox].map { .init($0.rawValue) })),
      ControlField(
        "type", .text, "Type", text: NotificationType.test.rawValue, input: .choice(types.map { .init($0.rawValue) })),
    ] + subtypes + [
      ControlField(
        "transactionId", .text, "Transaction", hint: "Empty: the notification contains no signed transaction.")
    ]
  }

  private var disturbing: CallForm {
    CallForm(
      call: ControlCall(
        "policy", .patch, "notifications", "policy",
        fields: [
          ControlField(
            "hold", .flag, "Hold them", text: "\(policy.hold)", input: .check, hint: "No attempts are made."),
          ControlField(
            "drop", .flag, "Lose them", text: "\(policy.drop)", input: .check, hint: "Attempts fail with NO_RESPONSE."),
          ControlField(
            "duplicate", .flag, "Send each twice", text: "\(policy.duplicate)", input: .check,
            hint: "With the same bytes."),
          ControlField(
            "reorder", .flag, "The newest first", text: "\(policy.reorder)", input: .check,
            hint: "Of the attempts that are due."),
          ControlField(
            "delayMilliseconds", .duration, "Wait before each attempt", text: "\(policy.delayMilliseconds) ms",
            hint: "Of this machine’s time, at most 10 min."),
        ]), title: "Save", command: command, style: "button-primary", done: "Saved.")
  }
}

/// The addresses to which the notifications of each app are sent, with forms to change them.
struct NotificationAddresses {
  let apps: [StoreApp]
  /// The only app to show; nil for all.
  let chosen: BundleID?
  let command: ShellCommand

  /// The maximum number of apps with a form. The filter of the list chooses another app.
  static let mostForms = 10

  var html: HTML {
    let fitting = apps.filter { chosen == nil || $0.bundleID == chosen }
    let rest: HTML =
      fitting.count > Self.mostForms
      ? "<p class=\"muted\">And \(fitting.count - Self.mostForms) more apps. Choose one below.</p>" : ""
    return "\(fitting.prefix(Self.mostForms).enumerated().map(section))\(rest)"
  }

  private func section(_ number: Int, _ app: StoreApp) -> HTML {
    let urls = app.notificationURLs
    let form = CallForm(
      call: ControlCall(
        "addresses-\(number)", .put, "apps", app.bundleID.rawValue, "notificationURLs",
        fields: [
          field("production", "Production", urls.production?.absoluteString),
          field("sandbox", "Sandbox", urls.sandbox?.absoluteString),
        ]), title: "Save", command: command, style: "button-primary", done: "Saved.")
    return """
      <p>\(HTML.identifier(app.bundleID.rawValue, limit: 80)): your server listens \(Self.place(urls)).</p>
      <details id="addresses-\(number)-edit"><summary>Change<span class="sr-only"> the addresses of \
      \(HTML.shortName(app.bundleID.rawValue))</span></summary>\(form.html)</details>
      """
  }

  private func field(_ name: String, _ label: String, _ address: String?) -> ControlField {
    ControlField(
      name, .textOrNull, label, text: address ?? "",
      hint: "Such as http://127.0.0.1:9000/notifications. Empty: nowhere.")
  }

  private static func place(_ urls: NotificationURLs) -> HTML {
    switch (urls.production, urls.sandbox) {
    case (nil, nil): return "nowhere, so the store makes no notifications"
    case (let production?, let sandbox?) where production == sandbox:
      return "at \(address(production.absoluteString))"
    case (let production, let sandbox):
      func part(_ text: String?, _ environment: String) -> HTML {
        text.map { "at \(address($0)) for \(environment)" } ?? "nowhere for \(environment)"
      }
      return
        "\(part(production?.absoluteString, "production")), and \(part(sandbox?.absoluteString, "the sandbox"))"
    }
  }

  private static func address(_ text: String) -> HTML {
    "<span class=\"mono\">\(HTML.shortName(text, limit: 200))</span>"
  }
}
