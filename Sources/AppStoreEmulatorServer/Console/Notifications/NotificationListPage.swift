import AppStoreEmulator
import AppStoreServerAPI
import ControlAPI
import StoreModel
import WebSupport

/// The server notifications, newest first, the addresses to which they are sent, and forms to send one and to disturb them.
struct NotificationListPage {
  let query: NotificationListQuery
  let page: StoredNotificationPage
  let apps: [StoreApp]
  let policy: NotificationPolicy
  let names: KnownNames
  let calls: CallContext

  var html: HTML {
    """
    <h1>Notifications</h1>
    <section class="card" id="addresses" data-live aria-labelledby="addresses-title"><h2 id="addresses-title">Your server</h2>
    \(NotificationAddresses(apps: apps, chosen: query.filter.bundleID, calls: calls).html)</section>
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
    let types = FilterForm.choices(
      "type", "Type", NotificationType.allCases.map { ($0.rawValue, $0.rawValue) }, chosen: filter.type?.rawValue)
    let subtypes = FilterForm.choices(
      "subtype", "Subtype", NotificationSubtype.allCases.map { ($0.rawValue, $0.rawValue) },
      chosen: filter.subtype?.rawValue)
    let states = FilterForm.choices(
      "state", "State", StoredNotification.State.allCases.map { ($0.rawValue, StoredNotification.title($0)) },
      chosen: filter.state?.rawValue)
    return FilterForm(
      "/console/notifications",
      [
        types, subtypes, states, Choices.environments(chosen: filter.environment),
        FilterForm.line("customer", "Customer", filter.account?.rawValue, .customers),
        FilterForm.line("transaction", "Transaction", filter.transactionID?.rawValue),
        Choices.apps(apps, chosen: filter.bundleID),
      ], all: "/console/notifications"
    ).html
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
    ListEnd(rows: query.filter.limit, older: page.next.map { query.address(before: $0) }) {
      query.address(before: query.filter.before, rows: $0)
    }.html
  }

  private var sending: CallForm {
    CallForm(
      call: APICall("send", ControlEndpoints.sendNotification, fields: Self.fields(apps)), title: "Send", calls: calls,
      done: "It is on its way.", next: "/console/notifications/{uuid}")
  }

  /// A type with subtypes has a choice of its own for them.
  private static func fields(_ apps: [StoreApp]) -> [FormField] {
    let types = NotificationType.allCases
    let subtypes = types.filter { !$0.subtypes.isEmpty }.map { type in
      FormField(
        "subtype", .text, "Subtype",
        input: .choice([.init("", "none")] + type.subtypes.map { .init($0.rawValue) }),
        when: .init(name: "type", values: [type.rawValue]))
    }
    return [
      FormField("bundleId", .text, "App", input: .choice(apps.map { .init($0.bundleID.rawValue) })),
      FormField(
        "environment", .text, "Environment", text: StoreEnvironment.sandbox.rawValue,
        input: .choice([StoreEnvironment.production, .sandbox].map { .init($0.rawValue) })),
      FormField(
        "type", .text, "Type", text: NotificationType.test.rawValue, input: .choice(types.map { .init($0.rawValue) })),
    ] + subtypes + [
      FormField(
        "transactionId", .text, "Transaction", hint: "Empty: the notification contains no signed transaction.")
    ]
  }

  private var disturbing: CallForm {
    CallForm(
      call: APICall(
        "policy", ControlEndpoints.changeNotificationPolicy,
        fields: [
          FormField(
            "hold", .flag, "Hold them", text: "\(policy.hold)", input: .check, hint: "No attempts are made."),
          FormField(
            "drop", .flag, "Lose them", text: "\(policy.drop)", input: .check, hint: "Attempts fail with NO_RESPONSE."),
          FormField(
            "duplicate", .flag, "Send each twice", text: "\(policy.duplicate)", input: .check,
            hint: "With the same bytes."),
          FormField(
            "reorder", .flag, "The newest first", text: "\(policy.reorder)", input: .check,
            hint: "Of the attempts that are due."),
          FormField(
            "delayMilliseconds", .duration, "Wait before each attempt", text: "\(policy.delayMilliseconds) ms",
            hint: "Of this machine’s time, at most 10 min."),
        ]), title: "Save", calls: calls, style: "button-primary", done: "Saved.")
  }
}

/// The addresses to which the notifications of each app are sent, with forms to change them.
struct NotificationAddresses {
  let apps: [StoreApp]
  /// The only app to show; nil for all.
  let chosen: BundleID?
  let calls: CallContext

  /// The maximum number of apps with a form. The filter of the list chooses another app.
  static let mostForms = 10

  var html: HTML {
    let fitting = apps.filter { chosen == nil || $0.bundleID == chosen }
    let rest: HTML =
      fitting.count > Self.mostForms
      ? "<p class=\"muted\">And \(fitting.count - Self.mostForms) more apps. Choose one below.</p>" : ""
    return "\(fitting.prefix(Self.mostForms).map(section))\(rest)"
  }

  private func section(_ app: StoreApp) -> HTML {
    let urls = app.notificationURLs
    let id = APICall.id("addresses", ofRow: app.bundleID.rawValue)
    let form = CallForm(
      call: APICall(
        id, ControlEndpoints.setNotificationURLs, app.bundleID.rawValue,
        fields: [
          field("production", "Production", urls.production?.absoluteString),
          field("sandbox", "Sandbox", urls.sandbox?.absoluteString),
        ]), title: "Save", calls: calls, style: "button-primary", done: "Saved.")
    return """
      <p>\(HTML.identifier(app.bundleID.rawValue, limit: 80)): your server listens \(Self.place(urls)).</p>
      <details id="\(id)-edit"><summary>Change<span class="sr-only"> the addresses of \
      \(HTML.shortName(app.bundleID.rawValue))</span></summary>\(form.html)</details>
      """
  }

  private func field(_ name: String, _ label: String, _ address: String?) -> FormField {
    FormField(
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
