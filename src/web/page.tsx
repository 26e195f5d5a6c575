import type { ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { Config } from '../config/load-config.ts'
import type { ErrorForm } from '../http/error-forms.ts'
import { bytes } from '../http/reply.ts'

export interface PageParts {
  readonly title: string
  /** False for a page that brings a style of its own, which the style of the others would reach into. */
  readonly houseStyle?: boolean
  /** Addresses of style sheets and scripts below the site root. */
  readonly styles?: readonly string[]
  readonly scripts?: readonly string[]
  readonly content: ComponentChildren
}

/**
 * Only files of the forge itself are loaded, nothing inline runs, and no other page may show this one in a frame.
 * @param formTarget where else a form of the page may lead: browsers look at the redirects that answer it, too
 */
export const policyWith = (formTarget: string): string =>
  contentSecurityPolicy.replace("form-action 'self'", `form-action 'self' ${formTarget}`)

const contentSecurityPolicy =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"

/**
 * Where something of the site is, for a browser: a path and no whole address, since the browser may have come by another
 * name than the configured one, and the pages load and send to nothing but where they came from.
 */
export const sitePath = (config: Config, path = ''): string => `${config.server.subPath}/${path}`

/** A whole page as a reply. Text in it is escaped by the renderer. */
export function page(
  config: Config,
  parts: PageParts,
  options: { status?: number; headers?: Record<string, string> } = {},
) {
  const html = renderToString(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${parts.title} - ${config.instance.appName}`}</title>
        {[...(parts.houseStyle === false ? [] : ['assets/forge.css']), ...(parts.styles ?? [])].map((path) => (
          <link rel="stylesheet" href={sitePath(config, path)} />
        ))}
        {(parts.scripts ?? []).map((path) => (
          <script src={sitePath(config, path)} defer />
        ))}
      </head>
      <body>{parts.content}</body>
    </html>,
  )
  return bytes('text/html;charset=utf-8', `<!DOCTYPE html>\n${html}\n`, {
    ...(options.status === undefined ? {} : { status: options.status as 200 }),
    headers: {
      'content-security-policy': contentSecurityPolicy,
      'x-frame-options': config.cors.xFrameOptions === 'unset' ? 'SAMEORIGIN' : config.cors.xFrameOptions,
      'referrer-policy': 'same-origin',
      ...options.headers,
    },
  })
}

/** Refusals of pages: what went wrong, in words, with a way back. */
export const htmlErrors: ErrorForm = {
  render(refusal, { site }) {
    const root = new URL(site.url).pathname
    const html = renderToString(
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <title>{String(refusal.status)}</title>
          <link rel="stylesheet" href={`${root}assets/forge.css`} />
        </head>
        <body>
          <main class="card">
            <h1>{refusal.status === 404 ? 'There is nothing here' : 'This did not work'}</h1>
            <p>{refusal.message}</p>
            <p>
              <a href={root}>Home</a>
            </p>
          </main>
        </body>
      </html>,
    )
    return {
      contentType: 'text/html;charset=utf-8',
      body: `<!DOCTYPE html>\n${html}\n`,
      headers: { 'content-security-policy': contentSecurityPolicy },
    }
  },
}
