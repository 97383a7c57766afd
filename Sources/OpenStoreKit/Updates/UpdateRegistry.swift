import StoreModel

/// The channels of StoreKit 2's endless sequences on one device.
final class UpdateRegistry: Sendable {
  /// The maximum number of elements in a buffer of messages or intents.
  static let largestBuffer = 100

  let transactions = UpdateChannel<TransactionUpdate>(limit: nil)
  let statuses = UpdateChannel<StatusUpdate>(limit: nil)
  let storefronts = UpdateChannel<StorefrontUpdate>(limit: nil)
  let messages = UpdateChannel<MessageUpdate>(limit: UpdateRegistry.largestBuffer)
  let intents = UpdateChannel<IntentUpdate>(limit: UpdateRegistry.largestBuffer)
  private let onUse: @Sendable () -> Void
  private let inUse = LockedValue(false)
  /// The iterator of `Transaction.updates` that has begun with all unfinished transactions.
  private let unfinishedListing = LockedValue<UpdateBuffer<TransactionUpdate>?>(nil)
  /// The messages that an iterator has received. The others receive them, too.
  private let receivedMessages = LockedValue<Set<MessageUpdate>>([])
  private let deviceOwner = LockedValue(Owner())

  private struct Owner: Sendable {
    weak var device: (any AnyObject & Sendable)?
  }

  /// - Parameter onUse: called at the first use of StoreKit 2.
  init(onUse: @escaping @Sendable () -> Void = {}) {
    self.onUse = onUse
    transactions.registry = self
    statuses.registry = self
    storefronts.registry = self
    messages.registry = self
    intents.registry = self
  }

  /// The device of this registry, which is not retained. Its type is of a later folder.
  var owner: (any AnyObject & Sendable)? {
    get { deviceOwner.withLock { $0.device } }
    set { deviceOwner.withLock { $0.device = newValue } }
  }

  /// Whether StoreKit 2 is in use. It stays true until the device is closed.
  var isInUse: Bool { inUse.value }

  /// Begins the use of StoreKit 2. Only the first call has an effect.
  func use() {
    let isFirst = inUse.withLock { inUse in
      defer { inUse = true }
      return !inUse
    }
    if isFirst { onUse() }
  }

  /// Whether an iterator of `Transaction.updates` is the first one of this launch, which begins with all unfinished
  /// transactions. One that was released before it has received an element does not count.
  func listsUnfinished(_ buffer: UpdateBuffer<TransactionUpdate>) -> Bool {
    unfinishedListing.withLock { listing in
      guard listing?.wasForgotten ?? true else { return false }
      listing = buffer
      return true
    }
  }

  /// Sends new messages to all iterators.
  func send(_ raised: [MessageUpdate]) {
    receivedMessages.withLock { $0.subtract(raised) }
    messages.send(raised)
  }

  /// Whether an iterator that has a message in its buffer receives it. It does not if the message was shown to the
  /// customer, or its cause has ended.
  ///
  /// - Parameter isPending: whether nobody has received the message before.
  func mayReceive(_ message: MessageUpdate, isPending: Bool) -> Bool {
    receivedMessages.withLock { received in
      if isPending { received.insert(message) }
      return received.contains(message)
    }
  }

  /// The buffers of the iterators that ``takeOver(_:)`` has moved. They do not have what this device has stored.
  struct TakenOver: Sendable {
    var transactions: [UpdateBuffer<TransactionUpdate>] = []
    var messages: [UpdateBuffer<MessageUpdate>] = []
    var intents: [UpdateBuffer<IntentUpdate>] = []
  }

  /// Moves all registrations of `earlier` to this registry. Called when a device becomes the current one.
  func takeOver(_ earlier: UpdateRegistry) -> TakenOver {
    guard earlier !== self else { return TakenOver() }
    if earlier.hasIterators { use() }
    let transactions = transactions.takeOver(earlier.transactions)
    _ = statuses.takeOver(earlier.statuses)
    _ = storefronts.takeOver(earlier.storefronts)
    let messages = messages.takeOver(earlier.messages)
    let intents = intents.takeOver(earlier.intents)
    return TakenOver(transactions: transactions, messages: messages, intents: intents)
  }

  private var hasIterators: Bool {
    transactions.count + statuses.count + storefronts.count + messages.count + intents.count > 0
  }

  /// Ends all iterators. Called when the device is closed.
  func close() {
    transactions.close()
    statuses.close()
    storefronts.close()
    messages.close()
    intents.close()
  }
}
