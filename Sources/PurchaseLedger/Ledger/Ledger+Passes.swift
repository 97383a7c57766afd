import StoreModel

extension Ledger {
  /// The maximum number of customers that one read finds.
  private static let unscheduledPage = 200

  /// Runs `body`, which reads what a customer has access to. Schedules the passes of the customers that `body` expects
  /// (``LedgerTransaction/expectScheduledPasses(of:)``), so that it never returns a period that ends too late.
  func readAccess<Value: Sendable>(
    _ body: @escaping @Sendable (LedgerTransaction) throws -> Value
  ) async throws -> Value {
    while true {
      do {
        return try await database.read(body)
      } catch let unscheduled as UnscheduledPasses {
        try await schedulePasses(of: [unscheduled.customer])
      }
    }
  }

  /// Schedules the passes after all unscheduled changes of customers. It is completed even if the task is cancelled, for example
  /// because the time of its request is up.
  func schedulePasses(of customers: Set<CustomerID>) async throws {
    guard !customers.isEmpty else { return }
    let (database, now) = (database, clock.now)
    try await Task {
      for customer in customers.sorted() {
        try await database.write(locking: [.customer(customer)]) { transaction in
          transaction.change = LedgerChange(date: now)
          try transaction.schedulePasses(of: customer)
        }
      }
    }.value
  }

  /// Schedules the passes after all unscheduled changes, for example those of a server that has stopped.
  func scheduleAllPasses() async throws {
    var last = ""
    while true {
      let after = last
      let page = try await database.read { transaction in
        try transaction.rows(
          "SELECT DISTINCT customer FROM pass_change WHERE customer > $1 ORDER BY customer LIMIT $2", after,
          Self.unscheduledPage
        ).map { try $0.customer("customer") }
      }
      guard let end = page.last else { return }
      last = end.description
      try await schedulePasses(of: Set(page))
    }
  }
}
