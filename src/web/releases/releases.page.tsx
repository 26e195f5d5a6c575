import { canRead, canWrite, inRepo } from '../../access/repo.requirements.ts'
import { pathNumber } from '../../http/schema.ts'
import { Moved } from '../../lib/errors.ts'
import { pageOf } from '../../lib/paging.ts'
import {
  getLatestRelease,
  getRelease,
  getReleaseByTag,
  getReleasePage,
  removeRelease,
} from '../../releases/release.service.ts'
import { plainSummary } from '../../markup/plain-summary.ts'
import { inRepositoryFrame } from '../frames/repository-frame.tsx'
import { act, page } from '../shell/page.tsx'
import { pathOf } from '../ui/paths.ts'
import { ReleasesView, ReleaseView } from './releases.view.tsx'
import { releaseFeedPath, releasePath, showReleases } from './shown-release.ts'
import { releaseTexts as texts } from '../languages/texts.ts'
import { integer, text } from '../ui/fields.ts'

/** Releases on one page of the list. Their notes may be long. */
const pageSize = 10

export const releasesPage = page({
  path: '/{username}/{reponame}/releases',
  twin: 'repoListReleases',
  cost: 'usual',
  requires: [inRepo, canRead('releases')],
  query: { page: integer, q: text },
  frame: inRepositoryFrame('releases'),
  async load({ ctx, query }) {
    const wanted = pageOf({ page: query.page }, { defaultPagingNum: pageSize, maxResponseItems: pageSize })
    const filter = { isDraft: undefined, isPrerelease: undefined, text: query.q }
    const { releases, total } = await getReleasePage(ctx, filter, wanted)
    return {
      repository: { repo: ctx.repo, owner: ctx.owner },
      releases: await showReleases(ctx, releases),
      total,
      page: wanted,
      search: query.q,
      mayWrite: ctx.rights.canWrite('releases'),
    }
  },
  meta({ repository }) {
    const title = texts.title(`${repository.owner.name}/${repository.repo.name}`)
    return { title, feeds: [{ to: releaseFeedPath(repository), type: 'atom', title }] }
  },
  view: ReleasesView,
})

export const latestReleasePage = page({
  path: '/{username}/{reponame}/releases/latest',
  twin: 'repoGetLatestRelease',
  cost: 'usual',
  requires: [inRepo, canRead('releases')],
  async load({ ctx }): Promise<object> {
    throw new Moved(303, releasePath(ctx, (await getLatestRelease(ctx)).tag_name))
  },
  meta: () => ({ title: texts.heading }),
  view: () => <></>,
})

export const releasePage = page({
  path: '/{username}/{reponame}/releases/tag/{tag+}',
  twin: 'repoGetReleaseByTag',
  cost: 'usual',
  requires: [inRepo, canRead('releases')],
  frame: inRepositoryFrame('releases'),
  async load({ ctx, params }) {
    const release = await getReleaseByTag(ctx, params.tag)
    return {
      repository: { repo: ctx.repo, owner: ctx.owner },
      shown: (await showReleases(ctx, [release]))[0],
      mayWrite: ctx.rights.canWrite('releases'),
    }
  },
  meta: ({ repository, shown }) => ({
    title: `${shown?.release.title || shown?.release.tag_name} · ${repository.owner.name}/${repository.repo.name}`,
    description: shown && plainSummary(shown.release.content),
    isUnlisted: shown?.release.is_draft,
  }),
  view: ReleaseView,
})

export const deleteReleaseAct = act({
  path: '/{username}/{reponame}/releases/{id}/delete',
  twin: 'repoDeleteRelease',
  cost: 'usual',
  params: { id: pathNumber },
  requires: [inRepo, canRead('releases'), canWrite('releases')],
  async run({ ctx, params }) {
    await removeRelease(ctx, await getRelease(ctx, params.id))
    return { to: pathOf(ctx.owner.name, ctx.repo.name, 'releases'), notice: texts.deleted }
  },
})
