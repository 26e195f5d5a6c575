import { pathNumber } from '../../../http/schema.ts'
import { Invalid } from '../../../lib/errors.ts'
import {
  createApplication,
  editApplication,
  getApplication,
  redirectUrisOf,
  removeApplication,
} from '../../../oauth/applications/application.service.ts'
import { oauthOn } from '../../../oauth/oauth.requirements.ts'
import { inSession } from '../../shell/browser.requirements.ts'
import { act, page } from '../../shell/page.tsx'
import { onceShown, takeShownOnce } from '../../shell/shown-once.ts'
import { pathOf } from '../../ui/paths.ts'
import { applicationForm, ApplicationView, NewApplicationView } from './oauth-application.view.tsx'
import { inSettings, settingsPath, type PersonCtx } from '../settings-frame.tsx'
import { settingsTexts } from '../../languages/texts.ts'

const texts = settingsTexts.applications
const params = { id: pathNumber }

const pathTo = (id: number): string => pathOf('user', 'settings', 'applications', 'oauth2', id)

function inputOf(body: Parameters<typeof applicationForm.read>[0]) {
  const { name = '', redirectUris, isConfidential } = applicationForm.read(body)
  if (name === '') throw new Invalid(texts.applicationNameMissing, 'application_name_missing')
  if (redirectUris.length === 0) throw new Invalid(texts.redirectMissing, 'redirect_missing')
  return { name, redirectUris, isConfidential }
}

const secretShown = (ctx: PersonCtx, name: string, secret: string): readonly string[] => [
  onceShown(ctx, { kind: 'application', name, secret }),
]

/** Shows the form of a new OAuth2 application. */
export const newApplicationPage = page({
  path: '/user/settings/applications/oauth2',
  twin: 'userCreateOAuth2Application',
  cost: 'usual',
  requires: [oauthOn, inSession],
  frame: inSettings('applications'),
  load: async () => ({}),
  meta: () => ({ title: texts.newApplication, isUnlisted: true }),
  view: NewApplicationView,
})

export const createApplicationSubmit = act({
  path: '/user/settings/applications/oauth2',
  twin: 'userCreateOAuth2Application',
  cost: 'usual',
  recentSignIn: true,
  requires: [oauthOn],
  ...applicationForm.act,
  again: newApplicationPage,
  async run({ ctx, body }) {
    const { application, secret } = await createApplication(ctx, ctx.viewer.user, inputOf(body))
    return { to: pathTo(application.id), cookies: secretShown(ctx, application.name, secret) }
  },
})

/** Shows an OAuth2 application of the account. */
export const applicationPage = page({
  path: '/user/settings/applications/oauth2/{id}',
  twin: 'userGetOAuth2Application',
  cost: 'usual',
  params,
  requires: [oauthOn, inSession],
  isSecret: true,
  frame: inSettings('applications'),
  async load({ ctx, params, call }) {
    const application = await getApplication(ctx, ctx.viewer.user, params.id)
    const redirectUris = redirectUrisOf(application)
    return { application, redirectUris, secret: takeShownOnce(ctx, call, ['application'])?.secret }
  },
  meta: ({ application }) => ({ title: application.name, isUnlisted: true }),
  view: ApplicationView,
})

/** Changes an application; its secret stays. */
export const editApplicationSubmit = act({
  path: '/user/settings/applications/oauth2/{id}',
  edits: true,
  twin: 'userUpdateOAuth2Application',
  cost: 'usual',
  recentSignIn: true,
  params,
  requires: [oauthOn],
  ...applicationForm.act,
  again: applicationPage,
  async run({ ctx, params, body }) {
    await editApplication(ctx, ctx.viewer.user, params.id, { ...inputOf(body), keepsSecret: true })
    return { to: pathTo(params.id), notice: settingsTexts.saved }
  },
})

/** Replaces the secret of an application. */
export const regenerateSecretSubmit = act({
  path: '/user/settings/applications/oauth2/{id}/regenerate_secret',
  twin: null,
  cost: 'usual',
  recentSignIn: true,
  params,
  requires: [oauthOn],
  async run({ ctx, params }) {
    const { user } = ctx.viewer
    const known = await getApplication(ctx, user, params.id)
    const { secret } = await editApplication(ctx, user, known.id, {
      name: known.name,
      isConfidential: known.is_confidential,
      redirectUris: redirectUrisOf(known),
    })
    return { to: pathTo(known.id), cookies: secretShown(ctx, known.name, secret) }
  },
})

export const deleteApplicationSubmit = act({
  path: '/user/settings/applications/oauth2/{id}/delete',
  twin: 'userDeleteOAuth2Application',
  cost: 'usual',
  params,
  requires: [oauthOn],
  async run({ ctx, params }) {
    await removeApplication(ctx, ctx.viewer.user, params.id)
    return { to: settingsPath('applications'), notice: texts.applicationDeleted }
  },
})
