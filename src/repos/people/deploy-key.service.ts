import type { RepoCtx, SignedInRepoCtx } from '../../access/context.ts'
import { publishCredentialChange } from '../../access/credential-change.ts'
import { recordAct } from '../../audit/audit.ts'
import { mayIssueKey } from '../../auth/issue.policy.ts'
import { isUniqueViolation, transaction } from '../../db/database.ts'
import { Invalid, NotFound } from '../../lib/errors.ts'
import type { DeployKeyId } from '../../lib/ids.ts'
import { type Page, rowsAndTotal } from '../../lib/paging.ts'
import { nowUnix } from '../../lib/time.ts'
import { must } from '../../lib/verdict.ts'
import { keyTaken, readKey } from '../../users/credentials/key.service.ts'
import { findKeyByFingerprint, insertKey } from '../../users/credentials/key.store.ts'
import {
  countDeployKeys,
  deleteDeployKey,
  findDeployKey,
  insertDeployKey,
  listDeployKeys,
  type DeployKeyFilter,
  type DeployKeyView,
} from './deploy-key.store.ts'

export async function pageOfDeployKeys(
  ctx: RepoCtx,
  filter: DeployKeyFilter,
  page: Page,
): Promise<{ readonly keys: DeployKeyView[]; readonly total: number }> {
  const [keys, total] = await rowsAndTotal(
    page,
    listDeployKeys(ctx.db, ctx.repo.id, filter, page),
    countDeployKeys(ctx.db, ctx.repo.id, filter),
  )
  return { keys, total }
}

/** A deploy key of the repository, or `NotFound`. */
export async function getDeployKey(ctx: RepoCtx, id: number): Promise<DeployKeyView> {
  const key = await findDeployKey(ctx.db, ctx.repo.id, id as DeployKeyId)
  if (!key) throw new NotFound('the key does not exist', 'key_not_found')
  return key
}

/**
 * Adds a deploy key. A key may serve several repositories, but not also an account. Throws `Invalid` for a repeated
 * key or title.
 */
export async function addDeployKey(
  ctx: SignedInRepoCtx,
  input: { readonly title: string; readonly key: string; readonly isReadOnly: boolean },
): Promise<DeployKeyView> {
  must(mayIssueKey(ctx.viewer.credential, ctx.config.ingot.strictTokens))
  const { repo, db, clock } = ctx
  const key = readKey(ctx, input.key)
  const createdUnix = nowUnix(clock)
  try {
    return await transaction(db, async (tx) => {
      const known = await findKeyByFingerprint(tx, key.fingerprint)
      if (known && known.owner_id !== null) throw keyTaken()
      const row =
        known ??
        (await insertKey(tx, {
          owner_id: null,
          title: input.title,
          fingerprint: key.fingerprint,
          content: key.content,
          is_read_only: input.isReadOnly,
          created_unix: createdUnix,
        }))
      const { id } = await insertDeployKey(tx, {
        repo_id: repo.id,
        key_id: row.id,
        title: input.title,
        is_read_only: input.isReadOnly,
        created_unix: createdUnix,
      })
      const added = await findDeployKey(tx, repo.id, id)
      if (!added) throw new Error(`deploy key ${id} is not there after it was made`)
      await recordAct(tx, {
        action: 'deployKey.added',
        about: { kind: 'deploy key', id, name: key.fingerprint },
        details: { repository: repo.id, readOnly: input.isReadOnly },
      })
      await publishCredentialChange(tx, ctx, 'deployKey', input.title)
      return added
    })
  } catch (error) {
    if (isUniqueViolation(error)) {
      throw new Invalid('the repository has this key, or one of this title, already', 'deploy_key_taken')
    }
    throw error
  }
}

/** Deletes a deploy key, if it exists. */
export const removeDeployKey = (ctx: RepoCtx, id: number): Promise<void> =>
  transaction(ctx.db, async (tx) => {
    await deleteDeployKey(tx, ctx.repo.id, id as DeployKeyId)
    const about = { kind: 'deploy key', id } as const
    await recordAct(tx, { action: 'deployKey.removed', about, details: { repository: ctx.repo.id } })
  })
