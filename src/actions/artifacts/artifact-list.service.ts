import type { RepoCtx } from '../../access/context.ts'
import type { ArtifactId, RunId } from '../../lib/ids.ts'
import { pageOf, type PageQuery } from '../../lib/paging.ts'
import { noArtifact } from './artifact.service.ts'
import { findRepoArtifact, pageOfRepoArtifacts, type ListedArtifact } from './artifact-list.store.ts'

/** Returns one page of the complete artifacts of a repository or of one of its runs, and their number. */
export const getArtifactPage = (
  { db, repo, config }: RepoCtx,
  { name, runId, ...page }: PageQuery & { readonly name?: string | undefined; readonly runId?: RunId },
): Promise<{ readonly rows: ListedArtifact[]; readonly total: number }> =>
  pageOfRepoArtifacts(
    db,
    { repoId: repo.id, name, ...(runId === undefined ? {} : { runId }) },
    pageOf(page, config.api),
  )

/** Returns a complete artifact of the repository. Throws `NotFound`. */
export async function getArtifactOfRepo({ db, repo }: RepoCtx, id: ArtifactId): Promise<ListedArtifact> {
  const found = await findRepoArtifact(db, repo.id, id)
  if (!found) throw noArtifact()
  return found
}
