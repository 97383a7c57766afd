import Foundation

/// The durations of many runs of an operation.
struct Measurement {
  let name: String
  /// The durations in microseconds, sorted.
  let samples: [Double]

  var median: Double { samples[samples.count / 2] }
  var percentile99: Double { samples[min(samples.count - 1, samples.count * 99 / 100)] }

  /// Measures `count` runs of `work`, after `count` / 10 warm-up runs, at least one.
  static func of(_ name: String, count: Int, _ work: () async throws -> Void) async throws -> Measurement {
    for _ in 0..<max(1, count / 10) { try await work() }
    var samples: [Double] = []
    for _ in 0..<count {
      let start = ContinuousClock.now
      try await work()
      samples.append((ContinuousClock.now - start).inSeconds * 1e6)
    }
    return Measurement(name: name, samples: samples.sorted())
  }

  /// Measures two operations in turn, so that a change of the machine's speed concerns both.
  static func ofBoth(
    _ bare: (name: String, work: () async throws -> Void), _ measured: (name: String, work: () async throws -> Void),
    count: Int
  ) async throws -> (bare: Measurement, measured: Measurement) {
    var samples: (bare: [Double], measured: [Double]) = ([], [])
    for number in 0..<count + count / 10 {
      let start = ContinuousClock.now
      try await bare.work()
      let middle = ContinuousClock.now
      try await measured.work()
      // The first ones are warm-up runs.
      guard number >= count / 10 else { continue }
      samples.bare.append((middle - start).inSeconds * 1e6)
      samples.measured.append((ContinuousClock.now - middle).inSeconds * 1e6)
    }
    return (
      Measurement(name: bare.name, samples: samples.bare.sorted()),
      Measurement(name: measured.name, samples: samples.measured.sorted())
    )
  }
}

extension Duration {
  var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

/// Prints a table of measurements, with the ratio to a bare operation where one is given.
struct Report {
  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  static func title(_ text: String) {
    print("\n\(text)")
    print("\(padded("", 58))   median µs      p99 µs   beside the bare operation")
  }

  static func line(_ measurement: Measurement, bare: Measurement? = nil) {
    let ratio = bare.map { String(format: "%10.2f ×  %@", measurement.median / $0.median, $0.name) } ?? ""
    print(
      padded(measurement.name, 58)
        + String(format: "%12.1f%12.1f   %@", measurement.median, measurement.percentile99, ratio))
  }

  /// Returns the memory of this process in MiB: `VmRSS` is the resident memory now, `VmHWM` its maximum so far.
  static func mebibytes(_ field: String) -> Double {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix(field + ":") } ?? ""
    return (line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) } ?? 0) / 1024
  }

  /// Lets `VmHWM` begin again with the memory that the process has now. See proc(5), `clear_refs`.
  static func forgetPeak() throws {
    try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
  }
}
