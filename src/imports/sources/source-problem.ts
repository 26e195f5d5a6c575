/** A fault of the source server or of the request. It fails the import, and its message is shown as the reason. */
export class SourceProblem extends Error {
  override readonly name = 'SourceProblem'
}

/** The source server asks to retry at a time (milliseconds since 1970) that is too late for a worker to wait. */
export class RetryLater extends Error {
  override readonly name = 'RetryLater'
  constructor(readonly atMs: number) {
    super('the source server limits the rate of requests')
  }
}
