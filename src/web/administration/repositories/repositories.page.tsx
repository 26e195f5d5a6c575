import { inRepo } from '../../../access/repo.requirements.ts'
import { siteAdmin } from '../../../access/requirements.ts'
import { pageOf } from '../../../lib/paging.ts'
import { deleteRepo } from '../../../repos/lifecycle/repo-deletion.service.ts'
import { browseRepos } from '../../../repos/lists/browse.service.ts'
import { inSession } from '../../shell/browser.requirements.ts'
import { act, page } from '../../shell/page.tsx'
import { inAdministration } from '../administration-frame.tsx'
import { RepositoriesView } from './repositories.view.tsx'
import { administrationTexts as texts } from '../../languages/texts.ts'
import { integer, text } from '../../ui/fields.ts'

/** Lists the repositories of the instance with their sizes, the largest first. */
export const administrationRepositoriesPage = page({
  path: '/admin/repos',
  twin: null,
  requires: [inSession, siteAdmin],
  cost: 'expensive',
  query: {
    q: text,
    kind: text,
    sort: text,
    page: integer,
  },
  frame: inAdministration('repositories'),
  async load({ ctx, query }) {
    const browsing = { text: query.q, kind: query.kind, sort: query.sort ?? 'reversesize' }
    return { browsing, found: await browseRepos(ctx, {}, browsing, pageOf({ page: query.page }, ctx.config.api)) }
  },
  meta: () => ({ title: texts.repositories, isUnlisted: true }),
  view: RepositoriesView,
})

export const administrationDeleteRepository = act({
  path: '/admin/repos/{username}/{reponame}/delete',
  twin: null,
  cost: 'usual',
  requires: [siteAdmin, inRepo],
  async run({ ctx }) {
    await deleteRepo(ctx, ctx.owner, ctx.repo, ctx.viewer.id)
    return { to: '/admin/repos', notice: texts.repos.deleted(`${ctx.owner.name}/${ctx.repo.name}`) }
  },
})
