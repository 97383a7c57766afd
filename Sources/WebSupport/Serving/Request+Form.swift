import Hummingbird
import StoreModel

extension Request {
  /// The fields of a form, as `application/x-www-form-urlencoded` (WHATWG URL Standard, section 5).
  ///
  /// - Parameter limitBytes: a larger body is refused with 413.
  /// - Throws: `ErrorResponse`, naming what does not fit.
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
