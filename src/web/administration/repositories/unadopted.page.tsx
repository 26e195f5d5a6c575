import { siteAdmin } from '../../../access/requirements.ts'
import { adoptRepo, deleteUnadopted, pageOfUnadopted } from '../../../admin/unadopted/unadopted.service.ts'
import { pageOf } from '../../../lib/paging.ts'
import { inSession } from '../../shell/browser.requirements.ts'
import { act, page } from '../../shell/page.tsx'
import { inAdministration } from '../administration-frame.tsx'
import { administrationTexts as texts } from '../../languages/texts.ts'
import { UnadoptedView } from './unadopted.view.tsx'
import { integer, text } from '../../ui/fields.ts'

/** Lists folders of repositories that no row names. */
export const administrationUnadoptedPage = page({
  path: '/admin/unadopted',
  twin: 'adminUnadoptedList',
  cost: 'usual',
  requires: [inSession, siteAdmin],
  query: { q: text, page: integer },
  frame: inAdministration('unadopted'),
  async load({ ctx, query }) {
    const shown = pageOf({ page: query.page }, ctx.config.api)
    const { names, total } = await pageOfUnadopted(ctx, query.q ?? '', shown)
    return { names: [...names], total, shown, text: query.q ?? '' }
  },
  meta: () => ({ title: texts.unadopted, isUnlisted: true }),
  view: UnadoptedView,
})

export const administrationAdoptFolder = act({
  path: '/admin/unadopted/{username}/{reponame}/adopt',
  twin: 'adminAdoptRepository',
  cost: 'usual',
  requires: [siteAdmin],
  async run({ ctx, params }) {
    await adoptRepo(ctx, ctx.viewer.user, params.username, params.reponame)
    return { to: '/admin/unadopted', notice: texts.folder.adopted(`${params.username}/${params.reponame}`) }
  },
})

export const administrationDeleteFolder = act({
  path: '/admin/unadopted/{username}/{reponame}/delete',
  twin: 'adminDeleteUnadoptedRepository',
  cost: 'usual',
  requires: [siteAdmin],
  async run({ ctx, params }) {
    await deleteUnadopted(ctx, params.username, params.reponame)
    return { to: '/admin/unadopted', notice: texts.folder.deleted(`${params.username}/${params.reponame}`) }
  },
})
