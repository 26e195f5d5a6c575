import { Type } from 'typebox'
import type { RepoCtx } from '../../../access/context.ts'
import { repoUnderQuota } from '../../../access/quota/quota.requirements.ts'
import { canWrite, inRepo, notArchived, repoAdmin } from '../../../access/repo.requirements.ts'
import { enumeration, pageQuery } from '../../../http/schema.ts'
import { pageOrWhole } from '../../../lib/paging.ts'
import { requestMirrorSync } from '../../../repos/mirrors/mirror-sync.service.ts'
import { shortIntervalText } from '../../../repos/mirrors/mirror-interval.ts'
import { mirrorsEnabled } from '../../../repos/mirrors/mirror.requirements.ts'
import { getMirrorSettings } from '../../../repos/mirrors/mirror.service.ts'
import { presentPushMirror } from '../../../repos/mirrors/push-mirror.present.ts'
import {
  createPushMirror,
  pageOfPushMirrors,
  removePushMirror,
  syncPushMirrors,
} from '../../../repos/mirrors/push-mirror.service.ts'
import { inRepositoryFrame } from '../../frames/repository-frame.tsx'
import { inSession } from '../../shell/browser.requirements.ts'
import { act, nothingTyped, page } from '../../shell/page.tsx'
import { pathOf } from '../../ui/paths.ts'
import { metaOf, repositoryOf, settingsPath } from './frame.tsx'
import { MirrorsView } from './mirrors.view.tsx'
import { repositorySettingsTexts } from '../../languages/texts.ts'
import { textUpTo, tick } from '../../ui/fields.ts'

const texts = repositorySettingsTexts.mirrors
const text = textUpTo(2048)
/** The page with the button, to which the answer leads. */
const from = Type.Optional(enumeration('home'))
const homeOf = ({ owner, repo }: RepoCtx) => pathOf(owner.name, repo.name)

export const mirrorsPage = page({
  path: '/{username}/{reponame}/settings/mirrors',
  twin: 'repoListPushMirrors',
  cost: 'usual',
  requires: [inSession, inRepo, repoAdmin, mirrorsEnabled],
  query: pageQuery,
  frame: inRepositoryFrame('settings'),
  async load({ ctx, query }) {
    const { mirrors } = await pageOfPushMirrors(ctx, pageOrWhole(query, ctx.config.api))
    return {
      repository: repositoryOf(ctx),
      followed: await getMirrorSettings(ctx, ctx.repo),
      mirrors: mirrors.map((mirror) => ({
        ...presentPushMirror(ctx, mirror),
        interval: shortIntervalText(mirror.interval_seconds),
      })),
    }
  },
  meta: ({ repository }) => metaOf('mirrors', repository),
  view: MirrorsView,
})

export const addPushMirrorSubmit = act({
  path: '/{username}/{reponame}/settings/mirrors',
  twin: 'repoAddPushMirror',
  cost: 'usual',
  requires: [inRepo, repoAdmin, notArchived, mirrorsEnabled],
  fields: { address: text, username: text, password: text, interval: text, sync_on_commit: tick, use_ssh: tick },
  outlivesCredential: true,
  again: mirrorsPage,
  async run({ ctx, body }) {
    const orAbsent = (sent: string | undefined) => (sent === '' ? undefined : sent)
    await createPushMirror(ctx, {
      address: (body.address ?? '').trim(),
      username: orAbsent(body.username),
      password: orAbsent(body.password),
      interval: orAbsent(body.interval?.trim()),
      pushesOnCommit: body.sync_on_commit ?? false,
      usesSsh: body.use_ssh ?? false,
    })
    return { to: settingsPath(ctx, 'mirrors'), notice: texts.added }
  },
})

export const deletePushMirrorSubmit = act({
  path: '/{username}/{reponame}/settings/mirrors/delete',
  twin: 'repoDeletePushMirror',
  cost: 'usual',
  requires: [inRepo, repoAdmin, notArchived, mirrorsEnabled],
  fields: { name: text },
  again: nothingTyped,
  async run({ ctx, body }) {
    await removePushMirror(ctx, body.name ?? '')
    return { to: settingsPath(ctx, 'mirrors'), notice: texts.removed }
  },
})

export const syncPushMirrorsSubmit = act({
  path: '/{username}/{reponame}/settings/mirrors/sync',
  twin: 'repoPushMirrorSync',
  cost: 'expensive',
  requires: [inRepo, repoAdmin, notArchived, mirrorsEnabled],
  fields: { from },
  again: nothingTyped,
  async run({ ctx, call, body }) {
    const { failed, total } = await syncPushMirrors(ctx, ctx.repo.id, call.signal)
    const to = body.from === 'home' ? homeOf(ctx) : settingsPath(ctx, 'mirrors')
    return failed.length === 0 ? { to, notice: texts.synced } : { to, warning: texts.notSynced(failed, total) }
  },
})

/** Fetches what this mirror follows. */
export const syncMirrorSubmit = act({
  path: '/{username}/{reponame}/settings/mirror/sync',
  twin: 'repoMirrorSync',
  cost: 'usual',
  requires: [inRepo, canWrite('code'), notArchived, repoUnderQuota('size:git:all')],
  fields: { from },
  again: nothingTyped,
  async run({ ctx, body }) {
    await requestMirrorSync(ctx, ctx.repo)
    const to = ctx.rights.isAdmin && body.from === undefined ? settingsPath(ctx) : homeOf(ctx)
    return { to, notice: texts.fetching }
  },
})
