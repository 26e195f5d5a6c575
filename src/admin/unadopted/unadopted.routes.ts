import { Type } from 'typebox'
import { siteAdmin, signedIn } from '../../access/requirements.ts'
import { operation } from '../../http/operation.ts'
import { paged } from '../../http/reply.ts'
import { pageQuery, pathText } from '../../http/schema.ts'
import { pageOf } from '../../lib/paging.ts'
import { adoptRepo, deleteUnadopted, pageOfUnadopted } from './unadopted.service.ts'

const params = { username: pathText, reponame: pathText }

export const adminUnadoptedList = operation({
  method: 'GET',
  path: '/admin/unadopted',
  cost: 'usual',
  scope: 'admin',
  requires: [signedIn, siteAdmin],
  query: { query: Type.Optional(Type.String()), pattern: Type.Optional(Type.String()), ...pageQuery },
  reply: { 200: Type.Array(Type.String()) },
  summary: 'List the files of repositories without a record',
  async run({ ctx, query }) {
    const page = pageOf(query, ctx.config.api)
    const { names, total, bound } = await pageOfUnadopted(ctx, query.query ?? '', page)
    return paged([...names], page, total, { link: false, bound })
  },
})

export const adminAdoptRepository = operation({
  method: 'POST',
  path: '/admin/unadopted/{username}/{reponame}',
  cost: 'usual',
  params,
  scope: 'admin',
  requires: [signedIn, siteAdmin],
  refuses: [422],
  reply: { 204: 'empty' },
  summary: 'Adopt the files of a repository',
  run: ({ ctx, params: { username, reponame } }) => adoptRepo(ctx, ctx.viewer.user, username, reponame),
})

export const adminDeleteUnadoptedRepository = operation({
  method: 'DELETE',
  path: '/admin/unadopted/{username}/{reponame}',
  cost: 'usual',
  params,
  scope: 'admin',
  requires: [signedIn, siteAdmin],
  reply: { 204: 'empty' },
  summary: 'Delete the files of a repository without a record',
  run: ({ ctx, params: { username, reponame } }) => deleteUnadopted(ctx, username, reponame),
})
