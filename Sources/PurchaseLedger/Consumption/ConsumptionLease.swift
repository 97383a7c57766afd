import StoreModel

/// A request for information about consumption that this server works on. Until ``until``, no other server does.
public struct ConsumptionLease: Sendable {
  public let app: BundleID
  public let uuid: String
  public let environment: StoreEnvironment
  public let transaction: TransactionID
  let claim: PurchaseKey
  let type: ProductType
  let deadline: StoreDate
  let state: ConsumptionState
  let attempts: Int64
  /// An operator's values.
  let chosen: ConsumptionValues
  /// The end of the lease, by the server's clock. It identifies the lease.
  let until: StoreDate

  /// How long a lease lasts, in seconds. It is longer than the request to the store, with its retries.
  public static let seconds: Int64 = 120

  /// The longest pause, in seconds, before a server looks again for a consent or a claim that was missing.
  static let mostHeldSeconds: Int64 = 900

  /// The pause after an attempt, in seconds: a minute after the first, then twice as long each time, at most an hour.
  var pauseSeconds: Int64 { min(3_600, 60 << min(6, max(0, attempts - 1))) }

  init(_ row: SQLRow, app: BundleID, until: StoreDate) throws {
    self.app = app
    uuid = try row.text("uuid")
    environment = try row.value("environment")
    transaction = try row.value("id")
    claim = PurchaseKey(app: app, environment: environment, id: try row.value("claim"))
    type = try row.value("type")
    deadline = try row.date("deadline")
    state = try row.value("state")
    attempts = try row.integer("attempts") + 1
    chosen = try ConsumptionValues(row)
    self.until = until
  }
}

/// What a server does with a request that it works on.
public enum ConsumptionStep: Hashable, Sendable {
  /// Sends the values. The customer consented on this date.
  case send(ConsumptionValues, consented: StoreDate)
  /// Sends nothing, and looks at the request again later.
  case hold(ConsumptionState)
  /// The request is not this server's to answer: it waits for an operator, or the app's policy is `off` now, which ends it.
  case leave
  /// The deadline has passed.
  case end
}

/// The result of a ``ConsumptionStep``.
public enum ConsumptionResult: Hashable, Sendable {
  /// The store has accepted the values.
  case accepted(ConsumptionValues, consented: StoreDate)
  /// The store would refuse the values again.
  case refused(problem: String)
  /// The store could not be asked.
  ///
  /// - Parameter retryAfterSeconds: the least pause.
  case failed(problem: String, retryAfterSeconds: Int64)
  case held(ConsumptionState)
  case left
  case ended
}
