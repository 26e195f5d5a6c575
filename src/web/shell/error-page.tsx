import type { RefusedCall } from '../../http/error-forms.ts'
import type { Refusal } from '../../lib/errors.ts'
import type { IconName } from '../ui/icons.ts'
import { ButtonLink } from '../ui/link.tsx'
import { usePage } from '../ui/page-context.ts'
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

/** Returns the heading of a refusal. */
export function errorHeading(status: number): string {
  const { errors } = texts
  if (status === 404) return errors.notFound
  if (status === 401 || status === 403) return errors.forbidden
  if (status === 413) return errors.tooLarge
  if (status === 423) return errors.locked
  if (status === 429) return errors.tooMany
  if (status === 503) return errors.unavailable
  return status >= 500 ? errors.server : errors.refused
}

/** A refusal: what happened, why, and where to go on. */
export function ErrorContent({ refusal, call }: { readonly refusal: Refusal; readonly call: RefusedCall }) {
  const { viewer, url } = usePage()
  const { errors } = texts
  const { status, message, code } = refusal
  const lead =
    status === 404
      ? viewer
        ? errors.notFoundLead
        : errors.notFoundGuest
      : message === ''
        ? errors.serverLead
        : sentenceOf(message)
  const back = url.startsWith('/user/') ? '' : `?redirect_to=${encodeURIComponent(url)}`
  return (
    <div class="container error-page">
      <Icon name={icons[status] ?? 'alert'} size={24} />
      <p class="status">{status}</p>
      <h1>{errorHeading(status)}</h1>
      <p class="lead">{lead}</p>
      {status === 404 && !vagueCodes.has(code) ? <p class="hint">{sentenceOf(message)}</p> : null}
      {status >= 500 ? <p class="hint">{errors.request(call.id)}</p> : null}
      <p class="acts">
        {status === 429 || status === 503 ? (
          <ButtonLink to={call.method === 'GET' ? url : '/'} kind="primary">
            {errors.retry}
          </ButtonLink>
        ) : null}
        {viewer === undefined && [401, 403, 404].includes(status) ? (
          <ButtonLink to={`/user/login${back}`} kind="primary">
            {texts.signIn}
          </ButtonLink>
        ) : null}
        <ButtonLink to="/">{errors.toHome}</ButtonLink>
        <ButtonLink to="/explore/repos">{errors.toExplore}</ButtonLink>
      </p>
    </div>
  )
}
