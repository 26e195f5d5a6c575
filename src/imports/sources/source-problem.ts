/** What the other server is at fault for, or what was asked of it: the import has failed, and this is told as the reason. */
export class SourceProblem extends Error {
  override readonly name = 'SourceProblem'
}

/** The other server wants to be left alone until then (milliseconds since 1970), which is longer than is worth waiting here. */
export class AskAgainLater extends Error {
  override readonly name = 'AskAgainLater'
  constructor(readonly atMs: number) {
    super('the other server takes no more requests for now')
  }
}
