import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("The store's clock", .timeLimit(.minutes(30)))
struct StoreClockTests {
  private let start = StoreDate(millisecondsSince1970: 1_000_000)

  private func clock(_ wall: ManualClock, rate: Double = 1, notBefore: Int64 = 0) -> StoreClock {
    StoreClock(following: wall, rate: rate, notBefore: StoreDate(millisecondsSince1970: notBefore))
  }

  @Test("follows the wall clock")
  func follows() {
    let wall = ManualClock(start)
    let clock = clock(wall)
    #expect(clock.now == start)
    wall.advance(seconds: 7)
    #expect(clock.now == start.adding(seconds: 7))
  }

  @Test("stands still while the wall clock is behind, and goes on when it has caught up")
  func neverBackwards() {
    let wall = ManualClock(start)
    let clock = clock(wall)
    wall.advance(seconds: 10)
    #expect(clock.now == start.adding(seconds: 10))
    wall.set(start.adding(seconds: -3600))
    #expect(clock.now == start.adding(seconds: 10))
    wall.set(start.adding(seconds: 9))
    #expect(clock.now == start.adding(seconds: 10))
    wall.set(start.adding(seconds: 11))
    #expect(clock.now == start.adding(seconds: 11))
  }

  @Test("begins no earlier than what was stamped before, and goes on from there")
  func notBefore() {
    let wall = ManualClock(start)
    let clock = clock(wall, notBefore: 1_500_000)
    #expect(clock.now == StoreDate(millisecondsSince1970: 1_500_000))
    wall.advance(seconds: 1)
    #expect(clock.now == StoreDate(millisecondsSince1970: 1_501_000))
  }

  @Test(
    "runs at its own rate", arguments: [(0.0, 0), (0.5, 5000), (1.0, 10_000), (60.0, 600_000), (86_400, 864_000_000)])
  func rate(rate: Double, milliseconds: Int64) {
    let wall = ManualClock(start)
    let clock = clock(wall, rate: rate)
    wall.advance(seconds: 10)
    #expect(clock.now == start.adding(milliseconds: milliseconds))
  }

  @Test("a wall clock that jumps to the largest date does not stop the process")
  func extremes() async {
    await #expect(processExitsWith: .success) {
      let wall = ManualClock(StoreDate(millisecondsSince1970: 1_000_000))
      let clock = StoreClock(following: wall, rate: 1000, notBefore: StoreDate(millisecondsSince1970: 0))
      wall.set(StoreDate(millisecondsSince1970: .max))
      _ = clock.now
      wall.set(StoreDate(millisecondsSince1970: .min))
      _ = clock.now
    }
  }

  @Test("a negative rate is a programming error")
  func negativeRate() async {
    await #expect(processExitsWith: .failure) {
      let wall = ManualClock(StoreDate(millisecondsSince1970: 0))
      _ = StoreClock(following: wall, rate: -1, notBefore: StoreDate(millisecondsSince1970: 0))
    }
  }
}
