import StoreKit
import Testing

// Nothing but StoreKit is imported, as in an app's own files.

@Suite("import StoreKit", .timeLimit(.minutes(30)))
struct ReexportTests {
  @Test("brings Foundation, its networking and Dispatch along, as Apple's module does")
  func whatComesAlong() {
    let request = URLRequest(url: URL(filePath: "/"))
    let price: Decimal = 1.99
    #expect(request.httpMethod == "GET")
    #expect(NSDecimalNumber(decimal: price).stringValue == "1.99")
    #expect(Locale(identifier: "de_DE@currency=EUR").currency?.identifier == "EUR")
    #expect(DispatchQueue.main.label.isEmpty == false)
  }

  @Test("types can be named with the module in front")
  func qualified() {
    let queue: StoreKit.SKPaymentQueue.Type = SKPaymentQueue.self
    #expect(queue == SKPaymentQueue.self)
  }

  @Test("an SKError goes to NSError and back with its domain, code and user info")
  func bridging() throws {
    let cause = NSError(domain: "ASDServerErrorDomain", code: 3532)
    let error: any Error = SKError(.unknown, userInfo: [NSUnderlyingErrorKey: cause])
    let bridged = error as NSError
    #expect(bridged.domain == SKErrorDomain)
    #expect((bridged.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == 3532)
    let back = try #require((bridged as any Error) as? SKError)
    #expect(back.code == .unknown)
    #expect(back == SKError(.unknown, userInfo: [NSUnderlyingErrorKey: cause]))
    #expect(throws: SKError.self) { throw NSError(domain: SKErrorDomain, code: 2) }
    #expect(((NSError(domain: NSURLErrorDomain, code: 2) as any Error) as? SKError) == nil)
  }
}
