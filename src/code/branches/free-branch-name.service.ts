import type { Ctx } from '../../access/context.ts'
import type { RepoId } from '../../lib/ids.ts'
import { listTakenBranchNames } from './branch.store.ts'

/** Names that are looked at; when all are taken, the last one is proposed and refused. */
const maxTried = 100

/** Returns a name for a new branch, `<login>-patch-<number>`, that no branch of the repositories has. */
export async function freeBranchName(ctx: Pick<Ctx, 'db'>, login: string, repoIds: readonly RepoId[]): Promise<string> {
  const names = Array.from({ length: maxTried }, (_, index) => `${login}-patch-${index + 1}`)
  const taken = await listTakenBranchNames(ctx.db, repoIds, names)
  return names.find((name) => !taken.has(name)) ?? `${login}-patch-${maxTried}`
}
