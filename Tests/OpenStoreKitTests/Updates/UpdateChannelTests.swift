import StoreModel
import Testing

@testable import OpenStoreKit

/// The buffers of StoreKit 2's endless sequences: Documentation/storekit2.md, "Lifetime and buffers".
@Suite("Channels of updates", .timeLimit(.minutes(5)))
struct UpdateChannelTests {
  private struct Change: BufferedUpdate, Hashable {
    let key: Int
    var text = ""
  }

  private func changes(_ keys: Int...) -> [Change] { keys.map { Change(key: $0) } }

  @Test("each iterator receives all elements, in order")
  func order() async {
    let channel = UpdateChannel<Change>(limit: nil)
    let (one, two) = (channel.register(), channel.register(changes(0)))
    #expect(channel.count == 2)
    #expect(channel.send(changes(1, 2)))
    for key in [1, 2] { #expect(await one.next()?.key == key) }
    for key in [0, 1, 2] { #expect(await two.next()?.key == key) }
    #expect(one.isEmpty && two.isEmpty)
  }

  @Test("an element is not sent if no iterator is registered, and an iterator that is made later does not receive it")
  func nobody() async {
    let channel = UpdateChannel<Change>(limit: nil)
    #expect(!channel.wasRegistered)
    #expect(!channel.send(changes(1)))
    let registration = channel.register()
    #expect(channel.wasRegistered && registration.isEmpty)
  }

  @Test("a later element with the same key replaces the earlier one, and keeps its place")
  func coalesced() async {
    let channel = UpdateChannel<Change>(limit: nil)
    let registration = channel.register()
    channel.send([Change(key: 1, text: "old"), Change(key: 2), Change(key: 1, text: "new")])
    #expect(await registration.next() == Change(key: 1, text: "new"))
    #expect(await registration.next() == Change(key: 2))
    #expect(registration.isEmpty)
    // It was received, so it comes again.
    channel.send([Change(key: 1, text: "newer")])
    #expect(await registration.next() == Change(key: 1, text: "newer"))
  }

  @Test("beyond the limit, the oldest elements leave")
  func limit() async {
    let channel = UpdateChannel<Change>(limit: 3)
    let registration = channel.register()
    for key in 1...10 { channel.send(changes(key)) }
    for key in 8...10 { #expect(await registration.next()?.key == key) }
    #expect(registration.isEmpty)
  }

  @Test("stored elements come before those that have arrived since the registration, each once")
  func prepended() async {
    let channel = UpdateChannel<Change>(limit: nil)
    let registration = channel.register()
    channel.send([Change(key: 2, text: "arrived"), Change(key: 3)])
    registration.prepend([Change(key: 1), Change(key: 2, text: "stored")])
    #expect(await registration.next() == Change(key: 1))
    #expect(await registration.next() == Change(key: 2, text: "arrived"))
    #expect(await registration.next() == Change(key: 3))
    #expect(registration.isEmpty)
  }

  @Test("an iterator that waits is resumed by the next element")
  func waiting() async {
    let channel = UpdateChannel<Change>(limit: nil)
    let registration = channel.register()
    let received = Task { await registration.next() }
    // Whether the task waits already or not, it receives the element.
    channel.send(changes(7))
    #expect(await received.value?.key == 7)
  }

  @Test("a cancelled iterator ends, and the elements stay for the next one", arguments: [true, false])
  func cancelled(isWaiting: Bool) async {
    let channel = UpdateChannel<Change>(limit: nil)
    let registration = channel.register()
    if !isWaiting { channel.send(changes(1)) }
    let task = Task {
      if !isWaiting { withUnsafeCurrentTask { $0?.cancel() } }
      return await registration.next()
    }
    if isWaiting { task.cancel() }
    #expect(await task.value == nil)
    if isWaiting { channel.send(changes(1)) }
    #expect(await registration.next()?.key == 1)
  }

  @Test("a closed channel ends its iterators, and those that are made later")
  func closed() async {
    let channel = UpdateChannel<Change>(limit: nil)
    let registration = channel.register()
    let waiting = Task { await registration.next() }
    channel.close()
    #expect(await waiting.value == nil)
    #expect(await registration.next() == nil)
    #expect(!channel.send(changes(1)))
    #expect(await channel.register(changes(1)).next() == nil)
    #expect(channel.count == 0)
  }

  @Test("released and cancelled iterators leave nothing behind")
  func leaks() async {
    let channel = UpdateChannel<Change>(limit: nil)
    for key in 0..<10_000 {
      let registration = channel.register(changes(key))
      #expect(await registration.next()?.key == key)
    }
    #expect(channel.count == 0)
    for _ in 0..<1_000 {
      let task = Task { [channel] in
        let registration = channel.register()
        while await registration.next() != nil {}
      }
      task.cancel()
      await task.value
    }
    #expect(channel.count == 0)
  }

  @Test("a forgotten loop does not keep the registry, and ends when the registry is closed")
  func forgotten() async {
    weak var released: UpdateRegistry?
    let registration: UpdateRegistration<StatusUpdate>
    do {
      let registry = UpdateRegistry()
      released = registry
      registration = registry.statuses.register()
      #expect(registration.registry === registry)
    }
    #expect(released == nil && registration.registry == nil)
  }

  @Test("the first iterator begins the use of StoreKit 2, once")
  func use() {
    let uses = LockedValue(0)
    let registry = UpdateRegistry(onUse: { uses.withLock { $0 += 1 } })
    #expect(!registry.isInUse)
    let first = registry.messages.register()
    let second = registry.transactions.register()
    #expect(registry.isInUse && uses.value == 1)
    registry.use()
    #expect(uses.value == 1 && first.isEmpty && second.isEmpty)
  }

  @Test("a registry takes over the iterators of another one, with what they have not received")
  func takenOver() async {
    let earlier = UpdateRegistry()
    let uses = LockedValue(0)
    let registry = UpdateRegistry(onUse: { uses.withLock { $0 += 1 } })
    #expect(registry.takeOver(earlier).intents.isEmpty)
    #expect(uses.value == 0)
    let registration = earlier.statuses.register()
    let intents = earlier.intents.register()
    earlier.statuses.send([StatusUpdate(originalTransactionID: TransactionID(1))])
    let taken = registry.takeOver(earlier)
    #expect(taken.transactions.isEmpty && taken.messages.isEmpty && taken.intents.count == 1)
    #expect(uses.value == 1 && earlier.statuses.count == 0 && registry.statuses.count == 1)
    #expect(registration.registry === registry && intents.registry === registry)
    registry.statuses.send([StatusUpdate(originalTransactionID: TransactionID(2))])
    for id in [1, 2] as [UInt64] { #expect(await registration.next()?.originalTransactionID == TransactionID(id)) }
  }

  @Test("many threads send and receive; no element is lost, and each iterator has its order")
  func threads() async {
    let channel = UpdateChannel<Change>(limit: nil)
    let count = 500
    await withTaskGroup(of: Void.self) { group in
      let registrations = (0..<4).map { _ in channel.register() }
      for sender in 0..<4 {
        group.addTask { for number in 0..<count { channel.send([Change(key: sender * count + number)]) } }
      }
      for registration in registrations {
        group.addTask {
          var last = [-1, -1, -1, -1]
          for _ in 0..<4 * count {
            guard let key = await registration.next()?.key else { break }
            #expect(last[key / count] < key % count)
            last[key / count] = key % count
          }
          #expect(last == Array(repeating: count - 1, count: 4))
        }
      }
    }
  }
}
