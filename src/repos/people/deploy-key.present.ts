import type { RepoCtx } from '../../access/context.ts'
import { formatUnix } from '../../lib/time.ts'
import type { DeployKey } from './deploy-key.schemas.ts'
import type { DeployKeyView } from './deploy-key.store.ts'
import { presentThisRepo } from '../repo.present.ts'
import type { Repository } from '../repo.schemas.ts'
import { repoApiUrl } from '../repo-url.ts'

const presentKey = (ctx: RepoCtx, key: DeployKeyView, repository: Repository | undefined): DeployKey => ({
  id: key.id,
  key_id: key.key_id,
  key: key.content,
  url: `${repoApiUrl(ctx)}/keys/${key.id}`,
  title: key.title,
  fingerprint: key.fingerprint,
  created_at: formatUnix(key.created_unix),
  read_only: key.is_read_only,
  ...(repository ? { repository } : {}),
})

/** Deploy keys; the repository is shown with them to its owner and to administrators of the instance (contract). */
export async function presentDeployKeys(ctx: RepoCtx, keys: readonly DeployKeyView[]): Promise<DeployKey[]> {
  const repository = ctx.rights.isOwner ? await presentThisRepo(ctx) : undefined
  return keys.map((key) => presentKey(ctx, key, repository))
}

export async function presentDeployKey(ctx: RepoCtx, key: DeployKeyView): Promise<DeployKey> {
  const [presented] = await presentDeployKeys(ctx, [key])
  return presented as DeployKey
}

/** A new key is shown without its repository (observed). */
export const presentNewDeployKey = (ctx: RepoCtx, key: DeployKeyView): DeployKey => presentKey(ctx, key, undefined)
