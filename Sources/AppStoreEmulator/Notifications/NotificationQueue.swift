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
    let date: StoreDate
    /// The header of the signatures; nil until the notification is signed.
    var header: String?
    /// The signed payload, if it was signed just now.
    var newPayload: String?

    var signedPayload: String? { newPayload ?? header.flatMap(row.signedPayload) }
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
  /// - Parameter parked: the numbers of notifications that are not counted.
  func receivers(besides parked: Set<Int64>) throws -> [(receiver: Receiver, earliest: StoreDate?)] {
    try work.catalog.apps().flatMap { app in
      try StoreEnvironment.allCases.compactMap { environment in
        guard let url = app.notificationURLs[environment] else { return nil }
        let receiver = Receiver(bundleID: app.bundleID, environment: environment, url: url)
        return (receiver, try earliest(receiver, besides: parked))
      }
    }
  }

  private func earliest(_ receiver: Receiver, besides parked: Set<Int64>) throws -> StoreDate? {
    let milliseconds = try Int64.fetchOne(
      work.database,
      sql: """
        SELECT min(dueDate) FROM notification
        WHERE bundleID = ? AND environment = ? AND dueDate IS NOT NULL \(Self.besides(parked))
        """, arguments: [receiver.bundleID.rawValue, receiver.environment.rawValue])
    return milliseconds.map(StoreDate.init(millisecondsSince1970:))
  }

  /// The number of attempts that are due now, besides those of `parked`.
  func dueCount(besides parked: Set<Int64>) throws -> Int {
    try work.catalog.apps().reduce(0) { count, app in
      try StoreEnvironment.allCases.reduce(count) { count, environment in
        guard app.hasNotifications(in: environment) else { return count }
        return count
          + (try Int.fetchOne(
            work.database,
            sql: """
              SELECT count(*) FROM notification
              WHERE bundleID = ? AND environment = ? AND dueDate <= ? \(Self.besides(parked))
              """,
            arguments: [app.bundleID.rawValue, environment.rawValue, work.now.millisecondsSince1970]) ?? 0)
      }
    }
  }

  /// The next attempts that are due, in the order of their dates.
  func due(
    for receivers: [Receiver], newestFirst: Bool, besides parked: Set<Int64>, limit: Int
  ) throws -> [Attempt] {
    let order = newestFirst ? "DESC" : "ASC"
    var attempts: [Attempt] = []
    for receiver in receivers {
      let rows = try Row.fetchCursor(
        work.database,
        sql: """
          SELECT notification.*, record.productID, notificationHeader.header AS headerText
          FROM notification LEFT JOIN transactionRecord AS record USING (transactionID)
          LEFT JOIN notificationHeader ON number = notification.header
          WHERE notification.bundleID = ? AND notification.environment = ? AND dueDate <= ? \(Self.besides(parked))
          ORDER BY dueDate \(order), notification.sequence \(order) LIMIT ?
          """,
        arguments: [
          receiver.bundleID.rawValue, receiver.environment.rawValue, work.now.millisecondsSince1970, limit,
        ])
      while let row = try rows.next() {
        let notification = try NotificationRow(row: row)
        attempts.append(
          Attempt(
            row: notification, receiver: receiver, productID: (row["productID"] as String?).map { ProductID($0) },
            date: notification.dueDate ?? work.now, header: row["headerText"]))
      }
    }
    if receivers.count > 1 {
      attempts.sort { ($0.date, $0.row.sequence) < ($1.date, $1.row.sequence) }
      if newestFirst { attempts.reverse() }
    }
    return Array(attempts.prefix(limit))
  }

  /// Whether an attempt that was read before is still to be made: its notification exists and is due at that date, and the
  /// address is still that of the app.
  func isDue(_ attempt: Attempt) throws -> Bool {
    let receiver = attempt.receiver
    guard try work.catalog.find(receiver.bundleID)?.notificationURLs[receiver.environment] == receiver.url else {
      return false
    }
    return try Bool.fetchOne(
      work.database.cachedStatement(
        sql: "SELECT EXISTS (SELECT 1 FROM notification WHERE sequence = ? AND dueDate = ?)"),
      arguments: [attempt.row.sequence, attempt.date.millisecondsSince1970]) ?? false
  }

  private static func besides(_ parked: Set<Int64>) -> String {
    parked.isEmpty
      ? "" : "AND notification.sequence NOT IN (\(parked.sorted().map { "\($0)" }.joined(separator: ", ")))"
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

  /// Stores the results of attempts, and the dates of the next ones.
  func store(_ results: [Outcome]) throws {
    for result in results {
      let attempt = result.attempt
      let sequence = attempt.row.sequence
      // After a reset, there is no such notification.
      guard
        let row = try Row.fetchOne(
          work.database.cachedStatement(sql: "SELECT dueDate, isDelivered FROM notification WHERE sequence = ?"),
          arguments: [sequence])
      else { continue }
      let dueDate = (row["dueDate"] as Int64?).map(StoreDate.init(millisecondsSince1970:))
      try work.database.cachedStatement(
        sql: """
          INSERT INTO notificationAttempt (notification, date, result, url, httpStatus, detail, answer)
          VALUES (?, ?, ?, ?, ?, ?, ?)
          """
      ).execute(arguments: [
        sequence, attempt.date.millisecondsSince1970, result.result.rawValue,
        attempt.receiver.url.absoluteString, result.httpStatus, result.detail, result.answer,
      ])
      let isDelivered = row["isDelivered"] || result.result == .success
      // Another date is that of a resend, or the attempts were given up.
      let next =
        dueDate != attempt.date
        ? dueDate : isDelivered ? nil : Self.nextDate(after: attempt.date, of: attempt.row)
      try work.database.cachedStatement(
        sql: "UPDATE notification SET dueDate = ?, isDelivered = ? WHERE sequence = ?"
      ).execute(arguments: [next?.millisecondsSince1970, isDelivered, sequence])
      if next != nil { work.afterCommit(.wakeNotifications) }
    }
  }

  /// The dates of the attempts, in hours after the cause.
  static func hours(in environment: StoreEnvironment) -> [Int64] {
    environment == .production ? [0, 1, 13, 37, 85, 157] : [0]
  }

  /// The date of the attempt after a failed one; nil if it was the last one.
  private static func nextDate(after date: StoreDate, of row: NotificationRow) -> StoreDate? {
    hours(in: row.environment).lazy.map { row.date.adding(seconds: $0 * 3_600) }.first { $0 > date }
  }
}
