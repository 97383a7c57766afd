import SignedData
import StoreModel

extension Product.SubscriptionInfo {
  /// The state of a subscription, with its newest transaction and its renewal information. Implements Apple's
  /// `Product.SubscriptionInfo.Status`.
  public struct Status: Equatable, Hashable, Sendable {
    public let state: RenewalState
    public let transaction: VerificationResult<Transaction>
    public let renewalInfo: VerificationResult<RenewalInfo>

    /// Nil if a signed value has an id that does not fit into 64 bits.
    init?(_ status: DeviceStatus, on device: StoreKitDevice) {
      let content = try? SignedContent(jws: status.signedRenewalInfo, failure: status.failure) {
        try SignedRenewalInfo(payload: $0)
      }
      guard let transaction = device.result(of: status.transaction), let info = content.flatMap(RenewalInfo.init)
      else { return nil }
      let isExpired = device.habits.showsExpired(
        status.transaction.transactionID, of: status.originalTransactionID)
      state = isExpired ? .expired : RenewalState(rawValue: status.state)
      self.transaction = transaction
      renewalInfo = VerificationResult(info)
    }

    /// The statuses whose transaction, renewal information or state changes, each as soon as this device learns of it. It
    /// never ends.
    public static var updates: Statuses { Statuses(on: nil) }

    /// Implements Apple's `Product.SubscriptionInfo.Status.Statuses`.
    public struct Statuses: AsyncSequence, Sendable {
      public typealias Element = Status
      private let device: StoreKitDevice?

      init(on device: StoreKitDevice?) { self.device = device }

      public struct AsyncIterator: AsyncIteratorProtocol {
        private let registration: DeviceRegistration<StatusUpdate>

        init(on device: StoreKitDevice?) {
          registration = DeviceRegistration(on: device, withoutDevice: \.statuses) { $0.updates.statuses.register() }
        }

        public mutating func next() async -> Status? {
          while let update = await registration.buffer.next() {
            // The newest status is read now. It is nil if another customer has signed in since the change.
            guard let device = registration.device,
              let status = device.reading({ try $0.status(of: update.originalTransactionID) }) ?? nil,
              let value = Status(status, on: device)
            else { continue }
            return value
          }
          return nil
        }
      }

      public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(on: device) }
    }

    /// The statuses of all groups to which the customer has ever subscribed, as they are now. It ends after the last group.
    public static var all: AsyncStream<(groupID: String, statuses: [Status])> { all(on: nil) }

    static func all(on device: StoreKitDevice?) -> AsyncStream<(groupID: String, statuses: [Status])> {
      // Nil before the first element is requested.
      let rest = LockedValue<ArraySlice<(groupID: String, statuses: [Status])>?>(nil)
      return AsyncStream {
        if rest.withLock({ $0 == nil }) {
          let groups = await Self.groups(on: device)
          rest.withLock { $0 = $0 ?? groups[...] }
        }
        return rest.withLock { $0?.popFirst() }
      }
    }

    private static func groups(on device: StoreKitDevice?) async -> [(groupID: String, statuses: [Status])] {
      guard let device = device ?? .currentOrReport(), await device.isRefreshed() else { return [] }
      var groups: [(groupID: String, statuses: [Status])] = []
      // They are in the order of their groups.
      for status in device.reading({ try $0.statuses() }) ?? [] {
        guard let value = Status(status, on: device) else { continue }
        if groups.last?.groupID == status.groupID.rawValue {
          groups[groups.endIndex - 1].statuses.append(value)
        } else {
          groups.append((status.groupID.rawValue, [value]))
        }
      }
      return groups
    }
  }
}
