import StoreModel

/// What this server has heard of the store since its start: of each app the last answer, and the last call that failed.
final class StoreContacts: Sendable {
  struct Contact: Hashable, Sendable {
    /// When the store last gave a verified answer, or answered a call about consumption.
    var answered: StoreDate?
    var failure: Failure?
  }

  /// A call of the store that failed.
  struct Failure: Hashable, Sendable {
    let date: StoreDate
    let detail: String
  }

  /// The maximum length of a failure's text, in Unicode scalars. It may contain what the store has answered.
  private static let longestDetail = 1_000

  private let contacts = LockedValue<[BundleID: Contact]>([:])

  subscript(_ app: BundleID) -> Contact { contacts.value[app] ?? Contact() }

  func noteAnswer(about app: BundleID, at date: StoreDate) {
    contacts.withLock { $0[app, default: Contact()].answered = date }
  }

  func noteFailure(about app: BundleID, _ detail: String, at date: StoreDate) {
    let text = String(String.UnicodeScalarView(detail.unicodeScalars.prefix(Self.longestDetail)))
    contacts.withLock { $0[app, default: Contact()].failure = Failure(date: date, detail: text) }
  }
}
