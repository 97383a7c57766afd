import WebSupport
import Hummingbird
import StoreModel

extension Request {
  /// Returns the fields of a form in the format `application/x-www-form-urlencoded` (WHATWG URL Standard, section 5).
  ///
  /// - Parameter limitBytes: the maximum size of the body in bytes. Larger ones are refused with status 413.
  /// - Throws: `ErrorResponse`, which names the field that is not valid.
  package func form<Fields: Decodable>(_ type: Fields.Type, limitBytes: Int = BodyLimit.form) async throws -> Fields {
    let body = try await collectedBody(upTo: limitBytes)
    guard PercentEncodedText.isStreamSafe(body.readableBytesView) else {
      throw ErrorResponse(
        .badRequest, "malformedRequest",
        "A field has more than \(StreamSafeText.longestRun) combining marks in a row.")
    }
    do {
      return try URLEncodedFormDecoder().decode(type, from: String(buffer: body))
    } catch let error as DecodingError {
      throw ErrorResponse(.badRequest, "malformedRequest", "The form does not fit: \(error.whatIsWrong)")
    } catch {
      throw ErrorResponse(.badRequest, "malformedRequest", "The form cannot be read.")
    }
  }
}
