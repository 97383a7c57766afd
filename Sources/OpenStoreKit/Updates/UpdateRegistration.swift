/// The buffer of one iterator, which holds it. Its deinit removes the buffer from the channel.
///
/// It holds the registry weakly, so that a loop that is never ended does not keep a device open.
final class UpdateRegistration<Element: BufferedUpdate>: Sendable {
  let buffer: UpdateBuffer<Element>

  init(_ buffer: UpdateBuffer<Element>) { self.buffer = buffer }

  deinit { buffer.release() }

  /// Returns the next element, and waits for one if the buffer is empty. Nil if the task is cancelled, or the channel was
  /// closed.
  func next() async -> Element? { await buffer.next() }

  /// Called when the iterator asks for another element: it has handled the one before.
  func lastIsHandled() { buffer.lastIsHandled() }

  /// Whether another iterator of the channel has not handled the element with this key yet.
  func isHeldByOthers(_ key: Element.Key) -> Bool { buffer.channel?.isHeld(key, byOthersThan: buffer) ?? false }

  /// Whether the buffer has no elements.
  var isEmpty: Bool { buffer.isEmpty }

  /// Puts elements before those that have arrived since the registration.
  func prepend(_ elements: [Element]) { buffer.prepend(elements) }

  /// The registry of the device that has taken the iterator over; nil after that device was released.
  var registry: UpdateRegistry? { buffer.channel?.registry }
}
