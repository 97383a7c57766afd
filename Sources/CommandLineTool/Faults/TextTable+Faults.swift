extension TextTable {
  /// Faults, a row for each. What comes from strangers is made visible.
  init(_ faults: [ControlDoor.Fault]) {
    self.init(
      columns: [
        .init(heading: "fault"), .init(heading: "kind"), .init(heading: "for", canBeCut: true),
        .init(heading: "with", canBeCut: true),
        .init(heading: "struck", isNumber: true), .init(heading: "left", isNumber: true),
        .init(heading: "holds", isNumber: true), .init(heading: "until"),
        .init(heading: "state", style: { $0 == "active" ? .waiting : nil }),
      ],
      rows: faults.map { fault in
        [
          shown(fault.id), shown(fault.kind), scope(of: fault), values(of: fault), String(fault.hits),
          fault.remaining.map { String($0) } ?? "", fault.waiting == 0 ? "" : String(fault.waiting),
          fault.endDate?.readable ?? "", fault.isActive ? "active" : "over",
        ]
      })
  }
}

private func shown(_ text: String) -> String { text.madeVisible(limit: 60) }

private func scope(of fault: ControlDoor.Fault) -> String {
  guard let scope = fault.scope else { return "" }
  let parts = [
    scope.calls.map { $0.map(shown).joined(separator: "+") }, scope.customer.map(shown), scope.productId.map(shown),
    scope.installationId.map(shown), scope.bundleId.map(shown), scope.environment.map(shown),
  ]
  return parts.compactMap(\.self).joined(separator: ", ")
}

private func values(of fault: ControlDoor.Fault) -> String {
  let parts = [
    fault.error.map { "\(shown($0.domain)):\($0.code)" }, fault.milliseconds.map { "\($0) ms" },
    fault.appearance.map(shown), fault.status.map { "status \($0)" }, fault.httpStatus.map { "HTTP \($0)" },
    fault.probability.map { "chance \($0)" },
  ]
  return parts.compactMap(\.self).joined(separator: ", ")
}
