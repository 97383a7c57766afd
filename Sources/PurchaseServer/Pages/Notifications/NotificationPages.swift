import APIDescription
import Foundation
import Hummingbird
import PurchaseLedger
import StoreModel
import WebSupport

/// The list of the notifications of an app, newest first, and the page of one.
enum NotificationPages {
  static let all: [(path: String, make: OperatorPages.PageMaker)] = [
    (OperatorAddress.notifications, list), (OperatorAddress.notification, notification),
  ]

  private static let list: OperatorPages.PageMaker = { page in
    let (app, type, after, rows) = (page.app, page.query["type"], page.query["after"], try page.rows())
    let state = try page.query.word("state", ReceivedNotification.State.allCases)
    let list = try await page.answer(
      of: ServiceEndpoints.notificationsOfApp, app,
      query: [("state", state?.rawValue), ("type", type), ("after", after), ("limit", "\(rows)")])
    func address(_ after: String?, _ rows: Int? = nil) -> String {
      OperatorAddress.notifications(of: app, state: state?.rawValue, type: type, after: after, rows: rows)
    }
    let filter = FilterForm(
      OperatorAddress.notifications,
      [
        page.appFilter(),
        FilterForm.choices(
          "state", "State", ReceivedNotification.State.allCases.map { ($0.rawValue, $0.title) },
          chosen: state?.rawValue),
        FilterForm.line("type", "Type", type),
      ], all: OperatorAddress.notifications(of: app))
    let table = DataTable(
      caption: "Notifications, newest first",
      columns: ["Received", "Type", "State", "Transaction", "Environment", "Source", "Signed"],
      rows: list.notifications.map { row($0, of: app) }
    ).html(orNone: "There is no such notification. The server keeps them for \(Ledger.notificationDays) days.")
    let end = ListEnd(rows: rows, older: list.next.map { address($0.text) }) { address(after, $0) }
    return page.page(
      "Notifications",
      "<h1>Notifications</h1>\(filter.html)<div id=\"notifications\" data-live>\(table)\(end.html)</div>")
  }

  private static func row(_ notification: ReceivedNotification, of app: String) -> [HTML] {
    let address = OperatorAddress.notification(notification.uuid, of: app)
    return [
      "<a href=\"\(address)\"><span class=\"sr-only\">Notification </span>\(notification.received.html)</a>",
      notification.typeText, notification.stateBadge, notification.transactionLink,
      "\(notification.environment?.rawValue)", "\(notification.source.rawValue)", notification.signed.html,
    ]
  }

  private static let notification: OperatorPages.PageMaker = { page in
    let (app, uuid) = (try page.query.required("app"), try page.query.required("uuid"))
    let notification = try await page.answer(of: ServiceEndpoints.notification, app, uuid)
    var contents: NotificationContentsView?
    if notification.state == .setAside {
      contents = try await page.answer(of: ServiceEndpoints.notificationContents, app, uuid)
    }
    let content = NotificationPage(notification: notification, app: app, contents: contents, page: page)
    return page.page("Notification", content.html)
  }
}

/// The page of a notification: its problem, its decoded contents, and the form that replays it.
struct NotificationPage {
  let notification: ReceivedNotification
  let app: String
  /// Nil if the notification is recorded, because its contents are not kept then.
  let contents: NotificationContentsView?
  let page: OperatorPageRequest

  private static let replaying = EndpointFields(of: ServiceEndpoints.replayNotification.endpoint)

  var html: HTML {
    """
    <p class="crumb"><a href="\(OperatorAddress.notifications(of: app))">Notifications</a></p>
    <div class="headline" id="head" data-live><h1>\(notification.typeText)</h1>\(notification.stateBadge)</div>
    <div class="record">
    <section class="card" id="properties" data-live aria-labelledby="properties-title"><h2 id="properties-title">Properties</h2>
    \(properties)</section>
    <div id="actions" data-live>\(replay)</div>
    </div>
    <section id="contents" data-live aria-labelledby="contents-title"><h2 id="contents-title">Contents</h2>\(decoded)</section>
    """
  }

  private var properties: HTML {
    var list = DetailList()
    list.add("Problem", notification.problem.map { HTML.name($0) })
    list.add("Received", notification.received.html)
    list.add("Signed", notification.signed.html)
    list.add("notificationUUID", "<span class=\"mono\">\(notification.uuid)</span>")
    list.add("App", chosen: app)
    list.add("Environment", text: notification.environment?.rawValue)
    list.add("Source", text: notification.source.rawValue)
    list.add("Transaction", notification.transactionLink)
    return list.html
  }

  private var replay: HTML {
    guard notification.state == .setAside, page.site.allows(ServiceEndpoints.replayNotification) else { return "" }
    let call = APICall(
      "replay", ServiceEndpoints.replayNotification, app, notification.uuid, fields: [Self.replaying.reason])
    let form = CallForm(
      call: call, title: "Replay", calls: page.calls, style: "button-primary", done: "It was replayed.")
    return """
      <section class="card" aria-labelledby="replay-title"><h2 id="replay-title">Replay</h2>
      <p>When the cause of the problem is removed, a replay records what the notification states. If the ledger refuses it again, it \
      stays set aside.</p>\(form.html)</section>
      """
  }

  private var decoded: HTML {
    guard let contents else {
      return "<p class=\"card\">The notification is recorded. Its contents are not kept.</p>"
    }
    let parts = [
      ("payload", "Payload", contents.payload as DecodedJSON?),
      ("transaction", "signedTransactionInfo, decoded", contents.transactionInfo),
      ("renewal", "signedRenewalInfo, decoded", contents.renewalInfo),
    ]
    let cards = parts.map { id, title, json -> HTML in
      guard let json else { return "" }
      let text = PrettyJSON.text(Data(json.text.utf8))
      return
        "<section class=\"card\"><h3>\(title)</h3>\(CopyableText(id: id, title: title, text: text).html)</section>"
    }
    return "<div class=\"responses\">\(cards)</div>"
  }
}

extension ReceivedNotification {
  /// The type, and the subtype if there is one.
  fileprivate var typeText: HTML {
    let sub: HTML = subtype.map { "<span class=\"sub mono\">\(HTML.constant($0))</span>" } ?? ""
    return "<span class=\"mono\">\(HTML.constant(type))</span>\(sub)"
  }

  fileprivate var stateBadge: HTML {
    "<span class=\"badge \(state == .recorded ? "badge-good" : "badge-bad")\">\(state.title)</span>"
  }

  /// A link to the customer of the purchase.
  fileprivate var transactionLink: HTML {
    originalTransactionId.map {
      "<a class=\"mono\" href=\"\(OperatorAddress.search($0.rawValue))\">\($0.rawValue)</a>"
    } ?? ""
  }
}

extension ReceivedNotification.State {
  fileprivate var title: String {
    switch self {
    case .recorded: "recorded"
    case .setAside: "set aside"
    }
  }
}
