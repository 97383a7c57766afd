import Foundation
import StoreModel
import Testing

@testable import PurchaseServer

@Suite("Download links", .timeLimit(.minutes(30)))
struct DownloadLinkTests {
  private let clock = ManualClock(Sample.noon)
  private let digest = Sample.digest(Data("a book".utf8))
  private let delivery = UUID(uuidString: "0A0B0C0D-0102-4304-8506-0708090A0B0C")!

  private func signer(_ current: UInt8, older: [UInt8] = []) throws -> DownloadLinkSigner {
    DownloadLinkSigner(current: try Sample.key(current), older: try older.map(Sample.key), clock: clock)
  }

  private func refusal(_ token: String, _ signer: DownloadLinkSigner) -> DownloadLinkRefusal? {
    do {
      _ = try signer.link(in: token)
      return nil
    } catch {
      return error
    }
  }

  @Test("G3 a link contains the file and the delivery, and is valid on every server with the key")
  func roundTrip() throws {
    let link = try signer(1).link(to: digest, contentVersion: -7, deliveryID: delivery)
    let token = try signer(1).token(for: link)
    #expect(try signer(1).link(in: token) == link)
    #expect(link.deliveryID == delivery && link.digest == digest && link.contentVersion == -7)
    #expect(link.expirationDate == Sample.noon.adding(seconds: 900))
    #expect(token.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
  }

  @Test("G6 a link with any bit or character changed is refused")
  func tampering() throws {
    let signer = try signer(1)
    let token = signer.token(for: signer.link(to: digest, contentVersion: 3, deliveryID: delivery))
    let bytes = try #require(Data(base64Encoded: token.replacing("-", with: "+").replacing("_", with: "/") + "=="))
    #expect(bytes.count == 97)
    for index in bytes.indices {
      for bit in 0..<8 {
        var changed = bytes
        changed[index] ^= 1 << bit
        let text = changed.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
          "=", with: "")
        #expect(refusal(text, signer) == (index == 0 ? .malformed : .forged), "byte \(index), bit \(bit)")
      }
    }
    for index in token.indices {
      for character in "Aa0-_=/ é" where token[index] != character {
        var changed = token
        changed.replaceSubrange(index...index, with: String(character))
        #expect(refusal(changed, signer) != nil, "\(character) at \(index)")
      }
    }
    #expect(refusal(token, signer) == nil)
  }

  @Test(
    "An invalid token is malformed",
    arguments: ["", "a", "../../etc/passwd", String(repeating: "A", count: 100_000), "\u{0}"])
  func malformed(token: String) throws { #expect(refusal(token, try signer(1)) == .malformed) }

  @Test("A token that is cut or extended is refused")
  func length() throws {
    let signer = try signer(1)
    let token = signer.token(for: signer.link(to: digest, contentVersion: 3, deliveryID: delivery))
    for count in 0..<token.count { #expect(refusal(String(token.prefix(count)), signer) == .malformed) }
    for more in ["A", "==", "AAAA", token] { #expect(refusal(token + more, signer) == .malformed) }
  }

  @Test("a link that was signed while the clock was ahead is not valid after the clock was corrected")
  func clockAhead() throws {
    let (ahead, signer) = (ManualClock(Sample.noon.adding(seconds: 3_601)), try signer(1))
    let link = DownloadLinkSigner(current: try Sample.key(1), clock: ahead).link(
      to: digest, contentVersion: 1, deliveryID: delivery)
    #expect(refusal(signer.token(for: link), signer) == .expired(link.expirationDate))
    clock.advance(seconds: 1)
    #expect(refusal(signer.token(for: link), signer) == nil)
  }

  @Test("Keys rotate: a new key is accepted before it signs, and the old one after")
  func rotation() throws {
    let link = try signer(1).link(to: digest, contentVersion: 1, deliveryID: delivery)
    let (old, new) = (try signer(1).token(for: link), try signer(2).token(for: link))
    #expect(old != new)
    for (token, signer, isGood) in [
      (old, try signer(1), true), (new, try signer(1), false), (old, try signer(1, older: [2]), true),
      (new, try signer(1, older: [2]), true), (old, try signer(2, older: [3, 1]), true),
      (new, try signer(2, older: [3, 1]), true), (old, try signer(2, older: [3]), false),
    ] { #expect(refusal(token, signer) == (isGood ? nil : .forged)) }
    #expect(try signer(2, older: [1]).token(for: link) == new)
  }

  @Test("G3 a link is short-lived: it is refused from the instant at which it expires")
  func expiry() throws {
    let signer = try signer(1)
    let link = signer.link(to: digest, contentVersion: 1, deliveryID: delivery)
    let token = signer.token(for: link)
    clock.set(link.expirationDate.adding(milliseconds: -1))
    #expect(refusal(token, signer) == nil)
    clock.set(link.expirationDate)
    #expect(refusal(token, signer) == .expired(link.expirationDate))
    // A forged link is refused as forged, even if it has expired. The refusal reveals no expiration date.
    #expect(refusal(token, try self.signer(2)) == .forged)
  }

  @Test("A key that could be guessed is refused, and no key is logged")
  func keys() throws {
    #expect(throws: DownloadLinkKeyError.tooShort(byteCount: 31)) {
      try DownloadLinkKey(bytes: Array(repeating: 1, count: 31))
    }
    #expect(throws: DownloadLinkKeyError.notBase64) { try DownloadLinkKey(base64: "!") }
    #expect(throws: DownloadLinkKeyError.tooShort(byteCount: 0)) { try DownloadLinkKey(base64: "") }
    let secret = Data(repeating: 0x5A, count: 32).base64EncodedString()
    let key = try DownloadLinkKey(base64: secret + "\n")
    #expect("\(key)" == "a key of 32 bytes")
  }

  @Test("A digest has one spelling, and is never a path")
  func digests() {
    #expect(ContentDigest(digest.description) == digest)
    for text in [
      "", "..", "../" + String(repeating: "a", count: 61), digest.description.uppercased(), digest.description + "0",
      String(digest.description.dropLast()), String(repeating: "é", count: 32),
      "\u{0}" + digest.description.dropFirst(),
    ] { #expect(ContentDigest(text) == nil, "\(text)") }
  }
}
