/// What an iterator of an endless sequence holds: its buffer, from which it finds the device that has the elements' contents.
///
/// The copies of an iterator share it; the registration ends with the last of them.
struct DeviceRegistration<Element: BufferedUpdate>: Sendable {
  let buffer: UpdateRegistration<Element>

  /// Registers an iterator on `device`, or on the current device. If there is none, the iterator waits for one.
  ///
  /// - Parameters:
  ///   - withoutDevice: the channel in which the iterator waits for a device.
  ///   - register: registers it on a device.
  init(
    on device: StoreKitDevice?, withoutDevice: KeyPath<UpdateRegistry, UpdateChannel<Element>>,
    register: (StoreKitDevice) -> UpdateRegistration<Element>
  ) {
    if let device = device ?? .current {
      buffer = register(device)
      return
    }
    guard let scope = try? DeviceScope.current() else {
      // It belongs to no test, so it ends at once.
      let channel = UpdateChannel<Element>(limit: nil)
      channel.close()
      buffer = channel.register()
      return
    }
    buffer = scope.updates[keyPath: withoutDevice].register()
    // A device may have become the current one before the registration, so that it has not taken the iterator over.
    StoreKitDevice.current?.takeOverUpdates(of: scope)
  }

  /// The device of the elements; nil if it was released.
  var device: StoreKitDevice? { buffer.registry?.device }
}

extension StoreKitDevice {
  /// Registers an iterator that begins with what the journal has for it.
  func register<Element: BufferedUpdate>(
    on channel: UpdateChannel<Element>, pending: (PaymentJournal) throws -> [Element]
  ) -> UpdateRegistration<Element> {
    let registration = channel.register()
    // What is stored from now on is sent, so it is in the buffer already, or is read here.
    registration.prepend(reading(pending) ?? [])
    return registration
  }
}
