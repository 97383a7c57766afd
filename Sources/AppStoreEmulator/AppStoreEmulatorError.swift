import StoreModel

/// What an operator of the emulator did wrong, or what went wrong under it.
public enum AppStoreEmulatorError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The database has no `store` row: it was not made by this software.
  case storeNotCreated
  case unknownApp(BundleID, known: [BundleID])
  case unknownCustomer(AccountName, StoreEnvironment)
  case customerExists(AccountName, StoreEnvironment)
  case unknownStorefront(String)
  case unknownInstallation(InstallationID)
  /// No payment of that id waits for approval on that installation.
  case noSuchApproval(InstallationID, PaymentID)
  case environmentNotServed(StoreEnvironment)
  case emptyName(String)
  /// The product exists in two of the configuration files given for one app.
  case duplicateProduct(ProductID)
  /// The system does not know America/Los_Angeles, in which receipts' dates are written.
  case noTimeZoneData
  /// The store was created with another seed than the one given.
  case otherSeed
  /// Transaction numbers of this epoch are used up.
  case epochExhausted
  /// No fault of that id is set.
  case unknownFault(FaultID)
  case faultExists(FaultID)
  /// A fault that cannot be, and why.
  case impossibleFault(String)
  case tooManyFaults

  public var description: String {
    switch self {
    case .storeNotCreated:
      "This is not a store's database. Choose another data folder."
    case .unknownApp(let bundleID, let known):
      "No app \(bundleID) in this store. It serves \(known.map(\.rawValue).joined(separator: ", ")); "
        + "start it with --bundle-id \(bundleID), or set OPENSTOREKIT_BUNDLE_ID."
    case .unknownCustomer(let name, let environment):
      "No customer \(name) in \(environment.rawValue). Create one through the control door first."
    case .customerExists(let name, let environment):
      "There is a customer \(name) in \(environment.rawValue) already."
    case .unknownStorefront(let code):
      "\(code) is not a storefront known here. Use a code of three letters, such as USA, DEU or JPN."
    case .unknownInstallation(let installation):
      "No installation \(installation) has registered."
    case .noSuchApproval(let installation, let payment):
      "Payment \(payment) of installation \(installation) does not wait for approval. The control door lists those that do."
    case .environmentNotServed(let environment):
      "No server issues \(environment.rawValue) purchases. Use Production or Sandbox."
    case .emptyName(let what):
      "The \(what) must not be empty."
    case .duplicateProduct(let product):
      "\(product) is defined twice for the same app. Keep one of them."
    case .noTimeZoneData:
      "The system has no time zone data. Install it: on Debian, apt-get install tzdata."
    case .otherSeed:
      "The store in this folder was created with another seed. Leave --seed out, or choose a new folder."
    case .epochExhausted:
      "This store has made all the transactions of its epoch. Start one with a new data folder."
    case .unknownFault(let id):
      "No fault \(id) is set."
    case .faultExists(let id):
      "A fault \(id) is set already. Remove it first, or give another id."
    case .impossibleFault(let problem):
      "There can be no such fault. \(problem)"
    case .tooManyFaults:
      "\(FaultBook.largestNumber) faults are set. Remove some first."
    }
  }
}
