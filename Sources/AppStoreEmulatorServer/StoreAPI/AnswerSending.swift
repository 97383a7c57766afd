import AppStoreEmulator
import Hummingbird
import NIOCore
import WebSupport

extension EmulatorRequestContext {
  /// Makes the response to a request. If a fault changes the bytes of the answer, the response has the changed bytes.
  ///
  /// - Parameter response: makes the response to an answer or to an error; throws the errors that are no response of the
  ///   request's API.
  func response<Answer: Sendable>(
    _ answer: () async throws -> Answer, sending response: (Result<Answer, any Error>) throws -> Response
  ) async throws -> Response {
    do {
      return try response(.success(try await answer()))
    } catch let altered as AlteredAnswer {
      let result = altered.result.flatMap { value in
        guard let answer = value as? Answer else { preconditionFailure("The fault has changed the type of the answer") }
        return Result<Answer, any Error>.success(answer)
      }
      let unaltered: Response
      do { unaltered = try response(result) } catch let refusal as ErrorResponse { unaltered = refusal.response }
      return try await unaltered.altered(altered.change, on: channel)
    } catch {
      return try response(.failure(error))
    }
  }
}

extension Response {
  /// The same response with the body as `change` leaves it.
  fileprivate func altered(
    _ change: (inout AnswerBytes) -> Void, on channel: any Channel
  ) async throws -> Response {
    let whole = try await body.collected()
    var answer = AnswerBytes(Array(buffer: whole))
    change(&answer)
    var response = self
    let sent = ByteBuffer(bytes: answer.bytes)
    if answer.isCutOff {
      response.body = ResponseBody(contentLength: whole.readableBytes) { writer in
        try await writer.write(sent)
        try await channel.close()
      }
    } else {
      response.body = ResponseBody(byteBuffer: sent)
    }
    response.headers[.contentLength] = nil
    return response
  }
}
