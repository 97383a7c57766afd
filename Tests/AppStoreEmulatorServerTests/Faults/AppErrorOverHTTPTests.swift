import AppStoreEmulator
import Foundation
import OpenStoreKit
import StoreModel
import Testing

@testable import AppStoreEmulatorServer

@Suite("Errors that the store gives, as an app sees them over HTTP", .timeLimit(.minutes(30)))
struct AppErrorOverHTTPTests {
  @Test("C2 every SKError code, 0, 5002 and 5020 reach transaction.error in their own domains; nothing is charged")
  func errors() async throws {
    let bakery = try await BakeryServer()
    let store = bakery.store
    // The codes have no gaps: they begin with 0 and end with 21.
    let codes = Array((0...).prefix { SKError.Code(rawValue: $0) != nil })
    #expect(codes.count == 22 && (22..<1000).allSatisfy { SKError.Code(rawValue: $0) == nil })
    let errors =
      codes.map { AppError(domain: SKErrorDomain, code: $0) } + [
        .unknownServerError, .forgottenPassword, .failedPaymentSheet, .alreadySubscribed,
        AppError(domain: SKErrorDomain, code: 0, message: "Cannot connect to iTunes Store"),
      ]
    try await bakery.listening { port async throws in
      let phone = try ServedDevice(port: port)
      for error in errors {
        try store.set(Fault(AppErrorFault(error), count: 1))
        phone.buy()
        let reported = try await phone.nextEnd()
        #expect(reported.state == .failed)
        #expect(reported.error?.domain == error.domain)
        #expect(reported.error?.code == error.code)
        if let underlying = error.underlying {
          let found = reported.error?.userInfo[NSUnderlyingErrorKey] as? NSError
          #expect(found?.domain == underlying.domain)
          #expect(found?.code == underlying.code)
        }
        if error.domain == SKErrorDomain {
          #expect(
            (reported.transaction.error as? SKError)?.code
              == SKError.Code(rawValue: error.code) ?? .unknown)
        }
        let text: String? =
          switch (error.domain, error.code) {
          case (SKErrorDomain, 0): "Cannot connect to iTunes Store"
          case ("SSServerErrorDomain", 5002): "An unknown error has occurred"
          case ("SSServerErrorDomain", 5020): "Forget Your Password?"
          default: nil
          }
        if let text { #expect(reported.error?.localizedDescription == text) }
      }
      #expect(store.requests(RequestFilter(.device(.confirm), outcome: .refused)).count == errors.count)
      phone.buy()
      #expect(try await phone.nextEnd().state == .purchased)
      try await phone.device.close()
    }
    #expect(try await store.charges().count == 1)
  }

  @Test("C2 a declined card, a restricted device and a refused password end as the payments they are")
  func refusals() async throws {
    let bakery = try await BakeryServer()
    let store = bakery.store
    try await bakery.listening { port async throws in
      let phone = try ServedDevice(port: port)
      // The device's customer has no other password, and cancels.
      try store.set(Fault(RefusedPasswordFault(), count: 1))
      phone.buy()
      let forgotten = try await phone.nextEnd().error
      #expect((forgotten?.domain, forgotten?.code) == ("SSServerErrorDomain", 5020))
      for (fault, code) in [
        (DeclinedCardFault() as any FaultKind, SKError.unknown), (RestrictedDeviceFault(), .paymentNotAllowed),
      ] {
        try store.set(Fault(fault, count: 1))
        phone.buy()
        let reported = try await phone.nextEnd()
        #expect(reported.error?.domain == SKErrorDomain)
        #expect(reported.error?.code == code.rawValue)
      }
      try await phone.device.close()
    }
    #expect(try await store.charges().isEmpty)
    #expect(store.faults().map(\.hits) == [1, 1, 1])
  }
}
