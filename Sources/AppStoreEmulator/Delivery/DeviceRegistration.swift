import Foundation
import StoreModel

extension StoreUnitOfWork {
  var deviceRegistration: DeviceRegistration { DeviceRegistration(work: self) }
}

/// Registers installations, and signs customers in on them.
struct DeviceRegistration {
  let work: StoreUnitOfWork

  /// Registers an installation, or updates the version of its app.
  ///
  /// - Throws: ``StoreRefusal``.
  func register(_ registration: InstallationRegistration) throws -> StoreGreeting {
    guard work.environments.contains(registration.environment), !registration.installationID.rawValue.isEmpty else {
      let names = work.environments.map(\.rawValue).joined(separator: " or ")
      throw StoreRefusal(.malformedRequest, "A device registers an installation id for the environment \(names).")
    }
    do {
      _ = try work.catalog.app(registration.bundleID)
    } catch let error as AppStoreEmulatorError {
      throw StoreRefusal(.unknownApp, error.description)
    }
    let known = try work.installations.find(registration.installationID)
    var installation =
      known
      ?? Installation(
        installationID: registration.installationID, bundleID: registration.bundleID,
        environment: registration.environment, deviceID: registration.deviceID.uuidString,
        applicationVersion: registration.applicationVersion,
        originalApplicationVersion: registration.applicationVersion, account: nil, registrationDate: work.now)
    guard
      installation.bundleID == registration.bundleID, installation.environment == registration.environment,
      installation.deviceID == registration.deviceID.uuidString
    else {
      throw StoreRefusal(
        .malformedRequest,
        "Installation \(registration.installationID) belongs to another app, environment or device. "
          + "A new installation needs an id of its own.")
    }
    installation.applicationVersion = registration.applicationVersion
    installation.isRegistered = true
    if installation != known { try installation.upsert(work.database) }
    return StoreGreeting(
      epoch: work.epoch, rootCertificate: Data(try work.authority.jwsRootCertificate),
      receiptRootCertificate: Data(try work.authority.receiptRootCertificate), account: installation.account,
      storefrontCountryCode: try work.installations.storefront(of: installation).countryCode,
      changeCursor: try StoreRow.fetch(work.database).firstChange,
      settings: installation.settings == InstallationSettings() ? nil : installation.settings)
  }

  /// Signs a customer in on an installation.
  ///
  /// - Throws: ``StoreRefusal``.
  func signIn(_ credentials: SignInCredentials, on installationID: InstallationID) throws -> SignedInAccount {
    var installation = try work.installations.registered(installationID)
    let customer = try work.customers.find(credentials.account, installation.environment)?.customer
    guard let customer, customer.password == nil || customer.password == credentials.password else {
      // An unknown name and a wrong password get the same answer, as in the real store. So the answer does not reveal
      // which names exist.
      throw StoreRefusal(
        .signInRefused, "This App Store has no account “\(credentials.account)” with that password.")
    }
    let isAnother = installation.account != customer.name
    installation.account = customer.name
    try installation.update(work.database)
    if try work.deliveries(to: installation).takeOver(for: customer.name) {
      try work.events.record(.unfinishedMoved(installation))
    }
    // The device may have missed revocations while the customer was not signed in.
    if isAnother { try work.revocations.recordLostProducts(of: installation) }
    return SignedInAccount(account: customer.name, storefrontCountryCode: customer.storefrontCountryCode)
  }
}
