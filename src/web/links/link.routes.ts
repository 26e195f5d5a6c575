import { inRepo, wikiEnabled } from '../../access/repo.requirements.ts'
import { browserCredentials, operation } from '../../http/operation.ts'
import { escapedPathAfter } from '../../http/path.ts'
import { ok } from '../../http/reply.ts'
import { pathText } from '../../http/schema.ts'
import { parsePageAddress } from '../../wiki/page-name.rules.ts'
import { presentPage } from '../../wiki/page.present.ts'
import { WikiPage } from '../../wiki/page.schemas.ts'
import { getPage } from '../../wiki/page.service.ts'

/**
 * The addresses that records, mails and the messages of pushes name. Until pages exist, each answers with the record of
 * the API. It does not redirect to the API, because the API does not accept the session of a browser.
 */
const link = { method: 'GET', base: 'site', accepts: browserCredentials } as const

/** Number of path segments before the page name. */
const wikiSegments = 4

export const webWikiPage = operation({
  ...link,
  path: '/{username}/{reponame}/wiki/{pageName+}',
  params: { pageName: pathText },
  scope: 'repository',
  requires: [inRepo, wikiEnabled],
  reply: { 200: WikiPage },
  run: async ({ ctx, call }) =>
    ok(presentPage(ctx, await getPage(ctx, parsePageAddress(escapedPathAfter(call, wikiSegments))))),
})
