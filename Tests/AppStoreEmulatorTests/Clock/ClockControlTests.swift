import Foundation
import GRDB
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Steering the store's clock", .timeLimit(.minutes(30)))
struct ClockControlTests {
  @Test("it is put forward by a duration or to a date, and goes on from there")
  func forward() async throws {
    let shop = try await TeaShop()
    let day: Int64 = 86_400_000
    #expect(
      try await shop.store.changeClock(.advance(milliseconds: day)).now == TeaShop.opening.adding(milliseconds: day))
    shop.clock.advance(seconds: 7)
    #expect(try await shop.store.clockReading().now == TeaShop.opening.adding(milliseconds: day + 7_000))
    let later = TeaShop.opening.adding(milliseconds: 400 * day)
    #expect(try await shop.store.changeClock(.to(later)) == ClockReading(now: later, rate: 1))
    shop.clock.advance(seconds: 1)
    #expect(try await shop.store.clockReading().now == later.adding(seconds: 1))
    try await shop.buy(on: try await shop.phone())
    #expect(try await shop.newestTransaction().record.purchaseDate == later.adding(seconds: 1).wholeSeconds)
  }

  @Test("it goes at the rate it is given, from where it is; at 0 it stands still")
  func rate() async throws {
    let shop = try await TeaShop()
    shop.clock.advance(seconds: 10)
    #expect(try await shop.store.changeClock(rate: 60).now == TeaShop.opening.adding(seconds: 10))
    shop.clock.advance(seconds: 10)
    #expect(try await shop.store.changeClock(rate: 0).now == TeaShop.opening.adding(seconds: 610))
    shop.clock.advance(seconds: 1_000)
    #expect(try await shop.store.clockReading() == ClockReading(now: TeaShop.opening.adding(seconds: 610), rate: 0))
    let both = try await shop.store.changeClock(.advance(milliseconds: 5_000), rate: 0.5)
    #expect(both == ClockReading(now: TeaShop.opening.adding(seconds: 615), rate: 0.5))
    shop.clock.advance(seconds: 10)
    #expect(try await shop.store.clockReading().now == TeaShop.opening.adding(seconds: 620))
  }

  @Test("it never goes back, and says so; where it is, it may be set to")
  func neverBack() async throws {
    let shop = try await TeaShop()
    try await shop.buy(on: try await shop.phone())
    let before = try await shop.records()
    let now = try await shop.store.clockReading().now
    let earlier = now.adding(milliseconds: -1)
    await #expect(throws: AppStoreEmulatorError.clockNeverGoesBack(to: earlier, now: now)) {
      try await shop.store.changeClock(.to(earlier), rate: 5)
    }
    await #expect(throws: AppStoreEmulatorError.clockNeverGoesBack(to: earlier, now: now)) {
      try await shop.store.changeClock(.advance(milliseconds: -1))
    }
    #expect(try await shop.store.clockReading() == ClockReading(now: now, rate: 1))
    #expect(try await shop.records() == before)
    #expect(try await shop.store.changeClock(.to(now)).now == now)
    #expect(try await shop.store.changeClock(.advance(milliseconds: 0)).now == now)
  }

  /// 2063-12-30T23:59:59Z, a day before the certificates end.
  private static let last = StoreDate(millisecondsSince1970: 2_966_284_799_000)

  @Test("a rate, however large, carries it no further than the certificates: there it stops, and goes on selling")
  func stopsAtTheEnd() async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    let shop = try await TeaShop(directory: folder.url)
    try await shop.store.changeClock(rate: 1_000_000)
    shop.clock.advance(seconds: 31_536_000)
    #expect(try await shop.store.clockReading().now == Self.last)
    let phone = try await shop.phone()
    for number in 1...3 { try await shop.buy(as: PaymentID("\(number)"), on: phone) }
    #expect(Set(try await shop.store.charges().map(\.date)) == [Self.last])
    let late = try await shop.store.unfinished(for: phone.id).deliveries.map {
      try UnverifiedJWS($0.signedTransaction).transaction().signedDate
    }
    #expect(late.count == 3 && Set(late).count == 3)
    #expect(late.allSatisfy { IssuingAuthority.signableDates.contains($0) })
    await #expect(throws: AppStoreEmulatorError.dateOutsideCertificates(Self.last.adding(milliseconds: 1))) {
      try await shop.store.changeClock(.advance(milliseconds: 1))
    }
    try shop.store.close()

    let again = try await TeaShop(directory: folder.url)
    try await again.buy(as: "after a restart", on: phone)
    #expect(try await again.store.charges().count == 4)
    #expect(try await again.store.clockReading().now == Self.last)
    try again.store.close()
  }

  @Test("a wall clock beyond the certificates leaves it at their end")
  func wallBeyond() async throws {
    let shop = try await TeaShop(opening: StoreDate(millisecondsSince1970: 4_102_444_800_000))
    try await shop.buy(on: try await shop.phone())
    #expect(try await shop.store.charges().map(\.date) == [Self.last])
    shop.clock.set(StoreDate(millisecondsSince1970: .max))
    #expect(try await shop.store.clockReading().now == Self.last)
  }

  @Test(
    "a store that an earlier version let go beyond is brought back when it is opened",
    arguments: ["lastDate", "lastSignedDate"])
  func broughtBack(column: String) async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    let shop = try await TeaShop(directory: folder.url)
    let phone = try await shop.phone()
    try await shop.store.database.write {
      try $0.database.execute(sql: "UPDATE store SET \(column) = 4102444800000")
    }
    try shop.store.close()
    let again = try await TeaShop(directory: folder.url)
    try await again.buy(on: phone)
    #expect(try await again.store.clockReading().now == Self.last)
    #expect(try await again.store.charges().map(\.date) == [Self.last])
    try again.store.close()
  }

  @Test("the date at which only the rate was changed survives a restart")
  func rateAlone() async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    let shop = try await TeaShop(directory: folder.url)
    shop.clock.advance(seconds: 86_400)
    let stopped = try await shop.store.changeClock(rate: 0)
    try shop.store.close()
    let again = try await TeaShop(directory: folder.url)
    #expect(try await again.store.clockReading().now >= stopped.now)
    try again.store.close()
  }

  @Test(
    "when every date that can be signed is used up, nothing is charged",
    arguments: [("lastSignedDate", 0), ("receiptFloor", 1000)])
  func usedUp(column: String, beyond: Int64) async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let quote = try await shop.quote(on: phone)
    let last = IssuingAuthority.signableDates.upperBound.millisecondsSince1970
    try await shop.store.database.write {
      try $0.database.execute(sql: "UPDATE store SET \(column) = ?", arguments: [last + beyond])
    }
    let before = try await shop.records()
    #expect(try await refusal { _ = try await shop.store.confirm(quote, for: phone.id) } == .temporarilyUnavailable)
    #expect(try await shop.records() == before)
  }

  @Test("it stays within the years of the certificates")
  func bounds() async throws {
    let shop = try await TeaShop()
    let last = Self.last
    await #expect(throws: AppStoreEmulatorError.dateOutsideCertificates(last.adding(seconds: 1))) {
      try await shop.store.changeClock(.to(last.adding(seconds: 1)))
    }
    await #expect(throws: AppStoreEmulatorError.dateOutsideCertificates(StoreDate(millisecondsSince1970: .max))) {
      try await shop.store.changeClock(.advance(milliseconds: .max))
    }
    #expect(try await shop.store.clockReading().now == TeaShop.opening)
    try await shop.store.changeClock(.to(last))
    try await shop.buy(on: try await shop.phone())
    #expect(try await shop.store.charges().map(\.date) == [last])

    let early = try await TeaShop(opening: StoreDate(millisecondsSince1970: 0))
    let beforeAll = StoreDate(millisecondsSince1970: 1_388_534_399_000)
    await #expect(throws: AppStoreEmulatorError.dateOutsideCertificates(beforeAll)) {
      try await early.store.changeClock(.to(beforeAll))
    }
    try await early.store.changeClock(.to(beforeAll.adding(seconds: 1)))
  }

  @Test("an invalid rate is refused", arguments: [-0.1, 1_000_001, .nan, .infinity, -.infinity])
  func noRate(rate: Double) async throws {
    let shop = try await TeaShop()
    await #expect(throws: AppStoreEmulatorError.self) { try await shop.store.changeClock(rate: rate) }
    #expect(shop.store.clock.rate == 1)
  }

  @Test("where it was put, and what it was seen to show, survives a restart")
  func restart() async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    let shop = try await TeaShop(directory: folder.url)
    let later = TeaShop.opening.adding(seconds: 1_000_000)
    try await shop.store.changeClock(.to(later), rate: 1000)
    shop.clock.advance(seconds: 1)
    let seen = try await shop.store.clockReading().now
    #expect(seen == later.adding(seconds: 1_000))
    try shop.store.close()
    let again = try await TeaShop(directory: folder.url)
    #expect(try await again.store.clockReading() == ClockReading(now: seen, rate: 1))
    again.clock.advance(seconds: 1)
    #expect(try await again.store.clockReading().now == seen.adding(seconds: 1))
    // The clock is put forward, and is not read before the store closes.
    let put = try await again.store.changeClock(.advance(milliseconds: 5_000)).now
    try again.store.close()
    let last = try await TeaShop(directory: folder.url)
    #expect(try await last.store.clockReading().now == put)
    try last.store.close()
  }

  @Test("twenty who put it forward at once all count, and purchases between them never go back")
  func concurrent() async throws {
    let shop = try await TeaShop()
    let store = shop.store
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 1...20 {
        group.addTask { _ = try await store.changeClock(.advance(milliseconds: 60_000)) }
        group.addTask {
          _ = try await store.purchase(TeaShop.oolong, of: TeaShop.app, for: TeaShop.customer, in: .sandbox)
        }
      }
      try await group.waitForAll()
    }
    #expect(try await store.clockReading().now == TeaShop.opening.adding(seconds: 1_200))
    let dates = try await store.transactions().map(\.record.purchaseDate)
    #expect(dates == dates.sorted(by: >))
  }

  @Test("a clock that is put forward stays there when the wall clock is turned back")
  func wallTurnedBack() {
    let wall = ManualClock(TeaShop.opening)
    let clock = StoreClock(following: wall, notBefore: TeaShop.opening)
    clock.goOn(from: TeaShop.opening.adding(seconds: 100))
    wall.set(TeaShop.opening.adding(seconds: -50))
    #expect(clock.now == TeaShop.opening.adding(seconds: 100))
    clock.goOn(from: TeaShop.opening)
    #expect(clock.now == TeaShop.opening.adding(seconds: 100))
    wall.advance(seconds: 3)
    #expect(clock.now == TeaShop.opening.adding(seconds: 103))
  }
}
