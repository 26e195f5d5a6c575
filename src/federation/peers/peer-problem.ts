/** Another server did not answer, or not what it should. The message is fit to be shown to who caused the question. */
export class PeerProblem extends Error {
  override readonly name = 'PeerProblem'
  /** Whether it may go better at another time. */
  readonly isPassing: boolean
  constructor(message: string, isPassing: boolean, options?: ErrorOptions) {
    super(message, options)
    this.isPassing = isPassing
  }
}
