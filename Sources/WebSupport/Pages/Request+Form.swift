import Foundation
import Hummingbird
import StoreModel

extension Request {
  /// Returns the fields of a form in the format `application/x-www-form-urlencoded` (WHATWG URL Standard, section 5).
  ///
  /// - Parameter limitBytes: the maximum size of the body in bytes. Larger ones are refused with status 413.
  /// - Throws: `ErrorResponse`, which names the field that is not valid.
  package func form<Fields: Decodable>(_ type: Fields.Type, limitBytes: Int = BodyLimit.form) async throws -> Fields {
    let text = try await formText(limitBytes: limitBytes)
    do {
      return try URLEncodedFormDecoder().decode(type, from: text)
    } catch let error as DecodingError {
      throw ErrorResponse(.badRequest, "malformedRequest", "The form does not fit: \(error.explanation)")
    } catch {
      throw ErrorResponse(.badRequest, "malformedRequest", "The form cannot be read.")
    }
  }

  /// The fields of a form whose names are known only at run time, in their order. A name may occur several times.
  ///
  /// - Throws: `ErrorResponse`.
  package func formFields(limitBytes: Int = BodyLimit.form) async throws -> [(name: String, value: String)] {
    try await formText(limitBytes: limitBytes).split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (try Self.decoded(parts[0]), try Self.decoded(parts.count > 1 ? parts[1] : ""))
    }
  }

  private static func decoded(_ text: Substring) throws -> String {
    guard let decoded = text.replacing("+", with: " ").removingPercentEncoding else {
      throw ErrorResponse(.badRequest, "malformedRequest", "The form cannot be read.")
    }
    return decoded
  }

  private func formText(limitBytes: Int) async throws -> String {
    let body = try await collectedBody(upTo: limitBytes)
    guard PercentEncodedText.isStreamSafe(body.readableBytesView) else {
      throw ErrorResponse(
        .badRequest, "malformedRequest",
        "A field has more than \(StreamSafeText.longestRun) combining marks in a row.")
    }
    return String(buffer: body)
  }
}
