import Testing

/// The check fails for times that grow faster than the rows, and only for them.
@Suite("The check of times with stored rows", .timeLimit(.minutes(30)))
struct RowCostCheckTests {
  /// Returns a function that returns one time after the other, and the last one again and again.
  private func times(_ milliseconds: Double...) -> () -> Double {
    var index = -1
    return {
      index = min(index + 1, milliseconds.count - 1)
      return milliseconds[index]
    }
  }

  private func check(_ before: () -> Double, _ after: () -> Double, attempts: Int = 4) {
    var check = RowCostCheck()
    check.note("GET /rows", attempts: attempts, before)
    check.compare("GET /rows", attempts: attempts, after)
  }

  @Test("C6 a time that is four times as long with twice as many rows fails")
  func quadratic() {
    withKnownIssue { check(times(100), times(400)) }
    withKnownIssue { check(times(3_000), times(8_000)) }
  }

  @Test("C6 a request that was fast, and takes seconds with twice as many rows, fails")
  func sudden() { withKnownIssue { check(times(2), times(4_000)) } }

  @Test("C6 a request that was not measured with fewer rows fails")
  func unknown() {
    withKnownIssue {
      var check = RowCostCheck()
      check.compare("GET /rows", attempts: 1, times(1))
    }
  }

  @Test(
    "C6 the printed table has the requests that took 100 ms or more, the longest first, and the longest of the others")
  func table() {
    var check = RowCostCheck()
    for (request, half, all) in [
      ("GET /a", 60.0, 120.0), ("GET /b", 1_000, 2_000), ("GET /c", 20, 31), ("GET /d", 9, 9),
    ] {
      check.note(request, attempts: 1, times(half))
      check.compare(request, attempts: 1, times(all))
    }
    let table = check.table("The store", rows: 200).split(separator: "\n")
    #expect(
      table == [
        "The store, processor time in ms:", "| request | 100 rows | 200 rows | ratio |", "|---|---:|---:|---:|",
        "| `GET /b` | 1000 | 2000 | 2.0 × |", "| `GET /a` | 60 | 120 | 2.0 × |",
        "The 2 other requests took 31 ms at most.",
      ])
  }

  @Test("C6 a time in proportion to the rows passes")
  func proportional() {
    check(times(1_000), times(2_100))
    check(times(1), times(2), attempts: 1)
  }

  @Test("C6 other load during some of the attempts is no failure")
  func noise() {
    check(times(900, 400, 450, 1_300), times(2_000, 3_000, 850))
    // Below what is free, a factor says nothing.
    check(times(3), times(55))
  }
}
