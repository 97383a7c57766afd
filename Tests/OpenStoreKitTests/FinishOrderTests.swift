import AppStoreEmulator
import Foundation
import GRDB
import ShopFixtures
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("Finishes and lists of unfinished transactions that overtake each other", .timeLimit(.minutes(30)))
struct FinishOrderTests {
  /// A device that waits for a list of unfinished transactions, which still has a purchase.
  /// The device has finished that purchase meanwhile, and a restore has sent the finish to the store.
  private struct Race {
    let test: TestStore
    let connection: ScriptedConnection
    let device: StoreKitDevice
    let observer: RecordingObserver
    let list: HeldAnswer
    let retry = ManualRetry()

    init(
      buying product: String, ownedAlready: Bool = false, losesList: Bool = false,
      storage: StoreKitDevice.Storage = .inMemory
    ) async throws {
      test = try await TestStore.lasting()
      if ownedAlready { try await test.boughtLongAgo(product) }
      connection = ScriptedConnection(test.store)
      device = try test.device(through: connection, storage: storage, retry: retry)
      try await device.signIn(SignInCredentials(account: "customer"))
      observer = RecordingObserver()
      device.paymentQueue.add(observer)
      await connection.nextUnfinished()
      // The store has charged the payment, but the device has not received the answer.
      let answer = connection.holdAnswer(to: .confirm)
      device.paymentQueue.add(.of(product))
      await answer.isGiven()
      list = connection.holdAnswer(to: .unfinished)
      if losesList { connection.script(.unfinished, .answerLost) }
      device.applicationWillEnterForeground()
      await list.isGiven()
      answer.release()
      device.paymentQueue.finishTransaction(try await observer.next(.purchased))
      while try await observer.next().event != .removed(product) {}
      let restoring = RestoreObserver()
      device.paymentQueue.add(restoring)
      device.paymentQueue.restoreCompletedTransactions()
      #expect(await restoring.end().end == .finished)
      #expect(connection.sent.contains(.finish))
    }

    /// Returns the products that the list delivers, and that a second list delivers which is requested after it.
    func deliveredByTheList() async throws -> [String] {
      list.release()
      await connection.nextUnfinished()
      device.applicationWillEnterForeground()
      await connection.nextUnfinished()
      // When this payment fails, the queue has all earlier deliveries.
      device.paymentQueue.add(.of(TestStore.ten))
      _ = try await observer.next(.failed)
      return device.paymentQueue.transactions.filter { $0.transactionState == .purchased }
        .map(\.payment.productIdentifier)
    }
  }

  @Test("B4 B9 E5 a list asked for before Restore sent a finish does not bring the finished consumable back")
  func heldList() async throws {
    let race = try await Race(buying: TestStore.five)
    #expect(try await race.deliveredByTheList().isEmpty)
    #expect(try race.device.journal.finish(after: 0) == nil)
  }

  @Test("B4 D3 E5 nor what was bought again, which has a transaction id of its own")
  func heldListOfRedelivery() async throws {
    let race = try await Race(buying: TestStore.greyscale, ownedAlready: true)
    #expect(try await race.deliveredByTheList().isEmpty)
  }

  @Test("B4 a list that is lost holds nothing back for longer: the finish leaves the journal")
  func lostList() async throws {
    let race = try await Race(buying: TestStore.five, losesList: true)
    #expect(try race.device.journal.finish(after: 0) != nil)
    race.list.release()
    #expect(await race.retry.nextWait() == 1)
    #expect(try race.device.journal.finish(after: 0) == nil)
    #expect(race.connection.sent.filter { $0 == .finish }.count == 1)
  }

  @Test("B4 B9 killed before the list came: the finish is sent once more, and the transaction stays finished")
  func killed() async throws {
    let folder = TemporaryFolder()
    let race = try await Race(buying: TestStore.five, storage: .directory(folder.url))
    try await race.device.close()
    race.list.release()
    let connection = ScriptedConnection(race.test.store)
    let device = try race.test.device(through: connection, storage: .directory(folder.url))
    #expect(device.paymentQueue.transactions.isEmpty)
    device.paymentQueue.add(race.observer)
    await connection.nextFinish()
    await connection.nextUnfinished()
    #expect(device.paymentQueue.transactions.isEmpty)
    #expect(try device.journal.finish(after: 0) == nil)
  }

  @Test("a step of sending reads one entry of the journal, however many wait", arguments: [50, 100])
  func entriesRead(count: Int) throws {
    let journal = try PaymentJournal.inMemory()
    for number in 1...count {
      let payment = PaymentID("\(number)")
      let paid = try journal.add(PaymentRequest(paymentID: payment, productID: "tea"), at: SystemClock().now)
      let arrival = PaymentJournal.Arrival.of(payment: payment, product: "tea", transaction: UInt64(number))
      _ = try journal.accept(arrival, answering: paid.sequence, paidBy: "ada", receipt: nil)
      _ = try journal.apply(.finishRequested, to: paid.sequence)
      _ = try journal.add(
        PaymentRequest(paymentID: PaymentID("more \(number)"), productID: "tea"), at: SystemClock().now)
    }
    let read = LockedValue(0)
    try journal.database.write { database in
      database.add(
        function: DatabaseFunction("read", argumentCount: 1) { values in
          read.withLock { $0 += 1 }
          return values[0]
        })
      // Its rows are counted when they are read.
      try database.execute(
        sql: """
          CREATE TEMP VIEW queueEntry AS SELECT sequence, paymentID, transactionID, signedTransactionID, stage, payment,
            read(state) AS state, addedDate, interface FROM main.queueEntry
          """)
    }
    var (found, place): (Int, Int64) = (0, 0)
    while let entry = try journal.finish(after: place) { (found, place) = (found + 1, entry.sequence) }
    #expect(found == count && read.value == count)
    #expect(try journal.firstPayment()?.payment.paymentID == "more 1")
    #expect(read.value == count + 1)
  }
}
