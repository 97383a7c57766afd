import AppStoreEmulator
import ControlAPI
import Foundation
import StoreModel

extension TextTable {
  /// A table of faults, one row each. Control characters are escaped.
  init(_ faults: [FaultReport]) {
    self.init(
      columns: [
        .init(heading: "fault"), .init(heading: "kind"), .init(heading: "for"),
        .init(heading: "with", canBeCut: true),
        .init(heading: "struck", isNumber: true), .init(heading: "left", isNumber: true),
        .init(heading: "holds", isNumber: true), .init(heading: "until"),
        .init(heading: "state", style: { $0 == "active" ? .waiting : nil }),
      ],
      rows: faults.map { report in
        [
          shown(report.id.rawValue), type(of: report.fault.kind).name, scope(of: report.fault.scope),
          values(of: report.fault), String(report.hits),
          report.remaining.map { String($0) } ?? "", report.waiting == 0 ? "" : String(report.waiting),
          report.endDate?.readable ?? "", report.isActive ? "active" : "over",
        ]
      })
  }
}

private func shown(_ text: String) -> String { text.visibleIdentifier }

private func scope(of scope: FaultScope) -> String {
  let parts = [
    scope.calls.map { $0.map(\.rawValue).sorted().joined(separator: "+") }, scope.customer?.rawValue,
    scope.productID?.rawValue, scope.installationID?.rawValue, scope.bundleID?.rawValue, scope.environment?.rawValue,
  ]
  return parts.compactMap(\.self).map(shown).joined(separator: ", ")
}

/// Returns the values that only some kinds of faults have, and the probability.
private func values(of fault: Fault) -> String {
  let members = (try? JSONEncoder().encode(fault)).flatMap { JSONValue(parsing: $0) }
  var parts = type(of: fault.kind).members.compactMap { member in
    members?[member.name].map { text(of: $0, member) }
  }
  if let probability = fault.probability { parts.append("chance \(probability)") }
  return parts.joined(separator: ", ")
}

private func text(of value: JSONValue, _ member: FaultMember) -> String {
  switch (member.value, value) {
  case (.appError, _): "\(shown(value["domain"]?.text ?? "")):\(value["code"]?.document ?? "")"
  case (.milliseconds, .number(let digits)): "\(digits) ms"
  case (_, .number(let digits)): "\(member.name) \(digits)"
  case (_, .string(let text)): shown(text)
  default: "\(member.name) \(value.document)"
  }
}
