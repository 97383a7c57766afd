/// Where a process can be told to wait, so that it can be killed just there.
package enum HoldPoint: String, Codable, Hashable, Sendable, CaseIterable {
  /// The store has charged and answered; the app does not know yet.
  case charged
  /// The app has given the credits; it has not finished the transaction.
  case granted
}
