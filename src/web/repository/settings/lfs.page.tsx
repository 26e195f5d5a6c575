import type { SignedInRepoCtx } from '../../../access/context.ts'
import { mayHere } from '../../../access/may-here.ts'
import { canWrite, inRepo, notArchived, repoAdmin } from '../../../access/repo.requirements.ts'
import { lfsOn } from '../../../lfs/lfs.requirements.ts'
import { pageOfOwnedLocks, unlock } from '../../../lfs/locks/lock.service.ts'
import { pageOfObjects } from '../../../lfs/objects/object.service.ts'
import { pageQuery } from '../../../http/schema.ts'
import { pageOf } from '../../../lib/paging.ts'
import { must } from '../../../lib/verdict.ts'
import { inRepositoryFrame } from '../../frames/repository-frame.tsx'
import { inSession } from '../../shell/browser.requirements.ts'
import { act, page } from '../../shell/page.tsx'
import { metaOf, repositoryOf, settingsPath } from './frame.tsx'
import { LocksView, ObjectsView } from './lfs.view.tsx'
import { repositorySettingsTexts } from '../../languages/texts.ts'
import { integer, text } from '../../ui/fields.ts'

const texts = repositorySettingsTexts.lfs
const readable = [lfsOn, inSession, inRepo, repoAdmin] as const

/** Lists the large files of a repository, the largest first. */
export const lfsObjectsPage = page({
  path: '/{username}/{reponame}/settings/lfs',
  twin: null,
  cost: 'usual',
  requires: readable,
  query: pageQuery,
  frame: inRepositoryFrame('settings'),
  async load({ ctx, query }) {
    const wanted = pageOf(query, ctx.config.api)
    const { enabled, olderThan } = ctx.config.cronGcLfs
    const found = await pageOfObjects(ctx, wanted)
    return { repository: repositoryOf(ctx), ...found, page: wanted, keptMs: enabled ? olderThan : undefined }
  },
  meta: ({ repository }) => metaOf('lfs', repository),
  view: ObjectsView,
})

/** Lists the locked files of a repository, those locked first first. */
export const lfsLocksPage = page({
  path: '/{username}/{reponame}/settings/lfs/locks',
  twin: null,
  cost: 'usual',
  requires: readable,
  query: { cursor: text },
  frame: inRepositoryFrame('settings'),
  async load({ ctx, query }) {
    const found = await pageOfOwnedLocks(ctx, { cursor: query.cursor })
    return { repository: repositoryOf(ctx), ...found, isFirst: query.cursor === undefined, fixed: whyFixed(ctx) }
  },
  meta: ({ repository }) => metaOf('lfs', repository),
  view: LocksView,
})

/** Returns why nobody changes locks, as for clients of LFS; undefined if they may be changed. */
function whyFixed(ctx: SignedInRepoCtx): string | undefined {
  const verdict = mayHere(ctx).push('code')
  return verdict.allowed ? undefined : texts.notHere[verdict.code]
}

/** Breaks a lock of anybody. */
export const breakLfsLock = act({
  path: '/{username}/{reponame}/settings/lfs/locks/unlock',
  twin: null,
  cost: 'usual',
  requires: [lfsOn, inRepo, repoAdmin, canWrite('code'), notArchived],
  fields: { id: integer },
  again: lfsLocksPage,
  async run({ ctx, body }) {
    must(mayHere(ctx).push('code'))
    const lock = await unlock(ctx, body.id ?? 0, true)
    return { to: settingsPath(ctx, 'lfs', 'locks'), notice: texts.unlocked(lock.path) }
  },
})
