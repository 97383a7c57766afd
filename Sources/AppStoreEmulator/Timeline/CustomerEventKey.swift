import GRDB
import StoreModel

/// The place of an event in a customer's timeline, and the row that it shows.
struct CustomerEventKey: FetchableRecord, Comparable {
  let place: TimelinePlace
  let date: StoreDate
  /// The row's number; for a request, its number in the journal.
  let number: Int64
  /// See ``StoreEventRow/content``.
  let content: String?

  init(_ place: TimelinePlace, _ date: StoreDate, number: Int64, content: String? = nil) {
    (self.place, self.date, self.number, self.content) = (place, date, number, content)
  }

  init(row: Row) throws {
    guard let place = TimelinePlace(rawValue: row["place"]) else {
      throw DatabaseError(message: "There is no place \(row["place"] as Int) in timelines.")
    }
    self.init(
      place, StoreDate(millisecondsSince1970: row["date"]), number: row["recordNumber"], content: row["content"])
  }

  static func < (left: CustomerEventKey, right: CustomerEventKey) -> Bool { left.order < right.order }

  private var order: (Int64, Int, Int64, Int64) {
    (date.wholeSeconds.millisecondsSince1970, place.rawValue, date.millisecondsSince1970, number)
  }

  /// The newest events of a customer that a timeline shows, newest first.
  static func newest(
    _ limit: Int, of account: AccountName, _ environment: StoreEnvironment, in database: Database
  ) throws -> [CustomerEventKey] {
    try fetchAll(
      database.cachedStatement(sql: newestSQL), arguments: [account.rawValue, environment.rawValue, limit])
  }

  /// Reads the index in its order. A refund of nothing is shown only until it is reversed.
  static let newestSQL = """
    SELECT place, date, recordNumber, content FROM storeEvent AS event INDEXED BY storeEventOfCustomer
    WHERE account = ?1 AND environment = ?2 AND place IS NOT NULL AND \(StoreEventKind.isKnownSQL)
      AND (place <> \(TimelinePlace.revocation.rawValue) OR NOT EXISTS (
        SELECT 1 FROM storeEvent AS later
        WHERE later.transactionID = event.transactionID AND later.sequence > event.sequence
          AND later.kind = '\(StoreEventKind.refundReversed.rawValue)'))
    ORDER BY date / 1000 DESC, place DESC, date DESC, recordNumber DESC LIMIT ?3
    """
}
