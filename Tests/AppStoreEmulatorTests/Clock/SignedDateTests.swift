import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Dates the store stamps", .timeLimit(.minutes(30)))
struct SignedDateTests {
  private func signedDates(_ batch: DeliveryBatch) throws -> [StoreDate] {
    try batch.deliveries.map { try UnverifiedJWS($0.signedTransaction).transaction().signedDate }
  }

  private func isStrictlyIncreasing(_ dates: [StoreDate]) -> Bool { zip(dates, dates.dropFirst()).allSatisfy(<) }

  @Test("signedDate strictly increases also while the clock stands still")
  func standingClock() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    var dates: [StoreDate] = []
    for number in 1...4 { dates += try signedDates(try await shop.buy(as: PaymentID("\(number)"), on: phone)) }
    dates += try signedDates(try await shop.store.unfinished(for: phone.id))
    #expect(dates.count == 8)
    #expect(dates.first == TeaShop.opening)
    #expect(isStrictlyIncreasing(dates))
  }

  @Test("signedDate strictly increases also when the wall clock is turned back, and across a restart")
  func restart() async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    let shop = try await TeaShop(directory: folder.url)
    let phone = try await shop.phone()
    var dates = try signedDates(try await shop.buy(on: phone))
    shop.clock.advance(seconds: 100)
    dates += try signedDates(try await shop.store.unfinished(for: phone.id))
    shop.clock.set(TeaShop.opening.adding(seconds: -500))
    dates += try signedDates(try await shop.store.unfinished(for: phone.id))
    try shop.store.close()

    let reopened = try await TeaShop(directory: folder.url, opening: TeaShop.opening.adding(seconds: -86_400))
    dates += try signedDates(try await reopened.store.unfinished(for: phone.id))
    reopened.clock.advance(seconds: 1)
    dates += try signedDates(try await reopened.store.unfinished(for: phone.id))
    #expect(dates.count == 5)
    #expect(isStrictlyIncreasing(dates))
    #expect(dates[1] == TeaShop.opening.adding(seconds: 100))
    try reopened.store.close()
  }

  @Test("fifty responses at once have fifty signing dates")
  func concurrent() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    try await shop.buy(on: phone)
    let store = shop.store
    let dates = try await withThrowingTaskGroup(of: StoreDate?.self) { group in
      for _ in 1...50 {
        group.addTask {
          try await store.unfinished(for: phone.id).deliveries.first.map {
            try UnverifiedJWS($0.signedTransaction).transaction().signedDate
          }
        }
      }
      return try await group.reduce(into: Set<StoreDate?>()) { $0.insert($1) }
    }
    #expect(dates.count == 50)
  }

  @Test("purchase dates do not go back across a restart either, also where nothing was signed since")
  func purchaseDates() async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    let shop = try await TeaShop(directory: folder.url)
    shop.clock.advance(seconds: 3600)
    // A purchase outside the app stamps a date and signs nothing.
    let first = try await shop.store.purchase(TeaShop.oolong, of: TeaShop.app, for: TeaShop.customer, in: .sandbox)
    try shop.store.close()

    let reopened = try await TeaShop(directory: folder.url)
    let second = try await reopened.store.purchase(
      TeaShop.oolong, of: TeaShop.app, for: TeaShop.customer, in: .sandbox)
    #expect(second.sequence > first.sequence)
    #expect(second.record.purchaseDate >= first.record.purchaseDate)
    try reopened.store.close()
  }

  @Test("everything a store stamps is at its own rate")
  func rate() async throws {
    let shop = try await TeaShop(rate: 60)
    let phone = try await shop.phone()
    shop.clock.advance(seconds: 10)
    let dates = try signedDates(try await shop.buy(on: phone))
    #expect(dates == [TeaShop.opening.adding(seconds: 600)])
    #expect(try await shop.newestTransaction().record.purchaseDate == TeaShop.opening.adding(seconds: 600).wholeSeconds)
  }
}
