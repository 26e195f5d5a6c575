import type { RepoCtx } from '../../access/context.ts'
import { mayHere } from '../../access/may-here.ts'

/** Returns what the viewer may do with workflows and runs. */
export function mayOf(ctx: RepoCtx) {
  const here = mayHere(ctx)
  return {
    run: here.write('actions').allowed,
    configure: here.administer.allowed,
    /** Register runners for the repository. */
    addRunners: here.own.allowed,
    write: here.write('code').allowed,
  }
}
