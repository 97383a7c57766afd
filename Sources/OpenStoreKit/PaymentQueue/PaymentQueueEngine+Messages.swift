import StoreModel

// The messages of the App Store that no iterator of `Message.messages` receives.
extension PaymentQueueEngine {
  /// Shows the messages of earlier launches that no iterator has received.
  func showStoredMessages() throws {
    let messages = try journal.pendingMessages()
    if !messages.isEmpty { showSoon(messages) }
  }

  /// The time that an app has to make an iterator of `Message.messages`.
  private static let messageDelay = Duration.seconds(1)

  /// Shows messages to the customer, unless the app receives them by an iterator.
  func showSoon(_ messages: [MessageUpdate]) {
    Task { [weak self, clock] in
      guard (try? await clock.sleep(for: Self.messageDelay)) != nil else { return }
      await self?.showUnreceived(messages)
    }
  }

  private func showUnreceived(_ messages: [MessageUpdate]) {
    guard !isStopped, updates.messages.count == 0 else { return }
    do {
      for message in messages where try journal.markDelivered(message) { inform(.message(message.message)) }
    } catch {
      reportJournal(error)
    }
  }
}
