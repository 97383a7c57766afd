import StoreModel

/// A connection to the store that fails while the device is offline.
///
/// Two calls pass nevertheless, because they bring the settings by which the store's control API can end the outage:
/// the registration, and the call that waits for changes.
struct SwitchedConnection: AppStoreConnection {
  let base: any AppStoreConnection
  let switches: DeviceSwitches

  func send<Call: StoreCall>(_ call: Call, for installation: InstallationID) async throws -> Call.Answer {
    if call is RegisterCall || call is ChangesCall { return try await base.send(call, for: installation) }
    guard !switches.isOffline else { throw StoreConnectionFailure.unreachable(reason: "the device has no network") }
    let answer = try await base.send(call, for: installation)
    // An answer is lost if the network goes off while the app waits for it.
    guard !switches.isOffline else { throw StoreConnectionFailure.noAnswer(reason: "the device has lost its network") }
    return answer
  }
}
