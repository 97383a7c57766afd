/// The tour: the station that is shown, and the progress of each station.
///
/// All stations advance at the same time, so they can be done in any order. The station that is shown stays until the
/// user turns to another one.
struct TourProgress: Hashable, Sendable {
  /// How the user turns to another station.
  enum Turn: Hashable, Sendable {
    case next, back, restart
    /// - Parameter station: its index.
    case to(Int)
  }

  let stations: [TourStation]
  /// The number of goals that each station has reached.
  private(set) var reached: [Int]
  /// The index of the station that is shown; the number of stations at the end of the tour.
  private(set) var position = 0

  init(_ stations: [TourStation]) {
    self.stations = stations
    reached = stations.map { _ in 0 }
  }

  static func == (left: TourProgress, right: TourProgress) -> Bool {
    left.reached == right.reached && left.position == right.position
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(reached)
    hasher.combine(position)
  }

  /// Whether a station has reached all its goals.
  func isDone(_ station: Int) -> Bool { reached[station] == stations[station].goals.count }

  /// The station that is shown; nil at the end of the tour.
  var current: Int? { stations.indices.contains(position) ? position : nil }

  /// The number of stations that are done.
  var doneCount: Int { stations.indices.filter(isDone).count }

  /// Applies an event. If it meets the next goal of a station, the station advances by one goal.
  mutating func handle(_ event: DemoEvent) {
    for station in stations.indices where !isDone(station) {
      if stations[station].goals[reached[station]].fits(event) { reached[station] += 1 }
    }
  }

  /// Turns to another station. A restart also forgets which stations are done.
  mutating func turn(_ turn: Turn) {
    switch turn {
    case .next: position = min(position + 1, stations.count)
    case .back: position = max(position - 1, 0)
    case .to(let station): position = min(max(station, 0), stations.count)
    case .restart: self = TourProgress(stations)
    }
  }
}
