import AppStoreEmulator
import Hummingbird
import StoreModel
import WebSupport

/// The page of the faults that are set, and a form to set a fault.
struct FaultPage {
  let faults: [FaultReport]
  let command: ShellCommand

  var html: HTML {
    """
    <h1>Faults</h1>
    <p>Trouble for some of the requests of devices and of verifyReceipt. Kept in memory only; where several are for a request, \
    the first of them strikes. <a href="/console/requests">Requests</a> tell which struck.</p>
    <div id="faults" data-live>\(list)</div>
    <section class="card" aria-labelledby="set-title"><h2 id="set-title">Set a fault</h2>
    \(setting.html)</section>
    """
  }

  private var setting: CallForm {
    CallForm(
      call: ControlCall("fault", .post, "faults", fields: FaultFields.all), title: "Set the fault", command: command,
      style: "button-primary", done: "It is set.")
  }

  private var list: HTML {
    guard !faults.isEmpty else { return "<p class=\"card\">None is set: everything works.</p>" }
    let table = DataTable(
      caption: "Faults that are set",
      columns: [
        .init("Name"), .init("Kind"), .init("For"), .init("How long"), .init("Struck", isNumber: true),
        .init("Holds", isNumber: true), .init("State"), .init("Do"),
      ], rows: faults.enumerated().map(row))
    let clear = CallForm(
      call: ControlCall("clear", .delete, "faults"), title: "Remove all", command: command, style: "button-danger",
      isCompact: true)
    return "\(table.html)\(clear.html)<p></p>"
  }

  private func row(number: Int, report: FaultReport) -> [HTML] {
    let id = report.id.rawValue
    let release = CallForm(
      call: ControlCall("release-\(number)", .post, "faults", id, "release"), title: "Release", command: command,
      isCompact: true)
    let removal = CallForm(
      call: ControlCall("remove-\(number)", .delete, "faults", id), title: "Remove", command: command,
      style: "button-danger", isCompact: true)
    return [
      .shortName(id, limit: 60), "\(type(of: report.fault.kind).name)",
      .shortName(FaultText.scope(report.fault), limit: 200),
      "\(FaultText.duration(report))", "\(report.hits)", "\(report.waiting)",
      report.isActive ? "<span class=\"badge badge-wait\">may strike</span>" : "<span class=\"badge\">over</span>",
      "<div class=\"actions\">\(release.html, if: report.waiting > 0)\(removal.html)</div>",
    ]
  }
}

/// Descriptions of faults.
enum FaultText {
  /// The requests for which a fault is set.
  static func scope(_ fault: Fault) -> String {
    let scope = fault.scope
    let parts: [String?] = [
      scope.calls.map { $0.map(\.rawValue).sorted().joined(separator: ", ") }, scope.environment?.rawValue,
      scope.customer.map { "customer \($0.rawValue)" }, scope.bundleID.map { "app \($0.rawValue)" },
      scope.productID.map { "product \($0.rawValue)" }, scope.installationID.map { "installation \($0.rawValue)" },
    ]
    let text = parts.compactMap { $0 }.joined(separator: " · ")
    return text.isEmpty ? "whatever it usually strikes" : text
  }

  /// How long a fault stays active.
  static func duration(_ report: FaultReport) -> String {
    var parts: [String] = []
    if let remaining = report.remaining { parts.append("\(remaining) more") }
    if let probability = report.fault.probability, probability < 1 { parts.append("with a chance of \(probability)") }
    if let end = report.endDate { parts.append("until \(end.text)") }
    return parts.isEmpty ? "until it is removed" : parts.joined(separator: ", ")
  }
}

/// The route of `/console/faults`.
struct FaultPages: Sendable {
  let console: ConsoleContext

  func add(to router: Router<EmulatorRequestContext>) {
    router.get("/console/faults") { request, _ in
      console.page(
        "Faults", in: .faults, FaultPage(faults: console.store.faults(), command: console.command(for: request)).html)
    }
  }
}
