/// A point at which the process can wait, so that it is killed exactly there.
package enum HoldPoint: String, Codable, Hashable, Sendable, CaseIterable {
  /// The store has charged and answered; the app has not received the answer.
  case charged
  /// The app has granted the credits; it has not finished the transaction.
  case granted
}
