import SampleModel
import WebSupport

/// A question of the app, shown until the customer has answered it.
struct QuestionView: Hashable, Sendable {
  let question: LossQuestion
  /// The screen behind the question.
  let screen: AppScreen

  /// Identifies the question in the form that answers it. The value is valid only until the app ends, because Swift
  /// computes different hashes in each process.
  static func identifier(of question: LossQuestion) -> String {
    String(UInt(bitPattern: question.hashValue), radix: 36)
  }

  var html: HTML {
    """
    <dialog class="sheet alert" id="question" data-sheet open role="alertdialog" aria-labelledby="question-title" aria-describedby="question-text">
    <form method="post" action="/app/question" data-quiet>
    <input type="hidden" name="question" value="\(Self.identifier(of: question))">
    <input type="hidden" name="screen" value="\(screen.rawValue)">
    <h2 id="question-title">\(question.title)</h2>
    <p id="question-text">\(question.text)</p>
    <div class="sheet-buttons">
    <button class="button-primary" name="answer" value="refuse" id="question-refuse" data-cancel autofocus>\(question.refusal)</button>
    <button class="button-danger" name="answer" value="accept" id="question-accept">\(question.acceptance)</button>
    </div>
    </form>
    </dialog>
    """
  }
}
