import StoreModel
import Testing

@testable import SampleApp

@Suite("The phone's clock, which follows the store's", .timeLimit(.minutes(30)))
struct StoreDateClockTests {
  private static let noon = StoreDate(millisecondsSince1970: 1_764_244_800_000)
  private let machine = ManualClock(noon)

  /// Whether the clock is at a date, or as much later as the test has taken.
  private func isAt(_ date: StoreDate, _ clock: StoreDateClock) -> Bool {
    (date...date.adding(seconds: 3_600)).contains(clock.now)
  }

  @Test(
    "A1 a phone's clock that was behind and is put right ends no subscription early",
    arguments: [Int64(1), 400, 25_000])
  func correctedClock(days: Int64) {
    machine.set(Self.noon.adding(seconds: -days * 86_400))
    let clock = StoreDateClock(machine)
    clock.follow(Self.noon)
    #expect(isAt(Self.noon, clock))

    machine.set(Self.noon)
    #expect(isAt(Self.noon, clock))
  }

  @Test("A1 it follows a store whose clock was put forward, and no earlier date")
  func storeAhead() {
    let (clock, later) = (StoreDateClock(machine), Self.noon.adding(seconds: 30 * 86_400))
    #expect(clock.now == Self.noon)
    clock.follow(later)
    clock.follow(Self.noon)
    #expect(isAt(later, clock))

    machine.set(later.adding(seconds: 86_400))
    #expect(isAt(later.adding(seconds: 86_400), clock))
  }
}
