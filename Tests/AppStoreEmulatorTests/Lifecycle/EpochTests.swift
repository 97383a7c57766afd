import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("The epochs of a store", .timeLimit(.minutes(30)))
struct EpochTests {
  private func epochs(of store: EmulatedAppStore, resets: Int) async throws -> [StoreEpoch] {
    var epochs = [store.epoch]
    for _ in 0..<resets { epochs.append(try await store.reset()) }
    return epochs
  }

  @Test("follow from the seed and the generation where a seed was given")
  func seeded() async throws {
    let first = try await epochs(of: EmulatedAppStore(.inMemory(seed: 7)), resets: 4)
    let second = try await epochs(of: EmulatedAppStore(.inMemory(seed: 7)), resets: 4)
    let other = try await epochs(of: EmulatedAppStore(.inMemory(seed: 8)), resets: 4)
    #expect(first == second)
    #expect(Set(first + other).count == 10)
    #expect(first.allSatisfy { $0.rawValue.utf8.count == 10 && UInt64($0.rawValue) != nil })
  }

  @Test("are random otherwise: a copied data folder does not come upon the epochs of its original")
  func random() async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    let (original, copy) = (folder.url.appending(path: "a"), folder.url.appending(path: "b"))
    try EmulatedAppStore(.init(directory: original)).close()
    try FileManager.default.copyItem(at: original, to: copy)
    var all: [StoreEpoch] = []
    for directory in [original, copy] {
      let store = try EmulatedAppStore(.init(directory: directory))
      all += try await epochs(of: store, resets: 2)
      try store.close()
    }
    #expect(Set(all).count == 5, "only the one before the copy is shared")
  }

  @Test(
    "a restart goes on in the epoch it was in, whether or not the seed is given again",
    arguments: [nil, 7] as [UInt64?])
  func restart(seed: UInt64?) async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    let store = try EmulatedAppStore(.init(directory: folder.url, seed: 7))
    let epoch = try await store.reset()
    try store.close()
    let again = try EmulatedAppStore(.init(directory: folder.url, seed: seed))
    #expect(again.epoch == epoch)
    let next = try await again.reset()
    try again.close()
    #expect(try await epochs(of: EmulatedAppStore(.inMemory(seed: 7)), resets: 2).last == next)
  }

  @Test("a later epoch shares neither number nor key with earlier ones")
  func rows() {
    for isSeeded in [true, false] {
      var row = StoreRow.ofNewStore(seed: isSeeded ? 5 : nil)
      var seen = [row]
      for _ in 1...20 {
        row.beginNextEpoch()
        seen.append(row)
      }
      #expect(Set(seen.map(\.epoch)).count == 21)
      #expect(Set(seen.map(\.quoteKey)).count == 21)
      #expect(seen.map(\.generation) == Array(0...20))
      #expect(seen.allSatisfy { $0.quoteKey.count == 32 && $0.seed == row.seed })
    }
  }

  @Test("an epoch that ended is skipped, also if the seed gives it")
  func passedOver() {
    var row = StoreRow.ofNewStore(seed: 5)
    var other = row
    row.beginNextEpoch()
    other.beginNextEpoch(notIn: row.epoch)
    #expect(other.epoch != row.epoch)
  }
}
