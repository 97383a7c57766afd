import AppStoreEmulator
import ControlAPI
import Hummingbird
import StoreModel
import WebSupport

/// The page of faults: the list of faults that are set, presets to set with one click, and a form to set any fault.
struct FaultPage {
  /// With what their scopes name that the store does not have.
  let faults: [FaultReport]
  /// Each preset with the fields of its fault.
  let presets: [(preset: FaultPreset, fields: [FormField])]
  let apps: [StoreApp]
  let names: KnownNames
  let calls: CallContext

  var html: HTML {
    """
    <h1>Faults</h1>
    <p>A fault disturbs some requests of devices and servers, or notifications. If several match one, the one that was set first \
    applies. Faults are kept in memory only. <a href="/console/requests">Requests</a> show which fault applied.</p>
    <div id="faults" data-live>\(list)</div>
    <section aria-labelledby="presets-title"><h2 id="presets-title">Set with one click</h2>
    <div class="grid presets">\(presets.map(card))</div></section>
    <details class="card" id="any-fault"><summary>Set any other fault</summary>
    \(setting.html)</details>
    \(names.html)
    """
  }

  private func card(_ preset: FaultPreset, _ fields: [FormField]) -> HTML {
    let form = CallForm(
      call: APICall("preset-\(preset.id)", ControlEndpoints.setFault, fields: fields), title: preset.title,
      calls: calls,
      done: "It is set.", isCompact: true)
    return "<div class=\"card\"><p id=\"preset-\(preset.id)-summary\">\(preset.summary)</p>\(form.html)</div>\n"
  }

  private var setting: CallForm {
    CallForm(
      call: APICall("fault", ControlEndpoints.setFault, fields: FaultFields.all(apps: apps)), title: "Set the fault",
      calls: calls, style: "button-primary", done: "It is set.")
  }

  private var list: HTML {
    guard !faults.isEmpty else { return "<p class=\"card\">No fault is set: everything works.</p>" }
    let table = DataTable(
      caption: "Faults that are set",
      columns: [
        .init("Name"), .init("Kind"), .init("For"), .init("How long"), .init("Struck", isNumber: true),
        .init("Holds", isNumber: true), .init("State"), .init("Do"),
      ], rows: faults.map(row))
    let clear = CallForm(
      call: APICall("clear", ControlEndpoints.removeFaults), title: "Remove all", calls: calls, style: "button-danger",
      isCompact: true)
    return "\(table.html)\(clear.html)<p></p>"
  }

  /// What the fault waits for. Screen readers announce it when the fault has been set.
  private func warning(_ text: String) -> HTML {
    "<span class=\"sub\" role=\"status\">\(HTML.shortName(text, limit: 600))</span>"
  }

  private func row(report: FaultReport) -> [HTML] {
    let id = report.id.rawValue
    let release = CallForm(
      call: APICall(APICall.id("release", ofRow: id), ControlEndpoints.releaseFault, id), title: "Release",
      calls: calls,
      isCompact: true)
    let removal = CallForm(
      call: APICall(APICall.id("remove", ofRow: id), ControlEndpoints.removeFault, id), title: "Remove", calls: calls,
      style: "button-danger", isCompact: true)
    return [
      .shortName(id, limit: 60), "\(type(of: report.fault.kind).name)",
      "\(HTML.shortName(FaultText.scope(report.fault), limit: 200))\((report.warnings ?? []).map(warning))",
      "\(FaultText.duration(report))", "\(report.hits)", "\(report.waiting)",
      report.isActive ? "<span class=\"badge badge-wait\">may strike</span>" : "<span class=\"badge\">over</span>",
      "<div class=\"actions\">\(release.html, if: report.waiting > 0)\(removal.html)</div>",
    ]
  }
}

/// The route of `/console/faults`.
struct FaultPages: Sendable {
  let console: ConsoleContext

  func add(to router: Router<EmulatorRequestContext>) {
    router.get("/console/faults") { request, _ in
      let store = console.store
      let page = FaultPage(
        faults: try await store.faultsWithWarnings(),
        presets: try FaultPreset.all.map { ($0, try FormField.constants(of: $0.fault)) },
        apps: try await store.apps(limit: Choices.mostApps),
        names: try await KnownNames(.customers, .products, .installations, in: store),
        calls: console.calls(for: request))
      return console.page("Faults", in: .faults, for: request, page.html)
    }
  }
}
