import { pathNumber } from '../../../http/schema.ts'
import { pageOf } from '../../../lib/paging.ts'
import { presentImport, presentImports } from '../../../imports/import.present.ts'
import { endImport, getImport, getImports, importRepository } from '../../../imports/import.service.ts'
import { importItems } from '../../../imports/wanted-import.ts'
import { listOwnersForNewRepos } from '../../../orgs/membership.service.ts'
import { getMigrationOwner } from '../../../repos/lifecycle/migrate.service.ts'
import { inSession } from '../../shell/browser.requirements.ts'
import { Invalid, Refusal } from '../../../lib/errors.ts'
import { act, page } from '../../shell/page.tsx'
import { pathOf } from '../../ui/paths.ts'
import { ImportsView, ImportView, MigrateView, refreshSeconds } from './migrate.view.tsx'
import { problemFields } from './owner-choice.ts'
import { newRepositoryTexts as texts } from '../../languages/texts.ts'
import { integer, text, textUpTo, tick } from '../../ui/fields.ts'
import { inReadersWords } from '../../languages/refusals.ts'

export const migratePage = page({
  path: '/repo/migrate',
  twin: 'repoMigrate',
  cost: 'usual',
  requires: [inSession],
  query: {
    clone_addr: text,
    service_type: text,
  },
  load: async ({ ctx, query }) => ({
    owners: await listOwnersForNewRepos(ctx),
    address: query.clone_addr,
    service: query.service_type,
  }),
  meta: () => ({ title: texts.migrate.title }),
  view: MigrateView,
})

export const migrateAct = act({
  path: '/repo/migrate',
  twin: 'repoMigrate',
  requires: [],
  fields: {
    clone_addr: text,
    service: text,
    auth_token: text,
    auth_username: text,
    auth_password: text,
    owner: text,
    name: text,
    description: textUpTo(2048),
    visibility: text,
    mirror: tick,
    mirror_interval: text,
    lfs_endpoint: text,
    wiki: tick,
    lfs: tick,
    labels: tick,
    milestones: tick,
    releases: tick,
    issues: tick,
    pull_requests: tick,
  },
  cost: 'expensive',
  again: migratePage,
  problemFields: { ...problemFields, lfs_endpoint: 'lfs_endpoint', mirror_interval: 'mirror_interval' },
  async run({ ctx, body, call }) {
    const owner = await getMigrationOwner(ctx, { name: body.owner })
    const result = await importRepository(
      ctx,
      owner,
      {
        address: body.clone_addr ?? '',
        credentials: { username: body.auth_username, password: body.auth_password, token: body.auth_token },
        service: body.service ?? '',
        items: importItems.filter((item) => body[item] === true),
        name: body.name ?? '',
        description: body.description,
        isPrivate: body.visibility === 'private',
        isMirror: body.mirror,
        mirrorInterval: body.mirror_interval,
        lfsEndpoint: body.lfs_endpoint,
        signal: call.signal,
      },
      { waits: false },
    ).catch((error: unknown) => {
      if (error instanceof Refusal && error.code === 'remote_unreachable') {
        throw new Invalid(texts.migrate.unreachable(inReadersWords(error.message)), error.code)
      }
      if (error instanceof Refusal && error.code === 'remote_unauthenticated') {
        throw new Invalid(texts.migrate.unauthenticated, error.code)
      }
      throw error
    })
    return {
      to:
        result.kind === 'created'
          ? pathOf(owner.name, result.repo.name)
          : pathOf('repo', 'migrate', 'imports', result.importId),
    }
  },
})

export const importsPage = page({
  path: '/repo/migrate/imports',
  twin: 'userListImports',
  cost: 'usual',
  requires: [inSession],
  query: { page: integer },
  async load({ ctx, query }) {
    const wanted = pageOf(query, ctx.config.api)
    const { rows, total } = await getImports(ctx, wanted)
    return { imports: await presentImports(ctx, rows), total, page: wanted }
  },
  meta: () => ({ title: texts.imports.title }),
  view: ImportsView,
})

export const importPage = page({
  path: '/repo/migrate/imports/{id}',
  twin: 'userGetImport',
  cost: 'usual',
  requires: [inSession],
  params: { id: pathNumber },
  load: async ({ ctx, params }) => ({ import: await presentImport(ctx, await getImport(ctx, params.id)) }),
  meta: (data) => ({
    title: texts.imports.of(data.import.repo_name),
    refreshSeconds: data.import.state === 'waiting' || data.import.state === 'running' ? refreshSeconds : undefined,
  }),
  view: ImportView,
})

export const endImportAct = act({
  path: '/repo/migrate/imports/{id}/end',
  twin: 'userDeleteImport',
  cost: 'usual',
  requires: [],
  params: { id: pathNumber },
  async run({ ctx, params }) {
    const { state } = await getImport(ctx, params.id)
    await endImport(ctx, params.id)
    const isRunning = state === 'waiting' || state === 'running'
    return isRunning
      ? { to: pathOf('repo', 'migrate', 'imports', params.id), notice: texts.imports.cancelled }
      : { to: pathOf('repo', 'migrate', 'imports'), notice: texts.imports.forgotten }
  },
})
