import AppStoreServerAPI
import Foundation
import GRDB
import StoreModel

extension StoreUnitOfWork {
  var notificationQueue: NotificationQueue { NotificationQueue(work: self) }
}

/// The attempts that are due, and their results: what the worker reads and writes.
struct NotificationQueue {
  let work: StoreUnitOfWork

  /// The notifications of one app and environment, and where they are sent.
  struct Receiver: Hashable, Sendable {
    let bundleID: BundleID
    let environment: StoreEnvironment
    let url: URL

    /// The scheme, host and port. Attempts to one server are made one after the other.
    var server: String { "\(url.scheme ?? "")://\(url.host() ?? ""):\(url.port ?? 0)".lowercased() }
  }

  /// An attempt that is due.
  struct Attempt: Sendable {
    var row: NotificationRow
    let receiver: Receiver
    /// The product of the notification's transaction; nil if it has none.
    let productID: ProductID?
    /// The date at which it is due.
    var date: StoreDate
    /// Whether it follows one that has failed just now.
    var isRepetition = false
    /// The header of the signatures; nil until the notification is signed.
    var header: String?
    /// Why it could not be signed just now.
    var signingError: String?

    var signedPayload: String? { header.flatMap(row.signedPayload) }

    /// The attempt after this one, if it fails; nil if it is the last one.
    var repetition: Attempt? {
      guard !row.isDelivered, let next = NotificationQueue.nextDate(after: date, of: row) else { return nil }
      var repetition = self
      (repetition.date, repetition.row.dueDate, repetition.isRepetition) = (next, next, true)
      return repetition
    }
  }

  /// The result of an attempt.
  struct Outcome: Sendable {
    let attempt: Attempt
    let result: SendAttemptResult
    var httpStatus: Int?
    var detail: String?
    var answer: String?
  }

  /// All receivers, each with the date of its earliest attempt; nil if it has none.
  ///
  /// - Parameter others: the numbers of notifications that are not counted.
  func receivers(besides others: Set<Int64>) throws -> [(receiver: Receiver, earliest: StoreDate?)] {
    try work.catalog.apps().flatMap { app in
      try StoreEnvironment.allCases.compactMap { environment in
        guard let url = app.notificationURLs[environment] else { return nil }
        let receiver = Receiver(bundleID: app.bundleID, environment: environment, url: url)
        return (receiver, try earliest(receiver, besides: others))
      }
    }
  }

  private func earliest(_ receiver: Receiver, besides others: Set<Int64>) throws -> StoreDate? {
    let milliseconds = try Int64.fetchOne(
      work.database,
      sql: """
        SELECT min(dueDate) FROM notification
        WHERE bundleID = ? AND environment = ? AND dueDate IS NOT NULL \(Self.besides(others))
        """, arguments: [receiver.bundleID.rawValue, receiver.environment.rawValue])
    return milliseconds.map(StoreDate.init(millisecondsSince1970:))
  }

  /// The number of attempts that are due now, besides those of `others`.
  func dueCount(besides others: Set<Int64>) throws -> Int {
    try work.catalog.apps().reduce(0) { count, app in
      try StoreEnvironment.allCases.reduce(count) { count, environment in
        guard app.hasNotifications(in: environment) else { return count }
        return count
          + (try Int.fetchOne(
            work.database,
            sql: """
              SELECT count(*) FROM notification
              WHERE bundleID = ? AND environment = ? AND dueDate <= ? \(Self.besides(others))
              """,
            arguments: [app.bundleID.rawValue, environment.rawValue, work.now.millisecondsSince1970]) ?? 0)
      }
    }
  }

  /// The next attempts that are due, in the order of their dates.
  func due(
    for receivers: [Receiver], newestFirst: Bool, besides others: Set<Int64>, limit: Int
  ) throws -> [Attempt] {
    let order = newestFirst ? "DESC" : "ASC"
    var attempts: [Attempt] = []
    for receiver in receivers {
      let rows = try Row.fetchCursor(
        work.database,
        sql: """
          \(Self.selection)
          WHERE notification.bundleID = ? AND notification.environment = ? AND dueDate <= ? \(Self.besides(others))
          ORDER BY dueDate \(order), notification.sequence \(order) LIMIT ?
          """,
        arguments: [
          receiver.bundleID.rawValue, receiver.environment.rawValue, work.now.millisecondsSince1970, limit,
        ])
      while let row = try rows.next() { attempts.append(try attempt(row, receiver)) }
    }
    if receivers.count > 1 {
      attempts.sort { ($0.date, $0.row.sequence) < ($1.date, $1.row.sequence) }
      if newestFirst { attempts.reverse() }
    }
    return Array(attempts.prefix(limit))
  }

  /// The attempt of a notification that is due now, to the present address; nil if there is none.
  func attempt(_ sequence: Int64) throws -> Attempt? {
    guard
      let row = try Row.fetchOne(
        work.database.cachedStatement(sql: "\(Self.selection) WHERE notification.sequence = ? AND dueDate <= ?"),
        arguments: [sequence, work.now.millisecondsSince1970])
    else { return nil }
    let notification = try NotificationRow(row: row)
    let (bundleID, environment) = (notification.bundleID, notification.environment)
    guard let url = try work.catalog.find(bundleID)?.notificationURLs[environment] else { return nil }
    return try attempt(row, Receiver(bundleID: bundleID, environment: environment, url: url))
  }

  private static let selection = """
    SELECT notification.*, record.productID, notificationHeader.header AS headerText
    FROM notification LEFT JOIN transactionRecord AS record USING (transactionID)
    LEFT JOIN notificationHeader ON number = notification.header
    """

  /// - Parameter row: a row of ``selection``.
  private func attempt(_ row: Row, _ receiver: Receiver) throws -> Attempt {
    let notification = try NotificationRow(row: row)
    return Attempt(
      row: notification, receiver: receiver, productID: (row["productID"] as String?).map { ProductID($0) },
      date: notification.dueDate ?? work.now, header: row["headerText"])
  }

  private static func besides(_ others: Set<Int64>) -> String {
    others.isEmpty
      ? "" : "AND notification.sequence NOT IN (\(others.sorted().map { "\($0)" }.joined(separator: ", ")))"
  }

  /// Stores the signatures of attempts.
  func storeSignatures(_ attempts: [Attempt]) throws {
    for attempt in attempts {
      guard let header = attempt.header, let signatures = attempt.row.signatures else { continue }
      try work.database.cachedStatement(sql: "INSERT OR IGNORE INTO notificationHeader (header) VALUES (?)")
        .execute(arguments: [header])
      try work.database.cachedStatement(
        sql: """
          UPDATE notification SET signatures = ?,
            header = (SELECT number FROM notificationHeader WHERE notificationHeader.header = ?)
          WHERE sequence = ? AND signatures IS NULL
          """
      ).execute(arguments: [signatures, header, attempt.row.sequence])
    }
  }

  /// Stores the result of an attempt, and the date of the next one. Does not wake the worker, which looks for it once no attempt to
  /// the server is due.
  ///
  /// - Parameter resendDate: when a resend was asked for while the attempt was made; nil if none was.
  /// - Returns: whether the next attempt has another address.
  func store(_ outcome: Outcome, resendDate: StoreDate?) throws -> Bool {
    let (attempt, receiver) = (outcome.attempt, outcome.attempt.receiver)
    let sequence = attempt.row.sequence
    // After a reset, there is no such notification.
    guard
      let row = try Row.fetchOne(
        work.database.cachedStatement(sql: "SELECT dueDate, isDelivered FROM notification WHERE sequence = ?"),
        arguments: [sequence])
    else { return false }
    try work.database.cachedStatement(
      sql: """
        INSERT INTO notificationAttempt (notification, date, result, url, httpStatus, detail, answer)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      sequence, attempt.date.millisecondsSince1970, outcome.result.rawValue, receiver.url.absoluteString,
      outcome.httpStatus, outcome.detail, outcome.answer,
    ])
    let isDelivered = row["isDelivered"] || outcome.result == .success
    var next = isDelivered ? nil : Self.nextDate(after: attempt.date, of: attempt.row)
    if let resendDate { next = min(next ?? resendDate, resendDate) }
    // The attempts were given up meanwhile.
    if (row["dueDate"] as Int64?) == nil { next = nil }
    try work.database.cachedStatement(sql: "UPDATE notification SET dueDate = ?, isDelivered = ? WHERE sequence = ?")
      .execute(arguments: [next?.millisecondsSince1970, isDelivered, sequence])
    return try work.catalog.find(receiver.bundleID)?.notificationURLs[receiver.environment] != receiver.url
  }

  /// The dates of the attempts, in hours after the cause.
  static func hours(in environment: StoreEnvironment) -> [Int64] {
    environment == .production ? [0, 1, 13, 37, 85, 157] : [0]
  }

  /// The date of the attempt after a failed one; nil if it was the last one.
  fileprivate static func nextDate(after date: StoreDate, of row: NotificationRow) -> StoreDate? {
    hours(in: row.environment).lazy.map { row.date.adding(seconds: $0 * 3_600) }.first { $0 > date }
  }
}
