import { storedReplies } from '../../access/serve-stored.ts'
import { pageErrors } from '../../http/error-forms.ts'
import { operation } from '../../http/operation.ts'
import { pathNumber } from '../../http/schema.ts'
import { NotFound } from '../../lib/errors.ts'
import { namedVersion, packagesReadable } from '../../packages/package.requirements.ts'
import { getFiles } from '../../packages/package.service.ts'
import { servePackageFile } from '../../packages/registry/serve-file.ts'
import { targetUser } from '../../users/subject.requirements.ts'
import { inBrowser } from '../shell/browser.requirements.ts'

/** Downloads a file of a version. Registries of every type have files, but not each can be downloaded by an address. */
export const packageFile = operation({
  base: 'site',
  scope: null,
  accepts: ['session'],
  errors: pageErrors,
  method: 'GET',
  path: '/{username}/-/packages/{type}/{name}/{version}/files/{id}',
  cost: 'usual',
  params: { id: pathNumber },
  requires: [inBrowser, targetUser, packagesReadable, namedVersion],
  reply: storedReplies,
  async run({ ctx, params, call }) {
    const file = (await getFiles(ctx, ctx.version)).find(({ id }) => Number(id) === params.id)
    if (!file) throw new NotFound('the version has no such file', 'package_file_not_found')
    return servePackageFile(ctx, file, call)
  },
})
