import Foundation
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("How an app finds its store", .timeLimit(.minutes(30)))
struct DeviceSettingsTests {
  @Test("the environment says which store, whose account, which folder and which app")
  func everything() throws {
    let settings = try DeviceSettings([
      "OPENSTOREKIT_URL": "http://127.0.0.1:8080", "OPENSTOREKIT_ENVIRONMENT": "production",
      "OPENSTOREKIT_ACCOUNT": "ada", "OPENSTOREKIT_DATA": "/tmp/phone", "OPENSTOREKIT_BUNDLE_ID": "com.example.a",
      "OPENSTOREKIT_APP_VERSION": "7", "OPENSTOREKIT_RESTRICTED": "1", "OPENSTOREKIT_OFFLINE": "1",
      "OPENSTOREKIT_STORE_TIMEOUT": "2.5",
    ])
    #expect(settings.url.absoluteString == "http://127.0.0.1:8080")
    #expect(settings.environment == .production)
    #expect(settings.account == "ada")
    #expect(settings.folder.path == "/tmp/phone")
    #expect(settings.bundleID == "com.example.a")
    #expect(settings.applicationVersion == "7")
    #expect(settings.isRestricted && settings.isOffline)
    #expect(settings.storeTimeout == .milliseconds(2_500))
  }

  @Test("what is left out has a default; an empty value counts as left out")
  func defaults() throws {
    let settings = try DeviceSettings([
      "OPENSTOREKIT_URL": "http://localhost:1", "OPENSTOREKIT_BUNDLE_ID": "com.example.a", "OPENSTOREKIT_ACCOUNT": "",
    ])
    #expect(settings.environment == .sandbox)
    #expect(settings.account == "customer")
    #expect(settings.applicationVersion == "1.0")
    #expect(!settings.isRestricted && !settings.isOffline && settings.storeTimeout == .seconds(30))
    #expect(settings.folder.path.hasSuffix("OpenStoreKit/com.example.a"))
  }

  @Test(
    "a setting that cannot be used is named, with what it should be",
    arguments: [
      [:],
      ["OPENSTOREKIT_URL": "not an address"],
      ["OPENSTOREKIT_URL": "ftp://host"],
      ["OPENSTOREKIT_URL": "http://h", "OPENSTOREKIT_ENVIRONMENT": "xcode"],
      ["OPENSTOREKIT_URL": "http://h"],
      ["OPENSTOREKIT_URL": "http://h", "OPENSTOREKIT_BUNDLE_ID": "a", "OPENSTOREKIT_OFFLINE": "yes"],
      ["OPENSTOREKIT_URL": "http://h", "OPENSTOREKIT_BUNDLE_ID": "a", "OPENSTOREKIT_STORE_TIMEOUT": "0"],
      ["OPENSTOREKIT_URL": "http://h", "OPENSTOREKIT_BUNDLE_ID": "a", "OPENSTOREKIT_STORE_TIMEOUT": "nan"],
    ] as [[String: String]])
  func mistakes(_ variables: [String: String]) {
    let error = #expect(throws: StoreKitDeviceError.self) { try DeviceSettings(variables) }
    #expect(error?.description.contains("OPENSTOREKIT_") == true)
  }

  @Test("with nothing configured, a payment fails with an error that says what to set")
  func notConfigured() async {
    await #expect(processExitsWith: .exitCode(42)) {
      for name in ["OPENSTOREKIT_URL", "OPENSTOREKIT_BUNDLE_ID"] { unsetenv(name) }
      let observer = RecordingObserver()
      SKPaymentQueue.default().add(observer)
      SKPaymentQueue.default().add(SKPayment.of("a"))
      let failed = try await observer.next(.failed)
      let reason = (failed.error as NSError?)?.userInfo[NSLocalizedFailureReasonErrorKey] as? String
      SKPaymentQueue.default().finishTransaction(failed)
      let removed = try await observer.next().event
      exit(
        reason?.contains("OPENSTOREKIT_URL") == true && removed == .removed("a")
          && SKPaymentQueue.canMakePayments() && Bundle.main.appStoreReceiptURL == nil ? 42 : 1)
    }
  }

  @Test("Bundle.main.appStoreReceiptURL is the current device's receipt, and nil for other bundles")
  func bundle() async {
    await #expect(processExitsWith: .exitCode(42)) {
      let test = try await TestStore()
      let device = try test.device()
      StoreKitDevice.current = device
      let other = Bundle(path: "/")
      exit(
        StoreKitDevice.bundleKnowsReceipt && Bundle.main.appStoreReceiptURL == device.receiptURL
          && other?.appStoreReceiptURL == nil && SKPaymentQueue.default() === device.paymentQueue ? 42 : 1)
    }
  }
}
