/// What a person can set on a device, set from outside for one installation. Nil members leave it to the device.
public struct InstallationSettings: Hashable, Codable, Sendable {
  /// Whether purchases are restricted.
  public var isRestricted: Bool?
  /// Whether the device has no network. It still receives its settings.
  public var isOffline: Bool?

  public init(isRestricted: Bool? = nil, isOffline: Bool? = nil) {
    self.isRestricted = isRestricted
    self.isOffline = isOffline
  }
}
