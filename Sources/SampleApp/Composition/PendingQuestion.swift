import SampleModel

/// A question that the customer is asked, and the command that is carried out if the customer agrees.
struct PendingQuestion: Hashable, Sendable {
  let question: LossQuestion
  let command: AppCommand
}
