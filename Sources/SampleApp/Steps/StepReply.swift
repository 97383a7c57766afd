import Foundation
import HTTPTransport

/// Reports the steps of a purchase that follow from a request to the developer's server and its response.
struct StepReply: Sendable {
  private enum Meaning {
    case redemption(product: String?)
    case file
    case other
  }

  private let meaning: Meaning
  private let steps: StepReporter

  init(call: HTTPCall, steps: StepReporter) {
    self.steps = steps
    let parts = call.url.pathComponents
    switch (call.method, parts.last) {
    // A request for all purchases of the receipt is no step of a purchase.
    case ("POST", "redemptions"): meaning = .redemption(product: Self.product(in: call.body))
    case ("GET", _) where parts.contains("downloads"): meaning = .file
    default: meaning = .other
    }
  }

  func begin() { if case .redemption(let product) = meaning { steps(.proofSent, product: product) } }

  func answered(_ status: Int) {
    switch meaning {
    case .redemption(let product):
      if status == 200 { steps(.verified, product: product) }
      if (400..<500).contains(status) { steps(.verificationRefused, product: product) }
    case .file: if [200, 206].contains(status) { steps(.content) }
    case .other: break
    }
  }

  private static func product(in body: Data?) -> String? {
    struct Message: Decodable {
      struct Purchase: Decodable { let productId: String? }
      let purchases: [Purchase]?
    }
    return body.flatMap { try? JSONDecoder().decode(Message.self, from: $0) }?.purchases?.first?.productId
  }
}
