/// The progress of each station of the tour. All stations advance at the same time, so they can be done in any order.
struct TourProgress: Sendable {
  let stations: [TourStation]
  /// The number of goals that each station has reached.
  private(set) var reached: [Int]

  init(_ stations: [TourStation]) {
    self.stations = stations
    reached = stations.map { _ in 0 }
  }

  /// Whether a station has reached all its goals.
  func isDone(_ station: Int) -> Bool { reached[station] == stations[station].goals.count }

  /// The first station that is not done; nil at the end of the tour.
  var current: Int? { stations.indices.first { !isDone($0) } }

  /// The number of stations that are done.
  var doneCount: Int { stations.indices.filter(isDone).count }

  /// Applies an event. If it meets the next goal of a station, the station advances by one goal.
  mutating func handle(_ event: DemoEvent) {
    for station in stations.indices where !isDone(station) {
      if stations[station].goals[reached[station]].fits(event) { reached[station] += 1 }
    }
  }
}
