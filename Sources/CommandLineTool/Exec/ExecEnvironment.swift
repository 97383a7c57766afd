import AppStoreEmulator
import Foundation

/// What the command of `exec` finds in its environment: the store's addresses, and what a client of it needs.
///
/// README.md lists the variables for users; those an app reads are explained at `DeviceSettings`.
struct ExecEnvironment {
  /// All of the command's environment: its caller's, and the store's.
  let variables: [String: String]

  /// - Parameters:
  ///   - port: of the store, on 127.0.0.1.
  ///   - controlToken: what the control door asks for, if anything.
  ///   - inherited: the caller's environment. Of what is told of the store, only the app's version is taken from it.
  init(port: Int, app: StoreApp, folder: ExecFolder, controlToken: String?, inherited: [String: String]) {
    let address = "http://127.0.0.1:\(port)"
    var variables = inherited
    // What an app reads.
    variables["OPENSTOREKIT_URL"] = address
    variables["OPENSTOREKIT_ENVIRONMENT"] = "sandbox"
    variables["OPENSTOREKIT_ACCOUNT"] = EmulatedAppStore.firstCustomer.rawValue
    variables["OPENSTOREKIT_DATA"] = folder.device.path
    variables["OPENSTOREKIT_BUNDLE_ID"] = app.bundleID.rawValue
    if variables["OPENSTOREKIT_APP_VERSION", default: ""].isEmpty { variables["OPENSTOREKIT_APP_VERSION"] = "1.0" }
    // What a test steers the store with. A token of another store would be of no use.
    variables["OPENSTOREKIT_CONTROL_URL"] = address + "/control/v1"
    variables["OPENSTOREKIT_CONTROL_TOKEN"] = controlToken
    // What a backend is pointed at.
    variables["OPENSTOREKIT_PRODUCTION_URL"] = address + "/production"
    variables["OPENSTOREKIT_SANDBOX_URL"] = address + "/sandbox"
    variables["OPENSTOREKIT_SHARED_SECRET"] = app.sharedSecret
    variables["OPENSTOREKIT_ROOT_CERTIFICATE"] = folder.rootCertificate.path
    variables["OPENSTOREKIT_RECEIPT_ROOT_CERTIFICATE"] = folder.receiptRootCertificate.path
    variables["OPENSTOREKIT_RECEIPT_INTERMEDIATE_CERTIFICATE"] = folder.receiptIntermediateCertificate.path
    self.variables = variables
  }
}
