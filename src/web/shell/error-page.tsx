import type { RefusedCall } from '../../http/error-forms.ts'
import type { Viewer } from '../../auth/viewer.ts'
import type { Refusal } from '../../lib/errors.ts'
import type { IconName } from '../ui/icons.ts'
import { ButtonLink } from '../ui/link.tsx'
import { usePage } from '../ui/page-context.ts'
import { pathOf } from '../ui/paths.ts'
import { Icon } from '../ui/icon.tsx'
import { explained } from './explained.ts'
import { sentenceOf } from './sentence.ts'
import { shellTexts as texts } from '../languages/texts.ts'

const icons: Readonly<Record<number, IconName>> = {
  401: 'lock',
  403: 'lock',
  404: 'search',
  410: 'link',
  413: 'database',
  423: 'archive',
  429: 'stopwatch',
  503: 'hourglass',
}

/** Refusals that say no more than that there is nothing. */
const vagueCodes: ReadonlySet<string> = new Set(['not_found', 'no_such_route'])

/** First parts of addresses that are not below an account. */
const reservedNames = new Set([
  '-',
  'admin',
  'api',
  'assets',
  'explore',
  'login',
  'notifications',
  'org',
  'repo',
  'user',
])

/** Returns the owner and the name of the repository that an address is below. */
function repositoryOf(url: string): readonly [string, string] | undefined {
  const [, owner = '', repo = ''] = /^\/([\w.-]+)\/([\w.-]+)\/./.exec(url) ?? []
  return repo === '' || repo === '-' || reservedNames.has(owner) ? undefined : [owner, repo]
}

/** Refusals after which a form can be sent again. */
const resendable: ReadonlySet<number> = new Set([409, 413, 429, 503])

/** Returns the path below the site root of the page from which a refused form was sent. */
function formOf({ method, headers, site }: RefusedCall, status: number): string | undefined {
  const { referer } = headers
  if (method === 'GET' || !resendable.has(status)) return undefined
  if (typeof referer !== 'string' || !referer.startsWith(site.url)) return undefined
  const path = referer.slice(site.url.length)
  // Two slashes would lead to another site.
  return path.startsWith('/') ? undefined : `/${path}`
}

/** Returns the heading of a refusal. */
export function errorHeading({ status, code }: Pick<Refusal, 'status' | 'code'>): string {
  const { errors } = texts
  if (code === 'link_spent' || status === 410) return errors.linkSpent
  if (status === 404) return errors.notFound
  if (status === 401) return errors.signInFirst
  if (status === 403) return errors.forbidden
  if (status === 413) return code === 'over_quota' ? errors.overQuota : errors.tooLarge
  if (status === 423) return errors.locked
  if (status === 429) return errors.tooMany
  if (status === 503) return errors.unavailable
  return status >= 500 ? errors.server : errors.refused
}

/** Returns the sentence below the heading, and a further one. */
function explain(refusal: Refusal, viewer: Viewer | undefined): readonly [string, string?] {
  const { errors } = texts
  const { status, message, code } = refusal
  const isGuest = viewer === undefined
  if (status === 404 && code !== 'link_spent') {
    return vagueCodes.has(code)
      ? [isGuest ? errors.notFoundGuest : errors.notFoundLead]
      : [sentenceOf(message), isGuest ? errors.orHiddenGuest : errors.orHidden]
  }
  if (status === 410 && code === 'invitation_ended') return [errors.invitationEnded]
  if (status === 423) return [errors.lockedLead]
  return [message === '' ? errors.serverLead : explained(refusal, viewer).message]
}

/** A refusal: what happened, why, and where to go on. */
export function ErrorContent({ refusal, call }: { readonly refusal: Refusal; readonly call: RefusedCall }) {
  const { viewer, url, config } = usePage()
  const { errors } = texts
  const { status, code } = refusal
  const [lead, hint] = explain(refusal, viewer)
  const back = url.startsWith('/user/') ? '' : `?redirect_to=${encodeURIComponent(url)}`
  const mayRetry = call.method === 'GET' && (status === 429 || status >= 500)
  const form = formOf(call, status)
  const { help } = explained(refusal, viewer)
  const isSpent = code === 'link_spent' && url.startsWith('/user/recover_account')
  const asksSignIn = viewer === undefined && [401, 403, 404].includes(status) && code !== 'link_spent'
  const isClosed = config.service.requireSigninView || config.serviceExplore.requireSigninView
  const mayExplore = viewer !== undefined || !isClosed
  // Where no page is, the repository may be missing too.
  const isGuess = code === 'no_such_route'
  const repository = [403, 404, 413, 423].includes(status) && code !== 'repo_not_found' ? repositoryOf(url) : undefined
  return (
    <div class="container error-page">
      <Icon name={code === 'link_spent' ? 'link' : (icons[status] ?? 'alert')} size={24} />
      <p class="status">{status}</p>
      <h1>{errorHeading(refusal)}</h1>
      <p class="lead">{lead}</p>
      {hint === undefined ? null : <p class="hint">{hint}</p>}
      {status >= 500 && refusal.data['retryAfterSeconds'] === undefined ? (
        <p class="hint">{errors.request(call.id)}</p>
      ) : null}
      <p class="acts">
        {mayRetry ? (
          <ButtonLink to={url} kind="primary">
            {errors.retry}
          </ButtonLink>
        ) : null}
        {form === undefined ? null : (
          <ButtonLink to={form} kind="primary">
            {errors.toForm}
          </ButtonLink>
        )}
        {help === undefined ? null : <ButtonLink to={help.to}>{help.label}</ButtonLink>}
        {isSpent ? (
          <ButtonLink to="/user/forgot_password" kind="primary">
            {errors.askAgain}
          </ButtonLink>
        ) : null}
        {asksSignIn ? (
          <ButtonLink to={`/user/login${back}`} kind="primary">
            {texts.signIn}
          </ButtonLink>
        ) : null}
        {repository === undefined ? null : (
          <ButtonLink
            to={pathOf(...repository)}
            kind={asksSignIn || isGuess || form !== undefined ? 'plain' : 'primary'}
            icon="repo"
          >
            {repository.join('/')}
          </ButtonLink>
        )}
        <ButtonLink to="/">{errors.toHome}</ButtonLink>
        {mayExplore ? <ButtonLink to="/explore/repos">{errors.toExplore}</ButtonLink> : null}
      </p>
    </div>
  )
}
