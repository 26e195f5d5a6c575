/** Another server did not answer, or not as expected. The message may be shown to the caller. */
export class PeerProblem extends Error {
  override readonly name = 'PeerProblem'
  /** Whether a later attempt may succeed. */
  readonly isTemporary: boolean
  constructor(message: string, isPassing: boolean, options?: ErrorOptions) {
    super(message, options)
    this.isTemporary = isPassing
  }
}
