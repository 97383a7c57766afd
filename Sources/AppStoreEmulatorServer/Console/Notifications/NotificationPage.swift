import AppStoreEmulator
import ControlAPI
import Foundation
import StoreModel
import WebSupport

/// The page of a notification: its decoded payload, and the attempts to send it with what the server answered.
struct NotificationPage {
  let details: NotificationDetails
  let calls: CallContext

  private var notification: StoredNotification { details.notification }

  var title: String { "Notification \(notification.sequence)" }

  var html: HTML {
    let subtype: HTML = notification.subtype.map { "<span class=\"badge\">\(HTML.constant($0.rawValue))</span>" } ?? ""
    return """
      <p class="crumb"><a href="/console/notifications">Notifications</a></p>
      <div class="headline" id="head" data-live><h1>\(HTML.constant(notification.type.rawValue))</h1>\(subtype)\
      \(notification.stateBadge)<span class="badge">\(notification.environment.rawValue)</span></div>
      <div class="record">
      <section class="card" id="properties" data-live aria-labelledby="properties-title"><h2 id="properties-title">Properties</h2>
      \(properties)</section>
      <section class="card" id="actions" data-live aria-labelledby="actions-title"><h2 id="actions-title">Send again</h2>
      <p>Makes another attempt now, with the same bytes.</p>\(resending.html)</section>
      </div>
      <section id="attempts" data-live aria-labelledby="attempts-title"><h2 id="attempts-title">Attempts</h2>\(attempts)</section>
      <section id="contents" data-live aria-labelledby="contents-title"><h2 id="contents-title">Contents</h2>\(contents)</section>
      \(CommandView(id: "json", title: "this notification", text: calls.command(of: APICall("", ControlEndpoints.notification, notification.uuid))).html)
      """
  }

  private var properties: HTML {
    var list = DetailList()
    list.add("Time", notification.date.html)
    list.add("notificationUUID", "<span class=\"mono\">\(notification.uuid)</span>")
    list.add("Next attempt", notification.dueDate.map(\.html))
    list.add("App", chosen: notification.bundleID.rawValue)
    list.add(
      "Customer",
      notification.account.map {
        ConsoleAddress.link(ConsoleAddress.customer($0, notification.environment), .name($0.rawValue))
      })
    list.add(
      "Transaction",
      notification.transactionID.map {
        "<a class=\"mono\" href=\"\(ConsoleAddress.transaction($0))\">\($0.rawValue)</a>"
      })
    return list.html
  }

  private var resending: CallForm {
    CallForm(
      call: APICall("resend", ControlEndpoints.resendNotification, notification.uuid), title: "Send again",
      calls: calls, done: "Another attempt is due.")
  }

  private var attempts: HTML {
    guard !notification.attempts.isEmpty else { return "<p class=\"card\">There was no attempt yet.</p>" }
    return DataTable(
      caption: "Attempts, oldest first",
      columns: [.init("Due"), .init("Result"), .init("Address"), .init("Error"), .init("Answer")],
      rows: notification.attempts.enumerated().map(row)
    ).html
  }

  private func row(_ number: Int, _ attempt: NotificationAttempt) -> [HTML] {
    let answer = attempt.answer ?? ""
    return [
      attempt.date.html, attempt.resultText,
      "<span class=\"mono small\">\(HTML.shortName(attempt.url, limit: 200))</span>",
      attempt.detail.map { HTML.name($0) } ?? "",
      answer.isEmpty
        ? "" : FoldedText(id: "answer-\(number)", title: "Answer of attempt \(number + 1)", text: answer).html,
    ]
  }

  private var contents: HTML {
    let hasSignedData = details.transactionInfo != nil || details.renewalInfo != nil
    let note: HTML =
      hasSignedData ? "<p class=\"small muted\">$transaction and $renewal stand for the signed data.</p>" : ""
    let parts = [
      ("payload", "Payload", details.payload as String?, note),
      ("transaction", "signedTransactionInfo, decoded", details.transactionInfo, ""),
      ("renewal", "signedRenewalInfo, decoded", details.renewalInfo, ""),
    ]
    let cards = parts.map { id, title, json, note in json.map { card(id, title, $0, note) } ?? "" }
    let signed: HTML =
      details.signedPayload.map { FoldedText(id: "jws", title: "signedPayload, as it is sent", text: $0).html }
      ?? "<p class=\"muted\">It is signed before the first attempt.</p>"
    return "<div class=\"responses\">\(cards)</div>\(signed)"
  }

  private func card(_ id: String, _ title: String, _ json: String, _ note: HTML) -> HTML {
    """
    <section class="card"><h3>\(title)</h3>\(note)\
    \(CopyableText(id: id, title: title, text: PrettyJSON.text(Data(json.utf8))).html)</section>
    """
  }
}
