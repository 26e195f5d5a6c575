import { siteAdmin } from '../../../access/requirements.ts'
import { enumeration, pathNumber } from '../../../http/schema.ts'
import { testDirectory } from '../../../sources/ldap/directory.service.ts'
import { testProvider } from '../../../sources/openid/provider.service.ts'
import { presentSource } from '../../../sources/source.present.ts'
import { mayTrustOthers } from '../../../sources/source.requirements.ts'
import { defaultSettings } from '../../../sources/source.rules.ts'
import {
  addSource,
  allSources,
  editSource,
  getSource,
  removeSource,
  type Source,
} from '../../../sources/source.service.ts'
import { inSession } from '../../shell/browser.requirements.ts'
import { act, page } from '../../shell/page.tsx'
import { inAdministration } from '../administration-frame.tsx'
import { settingNames, settingsFrom } from './source-fields.ts'
import { NewSourceView, SourcesView, SourceTestView, SourceView } from './sources.view.tsx'
import { administrationTexts as texts } from '../../languages/texts.ts'
import { textUpTo } from '../../ui/fields.ts'

const shown = { isSecret: true, frame: inAdministration('signInSources') } as const
const kindParam = { kind: enumeration('openid', 'ldap') }
const idParam = { id: pathNumber }

const text = textUpTo(2000)
const fields = {
  ...Object.fromEntries(settingNames.map((name) => [name, text])),
  team_map: textUpTo(200_000),
  name: text,
  secret: text,
  forgets_secret: text,
  active: text,
}

/** Lists the sign-in sources. */
export const administrationSourcesPage = page({
  ...shown,
  path: '/admin/auths',
  twin: 'adminListSignInSources',
  cost: 'usual',
  requires: [inSession, siteAdmin, mayTrustOthers],
  load: async ({ ctx }) => ({ sources: (await allSources(ctx)).map((source) => presentSource(ctx, source)) }),
  meta: () => ({ title: texts.signInSources, isUnlisted: true }),
  view: SourcesView,
})

/** Shows the form of a new sign-in source. */
export const administrationNewSourcePage = page({
  ...shown,
  path: '/admin/auths/{kind}/new',
  twin: 'adminCreateSignInSource',
  cost: 'usual',
  params: kindParam,
  requires: [inSession, siteAdmin, mayTrustOthers],
  load: async ({ params }) => ({ kind: params.kind, settings: { ...defaultSettings[params.kind] } }),
  meta: ({ kind }) => ({ title: texts.sources.newOf(kind), isUnlisted: true }),
  view: NewSourceView,
})

export const administrationCreateSource = act({
  path: '/admin/auths/{kind}/new',
  twin: 'adminCreateSignInSource',
  cost: 'usual',
  recentSignIn: true,
  params: kindParam,
  requires: [siteAdmin, mayTrustOthers],
  outlivesCredential: true,
  fields,
  again: administrationNewSourcePage,
  problemFields: { source_name: 'name' },
  async run({ ctx, params, body }) {
    const input = {
      name: (body.name ?? '').trim(),
      isActive: body.active !== undefined,
      secret: body.secret,
      settings: settingsFrom(params.kind, body),
    }
    const { id, name } = await addSource(ctx, params.kind, input, ctx.viewer.id)
    return { to: `/admin/auths/${id}`, notice: texts.sources.added(name) }
  },
})

/** Shows the settings of a sign-in source. */
export const administrationSourcePage = page({
  ...shown,
  path: '/admin/auths/{id}',
  twin: 'adminGetSignInSource',
  cost: 'usual',
  params: idParam,
  requires: [inSession, siteAdmin, mayTrustOthers],
  load: async ({ ctx, params }) => ({ source: presentSource(ctx, await getSource(ctx, params.id)) }),
  meta: ({ source }) => ({ title: source.name, isUnlisted: true }),
  view: SourceView,
})

/** Changes a sign-in source. An empty secret stays. */
export const administrationEditSource = act({
  path: '/admin/auths/{id}',
  edits: true,
  twin: 'adminEditSignInSource',
  cost: 'usual',
  recentSignIn: true,
  params: idParam,
  requires: [siteAdmin, mayTrustOthers],
  outlivesCredential: true,
  fields,
  again: administrationSourcePage,
  problemFields: { source_name: 'name' },
  async run({ ctx, params, body }) {
    const source = await getSource(ctx, params.id)
    const input = {
      name: (body.name ?? '').trim(),
      isActive: body.active !== undefined,
      secret: body.forgets_secret === undefined ? body.secret || undefined : '',
      settings: settingsFrom(source.kind, body),
    }
    const { id, name } = await editSource(ctx, source, input, ctx.viewer.id)
    return { to: `/admin/auths/${id}`, notice: texts.sources.saved(name) }
  },
})

export const administrationDeleteSource = act({
  path: '/admin/auths/{id}/delete',
  twin: 'adminDeleteSignInSource',
  cost: 'usual',
  params: idParam,
  requires: [siteAdmin, mayTrustOthers],
  again: administrationSourcePage,
  async run({ ctx, params }) {
    const source = await getSource(ctx, params.id)
    await removeSource(ctx, source, ctx.viewer.id)
    return { to: '/admin/auths', notice: texts.sources.deleted(source.name) }
  },
})

/** Asks a sign-in source what it says, and whom it knows by a name. */
export const administrationTestSourcePage = page({
  ...shown,
  path: '/admin/auths/{id}/test',
  twin: 'adminTestSignInSource',
  params: idParam,
  requires: [inSession, siteAdmin, mayTrustOthers],
  cost: 'expensive',
  query: { login: textUpTo(254) },
  async load({ ctx, params, query }) {
    const source = await getSource(ctx, params.id)
    const login = query.login ?? ''
    const steps =
      source.kind === 'ldap'
        ? await testDirectory(ctx, source as Source<'ldap'>, login)
        : await testProvider(ctx, source as Source<'openid'>)
    return { id: source.id, name: source.name, kind: source.kind, login, steps }
  },
  meta: ({ name }) => ({ title: texts.sources.testOf(name), isUnlisted: true }),
  view: SourceTestView,
})
