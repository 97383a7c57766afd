/// A customer's row: the subject, and whether the customer was erased or joined to another.
struct CustomerStatus: Hashable, Sendable {
  let customer: CustomerID
  /// The customer's name in the operator's identity system; nil for an anonymous or erased
  /// customer.
  let subject: String?
  let isErased: Bool
  /// The customer to whom this anonymous customer was joined, and to whom the tokens were transferred; nil if there is
  /// none.
  let joinedTo: CustomerID?
  /// Whether passes were taken from the customer, or given to the customer, and those of the previous owner are not scheduled yet.
  let hasUnscheduledPasses: Bool

  /// Whether the customer was neither erased nor joined to another.
  var isActive: Bool { !isErased && joinedTo == nil }
  /// Whether the customer is active, and has no subject in the operator's identity system.
  var isAnonymous: Bool { isActive && subject == nil }
}

extension LedgerTransaction {
  /// Returns a customer's status; nil if the customer never existed.
  ///
  /// The customer's lock is not required. Without the lock, another transaction can erase or join the customer after
  /// this call. An anonymous customer never gets a subject.
  func status(of customer: CustomerID) throws -> CustomerStatus? {
    try statusLater(of: customer).row.map { try CustomerStatus(customer, $0) }
  }

  /// Requests a customer's row, at the latest when the answer is read.
  func statusLater(of customer: CustomerID) throws -> PendingAnswer {
    try later(
      """
      SELECT subject, erased, joined_to, CAST(
        CASE WHEN EXISTS (SELECT 1 FROM pass_change WHERE customer = $1 OR new_owner = $1) THEN 1 ELSE 0 END AS BIGINT
      ) AS unscheduled
      FROM customer WHERE id = $1
      """, customer)
  }

  /// Returns the status of an active customer, who stays active until the transaction ends. Call this before writing
  /// any row of the customer.
  ///
  /// - Parameter schedulesPasses: whether passes are scheduled that the customer has lost or received in earlier transactions.
  ///   The later transactions of one redemption leave it to the last one.
  /// - Throws: ``LedgerError/unknownCustomer(_:)`` if the customer does not exist, was erased, or was joined to another.
  func expect(_ customer: CustomerID, schedulesPasses: Bool = true) throws -> CustomerStatus {
    try require(.customer(customer))
    return try expect(customer, try statusLater(of: customer), schedulesPasses: schedulesPasses)
  }

  /// - Parameter answer: of ``statusLater(of:)``. It was requested while the customer's lock was held.
  func expect(
    _ customer: CustomerID, _ answer: PendingAnswer, schedulesPasses: Bool = true
  ) throws -> CustomerStatus {
    try require(.customer(customer))
    guard let status = try answer.row.map({ try CustomerStatus(customer, $0) }), status.isActive else {
      throw LedgerError.unknownCustomer(customer)
    }
    if schedulesPasses, status.hasUnscheduledPasses { try schedulePasses(ofOwnersBefore: customer) }
    return status
  }
}

extension CustomerStatus {
  init(_ customer: CustomerID, _ row: SQLRow) throws {
    self.init(
      customer: customer, subject: try row.optionalText("subject"),
      isErased: try row.optionalInteger("erased") != nil,
      joinedTo: try row.optionalText("joined_to") == nil ? nil : try row.customer("joined_to"),
      hasUnscheduledPasses: try row.flag("unscheduled"))
  }
}
