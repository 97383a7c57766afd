import Foundation
import StoreModel

/// An error of the device on which StoreKit runs, or of its connection to a store.
public enum StoreKitDeviceError: DescribedError, Hashable, Sendable {
  /// Neither the environment variables nor the app's code configure a store.
  case notConfigured
  /// An environment variable has an invalid value.
  case invalidSetting(name: String, value: String, expected: String)
  /// The app's bundle id is unknown.
  case noBundleID
  /// The folder contains the installation of another app, or of another environment.
  case folderOfAnotherApp(BundleID, StoreEnvironment)
  /// The folder contains the installation of another device, such as a copy of that device's folder.
  case folderOfAnotherDevice(UUID)
  /// The root certificates of the store differ from those at the first contact with this installation.
  case storeRootChanged
  /// The store sent a quote, a transaction or a page of transactions that does not match the request.
  case deliveryMismatch(String)
  /// The device was closed.
  case closed
  /// The call does not belong to a test, while tests with stores of their own run.
  case isolationLost
  /// The test has a store of its own, and has not made a session yet.
  case noSession

  public var description: String {
    switch self {
    case .notConfigured:
      "No store is configured. Set OPENSTOREKIT_URL to the address of an App Store emulator, "
        + "or make a StoreKitDevice and assign it to StoreKitDevice.current."
    case .invalidSetting(let name, let value, let expected):
      "\(name) is \(value.debugDescription); it must be \(expected)."
    case .noBundleID:
      "The app's bundle id is not known. Set OPENSTOREKIT_BUNDLE_ID, or put an Info.plist with CFBundleIdentifier "
        + "beside the executable."
    case .folderOfAnotherApp(let bundleID, let environment):
      "The folder is the installation of \(bundleID) in \(environment.rawValue). Each app needs a folder of its own."
    case .folderOfAnotherDevice(let deviceID):
      "The folder is the installation of the device \(deviceID). Nothing was changed. Put this device's own folder back, "
        + "or delete the folder, to install the app anew."
    case .storeRootChanged:
      "The store's root certificates are not those this installation was bound to at first contact. If the store was set "
        + "up anew with other keys, delete the installation's data folder."
    case .deliveryMismatch(let reason):
      "The store delivered what was not asked for: \(reason)"
    case .closed:
      "The device was closed."
    case .isolationLost:
      "A call of StoreKit does not belong to a test, while tests with the trait isolatedStore run, so it has no store. "
        + "DispatchQueue.async and Task.detached lose the test: use Task { } in their place, or pass the device. "
        + "If this is a test, give it the trait, too."
    case .noSession:
      "The test has the trait isolatedStore, and no store yet. Make an SKTestSession first."
    }
  }
}

extension StoreKitDeviceError {
  /// Throws unless a page of a list ends after the page before it. A store could otherwise send the same page for ever.
  ///
  /// - Parameters:
  ///   - end: the number at which the page ends.
  ///   - last: that of the page before; nil for the first page.
  ///   - list: what the pages contain.
  static func checkPage(endsAt end: Int64, after last: Int64?, _ list: String) throws(StoreKitDeviceError) {
    if let last, end <= last { throw .deliveryMismatch("a page of \(list) that had come before") }
  }
}

/// A problem that cannot be reported to the app by a transaction or a request.
public enum StoreKitProblem: Hashable, Sendable, CustomStringConvertible {
  /// The journal on disk cannot be read or written.
  case journal(String)
  /// The store could not be reached, or its answer was not understood. The operation is retried.
  case store(String)
  /// The receipt file cannot be written.
  case receipt(String)
  /// The app made a call that has no effect.
  case misuse(String)

  public var description: String {
    switch self {
    case .journal(let reason), .store(let reason), .receipt(let reason), .misuse(let reason): reason
    }
  }
}
