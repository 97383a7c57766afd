/// A page of the timeline of a customer, newest event first.
package struct CustomerEventPage: Hashable, Sendable {
  package let events: [CustomerEvent]
  /// Whether there are older events.
  package let hasMore: Bool
}
