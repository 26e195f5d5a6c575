import type { RefusedCall } from '../../http/error-forms.ts'
import type { Refusal } from '../../lib/errors.ts'
import type { IconName } from '../ui/icons.ts'
import { ButtonLink } from '../ui/link.tsx'
import { usePage } from '../ui/page-context.ts'
import { pathOf } from '../ui/paths.ts'
import { Icon } from '../ui/icon.tsx'
import { sentenceOf } from './sentence.ts'
import { texts } from './texts.tsx'

const icons: Readonly<Record<number, IconName>> = {
  401: 'lock',
  403: 'lock',
  404: 'search',
  413: 'database',
  423: 'archive',
  429: 'stopwatch',
  503: 'hourglass',
}

/** Refusals that say no more than that there is nothing. */
const vagueCodes: ReadonlySet<string> = new Set(['not_found', 'no_such_route'])

/** First parts of addresses that are not below an account. */
const ownPlaces = new Set(['-', 'admin', 'api', 'assets', 'explore', 'login', 'notifications', 'org', 'repo', 'user'])

/** Returns the owner and the name of the repository that an address is below. */
function repositoryOf(url: string): readonly [string, string] | undefined {
  const [, owner = '', repo = ''] = /^\/([\w.-]+)\/([\w.-]+)\/./.exec(url) ?? []
  return repo === '' || repo === '-' || ownPlaces.has(owner) ? undefined : [owner, repo]
}

/** Returns the heading of a refusal. */
export function errorHeading({ status, code }: Pick<Refusal, 'status' | 'code'>): string {
  const { errors } = texts
  if (code === 'link_spent') return errors.linkSpent
  if (status === 404) return errors.notFound
  if (status === 401) return errors.signInFirst
  if (status === 403) return errors.forbidden
  if (status === 413) return errors.tooLarge
  if (status === 423) return errors.locked
  if (status === 429) return errors.tooMany
  if (status === 503) return errors.unavailable
  return status >= 500 ? errors.server : errors.refused
}

/** Returns the sentence below the heading, and a further one. */
function explain({ status, message, code }: Refusal, isGuest: boolean): readonly [string, string?] {
  const { errors } = texts
  if (status === 404 && code !== 'link_spent') {
    return vagueCodes.has(code)
      ? [isGuest ? errors.notFoundGuest : errors.notFoundLead]
      : [sentenceOf(message), isGuest ? errors.orHiddenGuest : errors.orHidden]
  }
  if (status === 423) return [errors.lockedLead]
  return [message === '' ? errors.serverLead : sentenceOf(message)]
}

/** A refusal: what happened, why, and where to go on. */
export function ErrorContent({ refusal, call }: { readonly refusal: Refusal; readonly call: RefusedCall }) {
  const { viewer, url, config } = usePage()
  const { errors } = texts
  const { status, code } = refusal
  const [lead, hint] = explain(refusal, viewer === undefined)
  const back = url.startsWith('/user/') ? '' : `?redirect_to=${encodeURIComponent(url)}`
  const mayRetry = status === 429 || status >= 500
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
      {status >= 500 ? <p class="hint">{errors.request(call.id)}</p> : null}
      <p class="acts">
        {mayRetry ? (
          <ButtonLink to={call.method === 'GET' ? url : '/'} kind="primary">
            {errors.retry}
          </ButtonLink>
        ) : null}
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
          <ButtonLink to={pathOf(...repository)} kind={asksSignIn || isGuess ? 'plain' : 'primary'} icon="repo">
            {repository.join('/')}
          </ButtonLink>
        )}
        <ButtonLink to="/">{errors.toHome}</ButtonLink>
        {mayExplore ? <ButtonLink to="/explore/repos">{errors.toExplore}</ButtonLink> : null}
      </p>
    </div>
  )
}
