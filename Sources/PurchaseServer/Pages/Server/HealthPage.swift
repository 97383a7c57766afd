import Hummingbird
import PurchaseLedger
import StoreModel
import WebSupport

/// The page of the server's state.
struct HealthPage {
  static let all: [(path: String, make: OperatorPages.PageMaker)] = [
    (
      OperatorAddress.health,
      { page in
        let health = try await page.answer(of: ServiceEndpoints.operatorHealth)
        return page.page("Health", HealthPage(health: health).html)
      }
    )
  ]

  let health: OperatorHealthView

  var html: HTML {
    let state: HTML =
      health.problem == nil
      ? "<span class=\"badge badge-good\">ready</span>" : "<span class=\"badge badge-bad\">not ready</span>"
    let problem: HTML =
      health.problem.map { "<p class=\"notice\">\($0.component.rawValue): \($0.error.message)</p>" } ?? ""
    return """
      <div class="headline" id="head" data-live><h1>Health</h1>\(state)</div>\(problem)
      <section class="card" id="server" data-live aria-labelledby="server-title"><h2 id="server-title">Server</h2>\(server)</section>
      <section id="apps" data-live aria-labelledby="apps-title"><h2 id="apps-title">Apps</h2>\(apps)</section>
      <section id="histories" data-live aria-labelledby="histories-title"><h2 id="histories-title">Notification histories</h2>
      \(histories)</section>
      """
  }

  private var server: HTML {
    var list = DetailList()
    list.add("Version", text: health.version)
    list.add("Date", health.date.html)
    list.add("Database", text: health.database)
    list.add("Ledger’s incarnation", "<span class=\"mono\">\(health.incarnation.description)</span>")
    list.add("Trusted roots", HTML(health.anchors.map { "<span class=\"mono sum\">\($0.rawValue)</span> " }))
    return list.html
  }

  private var apps: HTML {
    let rows = health.apps.map { app -> [HTML] in
      [
        .identifier(app.bundleId.rawValue, limit: 120), app.lastNotification?.html ?? "none", setAside(app),
        app.lastAnswer?.html ?? "none since the start", failure(app),
      ]
    }
    return DataTable(
      caption: "Apps",
      columns: ["App", "Last notification", "Set aside", "Last verified answer of the store", "Last failed call"],
      rows: rows
    ).html
  }

  private func setAside(_ app: AppHealthView) -> HTML {
    guard app.setAside > 0 else { return "0" }
    let address = OperatorAddress.notifications(
      of: app.bundleId.rawValue, state: ReceivedNotification.State.setAside.rawValue)
    return """
      <a class="badge badge-bad" href="\(address)">\(app.setAside)<span class="sr-only"> set aside</span></a>\
      \(app.oldestSetAside.map { "<span class=\"sub\">since \($0.html)</span>" })
      """
  }

  private func failure(_ app: AppHealthView) -> HTML {
    guard let failure = app.lastFailure else { return "none since the start" }
    let isOver = app.lastAnswer.map { failure.date < $0 } ?? false
    return """
      <span class="badge \(isOver ? "" : "badge-bad")">\(isOver ? "answered since" : "failed")</span> \(failure.date.html)\
      <span class="sub">\(HTML.shortName(failure.message, limit: 400))</span>
      """
  }

  private var histories: HTML {
    let rows = health.apps.flatMap { app in
      app.histories.map { history -> [HTML] in
        [
          .identifier(app.bundleId.rawValue, limit: 120), "\(history.environment.rawValue)", history.readUntil.html,
          history.leasedUntil.map { "<span class=\"badge badge-wait\">being read</span> until \($0.html)" } ?? "waits",
        ]
      }
    }
    return DataTable(
      caption: "Notification histories", columns: ["App", "Environment", "Read until", "State"], rows: rows
    ).html(orNone: "No history was read: it needs a key of the App Store Server API.")
  }
}
