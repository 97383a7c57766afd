/// Makes rows from the events of a unit of work, in its commit and at its end.
///
/// Unlike ``DeviceFeed``, it sees all events of the commit at once: several events can have one cause.
protocol EventProjection: SendableMetatype {
  init(work: StoreUnitOfWork)

  /// - Parameter events: in the order in which they were recorded.
  func append(_ events: [RecordedEvent]) throws
}
