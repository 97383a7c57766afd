import StoreKit
import Testing

@Suite("SKError and NSError", .timeLimit(.minutes(30)))
struct ErrorBridgingTests {
  /// Apple's numbers, and what `SKError` calls them.
  static let table: [(number: Int, code: SKError.Code, member: SKError.Code)] = [
    (0, .unknown, SKError.unknown),
    (1, .clientInvalid, SKError.clientInvalid),
    (2, .paymentCancelled, SKError.paymentCancelled),
    (3, .paymentInvalid, SKError.paymentInvalid),
    (4, .paymentNotAllowed, SKError.paymentNotAllowed),
    (5, .storeProductNotAvailable, SKError.storeProductNotAvailable),
    (6, .cloudServicePermissionDenied, SKError.cloudServicePermissionDenied),
    (7, .cloudServiceNetworkConnectionFailed, SKError.cloudServiceNetworkConnectionFailed),
    (8, .cloudServiceRevoked, SKError.cloudServiceRevoked),
    (9, .privacyAcknowledgementRequired, SKError.privacyAcknowledgementRequired),
    (10, .unauthorizedRequestData, SKError.unauthorizedRequestData),
    (11, .invalidOfferIdentifier, SKError.invalidOfferIdentifier),
    (12, .invalidSignature, SKError.invalidSignature),
    (13, .missingOfferParams, SKError.missingOfferParams),
    (14, .invalidOfferPrice, SKError.invalidOfferPrice),
    (15, .overlayCancelled, SKError.overlayCancelled),
    (16, .overlayInvalidConfiguration, SKError.overlayInvalidConfiguration),
    (17, .overlayTimeout, SKError.overlayTimeout),
    (18, .ineligibleForOffer, SKError.ineligibleForOffer),
    (19, .unsupportedPlatform, SKError.unsupportedPlatform),
    (20, .overlayPresentedInBackgroundScene, SKError.overlayPresentedInBackgroundScene),
    (21, .paymentMethodBindingConfigurationRequired, SKError.paymentMethodBindingConfigurationRequired),
  ]

  @Test("C1 C2 each code goes to NSError and back with domain, number and user info", arguments: table)
  func bothWays(number: Int, code: SKError.Code, member: SKError.Code) throws {
    #expect(code.rawValue == number)
    #expect(member == code)
    #expect(SKError.Code(rawValue: number) == code)
    let cause = NSError(domain: "ASDServerErrorDomain", code: 3532)
    let text: [String: Any] = [NSLocalizedDescriptionKey: "No. \(number)", NSUnderlyingErrorKey: cause]

    let error: any Error = SKError(code, userInfo: text)
    let bridged = error as NSError
    #expect(bridged.domain == "SKErrorDomain" && bridged.code == number)
    #expect(bridged.localizedDescription == "No. \(number)")
    #expect((bridged.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == 3532)

    let foreign: any Error = NSError(domain: SKErrorDomain, code: number, userInfo: text)
    let back = try #require(foreign as? SKError)
    #expect(back.code == code && back.errorCode == number)
    #expect(back.localizedDescription == "No. \(number)")
    #expect((back.userInfo[NSUnderlyingErrorKey] as? NSError)?.domain == "ASDServerErrorDomain")
    #expect(back.errorUserInfo.count == 2)
    #expect(foreign is SKError)
    #expect(caught(foreign) == code && caught(error) == code)
    #expect(SKError(code) == SKError(code) && SKError(code).hashValue == SKError(code).hashValue)
  }

  @Test("there is no 22nd code, and a number that is none is unknown and keeps its number", arguments: [22, 907, -1])
  func outside(number: Int) throws {
    #expect(SKError.Code(rawValue: number) == nil)
    let error: any Error = NSError(domain: SKErrorDomain, code: number)
    #expect(try #require(error as? SKError).code == .unknown)
    #expect((error as NSError).code == number)
  }

  @Test("an error of another domain is no SKError, whatever its number")
  func otherDomains() {
    for domain in [NSURLErrorDomain, NSCocoaErrorDomain, "SSServerErrorDomain", ""] {
      let error: any Error = NSError(domain: domain, code: 2)
      #expect(error as? SKError == nil)
      #expect(caught(error) == nil)
    }
  }

  @Test("C1 an SKError made of another domain's NSError keeps it as it is; casts from NSError stay refused")
  func madeOfAnotherDomain() throws {
    let server = NSError(
      domain: "SSServerErrorDomain", code: 5020, userInfo: [NSLocalizedDescriptionKey: "Forget Your Password?"])
    let error = SKError(_nsError: server)
    #expect(error._nsError === server)
    #expect(error.errorCode == 5020 && error.code == .unknown)
    #expect(error.localizedDescription == "Forget Your Password?")
    #expect(error._nsError.domain == "SSServerErrorDomain")
    #expect((server as any Error) as? SKError == nil)
    #expect(caught(server) == nil)

    // The number is read as it stands, as on Apple's platforms.
    let cancelled = SKError(_nsError: NSError(domain: "other", code: 2))
    #expect(cancelled.code == .paymentCancelled)
    #expect(cancelled != SKError(.paymentCancelled))
    #expect(Set([cancelled, SKError(.paymentCancelled), error]).count == 3)
  }

  private func caught(_ error: any Error) -> SKError.Code? {
    do {
      throw error
    } catch let error as SKError {
      return error.code
    } catch {
      return nil
    }
  }
}
