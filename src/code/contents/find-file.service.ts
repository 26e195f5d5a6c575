import type { RepoCtx } from '../../access/context.ts'
import type { Oid } from '../../lib/ids.ts'
import { listFiles } from './file-list.service.ts'
import { fileMatch } from './find-file.rules.ts'

/** Files that are shown. */
const maxShown = 200

/** Returns the paths of a revision's files that match a text, best first. */
export async function findFiles(
  ctx: RepoCtx,
  commit: Oid,
  text: string,
): Promise<{ readonly paths: readonly string[]; readonly matched: number; readonly isWhole: boolean }> {
  const { paths: files, isWhole } = await listFiles(ctx, commit)
  const scored =
    text === ''
      ? files.map((path) => ({ path, score: 0 }))
      : files.flatMap((path) => {
          const score = fileMatch(path, text)
          return score === undefined ? [] : [{ path, score }]
        })
  const best = text === '' ? scored : scored.toSorted((one, other) => other.score - one.score)
  return {
    paths: best.slice(0, maxShown).map(({ path }) => path),
    matched: scored.length,
    isWhole,
  }
}
