/// How far each station of the tour has come. All of them listen at once: whoever strolls finds what they did ticked off.
struct TourProgress: Sendable {
  let stations: [TourStation]
  /// How many of its goals each station has reached.
  private(set) var reached: [Int]

  init(_ stations: [TourStation]) {
    self.stations = stations
    reached = stations.map { _ in 0 }
  }

  /// Whether all that a station waits for has happened.
  func isDone(_ station: Int) -> Bool { reached[station] == stations[station].goals.count }

  /// The first station that is not done; nil at the end of the tour.
  var current: Int? { stations.indices.first { !isDone($0) } }

  /// How many stations are done.
  var doneCount: Int { stations.indices.filter(isDone).count }

  /// Takes in what happened: each station that waits for just that goes on.
  mutating func hear(_ event: DemoEvent) {
    for station in stations.indices where !isDone(station) {
      if stations[station].goals[reached[station]].fits(event) { reached[station] += 1 }
    }
  }
}
