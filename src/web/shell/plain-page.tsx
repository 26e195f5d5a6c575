import type { ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { Config } from '../../config/load-config.ts'
import { bytes } from '../../http/reply.ts'
import { texts } from './plain-texts.tsx'

export interface PageParts {
  readonly title: string
  /** Why the form is shown again. The title begins with it, because screen readers read the title first. */
  readonly problem?: object | undefined
  /** False for a page with its own style sheet. */
  readonly houseStyle?: boolean
  /** Addresses of style sheets and scripts, relative to the site root. */
  readonly styles?: readonly string[]
  readonly scripts?: readonly string[]
  readonly content: ComponentChildren
}

/**
 * Returns a policy that loads only files of the forge, runs no inline scripts and forbids framing by other sites.
 * @param formTarget another permitted target of forms, redirects included
 */
export const policyWith = (formTarget: string): string =>
  contentSecurityPolicy.replace("form-action 'self'", `form-action 'self' ${formTarget}`)

const contentSecurityPolicy =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"

/**
 * Returns the path of an address on this site. It has no host, because the browser may use another host name than the
 * configured one.
 */
export const sitePath = (config: Config, path = ''): string => `${config.server.subPath}/${path}`

/** Returns the document; the renderer escapes texts. */
function documentOf(
  site: { readonly root: string; readonly name: string },
  { title, problem, houseStyle = true, styles = [], scripts = [], content }: PageParts,
): string {
  const { root, name } = site
  const html = renderToString(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${problem ? texts.errorTitle(title) : title} - ${name}`}</title>
        <link rel="icon" type="image/svg+xml" href={`${root}assets/icon.svg`} />
        {[...(houseStyle ? ['assets/plain.css'] : []), ...styles].map((path) => (
          <link rel="stylesheet" href={root + path} />
        ))}
        {scripts.map((path) => (
          <script src={root + path} defer />
        ))}
      </head>
      <body>
        {houseStyle ? (
          <header class="site">
            <a href={root}>{name}</a>
          </header>
        ) : null}
        {content}
      </body>
    </html>,
  )
  return `<!DOCTYPE html>\n${html}\n`
}

/** Returns a page as a reply. */
export function page(
  config: Config,
  parts: PageParts,
  options: { status?: number; headers?: Record<string, string> } = {},
) {
  const html = documentOf({ root: sitePath(config), name: config.instance.appName }, parts)
  return bytes('text/html;charset=utf-8', html, {
    ...(options.status === undefined ? {} : { status: options.status as 200 }),
    headers: {
      'content-security-policy': contentSecurityPolicy,
      'x-frame-options': config.cors.xFrameOptions === 'unset' ? 'SAMEORIGIN' : config.cors.xFrameOptions,
      'referrer-policy': 'same-origin',
      ...options.headers,
    },
  })
}

/**
 * Returns a page that must not be cached. `same-origin` already hides its address from other sites; `no-referrer` would
 * also remove `Origin` from its forms.
 */
export const secretPage = (config: Config, parts: PageParts, headers: Readonly<Record<string, string>> = {}) =>
  page(config, parts, { headers: { 'cache-control': 'no-store', ...headers } })
