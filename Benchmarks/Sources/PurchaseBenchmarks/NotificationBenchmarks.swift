import AppStoreEmulator
import AppStoreEmulatorServer
import Foundation
import StoreModel

/// Measures server notifications: the sending, and what they cost in the commit that causes them. For comparison: a loop that
/// posts the same bytes to the same receiver with the same HTTP client, and the same operation without an address.
enum NotificationBenchmarks {
  /// The argument of the child processes.
  static let sendingPart = "notifications-sent"

  static func run() async throws {
    print("\nNotifications of renewals to a receiver on loopback, one after the other, store on disk")
    print("       sent   seconds   µs per notification   beside bare POSTs   MiB before   at most while sending")
    for count in [1_000, 5_000, 10_000] { try ScaleBenchmarks.child(sendingPart, count) }
    try await attempts()
    try await causes()
  }

  // MARK: Sending

  /// Sends `count` notifications, and prints a line. Runs in a process of its own, because its memory is measured.
  static func sent(_ count: Int) async throws {
    try await NotificationReceiver.running { url in
      let folder = FileManager.default.temporaryDirectory.appending(path: "notifications-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: folder) }
      let store = try await heldStore(count, in: folder, sendingTo: url)
      defer { try? store.close() }
      // The next value of `VmHWM` is the maximum from now on.
      try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
      let before = Report.mebibytes("VmRSS")
      let seconds = try await secondsToSettle(store)
      let peak = Report.mebibytes("VmHWM")
      guard try await store.settleNotifications().sent == count else { throw CancellationError() }
      let body = try await bodyOfNewest(store)
      let bare = try await secondsToPost(body, to: url, count: count)
      print(
        String(
          format:
            "%11ld%10.2f%22.0f%18.2f ×%13.0f%24.0f", count, seconds, seconds * 1e6 / Double(count), seconds / bare,
          before, peak))
    }
  }

  /// A store whose `count` notifications are held: each of `count` / 5 customers has bought a subscription, which was renewed
  /// four times. None is older than 180 days.
  static func heldStore(
    _ count: Int, in folder: URL, sendingTo url: URL, _ environment: StoreEnvironment = .sandbox
  ) async throws -> EmulatedAppStore {
    let store = try await SubscriptionBenchmarks.store(folder)
    try await store.setNotificationURL(url)
    try store.changeNotificationPolicy { $0.hold = true }
    store.deliverNotifications(over: HTTPNotificationTransport())
    for number in 0..<count / 5 {
      let name = AccountName("customer \(number)@example.org")
      try await store.addCustomer(Customer(environment: environment, name: name))
      _ = try await store.purchase(
        SubscriptionBenchmarks.monthly, of: SubscriptionBenchmarks.app, for: name, in: environment)
    }
    try await store.changeClock(.advance(milliseconds: 130 * SubscriptionBenchmarks.day))
    guard try await store.transactionCount(RecordFilter()) == count,
      try await store.settleNotifications().held == count
    else { throw CancellationError() }
    return store
  }

  /// The body of a POST with the newest notification that was signed.
  static func bodyOfNewest(_ store: EmulatedAppStore) async throws -> Data {
    guard let newest = try await store.notifications().notifications.first,
      let payload = try await store.notification(newest.uuid).signedPayload
    else { throw CancellationError() }
    return Data(#"{"signedPayload":"\#(payload)"}"#.utf8)
  }

  private static func secondsToSettle(_ store: EmulatedAppStore) async throws -> Double {
    let start = ContinuousClock.now
    try store.changeNotificationPolicy { $0.hold = false }
    try await store.settleNotifications(timeoutMilliseconds: 600_000)
    return (ContinuousClock.now - start).inSeconds
  }

  private static func secondsToPost(_ body: Data, to url: URL, count: Int) async throws -> Double {
    let transport = HTTPNotificationTransport()
    for _ in 0..<100 { _ = try? await transport.post(body, to: url) }
    let start = ContinuousClock.now
    for _ in 0..<count { _ = try? await transport.post(body, to: url) }
    return (ContinuousClock.now - start).inSeconds
  }

  // MARK: Attempts

  /// Measures attempts that succeed, that are refused, and that reach no server.
  private static func attempts() async throws {
    print("\nAttempts, store on disk")
    print("\("".padding(toLength: 58, withPad: " ", startingAt: 0))    attempts   µs per attempt   beside a bare POST")
    try await NotificationReceiver.running { url in
      let refusing = url.appending(path: NotificationReceiver.refusingPath)
      // Nothing listens at the port of a socket that is only bound.
      let (closed, descriptor) = try StalledDownloadBenchmarks.boundPort()
      defer { close(descriptor) }
      guard let unreachable = URL(string: "http://127.0.0.1:\(closed)/") else { throw CancellationError() }
      try await attempts("sandbox, accepted", to: url, .sandbox)
      try await attempts("sandbox, refused with status 500", to: refusing, .sandbox)
      try await attempts("sandbox, nothing listens", to: unreachable, .sandbox)
      try await attempts("production, refused with status 500, six attempts each", to: refusing, .production)
    }
  }

  private static func attempts(_ name: String, to url: URL, _ environment: StoreEnvironment) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "notifications-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let notifications = 500
    let store = try await heldStore(notifications, in: folder, sendingTo: url, environment)
    defer { try? store.close() }
    var (seconds, attempts) = (try await secondsToSettle(store), notifications)
    if environment == .production {
      let start = ContinuousClock.now
      // The last attempt is 157 hours after the first one. Nothing is renewed meanwhile.
      try await store.changeClock(.advance(milliseconds: 160 * 3_600_000))
      try await store.settleNotifications(timeoutMilliseconds: 600_000)
      seconds += (ContinuousClock.now - start).inSeconds
      attempts = notifications * 6
    }
    let bare = try await secondsToPost(try await bodyOfNewest(store), to: url, count: 1_000) / 1_000
    let each = seconds / Double(attempts)
    print(
      name.padding(toLength: 58, withPad: " ", startingAt: 0)
        + String(format: "%12ld%17.0f%19.2f ×", attempts, each * 1e6, each / bare))
  }

  // MARK: Causes

  /// Measures a purchase and a renewal with an address for notifications, and without one. Nothing is sent.
  private static func causes() async throws {
    Report.title("A purchase, with an address for notifications and without, store on disk, nothing is sent")
    let folder = FileManager.default.temporaryDirectory.appending(path: "notifications-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let without = try await PurchasingBenchmarks.store(directory: folder.appending(path: "without"))
    let with = try await PurchasingBenchmarks.store(directory: folder.appending(path: "with"))
    try await with.setNotificationURL(URL(string: "http://127.0.0.1:1/"))
    let (bare, measured) = try await Measurement.ofBoth(
      ("quote, confirm, finish, without an address", try await PurchasingBenchmarks.storePurchase(from: without)),
      ("quote, confirm, finish, with an address", try await PurchasingBenchmarks.storePurchase(from: with)),
      count: 1_000)
    Report.line(bare)
    Report.line(measured, bare: bare)
    try without.close()
    try with.close()
    Report.title("A renewal, a year of 500 customers in one step, the same; 10 rounds")
    var renewals: (without: [Double], with: [Double]) = ([], [])
    for round in 0..<10 {
      for isNotified in round.isMultiple(of: 2) ? [false, true] : [true, false] {
        let folder = folder.appending(path: "\(round) \(isNotified)")
        let (count, seconds) = try await SubscriptionBenchmarks.renew(
          500, in: folder, notifying: isNotified ? URL(string: "http://127.0.0.1:1/") : nil)
        if isNotified {
          renewals.with.append(seconds * 1e6 / Double(count))
        } else {
          renewals.without.append(seconds * 1e6 / Double(count))
        }
        try FileManager.default.removeItem(at: folder)
      }
    }
    let bareRenewal = Measurement(name: "a renewal, without an address", samples: renewals.without.sorted())
    Report.line(bareRenewal)
    Report.line(Measurement(name: "a renewal, with an address", samples: renewals.with.sorted()), bare: bareRenewal)
  }
}
